import { describe, expect, it } from 'vitest';
import type { Page } from '@/api/shapes';
import { recipient } from '@/testing/data';
import type { RecipientPages, RecipientRow } from './queries';
import { flatten, pageOfRow, replacePage } from './recipientPages';

const page = (ids: string[], next: string | null): Page<RecipientRow> => ({
  data: ids.map((id) => ({ ...recipient, id, contact: undefined })),
  meta: { next_cursor: next, has_more: next !== null, limit: 2 },
});
const pages: RecipientPages = {
  pages: [page(['a', 'b'], 'b'), page(['c', 'd'], 'd'), page(['e'], null)],
  pageParams: [undefined, 'b', 'd'],
};
const ids = (data: RecipientPages) => flatten(data).map(({ id }) => id);

describe('pages of recipients', () => {
  it('are one list', () => {
    expect(ids(pages)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('know the page of a row', () => {
    expect([0, 1, 2, 4, 99].map((row) => pageOfRow(pages, row))).toEqual([0, 0, 1, 2, 2]);
    expect(pageOfRow(undefined, 3)).toBe(0);
  });

  it('keep the pages after one that ends where it ended', () => {
    expect(ids(replacePage(pages, 1, page(['c', 'd'], 'd')))).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('drop the pages after one that ends elsewhere: there would be a gap', () => {
    const replaced = replacePage(pages, 1, page(['c', 'x'], 'x'));
    expect(ids(replaced)).toEqual(['a', 'b', 'c', 'x']);
    expect(replaced.pageParams).toEqual([undefined, 'b']);
  });
});
