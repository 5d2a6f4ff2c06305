import { Failure } from './failure';
import { goBase64, goTime } from './gotypes';
import { goString } from './json';
import { rawJson } from './decode';
import { encodeUtf8 } from './utf8';
import type { Block, Fingerprint, Message, RunRecord, ToolResultBlock } from './record';

/**
 * A record as JSON without newline. Lone surrogates become U+FFFD.
 * Throws Failure: `tool_input` for raw JSON that is none, `internal` for what no record can hold (a number that is
 * not whole, a signature that is not base64, a time that is not RFC 3339).
 */
export function encodeRecord(record: RunRecord): string {
  const { seq, protocol, meta, assistant, user, tool_result: result, terminal } = record;
  let json = `{"seq":${whole(seq)},"protocol":${goString(protocol)}`;
  if (meta) {
    json += `,"meta":{"version":${whole(meta.version)},"run_id":${goString(meta.run_id)},"created":${time(meta.created)}`;
    json += `,"fingerprint":${fingerprintJson(meta.fingerprint)},"prompt":${goString(meta.prompt)}`;
    json += `${meta.interactive ? ',"interactive":true' : ''}}`;
  }
  if (assistant) {
    json += `,"assistant":{"iteration":${whole(assistant.iteration)},"message":${messageJson(assistant.message)}`;
    if (assistant.stop_reason) json += `,"stop_reason":${goString(assistant.stop_reason)}`;
    json += `,"in_tokens":${whole(assistant.in_tokens)},"out_tokens":${whole(assistant.out_tokens)}`;
    if (assistant.cache_read_tokens) json += `,"cache_read_tokens":${whole(assistant.cache_read_tokens)}`;
    if (assistant.cache_create_tokens)
      json += `,"cache_create_tokens":${whole(assistant.cache_create_tokens)}`;
    json += '}';
  }
  if (user) json += `,"user":{"message":${messageJson(user.message)}}`;
  if (result) {
    json += `,"tool_result":{"tool_use_id":${goString(result.tool_use_id)},"result":${toolResultJson(result.result)}`;
    json += `${result.remote ? ',"remote":true' : ''}}`;
  }
  if (terminal) json += `,"terminal":${terminalJson(terminal)}`;
  return `${json}}`;
}

/** The record's line: UTF-8 with its newline. Throws like `encodeRecord`. */
export const encodeLine = (record: RunRecord): Uint8Array => encodeUtf8(`${encodeRecord(record)}\n`);

export function fingerprintJson(print: Fingerprint): string {
  const hashes = `"system_hash":${goString(print.system_hash)},"tools_hash":${goString(print.tools_hash)}`;
  const limits = `"max_tokens":${whole(print.max_tokens)},"max_iterations":${whole(print.max_iterations)}`;
  const names = `"provider":${goString(print.provider)},"model":${goString(print.model)}`;
  return `{${names},${hashes},"thinking_mode":${goString(print.thinking_mode)},${limits}}`;
}

export function messageJson(message: Message): string {
  const content = message.content === null ? 'null' : `[${message.content.map(blockJson).join(',')}]`;
  return `{"role":${goString(message.role)},"content":${content}}`;
}

function blockJson({ text, thinking, tool_use: call, tool_result: result, provider }: Block): string {
  const kinds: string[] = [];
  if (text) kinds.push(`"text":{"text":${goString(text.text)}}`);
  if (thinking) {
    const fields: string[] = [];
    if (thinking.text) fields.push(`"text":${goString(thinking.text)}`);
    if (thinking.signature) fields.push(`"signature":"${signature(thinking.signature)}"`);
    kinds.push(`"thinking":{${fields.join(',')}}`);
  }
  if (call) {
    const names = `"id":${goString(call.id)},"name":${goString(call.name)}`;
    kinds.push(`"tool_use":{${names},"input":${rawJson(call.input)}}`);
  }
  if (result) kinds.push(`"tool_result":${toolResultJson(result)}`);
  if (provider) kinds.push(`"provider":{"kind":${goString(provider.kind)},"raw":${rawJson(provider.raw)}}`);
  return `{${kinds.join(',')}}`;
}

export function toolResultJson(result: ToolResultBlock): string {
  const fields = `"tool_use_id":${goString(result.tool_use_id)},"content":${goString(result.content)}`;
  return `{${fields}${result.is_error ? ',"is_error":true' : ''}}`;
}

export const terminalJson = (terminal: { reason: string; message?: string }): string =>
  `{"reason":${goString(terminal.reason)}${terminal.message ? `,"message":${goString(terminal.message)}` : ''}}`;

function whole(value: number): string {
  if (!Number.isInteger(value)) throw cannotHold(`the number ${value}`);
  return Number.isSafeInteger(value) ? String(value) : String(BigInt(value));
}

function time(text: string): string {
  const normal = goTime(text);
  if (normal === undefined) throw cannotHold(`the time "${text}"`);
  return `"${normal}"`;
}

function signature(text: string): string {
  const normal = goBase64(text);
  if (normal === undefined) throw cannotHold('a signature that is not base64');
  return normal;
}

const cannotHold = (what: string): Failure =>
  new Failure({
    code: 'internal',
    message: `A record cannot hold ${what}.`,
    kept: 'Nothing was written.',
    todo: 'This is a fault of the program: please report it.',
  });
