import { wellFormed } from '../../../shared/run/json';
import type { Block } from '../../../shared/run/record';
import { STOP } from '../../../shared/run/record';
import { notUnderstood, type Where } from '../errors';
import type { ModelEvent } from '../model';
import { asText, toolInput, validRaw } from '../parts';
import { jsonArray, sliceAt, withMember } from '../slice';

/** Kind of the provider block that holds the citations of the text block before it, an array as it arrived. */
export const CITATIONS = 'citations';

/** One content block while its pieces arrive. */
export class OpenBlock {
  readonly type: string;
  readonly name: string;
  readonly offeredId: string;
  /** For tool_use: the id that is recorded. */
  id = '';
  /** No piece has arrived since its start. */
  untouched = true;

  private text: string;
  private signature: string;
  /** Concatenated partial JSON of a tool's input. */
  private input = '';
  private readonly citations: string[] = [];

  constructor(
    readonly index: number,
    private readonly start: Record<string, unknown>,
    /** The start's own text: the block as it arrived. */
    private readonly raw: string,
  ) {
    this.type = asText(start['type']);
    this.name = asText(start['name']);
    this.offeredId = asText(start['id']);
    this.text = asText(this.type === 'thinking' ? start['thinking'] : start['text']);
    this.signature = asText(start['signature']);
  }

  /** What a start alone shows. */
  opening(): ModelEvent[] {
    if (this.type === 'tool_use') return [{ type: 'tool', id: this.id, name: this.name }];
    return this.text === '' ? [] : this.show(this.text);
  }

  /** undefined: a piece that this block cannot hold. `slice` cuts a member out of the piece's own text. */
  add(delta: Record<string, unknown>, slice: (key: string) => string | undefined): ModelEvent[] | undefined {
    this.untouched = false;
    const kind = asText(delta['type']);
    if (this.type === 'text') {
      if (kind === 'text_delta') return this.addText(asText(delta['text']));
      if (kind === 'citations_delta') this.citations.push(slice('citation') ?? 'null');
      // Any other piece annotates text that is whole without it.
      return kind === 'thinking_delta' || kind === 'input_json_delta' ? undefined : [];
    }
    if (this.type === 'thinking') {
      if (kind === 'thinking_delta') return this.addText(asText(delta['thinking']));
      if (kind !== 'signature_delta') return undefined;
      this.signature += asText(delta['signature']);
      return [];
    }
    if (kind !== 'input_json_delta') return undefined;
    const piece = asText(delta['partial_json']);
    this.input += piece;
    return this.type === 'tool_use' && piece !== '' ? [{ type: 'tool_input', id: this.id, text: piece }] : [];
  }

  /** Blocks for the record; none for a part that turned out empty. Throws CallError when its JSON is broken. */
  finish(where: Where, stopReason: string): { blocks: Block[]; invalid?: string } {
    if (this.type === 'text') return { blocks: this.finishText() };
    if (this.type === 'thinking') return { blocks: this.finishThinking() };
    if (this.type === 'tool_use') {
      const { input, invalid } = toolInput(this.input || this.startInput());
      const block: Block = { tool_use: { id: this.id, name: this.name, input } };
      return { blocks: [block], ...(invalid !== undefined && { invalid }) };
    }
    const whole = this.input === '' ? this.raw : withMember(this.raw, 'input', this.input);
    const raw = validRaw(whole);
    if (raw !== undefined) return { blocks: [{ provider: { kind: this.type, raw } }] };
    // Cut off by the length limit in the middle of its input, a block of the service's own cannot be echoed.
    if (stopReason === STOP.maxTokens || stopReason === STOP.contextExceeded) return { blocks: [] };
    throw notUnderstood(where, `the input of ${this.name || this.type} is not JSON`);
  }

  private finishText(): Block[] {
    if (this.text === '') return [];
    const blocks: Block[] = [{ text: { text: wellFormed(this.text) } }];
    const given = this.start['citations'];
    const raw =
      this.citations.length > 0
        ? jsonArray(this.citations)
        : Array.isArray(given) && given.length > 0
          ? sliceAt(this.raw, ['citations'])
          : undefined;
    const kept = raw === undefined ? undefined : validRaw(raw);
    if (kept !== undefined) blocks.push({ provider: { kind: CITATIONS, raw: kept } });
    return blocks;
  }

  private finishThinking(): Block[] {
    if (this.text === '' && this.signature === '') return [];
    return [
      {
        thinking: {
          ...(this.text !== '' && { text: wellFormed(this.text) }),
          ...(this.signature !== '' && {
            signature: Buffer.from(this.signature, 'utf8').toString('base64'),
          }),
        },
      },
    ];
  }

  /** An input that came whole with the start; `{}` there only says that it follows. */
  private startInput(): string {
    return sliceAt(this.raw, ['input']) ?? '';
  }

  private addText(piece: string): ModelEvent[] {
    this.text += piece;
    return piece === '' ? [] : this.show(piece);
  }

  private show(text: string): ModelEvent[] {
    if (this.type === 'text') return [{ type: 'text', text }];
    return this.type === 'thinking' ? [{ type: 'thinking', text }] : [];
  }
}
