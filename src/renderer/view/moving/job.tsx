import { Download, Square } from 'lucide-react';
import type { ExportReportView, ImportReportView, MoveJob } from '../../../shared/contract/moving';
import { exportOf, openRun, toastFailure, useApp } from '../../store/app';
import { askedFor, atWork, cancelJob, forgetJob, showJob, startExport, useMoving } from '../../store/moving';
import { call } from '../../client';
import { Button } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { FailureNote } from '../kit/failure';
import { bytes, count, many, percent } from '../kit/numbers';
import { tilde } from '../kit/paths';
import { Shown } from '../kit/shown';
import { CopyText } from './copy-text';
import { ExportReport, ImportReport } from './report';
import s from './moving.module.css';
import r from './report.module.css';

/** How an export or import goes, and what came of it. It goes on when this is closed. */
export function JobDialog() {
  const shown = useMoving((state) => state.shown);
  const job = useMoving((state) => state.jobs.find(({ id }) => id === shown));
  if (!job) return null;
  const done = !atWork(job);
  return (
    <Dialog
      key={job.id}
      label={job.kind === 'export' ? 'Export' : 'Import'}
      onClose={() => (done ? forgetJob(job.id) : showJob(undefined))}
    >
      <div className={s['form']}>
        <div className={s['scroll']}>
          {done ? <Ended job={job} /> : <Going job={job} />}
          {job.exported && <ExportReport report={job.exported} />}
          {job.imported && <ImportReport report={job.imported} />}
        </div>
        <footer className={s['footer']}>{done ? <Then job={job} /> : <Meanwhile job={job} />}</footer>
      </div>
    </Dialog>
  );
}

function Going({ job }: { job: MoveJob }) {
  const receiving = job.state === 'receiving';
  const part = receiving ? job.bytes : job.done;
  const all = receiving ? job.size : job.total;
  const known = all > (receiving ? 0 : 1);
  const words = receiving
    ? `Reading: ${bytes(job.bytes)} of ${bytes(job.size)}`
    : job.kind === 'import'
      ? `${count(job.done)} of ${many(job.total, 'file')} taken in`
      : job.bytes === 0
        ? 'Reading the journal…'
        : job.total === 1
          ? `${bytes(job.bytes)} written so far`
          : `${count(job.done)} of ${many(job.total, 'run')} written, ${bytes(job.bytes)} so far`;
  return (
    <div className={r['going']}>
      <p role="status">{words}</p>
      <progress
        aria-label={job.kind === 'export' ? 'Exporting' : 'Importing'}
        {...(known && { value: part, max: all })}
      >
        {known ? percent(part, all) : words}
      </progress>
      {job.now !== '' && all !== 1 && (
        <p className={s['quiet']}>
          <Shown text={job.now} />
        </p>
      )}
    </div>
  );
}

function Meanwhile({ job }: { job: MoveJob }) {
  return (
    <>
      <span className={s['quiet']}>It goes on when you close this.</span>
      <Button icon={<Square size="0.75rem" />} onClick={() => cancelJob(job.id)}>
        Stop
      </Button>
      <Button look="primary" onClick={() => showJob(undefined)}>
        Close
      </Button>
    </>
  );
}

function Ended({ job }: { job: MoveJob }) {
  const { exported, imported, failure } = job;
  if (failure && job.state === 'failed')
    return (
      <FailureNote
        title={job.kind === 'export' ? 'It was not exported' : 'It was not imported'}
        failure={failure}
        actions={failure.code === 'exists' && <AnotherName job={job} />}
      />
    );
  if (job.state === 'cancelled')
    return (
      <FailureNote
        tone="warn"
        title="Stopped"
        failure={
          failure ?? {
            code: 'cancelled',
            message: 'You stopped this.',
            kept: imported
              ? `${many(imported.imported, 'run')} had been taken in before and ${imported.imported === 1 ? 'is' : 'are'} there.`
              : 'Nothing half-written was left behind.',
          }
        }
      />
    );
  if (exported) return <Files report={exported} />;
  return imported ? <ImportHead report={imported} /> : null;
}

function ImportHead({ report }: { report: ImportReportView }) {
  return (
    <h3 className={r['head']}>
      {many(report.imported, 'run')} came in
      {report.failed > 0 && `, ${many(report.failed, 'file')} did not`}
    </h3>
  );
}

function Files({ report }: { report: ExportReportView }) {
  const home = useApp((state) => state.hello?.home);
  return (
    <div className={r['files']}>
      <Download size="1.125rem" aria-hidden="true" />
      <div>
        <h3 className={r['head']}>
          {report.failed > 0
            ? `${count(report.runs)} of ${many(report.runs + report.failed, 'run')} exported`
            : `${many(report.runs, 'run')} exported`}
          , {bytes(report.bytes)}
        </h3>
        <p className={r['path']}>
          <code>
            <Shown text={tilde(report.at, home)} />
          </code>
          <CopyText text={report.at} what="path" />
        </p>
        {report.fileCount > 1 && <p className={s['quiet']}>{many(report.fileCount, 'file')} in all</p>}
      </div>
    </div>
  );
}

/** The name was taken: the next one is offered, so that nothing is ever replaced by chance. */
function AnotherName({ job }: { job: MoveJob }) {
  const input = askedFor(job.id);
  const taken = job.failure?.data?.['name'];
  if (!input) return null;
  const { to } = input;
  const again = () => {
    forgetJob(job.id);
    exportOf(input.ids, input.options.intact);
  };
  if (!('folder' in to) || typeof taken !== 'string')
    return <Button onClick={again}>Choose another place…</Button>;
  const found = /^(.*) \((\d+)\)$/.exec(taken);
  const next = found ? `${found[1] ?? ''} (${Number(found[2]) + 1})` : `${taken} (2)`;
  return (
    <>
      <Button
        onClick={() => {
          forgetJob(job.id);
          startExport({ ...input, to: { ...to, name: next } }).catch(toastFailure);
        }}
      >
        Save it as “{next}”
      </Button>
      <Button look="ghost" onClick={again}>
        Choose another name…
      </Button>
    </>
  );
}

function Then({ job }: { job: MoveJob }) {
  const dialogs = useApp((state) => state.hello?.nativeDialogs ?? false);
  const [only] = job.imported?.rows.filter(({ outcome }) => outcome === 'imported') ?? [];
  const open = job.imported?.imported === 1 && only?.outcome === 'imported' ? only.id : undefined;
  return (
    <>
      <span />
      {job.exported && dialogs && (
        <Button onClick={() => void call('moving.show', { job: job.id }).catch(toastFailure)}>
          Show in folder
        </Button>
      )}
      {open !== undefined && (
        <Button
          onClick={() => {
            forgetJob(job.id);
            openRun(open);
          }}
        >
          Open it
        </Button>
      )}
      <Button look="primary" onClick={() => forgetJob(job.id)}>
        Done
      </Button>
    </>
  );
}
