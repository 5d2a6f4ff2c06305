import { HardDrive, CloudCheck, EyeOff, ShieldAlert } from 'lucide-react';
import type { RunHead } from '../../../shared/contract/views';
import { inspect } from '../../store/reading';
import { count, many, percent, short } from '../kit/numbers';
import { Tip } from '../kit/button';
import s from './status-bar.module.css';

const DURABLE = {
  disk: {
    word: 'on disk',
    Icon: HardDrive,
    tip: 'Written and synced to this computer’s disk before anything went on.',
  },
  acknowledged: {
    word: 'acknowledged by NATS',
    Icon: CloudCheck,
    tip: 'The server said that it has it. When its disk has it is decided by its sync_interval, and how many servers have it by the stream’s replicas.',
  },
  memory: {
    word: 'in memory only',
    Icon: EyeOff,
    tip: 'A private chat: nothing is written, and it ends with the window.',
  },
} as const;

/** What the run has used, and where its last record is. */
export function StatusBar({ head }: { head: RunHead }) {
  const { counters, steps, budget } = head;
  const durable = DURABLE[head.durability];
  const { Icon } = durable;
  const cached = counters.cache_read_tokens;
  const all = counters.in_tokens + counters.cache_read_tokens + counters.cache_create_tokens;
  return (
    <div className={s['bar']}>
      {steps.cap > 0 && (
        <Tip
          side="top"
          text={`${many(counters.llm_calls, 'model call')} and ${many(counters.tool_calls, 'tool call')} so far`}
        >
          <span className={s['fact']} tabIndex={0}>
            Step {count(steps.used)} of {count(steps.cap)}
            <Meter part={steps.used} all={steps.cap} />
          </span>
        </Tip>
      )}
      <Tip
        side="top"
        text={`${count(all)} tokens in (${count(cached)} of them read from the cache), ${count(counters.out_tokens)} out`}
      >
        <span className={s['fact']} tabIndex={0}>
          {short(all)} in · {short(counters.out_tokens)} out{cached > 0 && ` · ${short(cached)} cached`}
        </span>
      </Tip>
      {budget.cap > 0 && (
        <Tip side="top" text={`${count(budget.used)} of ${count(budget.cap)} tokens used`}>
          <span className={s['fact']} data-low={budget.used / budget.cap > 0.9} tabIndex={0}>
            {percent(budget.used, budget.cap)} of budget
          </span>
        </Tip>
      )}
      <span className={s['grow']} />
      {head.caution && head.durability !== 'acknowledged' && (
        <Tip side="top" text={head.caution}>
          <span className={s['caution']} tabIndex={0}>
            <ShieldAlert size="0.8125rem" aria-hidden="true" /> reduced protection
          </span>
        </Tip>
      )}
      <Tip
        side="top"
        text={
          head.durability === 'acknowledged' && head.caution ? `${durable.tip}\n${head.caution}` : durable.tip
        }
      >
        <button type="button" className={s['durable']} onClick={() => inspect(Math.max(1, head.lastSeq))}>
          <Icon size="0.8125rem" aria-hidden="true" />
          {durable.word}
          {head.lastSeq > 0 && `, record ${count(head.lastSeq)}`}
        </button>
      </Tip>
    </div>
  );
}

/** A share as a bar; the words beside it say the same. */
export function Meter({ part, all }: { part: number; all: number }) {
  const share = all > 0 ? Math.min(1, part / all) : 0;
  return (
    <span className={s['meter']} aria-hidden="true">
      <i style={{ scale: `${share} 1` }} data-high={share > 0.9} />
    </span>
  );
}
