import { Failure } from '../../shared/run/failure';

/** For what a private chat cannot have. `so`: what follows for the person. */
export const nowhere = (so: string) =>
  new Failure({ code: 'unsupported', message: `A private chat is kept nowhere, ${so}.` });
