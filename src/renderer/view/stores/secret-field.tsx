import type { SecretEntry } from '../../store/keys';
import { KeyField } from '../models/key-field';

const LABELS = { password: 'Password', token: 'Token' } as const;

/** The password or token of a store: entered once, from then on known by its last characters only. */
export function SecretField({
  kind,
  servers,
  held,
  saved,
  onHeld,
}: {
  kind: 'password' | 'token';
  servers: string;
  held: SecretEntry | undefined;
  /** The one that was saved before, unless the person enters another one. */
  saved: SecretEntry | undefined;
  onHeld: (entry: SecretEntry | undefined) => void;
}) {
  return (
    <KeyField
      // What was typed as a password is no token.
      key={kind}
      label={LABELS[kind]}
      kind={kind}
      service={servers}
      held={held ?? saved}
      problem={undefined}
      action="Use"
      disabled={servers === ''}
      help={servers === '' ? 'Enter the servers first.' : `Goes only to ${servers}.`}
      onHeld={onHeld}
    />
  );
}
