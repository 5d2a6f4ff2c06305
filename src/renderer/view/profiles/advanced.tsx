import { holdsKey, looksLikeKey } from '../../../shared/secret-text';
import { toast } from '../../store/app';
import { useProfiles } from '../../store/profiles';
import { Field, inputClass, Switch } from '../kit/field';
import { KEY_NOT_HERE } from '../kit/limit';
import { Shown } from '../kit/shown';
import { impossibleTools, toolsOf, type Form, type Problems } from './form';
import s from './profiles.module.css';

type NumberKey = 'max_iterations' | 'max_tokens' | 'max_output_tokens' | 'call_timeout';

/** What has good defaults: thinking, prompt, tools and limits of a profile. */
export function AdvancedFields({
  form,
  problems,
  disabled,
  onChange,
}: {
  form: Form;
  problems: Problems;
  disabled: boolean;
  onChange: (part: Partial<Form>) => void;
}) {
  const tools = useProfiles((state) => state.tools);
  const possible = new Set(toolsOf(tools, form.provider));
  const impossible = disabled ? [] : impossibleTools(form, tools);
  const number = (key: NumberKey, label: string, help: string) => (
    <Field label={label} help={help} problem={problems[key]}>
      {(ids) => (
        <input
          {...ids}
          className={inputClass}
          inputMode="decimal"
          value={form[key]}
          disabled={disabled}
          onChange={(event) => {
            if (looksLikeKey(event.target.value)) toast({ tone: 'warn', text: KEY_NOT_HERE });
            else onChange({ [key]: event.target.value });
          }}
        />
      )}
    </Field>
  );
  return (
    <>
      <fieldset className={s['group']}>
        <legend>Behaviour</legend>
        <div className={s['wide']}>
          <Switch
            label="Thinking"
            help="The model thinks before it answers, where it can"
            checked={form.thinking}
            disabled={disabled}
            onChange={(thinking) => onChange({ thinking })}
          />
        </div>
        <div className={s['wide']}>
          <Field
            label="System prompt"
            help="Runs record only its fingerprint. After a change, Holdfast asks before it resumes a run."
          >
            {(ids) => (
              <textarea
                {...ids}
                className={inputClass}
                rows={5}
                value={form.system_prompt}
                disabled={disabled}
                onChange={(event) => {
                  const { value } = event.target;
                  if (!holdsKey(value) || holdsKey(form.system_prompt)) onChange({ system_prompt: value });
                  else toast({ tone: 'warn', text: KEY_NOT_HERE });
                }}
              />
            )}
          </Field>
        </div>
      </fieldset>
      <fieldset className={s['group']}>
        <legend>Tools</legend>
        <div className={s['toolbox']}>
          {tools
            .filter(({ name }) => possible.has(name))
            .map((tool) => (
              <Switch
                key={tool.name}
                label={tool.name}
                help={
                  <>
                    {tool.changes && <b>asks before it runs · </b>}
                    <Shown text={firstSentence(tool.description)} />
                  </>
                }
                checked={form.tools.includes(tool.name)}
                disabled={disabled}
                onChange={(on) =>
                  onChange({
                    tools: on ? [...form.tools, tool.name] : form.tools.filter((name) => name !== tool.name),
                  })
                }
              />
            ))}
        </div>
        {impossible.length > 0 && (
          <p className={s['wide']}>
            {impossible.join(', ')}: not available with this provider. Saving removes{' '}
            {impossible.length === 1 ? 'this tool' : 'these tools'} from the profile.
          </p>
        )}
      </fieldset>
      <fieldset className={s['group']}>
        <legend>Limits</legend>
        {number('max_iterations', 'Steps', 'Model calls per run, or per message of a chat')}
        {number('max_tokens', 'Token budget', 'Over the whole run; 0 means no limit')}
        {number('max_output_tokens', 'Tokens per answer', 'Empty: 8,192, or 16,384 with thinking')}
        {number('call_timeout', 'Seconds per call', 'Then the call ends and is tried again')}
      </fieldset>
    </>
  );
}

const firstSentence = (text: string) => /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text.slice(0, 160);
