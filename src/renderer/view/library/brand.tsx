import s from './library.module.css';

/** The mark: two posts and the line that holds them. */
export function Brand() {
  return (
    <div className={s['brand']}>
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" className={s['brand-field']} />
        <path d="M10.5 8v16M21.5 8v16M10.5 16h11" className={s['brand-line']} />
      </svg>
      <span>Holdfast</span>
    </div>
  );
}
