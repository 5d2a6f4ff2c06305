import type { ModelEvent } from '../model';
import { asObject, asText, type ToolIds } from '../parts';

/** One tool call while its pieces arrive. */
export interface OpenCall {
  /** Unique; what is recorded. */
  id: string;
  name: string;
  /** JSON text as it arrived, pieces joined. */
  args: string;
  /** The id that the service gave first. */
  offeredId: string;
  index: number | undefined;
  /** Raw text of what the service attached and wants back. */
  extra?: string;
}

interface Piece {
  index: number | undefined;
  id: string;
  name: string;
  args: string;
}

/**
 * Tells which call a piece belongs to. Services leave the index out, use one index for several calls, repeat or change
 * the id with every piece, send arguments as an object, or send the whole call at once, and again.
 */
export class ToolCalls {
  readonly all: OpenCall[] = [];

  constructor(private readonly ids: ToolIds) {}

  /** `slice` cuts a member out of the piece's own text. undefined: a piece that names no tool and belongs to none. */
  add(
    delta: Record<string, unknown>,
    slice: (path: string[]) => string | undefined,
  ): ModelEvent[] | undefined {
    const piece = pieceOf(delta, slice);
    let call = this.owner(piece);
    const events: ModelEvent[] = [];
    if (!call) {
      if (piece.name === '') {
        // A piece that says nothing at all is a keep-alive of sorts.
        return piece.args.trim() === '' ? [] : undefined;
      }
      call = {
        id: this.ids.claim(piece.id),
        name: piece.name,
        args: '',
        offeredId: piece.id,
        index: piece.index,
      };
      this.all.push(call);
      events.push({ type: 'tool', id: call.id, name: call.name });
    }
    const extra = slice(['extra_content']);
    if (extra !== undefined && extra !== 'null') call.extra = extra;
    if (call.args === '' && piece.name !== '' && piece.name !== call.name) call.name += piece.name;
    // The whole call sent a second time.
    if (piece.args === '' || (piece.args === call.args && isWhole(call.args))) return events;
    // An empty object that only said that the arguments follow.
    call.args =
      call.args.trim() === '{}' && piece.args.trimStart().startsWith('{')
        ? piece.args
        : call.args + piece.args;
    return [...events, { type: 'tool_input', id: call.id, text: piece.args }];
  }

  private owner(piece: Piece): OpenCall | undefined {
    const last = this.all.at(-1);
    const sameId = piece.id === '' ? undefined : this.all.findLast((call) => call.offeredId === piece.id);
    const candidate =
      piece.index === undefined
        ? (sameId ?? last)
        : (this.all.findLast((call) => call.index === piece.index) ?? this.uncounted(piece, sameId));
    return candidate && !beginsAnother(candidate, piece) ? candidate : undefined;
  }

  /** For an index that no call has yet: one that began without an index, or the one that still lacks its end. */
  private uncounted(piece: Piece, sameId: OpenCall | undefined): OpenCall | undefined {
    if (piece.name !== '') return sameId?.index === undefined ? sameId : undefined;
    const last = this.all.at(-1);
    return sameId ?? (last && !isWhole(last.args) ? last : undefined);
  }
}

/** A piece without a name always continues. One with a name may be a new call, or the same one named again. */
function beginsAnother(call: OpenCall, piece: Piece): boolean {
  if (piece.name === '') return false;
  const bothIds = piece.id !== '' && call.offeredId !== '';
  const otherId = bothIds && piece.id !== call.offeredId;
  if (piece.name !== call.name) return !(bothIds && !otherId && call.args === '');
  // Without an index the id is all there is to go by; with one it may change from piece to piece.
  if (piece.index === undefined && piece.id !== '' && piece.id !== call.offeredId) return true;
  if (!isWhole(call.args)) return otherId && isWhole(piece.args);
  return otherId || (piece.args !== '' && piece.args !== call.args && call.args.trim() !== '{}');
}

function isWhole(args: string): boolean {
  if (!args.trimEnd().endsWith('}')) return false;
  try {
    return asObject(JSON.parse(args)) !== undefined;
  } catch {
    return false;
  }
}

function pieceOf(delta: Record<string, unknown>, slice: (path: string[]) => string | undefined): Piece {
  const inner = asObject(delta['function']);
  const from = inner ?? delta;
  const args = from['arguments'];
  const raw = slice(inner ? ['function', 'arguments'] : ['arguments']);
  const index = delta['index'];
  return {
    index:
      typeof index === 'number'
        ? index
        : typeof index === 'string' && /^\d+$/.test(index)
          ? Number(index)
          : undefined,
    id: asText(delta['id']),
    name: asText(from['name']),
    args: typeof args === 'string' ? args : raw === undefined || raw === 'null' ? '' : raw,
  };
}
