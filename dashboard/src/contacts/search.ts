import { type ContactOrder, parseOrder } from './order';

export interface ContactSearch {
  q?: string | undefined;
  tag?: string | undefined;
  segment?: string | undefined;
  sort?: ContactOrder | undefined;
}

export function parseContactSearch(search: Record<string, unknown>): ContactSearch {
  const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : undefined);
  const q = text(search.q);
  const tag = text(search.tag);
  const segment = text(search.segment);
  return { q, tag, segment, sort: parseOrder(search.sort) };
}
