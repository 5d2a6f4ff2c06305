import type { libraryCommands } from '../../shared/contract/library';
import type { PreflightView } from '../../shared/contract/views';
import type { movingCommands } from '../../shared/contract/moving';
import type { readingCommands } from '../../shared/contract/reading';
import type { searchCommands } from '../../shared/contract/search';
import type { Handlers } from '../../shared/contract/serve';
import { Failure } from '../../shared/run/failure';
import { continuationPrompt } from '../agent/continuation';
import type { ResumeOptions } from '../agent/session';
import { fromElsewhere } from '../agent/take-back';
import { madeFrom } from '../library/words';
import type { Services } from './app';
import { nowhere } from './nowhere';
import { preflightView } from './preflight';

type Others =
  | keyof typeof libraryCommands
  | keyof typeof readingCommands
  | keyof typeof searchCommands
  | keyof typeof movingCommands
  | 'run.copy';
type RunHandlers = Omit<Pick<Handlers, Extract<keyof Handlers, `run.${string}`>>, Others>;

const done = (value: boolean) => ({ done: value });

const notLive = () =>
  new Failure({
    code: 'busy',
    message: 'Nothing of this run is at work here.',
    kept: 'Nothing was changed.',
    todo: 'Open the run and resume it.',
  });

const elsewhere = () =>
  new Failure({
    code: 'endpoint_changed',
    message: 'The profile of this run now talks to another address, which would get its words.',
    kept: 'Nothing was sent, and nothing was changed.',
    todo: 'Resume the run, which shows both addresses, or begin a new chat.',
  });

const refusesProvider = ({ gate, outcome }: PreflightView['gates'][number]) =>
  gate === 'provider' && outcome === 'refuse';

