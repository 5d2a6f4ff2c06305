import { useEffect, useState } from 'react';
import { ArrowLeftRight, Replace } from 'lucide-react';
import type { CommandOutput } from '../../../shared/contract/contract';
import type { RunSide } from '../../../shared/contract/moving';
import type { FailureInfo } from '../../../shared/run/failure';
import { call, failureOf } from '../../client';
import { go, openRun, useApp } from '../../store/app';
import { compareWith } from '../../store/moving';
import { LibraryButton } from '../chat/header';
import { Button, IconButton } from '../kit/button';
import { FailureNote } from '../kit/failure';
import { Name } from '../kit/shown';
import { StatusBadge } from '../kit/status';
import chat from '../chat/chat.module.css';
import { Table } from './table';
import { Texts } from './texts';
import page from '../kit/page.module.css';
import s from './compare.module.css';

type Sides = CommandOutput<'run.compare'>;

/** Two runs side by side, of any stores, damaged ones as far as they can be read. */
export function Compare({ a, b }: { a: string; b: string }) {
  const [sides, setSides] = useState<Sides>();
  const [failure, setFailure] = useState<FailureInfo>();
  const [looks, setLooks] = useState(0);
  const connected = useApp((state) => state.connection === 'open');
  useEffect(() => {
    let live = true;
    call('run.compare', { a, b }).then(
      (reply) => {
        if (!live) return;
        setSides(reply);
        setFailure(undefined);
      },
      (error: unknown) => live && setFailure(failureOf(error)),
    );
    return () => {
      live = false;
    };
  }, [a, b, looks]);
  const shown = sides && sides.a.id === a && sides.b.id === b ? sides : undefined;
  return (
    <>
      <header className={chat['header']}>
        <LibraryButton />
        <div className={chat['title']}>
          <h1>Compare two runs</h1>
        </div>
        <Button
          size="s"
          icon={<ArrowLeftRight size="0.875rem" />}
          onClick={() => go({ view: 'compare', a: b, b: a })}
        >
          Swap sides
        </Button>
      </header>
      <div className={page['page']} tabIndex={0} role="region" aria-label="Comparison">
        <div className={`${page['column']} ${s['wide']}`}>
          {failure && (
            <FailureNote
              failure={failure}
              actions={
                <Button size="s" disabled={!connected} onClick={() => setLooks((n) => n + 1)}>
                  Look again
                </Button>
              }
            />
          )}
          {!shown && !failure && <p className={s['quiet']}>Reading both runs…</p>}
          {shown && (
            <>
              <div className={s['heads']}>
                <Head side={shown.a} which="left" onOther={(other) => go({ view: 'compare', a: other, b })} />
                <Head
                  side={shown.b}
                  which="right"
                  onOther={(other) => go({ view: 'compare', a, b: other })}
                />
              </div>
              <Table a={shown.a} b={shown.b} />
              <Texts a={shown.a} b={shown.b} />
            </>
          )}
        </div>
      </div>
    </>
  );
}

function Head({
  side,
  which,
  onOther,
}: {
  side: RunSide;
  which: 'left' | 'right';
  onOther: (id: string) => void;
}) {
  return (
    <section className={s['head']} aria-label={`Run on the ${which}`}>
      <div>
        <StatusBadge status={side.status} />
        <IconButton
          size="s"
          label={`Another run on the ${which}`}
          icon={<Replace size="0.9375rem" />}
          onClick={() => compareWith({ id: side.id, onPick: onOther })}
        />
      </div>
      <h2>
        <button type="button" onClick={() => openRun(side.id)}>
          <Name text={side.title} />
        </button>
      </h2>
      {side.failure && <FailureNote failure={side.failure} tone="warn" />}
    </section>
  );
}
