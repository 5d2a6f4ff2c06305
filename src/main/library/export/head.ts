import { runStatus } from '../../../shared/run/status';
import { spentOf, tokensText } from '../../../shared/run/tokens';
import { firstWords, promptTitle, some } from '../words';
import type { ExportSource } from './source';

const STATUS_WORDS = {
  running: 'running',
  waiting: 'waiting for a decision',
  your_turn: 'a chat, waiting for its next message',
  interrupted: 'interrupted',
  paused: 'paused',
  finished: 'finished',
  failed: 'failed',
  budget: 'stopped at its token budget',
  steps: 'stopped at its step limit',
  damaged: 'damaged',
  new: 'never started',
} as const;

/** A title in one line: what a person called it, or its first words. */
export const titleOf = ({ catalogue, state }: Pick<ExportSource, 'catalogue' | 'state'>): string =>
  catalogue.title === undefined ? promptTitle(state.prompt, 120) : firstWords(catalogue.title, 120);

/** What a reader should know before the conversation begins, as pairs of a word and its value. */
export function factsOf(source: ExportSource): [string, string][] {
  const { id, state, records, warnings, sidecar, damage, places } = source;
  const { fingerprint, counters } = state;
  const { provider, model } = fingerprint;
  const lineage = sidecar.find((entry) => entry.kind === 'lineage');
  const facts: [string, string | undefined][] = [
    ['Run', state.run_id === id ? id : `${id} (recorded as ${state.run_id})`],
    ['Kind', state.interactive ? 'chat' : 'one task'],
    ['State', STATUS_WORDS[statusOf(source)]],
    ['Model', `${model} (${provider})`],
    ['Begun', records[0]?.meta?.created],
    ['Tokens', tokensText(spentOf(counters))],
    ['Calls', `${some(counters.llm_calls, 'model call')}, ${some(counters.tool_calls, 'tool call')}`],
    [
      'Limits',
      `${fingerprint.max_iterations} steps, ${fingerprint.max_tokens === 0 ? 'any number of' : fingerprint.max_tokens} tokens`,
    ],
    ['Journal', `${some(places.length, 'record')}, ${source.bytes.length} bytes`],
    ['Tags', source.catalogue.tags?.join(', ')],
    [
      'Made from',
      lineage &&
        `${lineage.from}${lineage.through_seq === undefined ? '' : `, up to record ${lineage.through_seq}`} (${lineage.why})`,
    ],
    ['Damage', damage?.message],
    ...warnings
      .filter(({ ordinary }) => !ordinary)
      .map(({ detail, line }): [string, string] => [
        'Warning',
        line === undefined ? detail : `line ${line}: ${detail}`,
      ]),
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== '');
}

/** The run's state as the list shows it, while nobody writes it. */
export const statusOf = ({ damage, state, facts }: ExportSource): keyof typeof STATUS_WORDS =>
  runStatus({
    health: damage ? 'damaged' : 'ok',
    interactive: state.interactive,
    terminal: state.terminal,
    facts,
    hasPending: state.pending !== null,
    endsOnAssistant: state.messages.at(-1)?.role === 'assistant',
    lastStopReason: state.last_stop_reason,
  });

export const statusWords = (source: ExportSource): string => STATUS_WORDS[statusOf(source)];
