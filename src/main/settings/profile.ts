/** The profile's schema is shared, since the window edits it; this room loads and saves it. */
export { profile, type Profile } from '../../shared/run/profile';
