import { useState } from 'react';
import { Image as ImageIcon } from 'lucide-react';
import { openLink } from '../../store/links';
import { Button } from '../kit/button';
import { hostOf } from '../kit/paths';
import { Shown } from '../kit/shown';
import { CopyButton } from './code';
import s from './markdown.module.css';

const DATA = /^data:image\/(png|jpeg|gif|webp);base64,[a-z0-9+/=\s]+$/i;
const WEB = /^https?:\/\//i;

/**
 * An image in a text from outside is never fetched: an address can carry away what the conversation holds. Where it lies
 * elsewhere, its host is told and it can be opened outside; where its bytes stand in the text, a click shows it.
 */
export function ImageCard({ url, alt }: { url: string; alt: string }) {
  const [shown, setShown] = useState(false);
  const inline = DATA.test(url);
  if (shown && inline) return <img className={s['image']} src={url.replace(/\s+/g, '')} alt={alt} />;
  const host = WEB.test(url) ? hostOf(url) : undefined;
  return (
    <span className={s['image-card']}>
      <ImageIcon size="1rem" aria-hidden="true" />
      <span className={s['image-text']}>
        <span>{alt ? <Shown text={alt} /> : 'Image'}</span>
        <small data-chrome>
          {inline ? (
            'Its bytes stand in the text.'
          ) : host ? (
            <>
              Not loaded. It lies at <Shown text={host} />
            </>
          ) : (
            'Not loaded: its address is not one of the web.'
          )}
        </small>
      </span>
      {inline && (
        <Button size="s" onClick={() => setShown(true)}>
          Show
        </Button>
      )}
      {host && (
        <>
          <Button size="s" onClick={() => void openLink(url)}>
            Open outside…
          </Button>
          <CopyButton text={url} label="Copy the address" />
        </>
      )}
    </span>
  );
}
