import { HardDrive, CloudCheck, EyeOff, ShieldAlert } from 'lucide-react';
import type { RunHead } from '../../../shared/contract/views';
import { spentOf, tokensOf, tokensText } from '../../../shared/run/tokens';
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

const EACH_MESSAGE =
  'Each step is one call of the model. Every message has its own steps; a resume in the middle of an answer adds as many again.';

/** What the run has used, and where its last record is. */
export function StatusBar({ head }: { head: RunHead }) {
  const { counters, steps, budget } = head;
  const durable = DURABLE[head.durability];
  const { Icon } = durable;
  const spent = spentOf(counters);
  const tokens = tokensOf(spent);
  const cached = spent.cacheRead;
  return (
    <div className={s['bar']}>
      {steps.cap > 0 && (
        <Tip
          side="top"
          text={`${head.chat ? EACH_MESSAGE : 'Each step is one call of the model.'}\nIn the whole run so far: ${many(counters.llm_calls, 'model call')}, ${many(counters.tool_calls, 'tool call')}.`}
        >
          <span className={s['fact']} tabIndex={0}>
            {/* A run of another program may have more than its notes explain. */}
            {steps.used <= steps.cap
              ? `${count(steps.used)} of ${many(steps.cap, 'step')}`
              : many(steps.used, 'step')}
            {head.chat && <span className={s['whose']}> for this message</span>}
            <Meter part={steps.used} all={steps.cap} />
          </span>
        </Tip>
      )}
      <Tip side="top" text={`Tokens in the whole run: ${tokensText(spent, count)}.`}>
        <span className={s['fact']} tabIndex={0}>
          {short(tokens.in)} in · {short(tokens.out)} out{cached > 0 && ` · ${short(cached)} cached`}
        </span>
      </Tip>
      {budget.cap > 0 && (
        <Tip
          side="top"
          text={`${count(budget.used)} of ${many(budget.cap, 'token')} used, in and out, those of the cache too.`}
        >
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
