import type { Attempt } from './attempt';
import { door } from './door';
import { grants } from './grants';
import { largeThings } from './large';
import { questions } from './questions';

/** Every attempt, by group: a new group is a file beside this one and its line here. */
export const attempts: Record<string, readonly Attempt[]> = {
  door,
  grants,
  'large things': largeThings,
  questions,
};
