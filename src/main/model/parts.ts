import { randomInt } from 'node:crypto';
import { rawJson } from '../../shared/run/codec';
import { isFailure } from '../../shared/run/failure';
import type { Message, RawJson } from '../../shared/run/record';
import { emptyInput } from './model';

const ID_SIGNS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Some services take only ids of exactly nine letters and digits, and none refuses those. */
const ID_LENGTH = 9;

function freshId(): string {
  let id = '';
  for (let i = 0; i < ID_LENGTH; i++) id += ID_SIGNS[randomInt(ID_SIGNS.length)];
  return id;
}

/**
 * Gives every tool use an id of its own. A missing one, or one that this conversation has used before (some servers
 * count from zero in each answer), would make two calls look like one to whoever records them.
 */
export class ToolIds {
  private readonly taken = new Set<string>();

  constructor(messages: readonly Message[]) {
    for (const message of messages)
      for (const block of message.content ?? []) if (block.tool_use) this.taken.add(block.tool_use.id);
  }

  claim(offered: string | undefined): string {
    let id = offered ?? '';
    while (id === '' || this.taken.has(id)) id = freshId();
    this.taken.add(id);
    return id;
  }
}

/**
 * The input of a tool use from the text that arrived. No text, or a null, is a call without arguments. What is no JSON
 * object is invalid: services refuse it when it is echoed, so `{}` is recorded and the text is handed on.
 */
export function toolInput(text: string): { input: RawJson; invalid?: string } {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === 'null' || trimmed === '""') return { input: emptyInput };
  const input = validRaw(text);
  return input?.startsWith('{') ? { input } : { input: emptyInput, invalid: text };
}

/** Raw JSON for the record, or undefined when the text is no JSON. */
export function validRaw(text: string): RawJson | undefined {
  try {
    return rawJson(text);
  } catch (error) {
    if (isFailure(error, 'tool_input')) return undefined;
    throw error;
  }
}

/** A number of tokens, or undefined when a service leaves it out or writes something else. */
export const tokens = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;

export const asObject = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;

export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
