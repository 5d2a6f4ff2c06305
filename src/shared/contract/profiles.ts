import { z } from '../zod';
import { profile as profileSchema, providerId } from '../run/profile';
import { keptSecret, secretId } from './kept-secret';
import { done, nothing, text } from './pieces';
import { failureInfo, profileView } from './views';

/** What crosses the contract about profiles, and about the services that they use. */
export const profileCommands = {
  'profiles.list': {
    input: nothing,
    output: z.object({
      profiles: z.array(
        z.object({
          profile: profileView,
          builtIn: z.boolean(),
          /** Empty when it can be used now; else why not ("ANTHROPIC_API_KEY is not set"). */
          problem: z.string(),
          /** The saved key that it uses: its id and last four characters. */
          key: z.object({ id: z.string(), hint: z.string() }).optional(),
        }),
      ),
      tools: z.array(
        z.object({
          name: z.string(),
          description: z.string(),
          changes: z.boolean(),
          /** Providers whose models can be given it. */
          providers: z.array(providerId),
        }),
      ),
      /** Name of the profile that new runs use where the person chose none in the window. */
      usual: z.string(),
      file: z.string(),
      /** The file is broken: what and where. Built-in profiles still work. */
      problem: failureInfo.optional(),
    }),
  },
  /** `was`: the name before an edit; absent for a new one. `key`: a held or saved key that it uses from now on. */
  'profiles.save': {
    input: z.strictObject({ profile: profileSchema, was: text(80).optional(), key: keptSecret.optional() }),
    output: done,
  },
  'profiles.remove': { input: z.strictObject({ name: text(80) }), output: done },
  /** The profile that new runs use from now on. */
  'profiles.usual': { input: z.strictObject({ name: text(80) }), output: done },
  /** These profiles as a file to share, without keys. */
  'profiles.export': {
    input: z.strictObject({ names: z.array(text(80)).min(1).max(100) }),
    output: z.object({ text: z.string() }),
  },
  /** Saves what a shared file names, each under a free name. Asks the person for each address that is new. */
  'profiles.import': {
    input: z.strictObject({ text: text(256 * 1024) }),
    output: z.object({
      imported: z.array(
        z.object({
          /** Its name in the file. */
          from: z.string(),
          /** The name that it was saved under; absent: it was not saved. */
          name: z.string().optional(),
          problem: z.string().optional(),
          /** The key that it needs and that is not here. */
          missing: z
            .object({ profile: z.string(), service: z.string(), variable: z.string().optional() })
            .optional(),
          /** Only its variable counts: a key that is entered would not be used. */
          onlyVariable: z.boolean().optional(),
        }),
      ),
      notes: z.array(z.string()),
    }),
  },
  /** Model names that a service offers, for the editor. */
  'profiles.models': {
    input: z.strictObject({
      provider: providerId,
      endpoint: text(2000).optional(),
      key_env: text(200)
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
        .optional(),
      /** Id of a held or saved key. */
      key: secretId.optional(),
    }),
    /** `endpoint`: where they were found, when that is not exactly where they were asked for (without `/v1`). */
    output: z.object({ models: z.array(z.string()), endpoint: z.string().optional() }),
  },
  /** One tiny call as a chat would make it. Fails with what is wrong, in words for somebody who sets it up. */
  'profiles.try': {
    input: z.strictObject({ profile: profileSchema, key: secretId.optional() }),
    output: z.object({ ms: z.number(), words: z.string() }),
  },
  /** Model servers found on loopback. `ports`: others than the usual ones, which are looked at too. */
  'profiles.discover': {
    input: z.strictObject({ ports: z.array(z.int().min(1).max(65_535)).max(20).optional() }),
    output: z.object({
      servers: z.array(z.object({ name: z.string(), endpoint: z.string(), models: z.array(z.string()) })),
    }),
  },
  /** Earlier prompts and tools of the profiles, which a pre-flight compares with. */
  'profiles.versions': {
    input: nothing,
    output: z.object({ versions: z.number(), bytes: z.number(), folder: z.string() }),
  },
  /** Deletes them; a pre-flight then shows hashes for what changed. */
  'profiles.forget': { input: nothing, output: done },
} as const;
