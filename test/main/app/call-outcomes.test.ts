import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import * as words from '../../../src/main/agent/words';
import { buildTranscript } from '../../../src/main/app/read/build';
import { resultOutcome } from '../../../src/shared/run/result-words';
import type { ToolResultBlock } from '../../../src/shared/run/record';
import type { SidecarEntry } from '../../../src/shared/run/sidecar';
import { makeDesk, Shown, startChat, type Desk } from '../../support/app';
import { callRecord, metaRecord, resultRecord } from '../../support/journal-records';
import { Seeded } from '../../support/seeded';
import { until } from '../../support/wait';

process.env.HOLDFAST_PRACTICE_DELAY = '0';
let desk: Desk | undefined;
afterEach(async () => {
  await desk?.close();
  desk = undefined;
});

const tools = { changes: () => undefined, line: (tool: string) => tool };

/** The state of a call with this answer, in a journal that has these notes, or none. */
function stateOf(answer: words.Answer, notes?: SidecarEntry[]): string | undefined {
  const result = resultRecord(3, 'c1', answer.content);
  if (answer.is_error && result.tool_result) result.tool_result.result.is_error = true;
  const records = [metaRecord('r'), callRecord(2, ['c1'], 0, 'write_file'), result];
  const { transcript } = buildTranscript(records, notes ?? [], notes !== undefined, tools);
  const item = transcript.item(1, { get: (seq) => records[seq - 1] });
  return item?.kind === 'call' ? item.state : undefined;
}

/** Every answer that stands for a call which did not simply succeed, with words of a person or a model in it. */
const answers = (text: string): [string, words.Answer][] => [
  ['not_run', words.deniedAnswer(text)],
  ['not_run', words.deniedAnswer(undefined)],
  ['not_run', words.deniedAnswer(words.NOBODY_TO_ASK)],
  ['not_run', words.cutShortAnswer()],
  ['not_run', words.stoppedAnswer()],
  ['not_run', words.badInputAnswer(text)],
  ['unknown', words.interruptedAnswer(true)],
  ['unknown', words.timedOutAnswer(120, true, true)],
  ['unknown', words.skippedAnswer()],
  ['error', words.interruptedAnswer(false)],
  ['error', words.interruptedAnswer(true, text)],
  ['error', words.unknownToolAnswer(text, ['a', 'b'])],
  ['error', words.thrownAnswer(text)],
];

/** The same answers as other programs may write them. */
const foreign: [string, words.Answer][] = [
  ['not_run', { content: '{"allowed": false, "reason": "no operator"}' }],
  ['not_run', { content: '{"allowed":false}' }],
  ['not_run', { content: ' \n{ "reason": "\\"allowed\\": true", "allowed" : false }\n' }],
  ['not_run', { content: '{"allowed":false,"reason":"x"}', is_error: true }],
  ['error', { content: 'unknown tool "x"', is_error: true }],
  ['error', { content: '', is_error: true }],
];

describe('the mark of a call', () => {
  it('is that of its result’s own words in a bare journal, whatever is said in them', () => {
    const chance = new Seeded(9);
    const bits = [
      'took effect',
      '"',
      '\\',
      '\n',
      '{"allowed":true}',
      'allowed',
      'Not run',
      'ok',
      '成功',
      'done',
      '}',
      ':',
    ];
    for (let n = 0; n < 200; n++) {
      const text = Array.from({ length: 1 + chance.below(6) }, () => chance.pick(bits)).join(' ');
      for (const [state, answer] of [...answers(text), ...foreign]) {
        // What a tool says in its last words may itself be that nothing is known.
        expect(stateOf(answer), answer.content).toBe(state);
        expect(resultOutcome(answer as ToolResultBlock)).toBe(state);
      }
      const reported = words.happenedAnswer(text);
      if (text.trim() !== '') expect(stateOf(reported)).toBe('unknown');
    }
    expect(stateOf(words.happenedAnswer(undefined))).toBe('ok');
  });

  it('is success for results that only speak of such things', () => {
    for (const content of [
      'Not run: this is the first line of a file',
      'Nobody knows whether it took effect is not known.',
      '{"allowed":true}',
      '{"list":[{"allowed":false}]}',
      '[{"allowed":false}]',
      '{"allowed":false',
      'text {"allowed":false}',
      '',
    ])
      expect(stateOf({ content }), content).toBe('ok');
  });

  it('is never success for a call that was refused or stopped after it had begun once', () => {
    const at = '2026-07-20T09:08:07Z';
    const began: SidecarEntry = {
      kind: 'intent',
      at,
      tool_use_id: 'c1',
      tool: 'write_file',
      input_sha256: 'x',
      changes: true,
    };
    for (const [, answer] of [...answers('no'), ...foreign]) {
      expect(stateOf(answer, [began])).not.toBe('ok');
      expect(stateOf(answer, [])).toBe('not_run');
    }
    // A tool that only reads is never asked about: these are its own words.
    expect(stateOf({ content: '{"allowed":false}' }, [{ ...began, changes: false }])).toBe('ok');
  });

  it('is the same after the notes of a real run are gone', async () => {
    desk = makeDesk();
    const client = desk.window();
    const { id, shown } = await startChat(client, 'append notes.txt: hello', { folder: desk.folder });
    await shown.status('waiting');
    await client.call('run.approve', { id, hash: shown.head?.approval?.hash ?? '', decision: 'deny' });
    await shown.status('your_turn');
    expect(shown.call()?.state).toBe('not_run');
    const { home } = desk;
    await desk.app.close();
    for (const name of readdirSync(join(home, 'runs')).filter((file) => file.includes('.aux')))
      rmSync(join(home, 'runs', name));
    const later = makeDesk({ home });
    const again = new Shown(later.window(), id);
    await until(() => again.call() !== undefined);
    expect(again.call()?.state).toBe('not_run');
    await later.close();
  });
});
