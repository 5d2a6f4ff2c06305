import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/main/journal/file';
import { resume, scene, start, testTool } from '../../support/agent';
import { scriptedModel } from '../../support/scripted-model';

const made: string[] = [];
afterEach(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** Words that stand in the system prompt and nowhere else, with characters that JSON and URLs would write otherwise. */
const SECRET = 'the <launch> code is "0451" & must stay out';
const TRACES = ['launch', '0451', 'must stay out', ...[0, 1, 2].map((cut) => base64(SECRET.slice(cut)))];

function base64(text: string): string {
  return Buffer.from(text).toString('base64').slice(4, -8);
}

/** Every byte below a directory, names included. */
function everything(directory: string): { files: number; text: string } {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'));
  return { files: files.length, text: [...entries.map(({ name }) => name), ...texts].join('\n') };
}

describe('the system prompt', () => {
  it('is only ever hashed: nothing that a run writes, through drift, force, failure and reset, holds a word of it', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'holdfast-prompt-'));
    made.push(directory);
    const store = fileStore(directory);
    const model = scriptedModel(
      [
        { thinking: 'hm', text: 'looking', tools: [{ name: 'look', input: { a: 1 } }, { name: 'change' }] },
        { text: 'done' },
        { text: 'partial', fail: new Error('lost') },
        { text: 'again' },
      ],
      { repeat: true },
    );
    const tools = [testTool('look'), testTool('change', undefined, { changes: true })];
    const set = scene(model, tools, { store, profile: { system_prompt: SECRET } });
    const first = await start(set, { chat: true });
    const { request } = await first.event('approval');
    first.session.answer(request.hash, { decision: 'once' });
    await first.session.settled();
    void first.session.say('and now fail');
    await first.session.settled();
    await first.session.close();

    const changed = scene(model, tools, { store, profile: { system_prompt: `${SECRET}, still` } });
    const second = await resume(changed, { force: true, say: 'go on' });
    await second.session.settled();
    second.session.reset('something else');
    await second.event('rotated');
    await second.session.settled();
    await second.session.close();
    await store.close();

    // the model was told, so the search is for something that was there
    expect(model.requests.every(({ system }) => system.join().includes(SECRET))).toBe(true);
    const { files, text } = everything(directory);
    expect(files).toBeGreaterThanOrEqual(4);
    expect(text).toContain('"system_hash":"');
    expect(text).toContain('"kind":"resume"');
    for (const trace of TRACES) expect(text).not.toContain(trace);
  });
});
