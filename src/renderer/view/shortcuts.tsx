import { show } from '../store/app';
import { SHORTCUTS } from './keyboard';
import { Dialog } from './kit/dialog';
import { Keys } from './kit/button';
import s from './app.module.css';

export function Shortcuts() {
  return (
    <Dialog label="Keyboard shortcuts" onClose={() => show(undefined)}>
      <div className={s['shortcuts']} tabIndex={0} role="region" aria-label="Shortcuts">
        {SHORTCUTS.map(({ title, list }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {list.map(({ keys, does }) => (
                <div key={keys}>
                  <dt>{does}</dt>
                  <dd>
                    <Keys keys={keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
