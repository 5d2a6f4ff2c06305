import { z } from '../zod';
import { libraryCommands, sortField } from './library';
import { movingCommands, movingEvents } from './moving';
import { done, MESSAGE_LIMIT, nothing, storeName, text, WORDS_LIMIT } from './pieces';
import { permissionCommands, permissionEvents } from './permissions';
import { profileCommands } from './profiles';
import { readingCommands } from './reading';
import { searchCommands, searchEvents } from './search';
import { keyCommands } from './keys';
import { storeCommands } from './stores';
import { preflightView, runChange, runHead, runId } from './views';

/**
 * The one table of what may cross between the main process and a window. Types, validation, documentation and the
 * hostile-input tests all follow from it; a door has no other way in.
 */
export { MESSAGE_LIMIT };

export const commands = {
  /**
   * First call of a window, and of each new connection. `window`: which one it is, the same after its page loaded again;
   * private chats end with the window that began them.
   */
  'app.hello': {
    input: z.strictObject({ window: text(64).min(1).optional() }),
    output: z.object({
      version: z.string(),
      door: z.enum(['electron', 'browser']),
      platform: z.string(),
      store: z.object({
        url: z.string(),
        label: z.string(),
        durability: z.string(),
        caution: z.string().optional(),
      }),
      /** The door has a native folder dialog; else `folder.list` serves a picker in the window. */
      nativeDialogs: z.boolean(),
      home: z.string(),
    }),
  },
  /** Snapshot, and from then on `run.change` events until `run.unwatch`. */
  'run.watch': {
    input: z.strictObject({ id: runId }),
    output: z.object({
      head: runHead,
      stream: z.object({ iteration: z.number(), text: z.string(), thinking: z.string() }).optional(),
    }),
  },
  'run.unwatch': { input: z.strictObject({ id: runId }), output: done },
  'run.start': {
    input: z.strictObject({
      prompt: text(MESSAGE_LIMIT).min(1),
      chat: z.boolean(),
      private: z.boolean(),
      profile: text(80),
      folder: text(4096).optional(),
      /** Where it is kept; absent: the usual store. */
      store: storeName.optional(),
    }),
    output: z.object({ id: runId }),
  },
  /**
   * A new chat in the same store that begins with an excerpt of this run, for one that its model can no longer read.
   * `endpoint_changed` when the words would now go elsewhere; the old run stays as it is.
   */
  'run.continue': {
    input: z.strictObject({
      id: runId,
      /** Absent: the run's own. With another one the words go where that one talks to, which the person was shown. */
      profile: text(80).optional(),
      acceptEndpoint: z.boolean().optional(),
      /** For a run from elsewhere: what the person was shown, and agreed to, with the profile and the folder. */
      acceptOrigin: text(128).optional(),
      folder: text(4096).optional(),
    }),
    output: z.object({ id: runId }),
  },
  /** Copies a run into another store, byte for byte, compared afterwards. `exists` when the run is there already. */
  'run.copy': {
    input: z.strictObject({ id: runId, to: storeName }),
    output: z.object({
      /** The copy. */
      id: runId,
      store: z.string(),
      records: z.number(),
      bytes: z.number(),
      sha256: z.string(),
      /** Bytes at the end of the original that are no record. */
      dropped: z.number(),
      /** Kept texts that the original could not give any more. */
      missingTexts: z.number(),
    }),
  },
  /**
   * Starts a turn, answering open calls as stopped, or waits behind the one under way. `queue`: it was said while the
   * agent worked, so it never starts anything by itself. Durable when this resolves.
   */
  'run.say': {
    input: z.strictObject({ id: runId, text: text(MESSAGE_LIMIT).min(1), queue: z.boolean().optional() }),
    output: done,
  },
  /** Sends a message that waits: now where the run is at rest, else after the answer. */
  'run.send': { input: z.strictObject({ id: runId, message: text(80) }), output: done },
  'run.unqueue': { input: z.strictObject({ id: runId, message: text(80) }), output: done },
  /** Goes on at once where the last turn failed or was stopped, with the profile that the run last used. */
  'run.again': { input: z.strictObject({ id: runId }), output: done },
  'run.approve': {
    input: z.strictObject({
      id: runId,
      hash: text(128),
      decision: z.enum(['once', 'run', 'deny']),
      words: text(MESSAGE_LIMIT).optional(),
    }),
    output: done,
  },
  'run.pause': { input: z.strictObject({ id: runId }), output: done },
  'run.cancel': { input: z.strictObject({ id: runId }), output: done },
  'run.reset': {
    input: z.strictObject({ id: runId, prompt: text(MESSAGE_LIMIT).min(1) }),
    output: done,
  },
  /** Looks only. Profile absent: the one the run last used, else the best match. */
  'run.preflight': {
    input: z.strictObject({ id: runId, profile: text(80).optional(), folder: text(4096).optional() }),
    output: preflightView,
  },
  'run.resume': {
    input: z.strictObject({
      id: runId,
      profile: text(80),
      folder: text(4096).optional(),
      force: z.boolean(),
      acceptEndpoint: z.boolean(),
      /** `origin.seen` of a run from elsewhere: this profile and this folder, or none, were chosen for it here. */
      acceptOrigin: text(128).optional(),
      unknown: z
        .array(
          z.strictObject({
            toolUseId: text(300),
            /** That of the call which was looked at; `run` counts only with it. */
            hash: text(128).optional(),
            decision: z.enum(['run', 'skip', 'happened']),
            words: text(WORDS_LIMIT).optional(),
          }),
        )
        .max(200),
      say: text(MESSAGE_LIMIT).optional(),
      /** A message that waits is sent: open calls that have not begun are answered as stopped. */
      send: text(80).optional(),
    }),
    output: done,
  },
  /** What was typed and not sent. Keys that begin with `private`, and ids of private runs, never reach the disk. */
  'draft.get': { input: z.strictObject({ key: text(200) }), output: z.object({ text: z.string() }) },
  'draft.set': { input: z.strictObject({ key: text(200), text: text(MESSAGE_LIMIT) }), output: done },
  ...profileCommands,
  ...keyCommands,
  ...storeCommands,
  ...libraryCommands,
  ...readingCommands,
  ...searchCommands,
  ...movingCommands,
  ...permissionCommands,
  /** Native dialog; empty when it was dismissed. */
  'folder.pick': { input: nothing, output: z.object({ folder: z.string() }) },
  /** The person chose this folder in the window's own picker: asks whether runs may work in it, unless they may already. */
  'folder.use': { input: z.strictObject({ path: text(4096) }), output: z.object({ folder: z.string() }) },
  /** Folders inside a folder, for the picker of a door without dialogs. */
  'folder.list': {
    input: z.strictObject({ path: text(4096) }),
    output: z.object({
      path: z.string(),
      parent: z.string().optional(),
      folders: z.array(z.string()),
      files: z.number(),
    }),
  },
  /** A folder of sample files, made on first use, for a first try. */
  'folder.sample': { input: nothing, output: z.object({ folder: z.string() }) },
  'folder.recent': {
    input: nothing,
    output: z.object({
      folders: z.array(z.string()),
      /** Which of them is the sample folder. */
      sample: z.string().optional(),
    }),
  },
  /** Asks the person (host shown), then opens https and mailto links outside. */
  'link.open': { input: z.strictObject({ url: text(4096) }), output: done },
  'prefs.get': {
    input: nothing,
    output: z.object({
      theme: z.enum(['system', 'light', 'dark']),
      zoom: z.number(),
      profile: z.string().optional(),
      /** Store that new chats are kept in. */
      store: z.string().optional(),
      /** Columns of the table of all runs. */
      columns: z.array(sortField).optional(),
      /** A single line end in an answer is a line break. */
      breaks: z.boolean().optional(),
    }),
  },
  'prefs.set': {
    input: z.strictObject({
      theme: z.enum(['system', 'light', 'dark']).optional(),
      zoom: z.number().min(0.5).max(3).optional(),
      profile: text(80).optional(),
      store: storeName.optional(),
      columns: z.array(sortField).max(20).optional(),
      breaks: z.boolean().optional(),
    }),
    output: done,
  },
} as const;

