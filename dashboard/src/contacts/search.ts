export interface ContactSearch {
  q?: string;
  tag?: string;
  segment?: string;
}

export function parseContactSearch(search: Record<string, unknown>): ContactSearch {
  const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : undefined);
  const q = text(search.q);
  const tag = text(search.tag);
  const segment = text(search.segment);
  return { ...(q && { q }), ...(tag && { tag }), ...(segment && { segment }) };
}
