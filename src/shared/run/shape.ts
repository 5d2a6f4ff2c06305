import { bytesBase64, ZERO_TIME } from './gotypes';

/** What the exact reader is told to expect, in the terms of the Go types that the reference reads into. */
export type Shape =
  | { kind: 'string' | 'bool' | 'int' | 'uint' | 'byte' | 'bytes' | 'time' | 'raw' }
  | { kind: 'struct'; fields: readonly Field[] }
  | { kind: 'pointer'; to: Shape }
  | { kind: 'list'; of: Shape };

export interface Field {
  name: string;
  shape: Shape;
  /** Left out when it holds its zero value. */
  optional?: boolean;
}

/** A list as Go keeps it: what lies behind `length` is not gone, a longer list finds it again. */
export interface List {
  items: unknown[];
  length: number;
}
export type Struct = Record<string, unknown>;

/** What a field holds that never came; `undefined` for "not there" (an empty pointer, a null list). */
export function zero(shape: Shape): unknown {
  switch (shape.kind) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int':
    case 'uint':
    case 'byte':
      return 0;
    case 'time':
      return ZERO_TIME;
    case 'raw':
      return 'null';
    case 'struct':
      return {};
    default:
      return undefined;
  }
}

/** Turns what was read into the form in which records are kept: zero values filled in, optional ones left out. */
export function plain(shape: Shape, value: unknown): unknown {
  switch (shape.kind) {
    case 'pointer':
      return value === undefined ? undefined : plain(shape.to, value);
    case 'list': {
      const list = value as List | undefined;
      return list ? list.items.slice(0, list.length).map((item) => plain(shape.of, item)) : null;
    }
    case 'bytes': {
      const list = value as List | undefined;
      return list ? bytesBase64(list.items.slice(0, list.length).map((item) => (item as number) ?? 0)) : '';
    }
    case 'struct': {
      const out: Struct = {};
      for (const { name, shape: inner, optional } of shape.fields) {
        const field = plain(inner, (value as Struct | undefined)?.[name]);
        if (!optional || !(field === undefined || field === '' || field === 0 || field === false))
          out[name] = field;
      }
      return out;
    }
    default:
      return value ?? zero(shape);
  }
}
