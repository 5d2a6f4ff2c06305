import { ListEnd, MailQuestion } from 'lucide-react';
import type { RunHead } from '../../../shared/contract/views';
import { toastFailure } from '../../store/app';
import { dropWaiting, editWaiting } from '../../store/waiting';
import { Button } from '../kit/button';
import { Shown } from '../kit/shown';
import s from './waiting.module.css';

/** What was said and is not in the run yet: it can be sent, changed or dropped, and nothing goes by itself that is held. */
export function Waiting({
  head,
  onSend,
  onEdit,
  blocked = false,
  send = 'Send',
}: {
  head: RunHead;
  onSend: (message: string) => void;
  onEdit?: () => void;
  blocked?: boolean;
  send?: string;
}) {
  const { id } = head.row;
  if (head.queued.length === 0) return null;
  return (
    <ul className={s['waiting']} aria-label="Waiting messages">
      {head.queued.map((message) => (
        <li key={message.id} data-held={message.held}>
          {message.held ? (
            <MailQuestion size="0.875rem" aria-hidden="true" />
          ) : (
            <ListEnd size="0.875rem" aria-hidden="true" />
          )}
          <span className={s['text']} dir="auto">
            <span className="sr">{message.held ? 'Not sent: ' : 'Waiting: '}</span>
            <Shown text={message.text} prose />
          </span>
          {message.held && <small className={s['note']}>not sent</small>}
          {message.held && (
            <Button size="s" disabled={blocked} onClick={() => onSend(message.id)}>
              {send}
            </Button>
          )}
          <Button
            size="s"
            look="ghost"
            onClick={() => void editWaiting(id, message).then(onEdit, toastFailure)}
          >
            Edit
          </Button>
          <Button size="s" look="ghost" onClick={() => void dropWaiting(id, message.id).catch(toastFailure)}>
            Drop
          </Button>
        </li>
      ))}
    </ul>
  );
}
