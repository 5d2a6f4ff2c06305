import { titleFrom } from '../../shared/text/title';
import { folders } from '../settings/paths';
import type { RunStore } from '../journal/journal';
import { SearchIndex } from '../library/search';
import type { Hit, SearchPage, SearchProgress, SearchQuery } from '../library/search';
import { firstWords } from '../library/words';
import { EXIT } from './exit';
import type { ExitCode } from './exit';
import { withStore } from './flags';
import type { Cli, CommonFlags } from './flags';
import { jsonLine, oneLine } from './text';

export interface SearchFlags extends CommonFlags {
  run?: string;
  limit?: number;
  cache?: string;
}

/** `search WORDS` */
export function searchCommand(cli: Cli, words: string[], flags: SearchFlags): Promise<ExitCode> {
  const { screen } = cli;
  return withStore(cli, flags, async (store) => {
    const index = await SearchIndex.open(store, flags.cache ?? folders().cache);
    try {
      await index.update(screen.interactive ? telling(cli) : undefined);
      const query = { words: words.join(' '), limit: flags.limit ?? 20 };
      const { hits, next } = await pages(index, {
        ...query,
        ...(flags.run !== undefined && { run: flags.run }),
      });
      const titles = new Map<string, string>();
      for (const { at: _, ...hit } of hits) {
        if (!titles.has(hit.run)) titles.set(hit.run, await titleOf(store, hit.run));
        const title = titles.get(hit.run) ?? '';
        await screen.out(flags.json ? `${jsonLine({ ...hit, title })}\n` : hitText(hit, title));
      }
      if (hits.length === 0) screen.err('nothing found\n');
      else if (next !== undefined) screen.err('there is more; --limit shows more of it\n');
      return EXIT.ok;
    } finally {
      await index.close();
    }
  });
}

/** As many hits as are wanted: a page that takes long is given in parts. */
async function pages(index: SearchIndex, query: SearchQuery & { limit: number }): Promise<SearchPage> {
  const hits: Hit[] = [];
  for (let after: string | undefined; ;) {
    const limit = query.limit - hits.length;
    const page = await index.search({ ...query, limit, ...(after !== undefined && { after }) });
    hits.push(...page.hits);
    after = page.next;
    if (after === undefined || hits.length >= query.limit)
      return { hits, ...(after !== undefined && { next: after }) };
  }
}

const hitText = ({ run, seq, part, tool, snippet }: Omit<Hit, 'at'>, title: string): string => {
  const { text, before, after } = snippet;
  const what = tool === undefined ? part : `${part} of ${oneLine(tool)}`;
  return `${run} record ${seq} (${what}): ${oneLine(title)}\n  ${before ? '…' : ''}${oneLine(text).trim()}${after ? '…' : ''}\n`;
};

async function titleOf(store: RunStore, id: string): Promise<string> {
  const row = await store.summary(id).catch(() => undefined);
  return firstWords(row?.catalogue.title ?? titleFrom(row?.prompt ?? ''), 60);
}

/** One line that counts, as long as there is much to read. */
function telling({ screen }: Cli): (progress: SearchProgress) => void {
  return ({ done, total, bytes }) => {
    if (total < 100) return;
    if (done === total) screen.err('\r\u001b[K');
    else if (done % 50 === 0)
      screen.err(`\rreading ${total} runs: ${done}, ${Math.round(bytes / 1e6)} MB\u001b[K`);
  };
}
