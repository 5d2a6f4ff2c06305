import { fingerprintJson, messageJson, terminalJson, toolResultJson } from './encode';
import { byBytes, goString } from './json';
import type { Counters, RunState } from './state';

/** The state as JSON, keys in the order of the reference's fold, raw numbers verbatim. `answered` is a set and is written sorted. */
export function stateText(state: RunState): string {
  const { counters, pending } = state;
  const counts = (Object.keys(counters) as (keyof Counters)[])
    .sort()
    .map((key) => `"${key}":${counters[key]}`);
  const turn =
    pending &&
    `{"answered":[${[...pending.answered].sort(byBytes).map(goString).join(',')}],"assistant":${messageJson(pending.assistant)},` +
      `"iteration":${pending.iteration},"results":[${pending.results.map(toolResultJson).join(',')}],` +
      `"stop_reason":${goString(pending.stop_reason)}}`;
  const fields = {
    completed: String(state.completed),
    counters: `{${counts.join(',')}}`,
    fingerprint: fingerprintJson(state.fingerprint),
    interactive: String(state.interactive),
    last_stop_reason: goString(state.last_stop_reason),
    messages: `[${state.messages.map(messageJson).join(',')}]`,
    next_iteration: String(state.next_iteration),
    pending: turn ?? 'null',
    prompt: goString(state.prompt),
    run_id: goString(state.run_id),
    terminal: state.terminal ? terminalJson(state.terminal) : 'null',
    version: String(state.version),
  };
  return `{${Object.entries(fields)
    .map(([key, json]) => `"${key}":${json}`)
    .join(',')}}`;
}
