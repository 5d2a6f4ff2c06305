import type { ReactNode } from 'react';
import { Check, KeyRound } from 'lucide-react';
import type { SecretEntry } from '../../../shared/contract/keys';
import { bareSecret, keyProblem } from '../../../shared/secret-text';
import { call, failureOf } from '../../client';
import { Button } from '../kit/button';
import { SecretInput } from './secret-input';
import s from './models.module.css';

/** A secret that the main process holds once it was entered: then only its last characters are shown. */
export function KeyField({
  label = 'Key',
  kind = 'key',
  service,
  held,
  problem,
  help,
  action = 'Connect',
  disabled = false,
  onHeld,
}: {
  label?: string;
  kind?: SecretEntry['kind'];
  /** Where it may be sent; empty: not known yet. */
  service: string;
  held: { hint: string } | undefined;
  problem: string | undefined;
  help?: ReactNode;
  action?: string;
  disabled?: boolean;
  /** Undefined: the person wants to enter another one. */
  onHeld: (entry: SecretEntry | undefined) => void;
}) {
  const hand = async (value: string): Promise<string | undefined> => {
    const refused =
      kind === 'key' ? keyProblem(bareSecret(value)) : value === '' ? 'Enter it first.' : undefined;
    if (refused !== undefined) return refused;
    try {
      onHeld(await call('keys.hold', { kind, service, value }));
      return undefined;
    } catch (error) {
      return failureOf(error).message;
    }
  };
  if (held)
    return (
      <div className={s['held']} role="group" aria-label={label}>
        <span className={s['held-label']}>{label}</span>
        <span className={s['held-key']} data-bad={problem !== undefined}>
          {problem === undefined ? <Check size="0.9375rem" /> : <KeyRound size="0.9375rem" />}
          {held.hint === '' ? (
            'Entered'
          ) : (
            <>
              Ends in <code>{held.hint}</code>
            </>
          )}
          <Button size="s" look="ghost" disabled={disabled} onClick={() => onHeld(undefined)}>
            Change…
          </Button>
        </span>
        {problem !== undefined && (
          <p className={s['held-problem']} role="alert">
            {problem}
          </p>
        )}
      </div>
    );
  return (
    <SecretInput
      label={label}
      help={help}
      problem={problem}
      action={action}
      disabled={disabled}
      onEnter={hand}
    />
  );
}
