import {
  REPORT_ROWS,
  type Counts,
  type ExportReportView,
  type ImportReportView,
} from '../../../shared/contract/moving';
import { runKey } from '../../../shared/contract/run-key';
import { USUAL_STORE } from '../../../shared/contract/stores';
import type { ExportedRun, ExportReport } from '../../library/export/types';
import type { ImportReport } from '../../library/import/types';

const MOST_WORDS = 20;
const LONGEST = 500;

/** What a window is told of an export: sums over all of it, and the runs with something to tell first. */
export function exportView(report: ExportReport, at: string): ExportReportView {
  const { runs, failed, files } = report;
  const told = [...runs].sort((a, b) => Number(speaks(b)) - Number(speaks(a)));
  return {
    format: report.format,
    runs: runs.length,
    complete: runs.filter(({ complete }) => complete).length,
    failed: failed.length,
    found: sum(runs.map(({ found }) => found)),
    written: sum(runs.map(({ written }) => written)),
    redacted: runs.reduce((all, { redacted }) => all + redacted, 0),
    bytes: report.bytes,
    files: files.slice(0, REPORT_ROWS),
    fileCount: files.length,
    at,
    rows: told.slice(0, REPORT_ROWS).map((run) => ({
      id: run.id,
      title: run.title,
      complete: run.complete,
      found: run.found,
      written: run.written,
      redacted: run.redacted,
      missingTexts: run.missingTexts.length,
      ...(run.damage && { damage: run.damage }),
      remarks: run.remarks.slice(0, MOST_WORDS),
    })),
    failures: failed.slice(0, REPORT_ROWS),
  };
}

const speaks = (run: ExportedRun): boolean =>
  !run.complete || run.damage !== undefined || run.missingTexts.length > 0;

function sum(all: readonly Counts[]): Counts {
  const total: Counts = { records: 0, calls: 0, results: 0 };
  for (const { records, calls, results } of all) {
    total.records += records;
    total.calls += calls;
    total.results += results;
  }
  return total;
}

/** What a window is told of an import; what did not come in first. */
export function importView(report: ImportReport, store: string): ImportReportView {
  const rows = [...report.files].sort(
    (a, b) => Number(a.outcome !== 'failed') - Number(b.outcome !== 'failed'),
  );
  return {
    imported: report.imported,
    failed: report.failed,
    cancelled: report.cancelled,
    store: store === '' ? USUAL_STORE : store,
    rows: rows.slice(0, REPORT_ROWS).map((file) => {
      if (file.outcome === 'failed') return { ...file, source: short(file.source) };
      const { source, id, wanted, title, records, dropped, warnings, schema } = file;
      return {
        outcome: file.outcome,
        source: short(source),
        id: runKey(store, id),
        wanted: short(wanted),
        title: short(title),
        records,
        dropped,
        warnings: warnings
          .filter(({ ordinary }) => !ordinary)
          .slice(0, MOST_WORDS)
          .map(({ code, detail }) => ({ code, detail: short(detail) })),
        schema: schema.slice(0, MOST_WORDS).map(({ line, message }) => ({ line, message: short(message) })),
      };
    }),
  };
}

const short = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
