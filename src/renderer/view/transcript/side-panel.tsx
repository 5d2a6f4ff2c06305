import { useEffect, useState } from 'react';
import { X } from 'lucide-react';
import type { RunHead } from '../../../shared/contract/views';
import { closePanel, usePanel, type Panel } from '../../store/reading';
import { editPrices, loadTurns, useTurns } from '../../store/turns';
import { IconButton } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { FailureNote } from '../kit/failure';
import { PricesDialog } from './prices';
import { Turns } from './turns';
import { UsagePanel } from './usage';
import s from './panel.module.css';

const TITLE: Record<Panel, string> = { turns: 'Turns', usage: 'Usage' };
/** Room in which the panel stands beside the transcript; with less it lies over it. */
const BESIDE = '(min-width: 68rem)';
/** Milliseconds after which a run that grows is asked again. */
const SOON = 600;

/** The table of turns, or what the run used, beside the transcript or over it. */
export function SidePanel({ head }: { head: RunHead }) {
  const panel = usePanel((state) => state.panel);
  const beside = useMedia(BESIDE);
  if (!panel) return null;
  // Outside of what a change of the window's width makes anew: what is typed stays.
  const prices = <Pricing />;
  const content = <Content head={head} panel={panel} onGone={beside ? undefined : closePanel} />;
  if (!beside) {
    return (
      <>
        {prices}
        <Dialog label={TITLE[panel]} size={panel === 'turns' ? 's' : 'm'} place="right" onClose={closePanel}>
          {content}
        </Dialog>
      </>
    );
  }
  return (
    <>
      {prices}
      <aside className={s['panel']} data-panel={panel} aria-label={TITLE[panel]}>
        <header className={s['header']}>
          <h2>{TITLE[panel]}</h2>
          <IconButton
            size="s"
            label={`Close ${TITLE[panel].toLowerCase()}`}
            icon={<X size="1rem" />}
            onClick={closePanel}
          />
        </header>
        {content}
      </aside>
    </>
  );
}

function Pricing() {
  const { prices, models, pricing } = useTurns();
  if (!pricing || !prices) return null;
  return (
    <PricesDialog
      table={prices}
      wanted={models.map(({ model }) => model)}
      onClose={() => editPrices(false)}
    />
  );
}

function Content({
  head,
  panel,
  onGone,
}: {
  head: RunHead;
  panel: Panel;
  /** Something was jumped to, and the panel lies over it. */
  onGone: (() => void) | undefined;
}) {
  const { id } = head.row;
  const { id: of, rows, failure, lastSeq } = useTurns();
  useEffect(() => {
    const timer = window.setTimeout(
      () => void loadTurns(id, head.lastSeq),
      useTurns.getState().id === id ? SOON : 0,
    );
    return () => window.clearTimeout(timer);
  }, [id, head.lastSeq, lastSeq]);
  if (of === id && failure) {
    return (
      <div className={s['note']}>
        <FailureNote failure={failure} />
      </div>
    );
  }
  if (of !== id || (rows.length === 0 && lastSeq === 0)) {
    const part = head.reading === undefined ? '' : ` ${Math.floor(head.reading * 100)} %`;
    return (
      <p className={s['note']} role="status">
        Reading the run…{part}
      </p>
    );
  }
  return panel === 'turns' ? <Turns rows={rows} onGone={onGone} /> : <UsagePanel head={head} rows={rows} />;
}

function useMedia(query: string): boolean {
  const [is, setIs] = useState(() => window.matchMedia(query).matches);
  useEffect(() => {
    const media = window.matchMedia(query);
    const told = () => setIs(media.matches);
    told();
    media.addEventListener('change', told);
    return () => media.removeEventListener('change', told);
  }, [query]);
  return is;
}
