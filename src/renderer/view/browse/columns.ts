import type { SortField } from '../../../shared/contract/library';

export interface Column {
  id: SortField;
  label: string;
  /** rem; the title takes what is left. */
  width: number;
  number?: boolean;
}

export const ALL_COLUMNS: readonly Column[] = [
  { id: 'title', label: 'Title', width: 14 },
  { id: 'status', label: 'State', width: 9.75 },
  { id: 'model', label: 'Model', width: 8 },
  { id: 'store', label: 'Store', width: 7 },
  { id: 'steps', label: 'Steps', width: 4, number: true },
  { id: 'tokens', label: 'Tokens', width: 4.75, number: true },
  { id: 'updated', label: 'Updated', width: 6.5 },
  { id: 'created', label: 'Created', width: 6.5 },
];

/** Which go first where there is room for few. */
const FIRST: readonly SortField[] = [
  'title',
  'status',
  'updated',
  'model',
  'tokens',
  'steps',
  'store',
  'created',
];
/** rem of the check box, the menu button and what stands around the cells. */
const AROUND = 6;
const GAP = 0.75;

/** The wanted columns that fit into so many rem, in their own order. A narrow window shows fewer, and loses none. */
export function fitting(wanted: readonly SortField[], rem: number): Column[] {
  const shown = new Set<SortField>(['title']);
  let used = AROUND + (ALL_COLUMNS[0]?.width ?? 0);
  for (const id of FIRST) {
    const column = ALL_COLUMNS.find((one) => one.id === id);
    if (id === 'title' || !column || !wanted.includes(id)) continue;
    used += column.width + GAP;
    if (used > rem) break;
    shown.add(id);
  }
  return ALL_COLUMNS.filter(({ id }) => shown.has(id));
}

/** For `grid-template-columns`. */
export const template = (columns: readonly Column[]): string =>
  [
    '1.25rem',
    ...columns.map(({ id, width }) => (id === 'title' ? 'minmax(0, 1fr)' : `${width}rem`)),
    '1.5rem',
  ].join(' ');
