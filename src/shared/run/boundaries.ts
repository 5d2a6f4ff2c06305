import { toolUseIds } from './conversation';
import type { RunRecord } from './record';

/**
 * Says after which records a new run can begin: where the conversation could be sent to a model as it stands. Not inside
 * a turn whose tools are not all answered, and not after the mark that ends or pauses a run. The fold says the same
 * (`pending` is null), but to ask it after each record costs a copy of the conversation each time.
 */
export class Boundaries {
  /** Tools of the newest turn that are not answered; undefined until a record says so, where only an end is read. */
  #open: Set<string> | undefined;

  /** Whether this record, the next one of its run, is such a place. */
  push({ meta, assistant, user, tool_result: result, terminal }: RunRecord): boolean {
    if (meta ?? user) this.#open = new Set();
    if (assistant) this.#open = new Set(toolUseIds(assistant.message));
    if (result) this.#open?.delete(result.tool_use_id);
    return !terminal && this.#open?.size === 0;
  }
}
