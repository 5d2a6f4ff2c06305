import type { FailureInfo } from '../../../shared/run/failure';
import { some } from '../words';
import { escaped } from './escape';
import { HTML_END, htmlHead } from './html-style';
import type { ZippedRun } from './zip';

/** The first page of a zip: its runs, and those that could not be written. */
export function* indexOf(
  runs: readonly ZippedRun[],
  failed: readonly { id: string; failure: FailureInfo }[],
  exported: Date,
): Generator<string> {
  yield `${htmlHead('Exported runs')}<h1>${some(runs.length, 'run')}</h1>\n`;
  yield '<table class="runs"><thead><tr><th>Run</th><th>State</th><th>Model</th><th>Begun</th><th>Records</th></tr></thead><tbody>\n';
  for (const { title, page, status, model, created, records } of runs) {
    const cells = [status, model, created, String(records)]
      .map((cell) => `<td>${escaped(cell)}</td>`)
      .join('');
    yield `<tr><td><a href="${escaped(page)}">${escaped(title)}</a></td>${cells}</tr>\n`;
  }
  yield '</tbody></table>\n';
  if (failed.length > 0) {
    yield '<h2>Not exported</h2>\n<ul>\n';
    for (const { id, failure } of failed) yield `<li>${escaped(id)}: ${escaped(failure.message)}</li>\n`;
    yield '</ul>\n';
  }
  yield `<footer>Exported ${escaped(exported.toISOString())}. The journals folder holds the runs themselves; Holdfast can take them in again.</footer>\n${HTML_END}`;
}
