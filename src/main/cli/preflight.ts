import type { FingerprintDiff } from '../../shared/run/gates';
import type { PendingTool, Preflight } from '../agent/session';
import { columns, oneLine, plural, printable } from './text';

const MARK = { pass: 'ok     ', refuse: 'REFUSED', forced: 'forced ' } as const;

const THEN: Record<Preflight['resume']['then'], string> = {
  call: 'call the model',
  input: 'wait for your message',
  finish: 'write the end that is missing; no call, no tool',
  nothing: 'nothing',
  cut_short: 'end as failed, since the last answer was cut short; no call',
  budget: 'stop, since the tokens are used up; no call, no tool',
  steps: 'stop, since the steps are used up; no call',
};

const FATE: Record<PendingTool['fate'], string> = {
  answered: 'has its result, which is kept',
  run: 'would run',
  ask: 'would run after approval',
  unknown: 'was started and never answered: say what became of it',
  foreign: 'came with the run from elsewhere: runs only if you allow this very call',
  not_run: 'would be answered as not run',
  missing: 'does not exist in this profile',
};

/** The pre-flight as a page of plain text. */
export function preflightText(flight: Preflight): string {
  const parts = [
    `run ${flight.id}: ${plural(flight.records, 'record')}, ${plural(flight.paidCalls, 'model call')} paid for`,
    section('where it comes from', originLines(flight)),
    section(
      'gates',
      flight.gates.map(({ gate, outcome, text }) => `${MARK[outcome]} ${gate}: ${oneLine(text)}`),
    ),
    section(
      'missing',
      flight.missing.map(({ message, todo }) => oneLine([message, todo].filter(Boolean).join(' '))),
    ),
    section('what changed', diffLines(flight.diff)),
    section('where', placeLines(flight)),
    section('tools of the last answer', flight.pending.flatMap(toolLines)),
    section('next', nextLines(flight)),
  ];
  if (flight.lost)
    parts.push(section('lost text, outside the conversation', printable(flight.lost.text).split('\n')));
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

/** Where a run comes from, in the words that a person sees first. */
export function originLines({ origin }: Preflight): string[] {
  const { kind, from, at, told } = origin;
  if (kind === 'here') return ['this computer'];
  const notes = [
    ...(told.profile ? [`profile ${oneLine(told.profile)}`] : []),
    ...(told.folder ? [`folder ${oneLine(told.folder)}`] : []),
    ...(told.endpoint ? [`address ${oneLine(told.endpoint)}`] : []),
  ];
  return [
    kind === 'import'
      ? `imported${at ? ` at ${oneLine(at)}` : ''}${from ? `; it was called ${oneLine(from)}` : ''}`
      : 'another computer or program wrote its latest part',
    ...(notes.length > 0 ? [`its notes name ${notes.join(', ')}: none of that is used here`] : []),
    'choose here: --profile NAME (it decides where the conversation is sent), --folder DIR',
  ];
}

const section = (title: string, lines: string[]): string =>
  lines.length === 0 ? '' : `${title}\n${lines.map((line) => `  ${line}`).join('\n')}`;

/** The fields that differ, side by side; `every` shows the equal ones as well. */
export function diffLines(diff: FingerprintDiff[], every = false): string[] {
  const rows = diff
    .filter(({ changed }) => changed || every)
    .map(({ field, recorded, current, changed, force }) => [
      field,
      short(recorded),
      changed ? '->' : '=',
      short(current),
      changed ? (force === 'hard' ? 'cannot be forced' : 'needs --force') : '',
    ]);
  return rows.length === 0 ? ['nothing'] : columns(rows).split('\n');
}

const short = (value: string): string =>
  /^[0-9a-f]{64}$/.test(value) ? value.slice(0, 12) : value === '' ? '""' : oneLine(value);

function placeLines(flight: Preflight): string[] {
  const { recordedEndpoint: from, currentEndpoint: to } = flight;
  return [
    ...(flight.profile ? [`profile ${oneLine(flight.profile)}`] : []),
    ...(flight.folder ? [`folder ${oneLine(flight.folder)}`] : []),
    ...(from !== undefined && from !== to
      ? [`the conversation went to ${oneLine(from)}, now to ${oneLine(to ?? 'no service at all')}`]
      : []),
  ];
}

const toolLines = (tool: PendingTool): string[] => [
  oneLine(tool.line),
  ...(tool.fate === 'foreign' && tool.path !== undefined ? [`    on ${oneLine(tool.path)}`] : []),
  `    ${FATE[tool.fate]}${tool.fate === 'unknown' && tool.startedAt ? ` (started ${tool.startedAt})` : ''}`,
];

function nextLines(flight: Preflight): string[] {
  const size =
    flight.resume.then === 'call' ? [`the next call sends about ${flight.nextCallChars} characters`] : [];
  const paused = flight.pausedTurn
    ? ['the last answer was paused by its service; what the service kept for it may have expired']
    : [];
  const { then } = flight.resume;
  const tools =
    flight.next === 'tools' && then !== 'budget' ? 'finish the tools of the last answer, then ' : '';
  return [`${tools}${THEN[then]}`, ...size, ...paused];
}
