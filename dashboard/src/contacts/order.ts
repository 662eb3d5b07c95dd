/** The order of the contacts, as the address has it: a column, downwards with `-` before it. Pure. */
export const ORDERS = [
  'name',
  '-name',
  'company',
  '-company',
  '-created_at',
  'created_at',
  '-updated_at',
  'updated_at',
] as const;
export type ContactOrder = (typeof ORDERS)[number];

/** The order of the public list, which is not named in the address. */
export const USUAL_ORDER = '-created_at' satisfies ContactOrder;

const SORTED_COLUMNS = ['name', 'company', 'created_at', 'updated_at'] as const;
export type SortedColumn = (typeof SORTED_COLUMNS)[number];

export const isSorted = (column: string): column is SortedColumn =>
  (SORTED_COLUMNS as readonly string[]).includes(column);

/** The order that an address names; undefined for the usual one, and for what is none. */
export function parseOrder(value: unknown): ContactOrder | undefined {
  const order = ORDERS.find((candidate) => candidate === value);
  return order === USUAL_ORDER ? undefined : order;
}

export const columnOf = (order: ContactOrder) => order.replace('-', '') as SortedColumn;

/** What a press on a column's heading leads to: names begin with A, times with the newest. A second press turns it round. */
export function pressed(order: ContactOrder, column: SortedColumn): ContactOrder {
  const down = `-${column}` as const;
  if (columnOf(order) === column) return order === down ? column : down;
  return column === 'name' || column === 'company' ? column : down;
}

export function ariaSort(order: ContactOrder, column: SortedColumn): 'ascending' | 'descending' | 'none' {
  if (columnOf(order) !== column) return 'none';
  return order.startsWith('-') ? 'descending' : 'ascending';
}
