import { Failure } from '../../shared/run/failure';
import type { Profile } from '../settings/profile';
import type { Model } from './model';
import { practiceModel } from './practice';

/** The model that a profile names. */
export function modelFor(profile: Profile): Model {
  switch (profile.provider) {
    case 'practice':
      return practiceModel();
    default:
      throw new Failure({
        code: 'unsupported',
        message: `This build has no adapter for the provider "${profile.provider}" yet.`,
        todo: 'Choose a profile that uses the Practice model.',
      });
  }
}
