import { useEffect, useRef, useState } from 'react';
import { FileDown, Paperclip, X } from 'lucide-react';
import { USUAL_STORE } from '../../../shared/contract/stores';
import type { FailureInfo } from '../../../shared/run/failure';
import { failureOf } from '../../client';
import { toast, useApp } from '../../store/app';
import { closeImport, offerFiles, pick, startImport, useMoving } from '../../store/moving';
import { filesDropped, filesOf } from '../../store/sending';
import { useStores } from '../../store/stores';
import { Button, IconButton } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { FailureNote } from '../kit/failure';
import { bytes, many } from '../kit/numbers';
import { Name } from '../kit/shown';
import { IntoStore } from './into-store';
import s from './moving.module.css';

/** Names that are shown of many. */
const SHOWN = 8;

/** Asks which files to take in, and into which store. */
export function ImportDialog() {
  const importing = useApp((state) => state.importing);
  return (
    <>
      <DropTarget />
      {importing && <Form />}
    </>
  );
}

function Form() {
  const picked = useMoving((state) => state.picked);
  const all = useStores((state) => state.stores);
  const usual = useApp((state) => state.store);
  const stores = all.filter((store) => store.writable && store.state === 'ok');
  const [store, setStore] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<FailureInfo>();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const into = store ?? (stores.some(({ name }) => name === usual) ? usual : undefined) ?? USUAL_STORE;
  const size = picked.reduce((sum, { file }) => sum + file.size, 0);
  const take = (event: React.ChangeEvent<HTMLInputElement>) => {
    offerFiles(filesOf(event.target.files));
    event.target.value = '';
  };
  const start = () => {
    setBusy(true);
    setFailure(undefined);
    startImport(picked, into).catch((error: unknown) => {
      setFailure(failureOf(error));
      setBusy(false);
    });
  };
  return (
    <Dialog label="Import runs" size="s" onClose={closeImport}>
      <div className={s['form']}>
        <div className={s['scroll']}>
          {picked.length === 0 ? (
            <div className={s['empty']}>
              <FileDown size="1.5rem" aria-hidden="true" />
              <p>
                Drop journals, folders of them, or a zip that Holdfast exported anywhere onto this window, or
                choose them here.
              </p>
              <p className={s['quiet']}>
                Nothing that is here is replaced: a run whose name is taken gets a new one.
              </p>
            </div>
          ) : (
            <div className={s['picked']}>
              <p>
                {many(picked.length, 'file')}, {bytes(size)}
                <IconButton
                  size="s"
                  side="left"
                  label="Take them off the list"
                  icon={<X size="0.875rem" />}
                  onClick={() => pick([])}
                />
              </p>
              <ul aria-label="Files to import">
                {picked.slice(0, SHOWN).map(({ name }, at) => (
                  <li key={at}>
                    <Name text={name} />
                  </li>
                ))}
                {picked.length > SHOWN && <li>and {many(picked.length - SHOWN, 'more file')}</li>}
              </ul>
            </div>
          )}
          <div className={s['choose']}>
            <Button onClick={() => files.current?.click()}>Choose files…</Button>
            <Button onClick={() => folder.current?.click()}>Choose a folder…</Button>
            <input
              ref={files}
              type="file"
              multiple
              hidden
              aria-label="Files"
              data-import="files"
              onChange={take}
            />
            <input
              ref={folder}
              type="file"
              hidden
              aria-label="Folder"
              data-import="folder"
              {...{ webkitdirectory: '' }}
              onChange={take}
            />
          </div>
          <IntoStore stores={stores} value={into} onChange={setStore} />
          {failure && <FailureNote failure={failure} />}
        </div>
        <footer className={s['footer']}>
          <span />
          <Button look="ghost" onClick={closeImport}>
            Cancel
          </Button>
          <Button look="primary" disabled={picked.length === 0 || busy} onClick={start}>
            Import
          </Button>
        </footer>
      </div>
    </Dialog>
  );
}

/** A file over a chat is meant for the chat, everywhere else for the library. */
function isOverChat({ target }: DragEvent): boolean {
  const { view } = useApp.getState().place;
  return (view === 'run' || view === 'new') && target instanceof Element && target.closest('main') !== null;
}

/** The whole window takes files, and says what becomes of them while some are held over it. */
function DropTarget() {
  const [over, setOver] = useState<'chat' | 'library'>();
  useEffect(() => {
    let depth = 0;
    const holds = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    // A drag within the page is its own affair. Files that are dropped elsewhere would take the page's place.
    const enter = (event: DragEvent) => {
      if (!holds(event)) return;
      depth += 1;
      setOver(isOverChat(event) ? 'chat' : 'library');
    };
    const leave = (event: DragEvent) => {
      if (!holds(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(undefined);
    };
    const above = (event: DragEvent) => {
      if (!holds(event)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
    };
    const drop = (event: DragEvent) => {
      depth = 0;
      setOver(undefined);
      if (!holds(event) || !event.dataTransfer) return;
      event.preventDefault();
      const toChat = isOverChat(event);
      void filesDropped(event.dataTransfer).then((files) => {
        if (files.length === 0) return;
        if (!toChat) offerFiles(files);
        else
          toast({
            tone: 'info',
            text: `Attachments aren’t available yet. Your chat has not changed.`,
            action: { label: 'Import as runs…', run: () => offerFiles(files) },
          });
      });
    };
    const all = { dragenter: enter, dragleave: leave, dragover: above, drop } as const;
    for (const [name, listener] of Object.entries(all)) window.addEventListener(name as 'drop', listener);
    return () => {
      for (const [name, listener] of Object.entries(all))
        window.removeEventListener(name as 'drop', listener);
    };
  }, []);
  if (over === undefined) return null;
  if (over === 'chat')
    return (
      <div className={s['drop']} role="status">
        <div>
          <Paperclip size="2rem" aria-hidden="true" />
          <p>Attachments aren’t available yet</p>
          <small>To import runs, drop them on the library.</small>
        </div>
      </div>
    );
  return (
    <div className={s['drop']} role="status">
      <div>
        <FileDown size="2rem" aria-hidden="true" />
        <p>Drop runs here to import them</p>
        <small>
          Journals, folders of them, or a zip that Holdfast exported. Nothing that is here is replaced.
        </small>
      </div>
    </div>
  );
}
