import { z } from '../zod';
import { STORE_NAME } from './stores';

/** Small shapes that every table of commands uses. */
export const text = (max: number) => z.string().max(max);
export const nothing = z.strictObject({});
export const done = z.object({ done: z.boolean() });
export const storeName = z.string().regex(STORE_NAME);
/** Characters that one message, draft or search may have. */
export const MESSAGE_LIMIT = 1_000_000;
/** Characters that a person's account of what a call did may have. */
export const WORDS_LIMIT = 100_000;
