import type { Step } from './conversation';

/** Turns what tools really answered into words. Nothing here is made up: a result that cannot be read is quoted. */

const counts = (n: number, one: string) => `${n.toLocaleString('en-US')} ${one}${n === 1 ? '' : 's'}`;

/** A fence that no line of the text can close. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map((run) => run[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}

const quoteLine = (text: string, max = 160) => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > max ? `${line.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…` : line;
};
const code = (text: string) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);
const pathOf = (step: Step): string => {
  const input = step.input as { path?: unknown } | null;
  return typeof input?.path === 'string' && input.path !== '.' ? input.path : '';
};

/** The answer to one call, in words. */
export function report(step: Step): string {
  const { answer } = step;
  const target = pathOf(step) ? code(pathOf(step)) : 'the folder';
  if (!answer) return `The call of ${code(step.name)} has no answer.`;
  const denied = refusal(answer.content);
  if (denied !== undefined)
    return `You did not allow ${code(step.name)} for ${target}${denied ? `: “${denied}”` : ''}. I changed nothing.`;
  if (answer.failed)
    return `${code(step.name)} for ${target} did not work: ${quoteLine(answer.content, 400)}`;
  const lines = answer.content.split('\n');
  switch (step.name) {
    case 'list_files':
      return lines.length < 2
        ? `${capital(target)}: ${lines[0] ?? ''}`
        : `${capital(target)} holds ${lines[0] ?? ''}\n\n${list(lines.slice(1), 60)}`;
    case 'read_file':
      return readReport(target, answer.content);
    case 'search_text':
      return lines.length < 2
        ? quoteLine(answer.content)
        : `${lines[0] ?? ''}\n\n${list(lines.slice(1), 40)}`;
    case 'file_stats':
      return `${capital(target)}, counted:\n\n${list(lines, 40)}`;
    default:
      return quoteLine(answer.content, 400);
  }
}

/** The words of a call that a person refused, '' without words; undefined when it was not refused. */
function refusal(content: string): string | undefined {
  try {
    const read = JSON.parse(content) as { allowed?: unknown; reason?: unknown } | null;
    if (read?.allowed === false) return typeof read.reason === 'string' ? quoteLine(read.reason, 400) : '';
  } catch {
    // Not a refusal.
  }
  return undefined;
}

function readReport(target: string, text: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const shown = lines.slice(0, 12).join('\n');
  const more = lines.length > 12 ? `\n\n… and ${counts(lines.length - 12, 'line')} more.` : '';
  return `${capital(target)} has ${counts(lines.length, 'line')} and ${counts(text.length, 'character')}:\n\n${fenced(shown.slice(0, 4000))}${more}`;
}

const list = (lines: string[], max: number) =>
  [
    ...lines.slice(0, max).map((line) => `- ${code(line)}`),
    ...(lines.length > max ? [`- … and ${lines.length - max} more`] : []),
  ].join('\n');
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Files of a listing that are worth a look: what tells about the rest first, then texts by size. At most three. */
export function worthReading(steps: Step[]): string[] {
  const listing = steps.find((step) => step.name === 'list_files' && step.answer && !step.answer.failed);
  const files = (listing?.answer?.content ?? '').split('\n').flatMap((line) => {
    const found = /^(.+) \(([\d,]+) bytes?\)$/.exec(line);
    const size = Number((found?.[2] ?? '0').replaceAll(',', ''));
    return found && size > 0 && size <= 200_000 && TEXT.test(found[1] ?? '')
      ? [{ path: named(found[1] ?? ''), size }]
      : [];
  });
  const rank = (path: string) =>
    /(^|\/)readme[^/]*$/i.test(path) ? 0 : /\.(md|txt|rst)$/i.test(path) ? 1 : 2;
  return files
    .sort((a, b) => rank(a.path) - rank(b.path) || b.size - a.size || (a.path < b.path ? -1 : 1))
    .slice(0, 3)
    .map((file) => file.path);
}
const TEXT =
  /\.(md|txt|rst|csv|tsv|json|ya?ml|toml|ini|log|html?|css|js|mjs|ts|tsx|jsx|py|rb|go|rs|java|c|h|cpp|sh|sql|xml|tex)"?$/i;

function named(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    const name: unknown = JSON.parse(text);
    return typeof name === 'string' ? name : text;
  } catch {
    return text;
  }
}

/** What a folder holds, from the answers of list_files, file_stats and read_file. */
export function summary(steps: Step[]): string {
  const parts: string[] = ['## What is in this folder'];
  const stats = steps.find((step) => step.name === 'file_stats');
  const facts = new Map<string, string[]>();
  for (const line of (stats?.answer && !stats.answer.failed ? stats.answer.content : '').split('\n')) {
    const cut = line.indexOf(': ');
    const key = line.startsWith('kind ') ? 'kind' : line.slice(0, Math.max(0, cut));
    const value = line.startsWith('kind ') ? line.slice(5) : line.slice(cut + 2);
    facts.set(key, [...(facts.get(key) ?? []), value]);
  }
  const number = (key: string) => Number.parseInt(facts.get(key)?.[0] ?? '', 10);
  if (facts.has('files'))
    parts.push(
      `There are **${counts(number('files'), 'file')}** in ${counts(number('folders'), 'folder')} below it, ${counts(number('bytes'), 'byte')} in all.`,
    );
  const kinds = facts.get('kind') ?? [];
  if (kinds.length)
    parts.push(
      [
        '| kind | files | size |',
        '|---|---:|---:|',
        ...kinds.map((kind) => `| ${kind.replace(/: | files?, /g, ' | ')} |`),
      ].join('\n'),
    );
  const large = facts.get('large') ?? [];
  if (large.length) parts.push(`The largest:\n\n${list(large, 5)}`);
  for (const step of steps) {
    if (step.answer?.failed || !step.answer) parts.push(report(step));
    else if (step.name === 'read_file') parts.push(about(step));
  }
  if (parts.length === 1) parts.push(...steps.map(report));
  return parts.join('\n\n');
}

function about(step: Step): string {
  const text = step.answer?.content ?? '';
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const heading = lines.find((line) => /^#{1,3} /.test(line))?.replace(/^#+ /, '');
  const body = lines.find((line) => !/^(#|---|```|<)/.test(line.trim()));
  const begin = body === undefined ? '' : ` It begins: “${quoteLine(body)}”`;
  return `**${pathOf(step)}** has ${counts(text.split('\n').length - (text.endsWith('\n') ? 1 : 0), 'line')}${heading ? ` under the heading “${quoteLine(heading, 80)}”` : ''}.${begin}`;
}
