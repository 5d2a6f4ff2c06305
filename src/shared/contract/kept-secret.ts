import { z } from '../zod';

/** Id under which the main process holds a secret. */
export const secretId = z.string().regex(/^[0-9a-f]{24}$/);

/** What becomes of a held secret (`keys.hold`) once something is saved with it. */
export const keptSecret = z.strictObject({ id: secretId, keep: z.enum(['disk', 'session']) });
export type KeptSecret = z.infer<typeof keptSecret>;
