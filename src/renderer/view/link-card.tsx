import { forgetLink, useLinks } from '../store/links';
import { Button } from './kit/button';
import { Dialog } from './kit/dialog';
import { FailureNote } from './kit/failure';
import { hostOf } from './kit/paths';
import { Shown } from './kit/shown';
import { CopyButton } from './markdown/code';
import s from './app.module.css';

/** Where a link leads, whole and with its host, before anything is opened. */
export function LinkCard() {
  const { url, failure } = useLinks();
  if (url === undefined) return null;
  return (
    <Dialog
      label={failure ? 'This link is not opened' : 'Open this outside Holdfast?'}
      size="s"
      onClose={forgetLink}
    >
      <div className={s['link-card']}>
        {failure && <FailureNote failure={failure} tone="warn" />}
        <p className={s['link-host']}>
          <Shown text={hostOf(url)} />
        </p>
        <p className={s['link-address']}>
          <code>
            <Shown text={url} />
          </code>
          <CopyButton text={url} label="Copy the address" />
        </p>
        <div className={s['link-actions']}>
          <Button onClick={forgetLink}>{failure ? 'Close' : 'Cancel'}</Button>
          {!failure && (
            <Button
              look="primary"
              onClick={() => {
                window.open(url, '_blank', 'noopener,noreferrer');
                forgetLink();
              }}
            >
              Open in a new tab
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}
