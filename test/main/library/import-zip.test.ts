import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/main/journal/memory';
import { importFrom, zipTree } from '../../../src/main/library/import';
import type { ImportProgress } from '../../../src/main/library/import';
import { metaRecord, userRecord } from '../../support/journal-records';
import { journalBytes } from '../../support/store-folder';
import { tempFolder } from '../../support/folder';

const journal = (id: string, letters: number): Buffer =>
  Buffer.from(journalBytes([metaRecord(id), userRecord(2, 'x'.repeat(letters))]));

async function zipOf(files: Record<string, Buffer>): Promise<string> {
  const path = join(tempFolder(), 'runs.zip');
  const zip = new yazl.ZipFile();
  for (const [name, bytes] of Object.entries(files)) zip.addBuffer(bytes, name);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
  return path;
}

const from = (path: string, now?: () => number) => [{ label: path, open: () => zipTree(path, now) }];
const newId = () => 'fresh';

describe('a zip', () => {
  it('gives each of its files a minute: one that takes longer is refused, and the others come in', async () => {
    const path = await zipOf({ 'good.json': journal('good', 10), 'slow.json': journal('slow', 200_000) });
    let [clock, calls] = [0, 0];
    // Small files come in one piece, so only the second has time to be late.
    const now = () => (clock += ++calls > 2 ? 40_000 : 0);
    const report = await importFrom(memoryStore(), from(path, now), { newId });
    expect(report).toMatchObject({ imported: 1, failed: 1, cancelled: false });
    expect(report.files[1]).toMatchObject({
      outcome: 'failed',
      failure: { code: 'too_large', message: 'slow.json took longer than 60 seconds to unpack.' },
    });
  });

  it('that is stopped while a large file is unpacked ends there, with what came before', async () => {
    const path = await zipOf({ 'a.json': journal('a', 10), 'b.json': journal('b', 9_000_000) });
    const stop = new AbortController();
    const seen: ImportProgress[] = [];
    const report = await importFrom(memoryStore(), from(path), {
      newId,
      signal: stop.signal,
      onProgress(progress) {
        seen.push(progress);
        if (progress.done === 1) stop.abort();
      },
    });
    expect(report).toMatchObject({ imported: 1, failed: 0, cancelled: true });
    expect(seen.map(({ done, total }) => [done, total])).toEqual([
      [0, 2],
      [1, 2],
    ]);
  });
});
