import { TriangleAlert } from 'lucide-react';
import { many } from './numbers';
import s from './status.module.css';

/** The mark of a run whose journal has something odd about it; nothing where it has not. */
export function Alert({ of, size }: { of: number | undefined; size: string }) {
  if (!of) return null;
  const words = `${many(of, 'warning')} about this journal`;
  return (
    <span className={s['alert']} role="img" aria-label={words} title={words}>
      <TriangleAlert size={size} aria-hidden="true" />
    </span>
  );
}
