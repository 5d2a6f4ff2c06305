import { useEffect, useId, useState } from 'react';
import { FolderOpen } from 'lucide-react';
import { RadioGroup } from 'radix-ui';
import type { CommandOutput } from '../../../shared/contract/contract';
import type { ExportFormat } from '../../../shared/contract/moving';
import type { FailureInfo } from '../../../shared/run/failure';
import { call, failureOf } from '../../client';
import { exportOf, useApp } from '../../store/app';
import { startExport } from '../../store/moving';
import { FolderPicker } from '../chat/folder-picker';
import { Button } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { FailureNote } from '../kit/failure';
import { Field, inputClass, Switch } from '../kit/field';
import { many } from '../kit/numbers';
import { tilde } from '../kit/paths';
import { Shown } from '../kit/shown';
import { limitedShort } from '../kit/limit';
import s from './moving.module.css';

const FORMATS: [ExportFormat, string, string][] = [
  ['md', 'Markdown', 'To paste into notes, an issue or a wiki.'],
  ['html', 'Web page', 'To read or print: one file that opens in any browser.'],
  ['json', 'JSON', 'For programs: the run’s state, as a published schema describes it.'],
  ['journal', 'Journal', 'The run itself, byte for byte. It can be imported again.'],
  ['zip', 'Zip', 'A folder in one file: pages, journals and an index. It can be imported again.'],
];

/** Asks how and where runs are exported. */
export function ExportDialog() {
  const keys = useApp((state) => state.exporting);
  const intact = useApp((state) => state.intact);
  if (!keys || keys.length === 0) return null;
  return <Form key={keys.join()} keys={keys} intact={intact} />;
}