/** Everything about one run. */
export function runHandlers(services: Services): RunHandlers {
  const { library, sessions, folders, profiles, stores, parts, disk, windows } = services;

  const look = async (key: string, profile?: string, folder?: string) => {
    const { store, id } = stores.place(key);
    const { noted, used, ...view } = await preflightView(
      { parts, store, folder, ...(await profiles.all()) },
      id,
      profile,
    );
    return { noted, used, view: { ...view, id: key } };
  };

  /** A way on that shows nothing first: only for a run whose profile and folder were chosen here, or just now. */
  const lookAgreed = async (key: string, profile?: string, acceptOrigin?: string) => {
    const { view, noted, used } = await look(key, profile);
    if (view.origin.kind !== 'here' && acceptOrigin !== view.origin.seen) throw fromElsewhere(view.origin);
    return { ...view, noted, used };
  };

  /** Takes up a stored run; without a profile, with the one that it last used. */
  const resume = async (
    key: string,
    choice: Omit<ResumeOptions, 'store' | 'id' | 'profile' | 'approvals' | 'folder'> & {
      profile?: string | undefined;
      folder?: string | undefined;
    },
  ) => {
    const { profile: named, folder, ...rest } = choice;
    const { store, name: at, id } = stores.place(key);
    void disk.look();
    const { view, noted } = await look(key, named);
    const profile = await profiles.named(view.profile);
    if (folder === undefined) await folders.again(noted.folder);
    const chosen = folder === undefined ? {} : await folders.granted(folder, noted);
    await sessions.resume({ ...rest, store, id, profile, approvals: 'ask', ...chosen }, at);
  };

  return {
    'run.watch': ({ id }, peer) => sessions.watch(id, peer),
    'run.unwatch': ({ id }, peer) => {
      sessions.unwatch(id, peer);
      return done(true);
    },
    'run.start': async ({ prompt, chat, private: isPrivate, profile: name, folder, store: wanted }, peer) => {
      const window = isPrivate ? windows.of(peer) : undefined;
      const at = isPrivate ? '' : stores.named(wanted);
      const store = isPrivate ? undefined : stores.at(at);
      void disk.look();
      const profile = await profiles.named(name);
      const chosen = folder === undefined ? {} : await folders.granted(folder);
      const options = { store, prompt, chat, profile, approvals: 'ask' as const, ...chosen };
      const id = await sessions.start(options, at, window);
      if (window !== undefined && !windows.isThere(window)) sessions.windowGone(window);
      return { id };
    },
    'run.continue': async ({ id: key, profile, acceptEndpoint = false, acceptOrigin, folder }) => {
      const isPrivate = sessions.isPrivate(key);
      if (isPrivate) throw nowhere('so another run cannot go on from it');
      const { store, name: at, id } = stores.place(key);
      const seen = await lookAgreed(key, profile, acceptOrigin);
      if (seen.endpoint?.changed && !acceptEndpoint) throw elsewhere();
      if (folder === undefined) await folders.again(seen.noted.folder);
      const place = folder === undefined ? seen.noted : await folders.granted(folder, seen.noted);
      const { state, facts } = await store.load(id);
      const fresh = await sessions.start(
        {
          store,
          prompt: continuationPrompt(state, {
            crossing: seen.gates.some(refusesProvider),
            chosen: profile !== undefined && profile !== seen.used,
          }),
          chat: true,
          profile: await profiles.named(seen.profile),
          approvals: 'ask',
          continues: { from: id, throughSeq: facts.lastSeq },
          ...place,
        },
        at,
      );
      // Its own prompt is an excerpt, which names nothing.
      const { title } = await library.row(key);
      await library.rename(fresh, madeFrom(title, 'continued')).catch(() => undefined);
      return { id: fresh };
    },
    'run.say': async ({ id, text, queue = false }) => {
      if (await sessions.get(id)?.say(text, queue ? 'queue' : 'now')) return done(true);
      if (sessions.isPrivate(id)) return done(false);
      // What was said to an agent at work starts nothing once that was stopped.
      if (queue) await sessions.queued(id, (waiting) => waiting.add(text, true));
      else await resume(id, { say: text, instead: true });
      return done(true);
    },
    'run.send': async ({ id, message }) => {
      if (await sessions.get(id)?.send(message)) return done(true);
      if (sessions.isPrivate(id)) return done(false);
      await resume(id, { send: message, instead: true });
      return done(true);
    },
    'run.unqueue': async ({ id, message }) => {
      const session = sessions.get(id);
      if (session && session.snapshot().phase !== 'ended') return done(await session.unqueue(message));
      return done(await sessions.queued(id, (waiting) => waiting.drop(message)));
    },
    'run.again': async ({ id }) => {
      if (sessions.isPrivate(id)) return done(sessions.get(id)?.again() ?? false);
      await resume(id, {});
      return done(true);
    },
    'run.approve': ({ id, hash, decision, words }) => {
      const session = sessions.get(id);
      if (!session) throw notLive();
      if (decision !== 'deny') return done(session.answer(hash, { decision }));
      return done(session.answer(hash, { decision, ...(words && { words }) }));
    },
    'run.pause': ({ id }) => {
      const session = sessions.get(id);
      session?.pause();
      return done(session !== undefined);
    },
    'run.cancel': ({ id }) => {
      const session = sessions.get(id);
      session?.cancel();
      return done(session !== undefined);
    },
    'run.reset': async ({ id, prompt }, peer) => {
      const session = sessions.get(id);
      if (session) return done(session.reset(prompt));
      // Nothing of the old run is needed but where it worked, and the old one stays as it is.
      const seen = await lookAgreed(id);
      await folders.again(seen.noted.folder);
      const { store, name: at } = stores.place(id);
      const fresh = await sessions.start(
        {
          store,
          prompt,
          chat: true,
          profile: await profiles.named(seen.profile),
          approvals: 'ask',
          ...seen.noted,
        },
        at,
      );
      const { head } = await sessions.watch(id, peer);
      peer.emit('run.change', { id, after: head.lastSeq, change: { type: 'rotated', to: fresh } });
      return done(true);
    },

    'run.preflight': async ({ id, profile, folder }) => {
      if (folder === undefined) return (await look(id, profile)).view;
      const { noted } = await look(id, profile);
      return (await look(id, profile, await folders.check(folder, noted))).view;
    },
    'run.resume': async ({ id, unknown, ...choice }) => {
      const { profile, folder, force, acceptEndpoint, acceptOrigin, say, send } = choice;
      await resume(id, {
        profile,
        folder,
        force,
        acceptEndpoint,
        ...(acceptOrigin !== undefined && { acceptOrigin }),
        unknown: unknown.map(({ toolUseId, hash, decision, words }) => ({
          toolUseId,
          decision,
          ...(hash !== undefined && { hash }),
          ...(words !== undefined && { words }),
        })),
        ...(say !== undefined && { say }),
        ...(send !== undefined && { send, instead: true }),
      });
      return done(true);
    },
  };
}
