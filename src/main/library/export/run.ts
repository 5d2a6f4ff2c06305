import { readRunGently } from '../../journal/read';
import { titleOf } from './head';
import { htmlOf } from './html';
import { sameCounts } from './items';
import { journalFiles, textFiles } from './journal';
import type { OutFile } from './journal';
import { jsonOf } from './json';
import { markdownOf } from './markdown';
import { pageOf } from './page';
import type { Page } from './page';
import { countsOf } from './source';
import type { ExportSource } from './source';
import type { Counts, ExportedRun, ExportFormat, ExportView } from './types';

type OneFormat = Exclude<ExportFormat, 'zip'>;
export const ENDING: Record<OneFormat, string> = {
  md: '.md',
  html: '.html',
  json: '.state.json',
  journal: '.json',
};

/** One run in one format: its files, the main one first, and what was written once they all are. */
export interface Rendering {
  files: Iterable<OutFile>;
  page: Page;
  /** To be asked when every file was written to its end. */
  written(): Promise<Counts> | Counts;
}

/** @param base name of the main file, without folder and ending */
export function render(
  source: ExportSource,
  format: OneFormat,
  base: string,
  name: string,
  view: ExportView,
  now: Date,
): Rendering {
  const separate = format !== 'journal' && view.attachments === 'separate' && view.tools !== false;
  const page = pageOf(source, view, separate ? `${base}.files` : undefined);
  const beside = separate ? [...textFiles(source, `${base}.files`, page.clean)] : [];
  switch (format) {
    case 'md':
      return {
        files: [{ name, chunks: markdownOf(page) }, ...beside],
        page,
        written: () => page.tally.counts,
      };
    case 'html':
      return { files: [{ name, chunks: htmlOf(page) }, ...beside], page, written: () => page.tally.counts };
    case 'json': {
      const { json, written } = jsonOf(page, now);
      return { files: [{ name, chunks: [json] }, ...beside], page, written: () => written };
    }
    case 'journal':
      return {
        files: journalFiles(source, base),
        page,
        written: async () => countsOf((await readRunGently(source.bytes)).records),
      };
  }
}

/** What is told of a run once it is written. */
export async function reportOf(rendering: Rendering, files: string[], key: string): Promise<ExportedRun> {
  const { source, clean, remarks } = rendering.page;
  const [found, written] = [countsOf(source.records), await rendering.written()];
  return {
    id: key,
    title: clean(titleOf(source)),
    files,
    found,
    written,
    complete: sameCounts(found, written),
    redacted: clean.count,
    missingTexts: source.missingTexts,
    ...(source.damage && { damage: source.damage }),
    remarks,
  };
}
