import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recodeCommand } from '../../../src/main/cli/files';
import { questionOf, visibleLine } from '../../../src/main/app/question';
import { quitQuestion } from '../../../src/main/shell/electron/quit';
import { Attentions } from '../../../src/main/shell/electron/attention';
import type * as Transcript from '../../../src/shared/run/transcript';
import { printable } from '../../../src/shared/run/transcript';
import { serveQuestion } from '../../support/serve-question';
import { tempFolder } from '../../support/folder';
import { testScreen } from '../../support/screen';
import { weakenedModules, type Attempt } from './attempt';

/** What a question, a notification or a terminal must not show as it is. */
const TRICKS = [
  'evil.example\n\nAddress: https://good.example',
  'evil.example\r\nAllowed.',
  'evil\u2028Address: https://good.example',
  'evil\u202Egro.doog',
  'evil\u2066hidden\u2069',
  '\u001b[2J\u001b[Hgood.example',
  '\u009b2Jgood.example',
  'good.example\u0008\u0008\u0008\u0008evil',
  'go\u200bod.example',
  'good\u00adevil',
  '\u3164\u115f',
  `${'a'.repeat(50_000)}.evil.example`,
  `${'\n'.repeat(5_000)}evil.example`,
  '\ud800evil',
];
const RAW = /[^\P{C}\n]|[\u2028\u2029\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]/u;

const wrongWith = (text: string, lines: number): string | undefined => {
  if (RAW.test(text)) return `shown as it is: ${JSON.stringify(text.slice(0, 200))}`;
  if (text.split('\n').length > lines) return `lines of its own: ${JSON.stringify(text.slice(0, 200))}`;
  return text.length > lines * 1_500 ? 'far too long' : undefined;
};

const first = (found: (string | undefined)[]): string | undefined => found.find((one) => one !== undefined);

export const questions: readonly Attempt[] = [
  {
    name: 'a name, an address or a path changes the question that it stands in',
    by: 'a script in the page',
    mutant: 'making line ends and controls visible',
    try: async (weakened) =>
      first(
        TRICKS.map((trick) => {
          const { message, detail } = weakened
            ? { message: `Let ${trick} in?`, detail: `Address: ${trick}\nThe key is sent there.` }
            : questionOf(`Let ${trick} in?`, [`Address: ${trick}`, 'The key is sent there.'], 'Allow');
          const wrong = wrongWith(message, 1) ?? wrongWith(detail, 2);
          const last = detail.endsWith('The key is sent there.');
          return wrong ?? (last ? undefined : 'what is sent is not shown');
        }),
      ),
  },
  {
    name: 'what decides hides in the middle or behind many lines',
    by: 'a script in the page',
    try: async () => {
      const line = visibleLine(`https://good.example/${'x'.repeat(3_000)}@evil.example/end`);
      if (!line.startsWith('https://good.example') || !line.endsWith('@evil.example/end')) return line;
      const many = questionOf(
        'Delete?',
        ['This cannot be undone.', ...Array.from({ length: 500 }, () => 'x')],
        'Yes',
      );
      return many.detail.startsWith('This cannot be undone.') && many.detail.split('\n').length < 30
        ? undefined
        : 'pushed away';
    },
  },
  {
    name: 'titles drive the question before quitting, or a notification',
    by: 'an import',
    try: async () =>
      first(
        TRICKS.map((trick) => {
          let told = '';
          const options = { watched: () => false, badge: () => undefined, open: () => undefined };
          new Attentions({ ...options, notify: (_, body) => void (told = body) }).tell({
            id: 'a',
            title: trick,
            what: 'waiting',
            detail: trick,
          });
          const { detail } = quitQuestion([{ title: trick, private: false }]);
          return wrongWith(told, 2) ?? wrongWith(detail, 3);
        }),
      ),
  },
  {
    name: 'a question on the terminal, and what is printed beside it, carries sequences for the terminal',
    by: 'a script in the page',
    mutant: 'making controls visible',
    try: async (weakened) => {
      const load = () => import('../../../src/main/shell/browser/run');
      const { runServer } = await (weakened
        ? weakenedModules<typeof Transcript, Awaited<ReturnType<typeof load>>>(
            'src/shared/run/transcript.ts',
            () => ({ printable: (text) => text }),
            load,
          )
        : load());
      const said = await serveQuestion(TRICKS.slice(0, 11).join(' '), runServer);
      return /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/.test(said)
        ? JSON.stringify(said.slice(0, 300))
        : undefined;
    },
  },
  {
    name: 'recode shows a record on a screen that drives it',
    by: 'an import',
    mutant: 'knowing that results are shown on a screen',
    try: async (weakened) => {
      const golden = readFileSync(join(import.meta.dirname, '../../fixtures/golden-v3.jsonl'), 'utf8');
      const hostile = golden.replace(/"prompt":"/, `"prompt":"\u009b2J\u202e\u0085\u007f`);
      const file = join(tempFolder({ 'a.json': hostile }), 'a.json');
      const screen = testScreen(undefined, !weakened);
      await recodeCommand(file, screen);
      const [line = ''] = screen.lines();
      if (JSON.parse(line).meta.prompt !== JSON.parse(hostile.split('\n')[0] ?? '').meta.prompt)
        return 'another prompt';
      return printable(screen.stdout) === screen.stdout ? undefined : 'raw controls';
    },
  },
];
