import { useEffect, useRef } from 'react';
import { Check, TriangleAlert, X } from 'lucide-react';
import type { StoreCheck } from '../../../shared/contract/stores';
import { Shown } from '../kit/shown';
import { CopyButton } from '../markdown/code';
import s from './stores.module.css';

const NAMES: Record<string, string> = {
  address: 'Address',
  login: 'Login',
  connection: 'Connection',
  server: 'Server',
  stream: 'Stream',
  settings: 'Settings',
  fence: 'Fence',
  delete: 'Deleting',
  durability: 'Durability',
  folder: 'Folder',
  runs: 'Runs',
  damage: 'Damage',
  writing: 'Writing',
  programs: 'Other programs',
};
const MARKS = {
  ok: { Icon: Check, word: 'in order' },
  caution: { Icon: TriangleAlert, word: 'worth knowing' },
  failed: { Icon: X, word: 'must be mended' },
} as const;

/** What a test found, one check after the other, with what mends it. */
export function Checks({ checks }: { checks: readonly StoreCheck[] }) {
  const ref = useRef<HTMLElement>(null);
  // The fields fill the window: what they are tested for must not be out of sight.
  useEffect(() => {
    // In newer browsers this returns something that is no clean-up.
    void ref.current?.scrollIntoView({ block: 'nearest' });
  }, [checks]);
  const failed = checks.filter((check) => check.outcome === 'failed').length;
  return (
    <section ref={ref} className={s['checks']} aria-label="What the test found" data-good={failed === 0}>
      <div role="status">
        <h3>{failed === 0 ? 'This store can be used.' : 'This store cannot be used yet.'}</h3>
      </div>
      <ol>
        {checks.map((check, at) => {
          const { Icon, word } = MARKS[check.outcome];
          return (
            <li key={at} data-outcome={check.outcome}>
              <Icon size="0.9375rem" aria-hidden="true" />
              <div>
                <p>
                  <b>{NAMES[check.name] ?? check.name}</b>
                  <span className="sr"> {word}</span> <Shown text={withoutCommand(check)} prose />
                </p>
                {check.command !== undefined && <Command text={check.command} />}
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** A line for a terminal, to be copied. */
export function Command({ text }: { text: string }) {
  return (
    <div className={s['command']}>
      <code tabIndex={0} aria-label="Command that mends it">
        <Shown text={text} />
      </code>
      <CopyButton text={text} label="Copy the command" />
    </div>
  );
}

/** The command stands below; once is enough. */
export function withoutCommand({ text, command }: { text: string; command?: string | undefined }): string {
  if (command === undefined || !text.includes(command)) return text;
  return text
    .replace(command, '')
    .replace(/\s*(Make it|Mend it|Make another stream for runs) with:\s*$/, '')
    .trim();
}