function Form({ keys, intact }: { keys: readonly string[]; intact: boolean }) {
  const dialogs = useApp((state) => state.hello?.nativeDialogs ?? false);
  const [format, setFormat] = useState<ExportFormat>(keys.length > 1 ? 'zip' : 'md');
  const [tools, setTools] = useState(true);
  const [thinking, setThinking] = useState(true);
  const [redact, setRedact] = useState<boolean>();
  const [separate, setSeparate] = useState(false);
  const where = useSuggestion(keys, format);
  const [folder, setFolder] = useState<string>();
  const [name, setName] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<FailureInfo>();
  // A zip is mostly to keep or to move; without its journals it could do neither.
  const hides = format !== 'journal' && (redact ?? format !== 'zip');
  const several = keys.length > 1 && format !== 'zip';

  const start = async () => {
    setBusy(true);
    setFailure(undefined);
    const input = {
      ids: [...keys],
      format,
      options: {
        tools: format === 'journal' || tools,
        thinking: format === 'journal' || thinking,
        redact: hides,
        attachments: separate ? ('separate' as const) : ('inline' as const),
        ...(intact && { intact }),
      },
    };
    try {
      if (dialogs) {
        const { place } = await call('export.choose', { name: where?.name ?? 'run', format, many: several });
        if (place !== '') await startExport({ ...input, to: { place } });
      } else {
        const to = {
          folder: folder ?? where?.folder ?? '',
          name: (name ?? where?.name ?? 'run').slice(0, 200),
        };
        await startExport({ ...input, to });
      }
    } catch (error) {
      setFailure(failureOf(error));
    }
    setBusy(false);
  };

  return (
    <Dialog
      label={
        intact
          ? 'Export what is intact'
          : keys.length === 1
            ? 'Export this run'
            : `Export ${many(keys.length, 'run')}`
      }
      onClose={() => exportOf(undefined)}
    >
      <form
        className={s['form']}
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <div className={s['scroll']}>
          <Formats value={format} onChange={setFormat} />
          <fieldset className={s['options']}>
            <legend>What goes into it</legend>
            {format === 'journal' ? (
              <p className={s['quiet']}>
                {intact
                  ? 'Everything before the damage, exactly as it was recorded. It can be imported as a run of its own; the damaged file stays as it is.'
                  : 'Everything, exactly as it was recorded: nothing can be left out of a journal or taken out of it.'}{' '}
                Do not give it to somebody who may not see all of it.
              </p>
            ) : (
              <>
                <Switch
                  label="What tools gave back"
                  help="Without it, only how long each result was."
                  checked={tools}
                  onChange={setTools}
                />
                <Switch label="Thinking" checked={thinking} onChange={setThinking} />
                <Switch
                  label="Take out secrets"
                  help={
                    format === 'zip'
                      ? 'Then the zip has only pages: journals cannot leave anything out, so without them it cannot be imported again.'
                      : 'Replaces the keys that your settings know, and whatever has the shape of a key or token. Look it over all the same: nobody can know every secret.'
                  }
                  checked={hides}
                  onChange={setRedact}
                />
                <Switch
                  label="Long results as files of their own"
                  help="Some results were cut for the model and are kept whole. On: in a folder beside it. Off: inside it."
                  checked={separate}
                  disabled={!tools}
                  onChange={setSeparate}
                />
              </>
            )}
          </fieldset>
          {!dialogs && where && (
            <Where
              folder={folder ?? where.folder ?? ''}
              onFolder={setFolder}
              name={several ? undefined : (name ?? where.name)}
              ending={where.ending}
              onName={setName}
            />
          )}
          {failure && <FailureNote failure={failure} />}
        </div>
        <footer className={s['footer']}>
          <span className={s['quiet']}>{several && 'Each run becomes a file of its own.'}</span>
          <Button look="ghost" onClick={() => exportOf(undefined)}>
            Cancel
          </Button>
          <Button look="primary" type="submit" disabled={busy || !where}>
            {dialogs ? 'Choose where and export…' : 'Export'}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

function useSuggestion(keys: readonly string[], format: ExportFormat) {
  const [where, setWhere] = useState<CommandOutput<'export.prepare'>>();
  useEffect(() => {
    let live = true;
    call('export.prepare', { ids: [...keys], format }).then(
      (reply) => live && setWhere(reply),
      () => live && setWhere({ name: 'run', ending: '' }),
    );
    return () => {
      live = false;
    };
  }, [keys, format]);
  return where;
}

function Formats({ value, onChange }: { value: ExportFormat; onChange: (format: ExportFormat) => void }) {
  const id = useId();
  return (
    <RadioGroup.Root
      className={s['formats']}
      aria-label="Format"
      value={value}
      onValueChange={(format) => onChange(format as ExportFormat)}
    >
      {FORMATS.map(([format, label, help]) => (
        <div key={format} className={s['format']}>
          <RadioGroup.Item
            id={`${id}${format}`}
            value={format}
            className={s['radio']}
            aria-describedby={`${id}${format}-help`}
          >
            <RadioGroup.Indicator className={s['dot']} />
          </RadioGroup.Item>
          <label htmlFor={`${id}${format}`}>{label}</label>
          <small id={`${id}${format}-help`}>{help}</small>
        </div>
      ))}
    </RadioGroup.Root>
  );
}

function Where({
  folder,
  onFolder,
  name,
  ending,
  onName,
}: {
  folder: string;
  onFolder: (folder: string) => void;
  name: string | undefined;
  ending: string;
  onName: (name: string) => void;
}) {
  const home = useApp((state) => state.hello?.home);
  const [picking, setPicking] = useState(false);
  return (
    <div className={s['where']}>
      {name !== undefined && (
        <Field label="Name">
          {(ids) => (
            <span className={s['name']}>
              <input
                {...ids}
                className={inputClass}
                value={name}
                spellCheck={false}
                {...limitedShort('A name', 120, name, onName)}
              />
              <span>{ending}</span>
            </span>
          )}
        </Field>
      )}
      <div className={s['folder']}>
        <span className={s['label']}>Folder</span>
        <code>
          <Shown text={tilde(folder, home)} />
        </code>
        <Button size="s" icon={<FolderOpen size="0.875rem" />} onClick={() => setPicking(true)}>
          Another folder…
        </Button>
      </div>
      {picking && (
        <FolderPicker
          from={folder}
          onClose={() => setPicking(false)}
          onPick={(path) => {
            setPicking(false);
            onFolder(path);
          }}
        />
      )}
    </div>
  );
}
