import type { CallLine, DescribeCall } from '../../../shared/run/transcript';
import { itemsOf, Tally } from './items';
import type { ExportItem } from './items';
import { redactor } from './redact';
import type { Redactor } from './redact';
import type { ExportSource } from './source';
import type { ExportView } from './types';

/** A run as a writer of pages sees it. */
export interface Page {
  source: ExportSource;
  items: readonly ExportItem[];
  tools: boolean;
  thinking: boolean;
  breaks: boolean;
  clean: Redactor;
  tally: Tally;
  describe: DescribeCall | undefined;
  /** Whole texts of clipped results; with `href` they stand in files of their own. */
  texts: readonly { name: string; toolUseId: string; text: string; href?: string }[];
  /** What a reader must know about this export. */
  remarks: string[];
  /** What is known of a call without a result. */
  unanswered(call: CallLine): string;
}

/** @param folder relative address of the files for separate texts; absent: they go into the page */
export function pageOf(source: ExportSource, view: ExportView, folder?: string): Page {
  const { tools = true, thinking = true, breaks = false } = view;
  const intents = new Set(
    source.sidecar.flatMap((entry) => (entry.kind === 'intent' ? [entry.tool_use_id] : [])),
  );
  return {
    source,
    items: itemsOf(source),
    tools,
    thinking,
    breaks,
    clean: redactor(view.secrets),
    tally: new Tally(),
    describe: view.describe,
    texts: source.texts.map((text) => ({
      ...text,
      ...(folder !== undefined && { href: `${folder}/${text.name}` }),
    })),
    remarks: remarksOf(source, view),
    unanswered({ toolUseId, pending }) {
      if (intents.has(toolUseId)) return 'No result: it was started, and nobody knows how it ended.';
      if (!source.bound) return 'No result: whether it was started is not known.';
      return pending ? 'No result yet: it had not been started.' : 'No result: it was never started.';
    },
  };
}

function remarksOf({ damage, missingTexts, bound }: ExportSource, view: ExportView): string[] {
  const remarks: string[] = [];
  if (damage) remarks.push('The journal is damaged; what stands before the damage is shown.');
  if (view.tools === false) remarks.push('What tools gave back is left out.');
  if (view.thinking === false) remarks.push('Thinking is left out.');
  if (view.secrets) remarks.push('What looked like a secret is replaced by [secret].');
  if (missingTexts.length > 0)
    remarks.push(`The whole text of ${missingTexts.length} long results is not there any more.`);
  if (!bound) remarks.push('Nothing was noted beside this run, so seams and lost text are not known.');
  return remarks;
}
