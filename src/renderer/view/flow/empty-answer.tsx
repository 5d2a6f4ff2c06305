import { useState } from 'react';
import { MessageCircleDashed, RotateCcw } from 'lucide-react';
import type { TranscriptItem } from '../../../shared/contract/items';
import { waysOf } from '../../../shared/contract/ways';
import { EMPTY_ANSWER } from '../../../shared/run/empty-answer';
import { useRun } from '../../store/run';
import { useReadOnly } from '../moving/continue-here';
import { askAgain } from '../chat/again';
import { Button } from '../kit/button';
import s from './flow.module.css';

/** The model's turn says nothing. As long as nothing follows it, the same conversation can be sent once more. */
export function EmptyAnswer({ item }: { item: Extract<TranscriptItem, { kind: 'empty' }> }) {
  const id = useRun((state) => state.id);
  const last = useRun((state) => state.items.at(-1)?.key === item.key);
  const may = useRun(
    ({ head }) => head !== undefined && head.row.status === 'your_turn' && waysOf(head).say === 'now',
  );
  const readOnly = useReadOnly(id ?? '');
  const [busy, setBusy] = useState(false);
  return (
    <p className={s['aside']} data-tone="warn">
      <MessageCircleDashed size="0.875rem" aria-hidden="true" />
      <span>{EMPTY_ANSWER}.</span>
      {id !== undefined && last && may && !readOnly && (
        <Button
          size="s"
          icon={<RotateCcw size="0.75rem" aria-hidden="true" />}
          title="Sends the same conversation once more"
          disabled={busy}
          onClick={() => {
            setBusy(true);
            void askAgain(id).finally(() => setBusy(false));
          }}
        >
          Ask again
        </Button>
      )}
    </p>
  );
}
