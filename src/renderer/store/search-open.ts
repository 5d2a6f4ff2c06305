import { folded } from '../../shared/text/fold';
import type { SearchHit } from '../../shared/contract/search';
import { call } from '../client';
import { useApp } from './app';
import { find, openRecord, useReading } from './reading';
import { useRun } from './run';

/** How long a run may take to open before its find bar is left alone. */
const OPENING_MS = 20_000;

/** Opens the run of a hit where it stands, with its words in the find bar so that they are seen. */
export function openFound(hit: SearchHit, typed: string): void {
  const { run: id } = hit;
  const words = markedWords(hit, typed);
  openRecord(id, hit.seq);
  // What is kept beside a run is not found in it.
  if (hit.kept) return;
  const began = Date.now();
  const look = () => {
    const { place } = useApp.getState();
    if (place.view !== 'run' || place.id !== id || Date.now() - began > OPENING_MS) return;
    const { id: shown, head } = useRun.getState();
    if (shown !== id || !head) return void window.setTimeout(look, 50);
    if (words === '') return;
    useReading.setState({ finding: true });
    find(id, words);
    void toHit(id, hit.seq, words);
  };
  // The run view forgets what was found in the run before it when it begins.
  window.setTimeout(look, 50);
}

/** Words of the hit as they stand in the text: what was typed where it stands there as a whole, else the longest. */
export function markedWords({ snippet }: SearchHit, typed: string): string {
  const text = snippet.map((piece) => piece.text).join('');
  const whole = typed.trim().replace(/^"([^"]*)"?$/, '$1');
  if (whole !== '' && folded(text).includes(folded(whole))) return whole;
  return snippet
    .filter((piece) => piece.marked)
    .reduce((longest, piece) => (piece.text.length > longest.length ? piece.text : longest), '');
}

/** Makes the occurrence in the record of the hit the current one, rather than the first in the run. */
async function toHit(id: string, seq: number, words: string): Promise<void> {
  const located = await call('run.locate', { id, seq }).catch(() => undefined);
  const index = located?.index;
  if (index === undefined) return;
  const settle = () => {
    const { words: now, searching, hits } = useReading.getState();
    if (now !== words) return stop();
    if (searching) return;
    stop();
    let before = 0;
    for (const found of hits) {
      if (found.index >= index) {
        useReading.setState({ now: before, reveal: found.key });
        return;
      }
      before += found.count;
    }
  };
  const stop = useReading.subscribe(settle);
  settle();
}
