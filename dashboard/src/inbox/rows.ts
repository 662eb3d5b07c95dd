/** The rows of an inbox list in the query cache, kept in order as events arrive. Pure. */
import type { InfiniteData } from '@tanstack/react-query';
import type { InboxFilter, InboxRow } from '@/api/app';
import type { Page } from '@/api/shapes';

export type InboxPages = InfiniteData<Page<InboxRow>, unknown>;

/**
 * Whether a row belongs into a list with this filter. Undefined: only the server can tell, because
 * the filter searches text.
 */
export function belongs(row: InboxRow, filter: InboxFilter, me: string): boolean | undefined {
  const { conversation } = row;
  if (filter.status && conversation.status !== filter.status) return false;
  if (filter.channel && conversation.channel !== filter.channel) return false;
  if (filter.connection_id && conversation.connection_id !== filter.connection_id) return false;
  if (filter.handler && conversation.handler !== filter.handler) return false;
  if (filter.unread && conversation.unread_count === 0) return false;
  if (filter.assigned === 'nobody' && conversation.assigned_user_id !== null) return false;
  const assignee = filter.assigned === 'me' ? me : filter.assigned;
  if (assignee && assignee !== 'nobody' && conversation.assigned_user_id !== assignee) return false;
  return filter.q ? undefined : true;
}

/** Newest activity first; the id decides between two of the same moment. */
export function before(a: InboxRow, b: InboxRow): boolean {
  if (a.last_activity_at !== b.last_activity_at) return a.last_activity_at > b.last_activity_at;
  return a.conversation.id > b.conversation.id;
}

/** Puts a row where it belongs by its activity, or takes it out. Pages that do not change stay the same object. */
export function placeRow(data: InboxPages, row: InboxRow, keep: boolean): InboxPages {
  const id = row.conversation.id;
  const pages = data.pages.map((page) => {
    const rest = page.data.filter((other) => other.conversation.id !== id);
    return rest.length === page.data.length ? page : { ...page, data: rest };
  });
  if (keep) insert(pages, row);
  return { ...data, pages };
}

function insert(pages: Page<InboxRow>[], row: InboxRow): void {
  for (const [index, page] of pages.entries()) {
    const at = page.data.findIndex((other) => before(row, other));
    const last = index === pages.length - 1;
    if (at >= 0 || (last && !page.meta.has_more)) {
      pages[index] = { ...page, data: page.data.toSpliced(at >= 0 ? at : page.data.length, 0, row) };
      return;
    }
  }
  // Older than every loaded row, and more pages follow: it will come with its page.
}

export function findRow(data: InboxPages | undefined, conversationId: string): InboxRow | undefined {
  for (const page of data?.pages ?? []) {
    const found = page.data.find((row) => row.conversation.id === conversationId);
    if (found) return found;
  }
  return undefined;
}

/** Rows of all pages, each conversation once: a row that moved up while a later page was read comes twice. */
export function flatten(data: InboxPages | undefined): InboxRow[] {
  const rows = new Map<string, InboxRow>();
  for (const row of data?.pages.flatMap((page) => page.data) ?? []) {
    if (!rows.has(row.conversation.id)) rows.set(row.conversation.id, row);
  }
  return [...rows.values()];
}
