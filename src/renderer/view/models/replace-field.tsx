import { Button } from '../kit/button';
import { SecretInput } from './secret-input';

/** Another value for a saved secret. */
export function ReplaceField({
  onEnter,
  onCancel,
}: {
  /** Resolves to why it was not taken. */
  onEnter: (value: string) => Promise<string | undefined>;
  onCancel: () => void;
}) {
  return (
    <SecretInput
      label="New key"
      action="Replace"
      focus
      onEnter={async (value) => (value === '' ? 'Enter the new key.' : onEnter(value))}
    >
      <Button look="ghost" onClick={onCancel}>
        Cancel
      </Button>
    </SecretInput>
  );
}
