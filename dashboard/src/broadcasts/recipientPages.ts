/** The loaded pages of a long list of recipients. Pure. */
import type { Page } from '@/api/shapes';
import type { RecipientPages, RecipientRow } from './queries';

/** A page begins after the cursor that the one before it ends with, so no row is in two. */
export function flatten(data: RecipientPages | undefined): RecipientRow[] {
  return data?.pages.flatMap((page) => page.data) ?? [];
}

/** Which page a row is on. */
export function pageOfRow(data: RecipientPages | undefined, row: number): number {
  let before = 0;
  for (const [index, page] of (data?.pages ?? []).entries()) {
    before += page.data.length;
    if (row < before) return index;
  }
  return Math.max(0, (data?.pages.length ?? 1) - 1);
}

/**
 * Puts a page in place of its older self. If it ends elsewhere now, the pages after it would leave a gap: they go, and
 * are read again when they come into view.
 */
export function replacePage(data: RecipientPages, index: number, fresh: Page<RecipientRow>): RecipientPages {
  const before = data.pages[index];
  if (!before) return data;
  const isFitting = before.meta.next_cursor === fresh.meta.next_cursor;
  const kept = isFitting ? data.pages.length : index + 1;
  return {
    pages: data.pages.with(index, fresh).slice(0, kept),
    pageParams: data.pageParams.slice(0, kept),
  };
}
