import type { PreflightView } from '../../../shared/contract/views';
import { Name, Shown } from '../kit/shown';
import { many } from '../kit/numbers';
import { toolsChanged, wordsChanged, type Piece, type ToolChange } from './differences';
import s from './texts.module.css';

/** What the changed prompt says, then and now, side by side. */
export function PromptThenAndNow({
  prompt,
  profile,
}: {
  prompt: NonNullable<PreflightView['texts']['prompt']>;
  profile: string;
}) {
  if (prompt.recorded !== undefined)
    return <Sides pieces={wordsChanged(prompt.recorded, prompt.current)} what="Prompt" />;
  return (
    <>
      <p className={s['unknown']}>
        This computer doesn’t have the earlier prompt, only its hash. The prompt of “
        <Name text={profile} />” now:
      </p>
      <pre className={s['text']} tabIndex={0} aria-label="Prompt now">
        {prompt.current === '' ? <em>Empty</em> : <Shown text={prompt.current} prose />}
      </pre>
    </>
  );
}

/** Which tools came, went or changed. */
export function ToolsThenAndNow({
  tools,
  profile,
}: {
  tools: NonNullable<PreflightView['texts']['tools']>;
  profile: string;
}) {
  if (tools.recorded) return <Tools before={tools.recorded} after={tools.current} />;
  return (
    <p className={s['unknown']}>
      This computer doesn’t have the earlier tools, only their hash. The tools of “
      <Name text={profile} />” now:{' '}
      {tools.current.length === 0 ? 'none' : tools.current.map(({ name }) => name).join(', ')}.
    </p>
  );
}

/** Both versions beside each other, each with what only it has marked. */
function Sides({ pieces, what }: { pieces: Piece[]; what: string }) {
  return (
    <div className={s['sides']}>
      <Side pieces={pieces} side="before" label={`${what} when the run was saved`} />
      <Side pieces={pieces} side="after" label={`${what} now`} />
    </div>
  );
}

function Side({ pieces, side, label }: { pieces: Piece[]; side: 'before' | 'after'; label: string }) {
  const mine = pieces.filter((piece) => piece.in === 'both' || piece.in === side);
  const Mark = side === 'before' ? 'del' : 'ins';
  return (
    <pre className={s['text']} tabIndex={0} aria-label={label} dir="auto">
      {mine.every(({ text }) => text === '') ? (
        <em>Empty</em>
      ) : (
        mine.map((piece, index) =>
          piece.in === 'both' ? (
            <Shown key={index} text={piece.text} prose />
          ) : (
            <Mark key={index}>
              <Shown text={piece.text} prose />
            </Mark>
          ),
        )
      )}
    </pre>
  );
}

const WHAT: Record<ToolChange['what'], string> = {
  added: 'added',
  removed: 'removed',
  changed: 'changed',
};

function Tools({ before, after }: Record<'before' | 'after', Parameters<typeof toolsChanged>[0]>) {
  const { changes, same, moved } = toolsChanged(before, after);
  return (
    <>
      <ul className={s['tools']}>
        {changes.map((tool) => (
          <li key={tool.name} data-what={tool.what}>
            <p className={s['name']}>
              <code>
                <Name text={tool.name} />
              </code>
              <span>{WHAT[tool.what]}</span>
            </p>
            <p className={s['description']}>
              {tool.description.map((piece, index) => (
                <Marked key={index} piece={piece} plain={tool.what !== 'changed'} />
              ))}
            </p>
            {tool.schema.some((piece) => piece.in !== 'both') && (
              <details open={tool.what === 'changed'}>
                <summary>Input schema</summary>
                <pre className={s['text']} tabIndex={0} aria-label={`Input schema of ${tool.name}`}>
                  {tool.schema.map((piece, index) => (
                    <Marked key={index} piece={piece} plain={tool.what !== 'changed'} />
                  ))}
                </pre>
              </details>
            )}
          </li>
        ))}
      </ul>
      <p className={s['unknown']}>
        {moved
          ? 'Only the order of the tools changed.'
          : same > 0 && `${many(same, 'other tool')} ${same === 1 ? 'is' : 'are'} the same.`}
      </p>
    </>
  );
}

/** One text with both: what went struck through, what came marked. */
function Marked({ piece, plain }: { piece: Piece; plain: boolean }) {
  const text = <Shown text={piece.text} prose />;
  if (plain || piece.in === 'both') return text;
  return piece.in === 'before' ? <del>{text}</del> : <ins>{text}</ins>;
}