export const events = {
  /** The list changed: ask for the pages that are shown again. */
  'library.changed': z.object({ ids: z.array(runId) }),
  /** For a watched run. `after`: the journal seq that this change builds on; a gap means: watch again. */
  'run.change': z.object({ id: runId, after: z.number(), change: runChange }),
  'profiles.changed': z.object({}),
  /** A key was saved, replaced or removed. */
  'keys.changed': z.object({}),
  /** A store came, went, or is reached again or no more. */
  'stores.changed': z.object({}),
  /** Bring this run to the front (second start, notification click). Empty: just the window. */
  'app.focus': z.object({ id: z.string() }),
  /** A menu entry that the window handles. */
  'app.menu': z.object({
    action: z.enum([
      'new',
      'palette',
      'shortcuts',
      'find',
      'search',
      'browse',
      'trash',
      'import',
      'export',
      'profiles',
      'stores',
      'zoom_in',
      'zoom_out',
      'zoom_reset',
    ]),
  }),
  ...searchEvents,
  ...movingEvents,
  ...permissionEvents,
  /** Something that belongs to no run. */
  'app.notice': z.object({ tone: z.enum(['info', 'warn', 'bad']), text: z.string() }),
} as const;

export type CommandName = keyof typeof commands;
export type CommandInput<N extends CommandName> = z.input<(typeof commands)[N]['input']>;
export type CommandOutput<N extends CommandName> = z.output<(typeof commands)[N]['output']>;
export type EventName = keyof typeof events;
export type EventPayload<N extends EventName> = z.output<(typeof events)[N]>;
