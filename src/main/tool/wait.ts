import { z } from '../../shared/zod';
import { defineTool } from './define';
import { pause } from './stop';
import { counted } from './walk';

export const MAX_WAIT = 600;

/** Read-only: it changes nothing, so it may simply run again after a crash. */
export const wait = defineTool({
  name: 'wait',
  description: 'Waits for some seconds and then answers. It changes nothing.',
  schema: {
    type: 'object',
    properties: {
      seconds: { type: 'number', minimum: 0, maximum: MAX_WAIT, description: 'How long to wait.' },
    },
    required: ['seconds'],
    additionalProperties: false,
  },
  input: z.strictObject({ seconds: z.number().min(0).max(MAX_WAIT) }),
  changes: false,
  timeoutMs: (MAX_WAIT + 30) * 1000,
  describe: ({ seconds }) => `wait ${counted(seconds, 'second')}`,
  async run({ seconds }, { signal }) {
    await pause(seconds * 1000, signal);
    return { content: `Waited ${counted(seconds, 'second')}.` };
  },
});
