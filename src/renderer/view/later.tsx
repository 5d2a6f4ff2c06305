import { lazy } from 'react';

/**
 * Views that the first minute does without. They are files of their own, so that the window is there sooner, and are
 * fetched as soon as it has nothing else to do: a click on one never waits.
 */
const browse = () => import('./browse/browse');
const compare = () => import('./compare/compare');
const permissions = () => import('./permissions/permissions');
const profiles = () => import('./profiles/profiles');
const search = () => import('./search/search');
const stores = () => import('./stores/stores');

export const Browse = lazy(async () => ({ default: (await browse()).Browse }));
export const Compare = lazy(async () => ({ default: (await compare()).Compare }));
export const Permissions = lazy(async () => ({ default: (await permissions()).Permissions }));
export const Profiles = lazy(async () => ({ default: (await profiles()).Profiles }));
export const Search = lazy(async () => ({ default: (await search()).Search }));
export const Stores = lazy(async () => ({ default: (await stores()).Stores }));

/** One that cannot be had now is asked for again when it is opened. */
export function fetchLater(): void {
  window.requestIdleCallback(() => {
    void Promise.allSettled([browse, compare, permissions, profiles, search, stores].map((get) => get()));
  });
}
