import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tooltip } from 'radix-ui';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { runStatus, type RunHead } from '../../src/shared/contract/views';
import { todoOf, waysOf, type Ways } from '../../src/shared/contract/ways';
import { Dock } from '../../src/renderer/view/chat/chat';
import { project } from '../support/prerequisites';
import { head, row } from '../support/scenes';

/** Every sentence of the core that says what to do. */
const TODOS = ['agent', 'model', 'journal', 'app'].flatMap((room) =>
  readdirSync(join(project, 'src/main', room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const text = readFileSync(join(project, 'src/main', room, name), 'utf8');
      return [...text.matchAll(/todo:\s*'([^']+)'|, '((?:Try|Resume|Check|Ask)[^']+\.)'/g)].map(
        (found) => found[1] ?? found[2] ?? '',
      );
    }),
);

const EVERY: RunHead[] = runStatus.options.flatMap((status) =>
  [true, false].flatMap((chat) =>
    [true, false].flatMap((hidden) =>
      (['live idle', 'still', 'watch', 'live calling', 'live waiting'] as const).map((how): RunHead => {
        const [mode, phase] = how.split(' ') as [RunHead['mode'], RunHead['phase']];
        return head(
          { ...row('r', 'A run', status, '', 1), private: hidden },
          {
            mode,
            chat,
            ...(phase && { phase }),
            ...(phase === 'waiting' && {
              approval: { hash: 'h', toolUseId: 't', tool: 'write_file', input: '{}', line: 'write a' },
            }),
            queued: [{ id: 'm', text: 'words', held: true }],
          },
        );
      }),
    ),
  ),
);

/** One of each that could be shown differently. */
const HEADS = [
  ...new Map(EVERY.map((of) => [JSON.stringify([of.row.status, of.chat, waysOf(of)]), of])).values(),
];

const shown = (of: RunHead) =>
  renderToStaticMarkup(
    <Tooltip.Provider>
      <Dock head={of} />
    </Tooltip.Provider>,
  );
const buttons = (page: string) =>
  [...page.matchAll(/<button[^>]*>([\s\S]*?)<\/button>/g)].map((found) =>
    (found[1] ?? '').replace(/<[^>]*>/g, ''),
  );
const sentences = (page: string) =>
  page.replace(/<(button|ul|textarea|label)[^>]*>[\s\S]*?<\/\1>/g, '').replace(/<[^>]*>/g, ' ');

describe('what stands under a conversation', () => {
  it('names no control that is not there, in any state, with any failure', () => {
    expect(TODOS.length).toBeGreaterThan(60);
    const names = (text: string, ways: Ways) => {
      if (/\bresume\b/i.test(text)) expect([text, ways.look]).toEqual([text, true]);
      if (/\btry (it )?again\b/i.test(text)) expect([text, ways.again || ways.look]).toEqual([text, true]);
      if (/\bsay\b/i.test(text)) expect([text, ways.say !== undefined]).toEqual([text, true]);
      if (/continue in a new run/i.test(text)) expect([text, ways.anew]).toEqual([text, true]);
    };
    for (const of of HEADS) {
      const ways = waysOf(of);
      for (const todo of TODOS) names(todoOf(todo, ways) ?? '', ways);
      for (const todo of [undefined, 'Resume to try again.', 'Say something, or continue in a new run.']) {
        const failure = { code: 'internal' as const, message: 'No.', ...(todo && { todo }) };
        names(sentences(shown(todo === undefined ? of : { ...of, failure })), ways);
      }
    }
  });

  it('leaves one way each: to say something, to try again, to look first, wherever a run stopped', () => {
    for (const of of HEADS) {
      const [page, ways] = [shown(of), waysOf(of)];
      const there = buttons(page);
      expect(there.filter((one) => one === 'Try again')).toHaveLength(Number(ways.again));
      expect(there.filter((one) => one === 'Look and resume…')).toHaveLength(Number(ways.look));
      expect(page.match(/<textarea/g)?.length ?? 0).toBe(Number(ways.say !== undefined));
      expect(there.includes('Don’t allow, and say this')).toBe(ways.say === 'asks');
      expect(there.includes('Send after this step')).toBe(ways.say === 'asks');
    }
    for (const status of ['paused', 'interrupted', 'failed', 'steps'] as const)
      expect(waysOf(head(row('r', '', status, '', 1)))).toMatchObject({
        say: 'now',
        again: true,
        look: true,
      });
  });

  it('is the same for a chat at rest here and for one that nobody writes', () => {
    for (const status of ['paused', 'interrupted', 'failed', 'steps', 'budget', 'your_turn'] as const) {
      const of = row('r', '', status, '', 1);
      expect(waysOf(head(of, { mode: 'live', phase: 'idle' }))).toEqual(waysOf(head(of)));
    }
  });
});
