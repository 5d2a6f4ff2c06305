import { z } from '../zod';
import { done, nothing, text } from './pieces';

/** A question to the person that is open now: what it says is on a page that no script of the window reaches. */
const openQuestion = z.object({
  id: z.string(),
  /** Where the page with its buttons is, on the host of the window. */
  port: z.int(),
  path: z.string(),
});

/** What the person allowed, and what is being asked. The window can't answer yes: only the page of a question can. */
export const permissionCommands = {
  'permissions.list': {
    input: nothing,
    output: z.object({
      asking: z.array(openQuestion),
      /** Where conversations may go, besides what every model service and this machine's own servers are allowed. */
      addresses: z.array(
        z.object({
          id: z.string(),
          origin: z.string(),
          /** The environment variable whose key is sent there; absent: none. */
          key: z.string().optional(),
          /** A key that was entered in the window is sent there. */
          entered: z.boolean().optional(),
          /** Names of the profiles that use it. */
          profiles: z.array(z.string()),
        }),
      ),
      /** Folders that runs may work in, the last one that was used first. */
      folders: z.array(z.object({ path: z.string(), sample: z.boolean() })),
    }),
  },
  /** Answers an open question with no. */
  'permissions.decline': {
    input: z.strictObject({ question: z.string().regex(/^[\w-]{32}$/) }),
    output: done,
  },
  /** Takes back what was allowed; the next use asks again. `target`: the id of the address, or the path of the folder. */
  'permissions.revoke': {
    input: z.strictObject({ what: z.enum(['address', 'folder']), target: text(4096).min(1) }),
    output: done,
  },
} as const;

export const permissionEvents = {
  /** A question was asked or answered, or something was allowed or taken back. */
  'permissions.changed': z.object({}),
} as const;
