import { useEffect, useState } from 'react';
import type { RepairPlanView } from '../../../shared/contract/moving';
import { bareId } from '../../../shared/contract/run-key';
import type { FailureInfo } from '../../../shared/run/failure';
import { call, failureOf } from '../../client';
import { exportOf, openRun, toast } from '../../store/app';
import { libraryChanged } from '../../store/library';
import { repairOf, useMoving } from '../../store/moving';
import { leaveRun, watchRun } from '../../store/run';
import { Button } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { FailureNote } from '../kit/failure';
import { Switch } from '../kit/field';
import { bytes, count, many } from '../kit/numbers';
import { Shown } from '../kit/shown';
import s from './moving.module.css';

/** Shows what a repair would keep and cut, and does it when the person agrees to exactly that. */
export function RepairDialog() {
  const id = useMoving((state) => state.repairing);
  if (id === undefined) return null;
  return <Plan key={id} id={id} />;
}

function Plan({ id }: { id: string }) {
  const [plan, setPlan] = useState<RepairPlanView>();
  const [failure, setFailure] = useState<FailureInfo>();
  const [agreed, setAgreed] = useState(false);
  const [busy, setBusy] = useState(false);
  const [looks, setLooks] = useState(0);
  useEffect(() => {
    let live = true;
    call('run.repairPlan', { id }).then(
      (reply) => live && setPlan(reply),
      (error: unknown) => live && setFailure(failureOf(error)),
    );
    return () => {
      live = false;
    };
  }, [id, looks]);
  const close = () => repairOf(undefined);
  const repair = (sha256: string, inside: boolean) => {
    setBusy(true);
    setFailure(undefined);
    call('run.repair', { id, sha256, inside }).then(
      ({ backup, keeps }) => {
        close();
        libraryChanged();
        leaveRun();
        watchRun(id);
        openRun(id, 'transcript');
        toast({
          tone: 'info',
          text: `Repaired: ${many(keeps.records, 'record')} kept. The file as it was is beside it, in ${backup}.`,
        });
      },
      (error: unknown) => {
        setBusy(false);
        setAgreed(false);
        setFailure(failureOf(error));
        setLooks((n) => n + 1);
      },
    );
  };
  const cuts = plan?.cuts;
  const may = plan !== undefined && cuts !== undefined && plan.refused === undefined;
  return (
    <Dialog label="Repair this run" size="l" onClose={close}>
      <div className={s['form']}>
        <div className={s['scroll']}>
          {!plan && !failure && <p>Looking at the journal…</p>}
          {plan && <What plan={plan} />}
          {plan && cuts && <Cut plan={plan} cuts={cuts} />}
          {plan?.refused !== undefined && cuts && (
            <p>
              <Shown text={plan.refused} prose />
            </p>
          )}
          {may && plan.kind === 'inside' && (
            <Switch
              label={`I agree to cut ${many(cuts.lines, 'line')}, ${cuts.readable === 0 ? 'none' : count(cuts.readable)} of which can still be read`}
              help="Lines after the damage cannot be joined to what is before it, so they go as well. They stay in the copy."
              checked={agreed}
              onChange={setAgreed}
            />
          )}
          {failure && <FailureNote failure={failure} />}
        </div>
        <footer className={s['footer']}>
          <span className={s['quiet']}>
            {may && `A copy of the whole file is made first: ${bareId(plan.id)}.backup, beside it.`}
          </span>
          <Button look="ghost" onClick={close}>
            {may ? 'Leave it as it is' : 'Close'}
          </Button>
          {may ? (
            <Button
              look="danger"
              disabled={busy || (plan.kind === 'inside' && !agreed)}
              onClick={() => repair(plan.sha256, plan.kind === 'inside')}
            >
              Copy, then cut
            </Button>
          ) : (
            plan &&
            plan.keeps.records > 0 &&
            plan.kind !== 'none' && (
              <Button
                look="primary"
                onClick={() => {
                  close();
                  exportOf([id], true);
                }}
              >
                Export what is intact…
              </Button>
            )
          )}
        </footer>
      </div>
    </Dialog>
  );
}

function What({ plan }: { plan: RepairPlanView }) {
  const { kind, failure, keeps } = plan;
  if (kind === 'none')
    return (
      <p>
        {failure ? (
          <Shown text={failure.message} prose />
        ) : (
          'There is nothing to repair: every record can be read.'
        )}
      </p>
    );
  if (kind === 'hopeless')
    return (
      <FailureNote
        failure={{
          code: failure?.code ?? 'corrupt',
          message: failure?.message ?? 'Not even the first record can be read.',
          kept: 'The file is as it was; Holdfast writes nothing to it.',
          todo: 'Nothing of it could be kept by a repair. Bring it back from a backup, or move it to the trash.',
        }}
      />
    );
  return (
    <>
      <p>
        {failure ? (
          <Shown text={failure.message} prose />
        ) : (
          'Its last line is unfinished or no record, as a crash or a full disk leaves it.'
        )}
      </p>
      <dl className={s['plan']}>
        <dt>Stays</dt>
        <dd>
          {many(keeps.records, 'record')}, {bytes(keeps.bytes)}, byte for byte
        </dd>
        {plan.cuts && (
          <>
            <dt>Is cut off</dt>
            <dd>
              {bytes(plan.cuts.bytes)} from line {count(plan.cuts.line)}, byte {count(plan.cuts.offset)} on:{' '}
              {many(plan.cuts.lines, 'line')}
              {plan.cuts.readable > 0 && `, ${count(plan.cuts.readable)} of which can still be read`}
            </dd>
          </>
        )}
        <dt>Is kept</dt>
        <dd>All bytes of the file as they are, in a copy beside it. The run notes what was cut and when.</dd>
      </dl>
    </>
  );
}

/** The bytes themselves, as numbers and as text. */
function Cut({ plan, cuts }: { plan: RepairPlanView; cuts: NonNullable<RepairPlanView['cuts']> }) {
  const rows = rowsOf(cuts.hex, cuts.offset);
  return (
    <section className={s['cut']} aria-label="Bytes that are cut off">
      <h3>
        {cuts.shown < cuts.bytes
          ? `The first ${count(cuts.shown)} of ${count(cuts.bytes)} bytes that are cut off`
          : `The ${many(cuts.bytes, 'byte')} that ${cuts.bytes === 1 ? 'is' : 'are'} cut off`}
      </h3>
      <div className={s['hex']} tabIndex={0} role="region" aria-label="Bytes as numbers and text">
        <table>
          <thead className="sr">
            <tr>
              <th>Byte</th>
              <th>As numbers</th>
              <th>As text</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ at, hex, text }) => (
              <tr key={at}>
                <th scope="row">{at}</th>
                <td>{hex}</td>
                <td>
                  <span>{text}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="sr">Of the run {plan.id}</p>
    </section>
  );
}

const WIDE = 16;
/** Rows of 16 bytes: where they begin, in hexadecimal, and as text in which only plain letters and signs are shown. */
function rowsOf(hex: string, offset: number): { at: number; hex: string; text: string }[] {
  const all = hex === '' ? [] : hex.split(' ');
  const rows = [];
  for (let n = 0; n < all.length; n += WIDE) {
    const some = all.slice(n, n + WIDE);
    const text = some
      .map((one) => parseInt(one, 16))
      .map((code) => (code > 31 && code < 127 ? String.fromCharCode(code) : '·'));
    rows.push({ at: offset + n, hex: some.join(' '), text: text.join('') });
  }
  return rows;
}
