/** The rows of an inbox list in the query cache, kept in order as events arrive. Pure. */
import { type InfiniteData, replaceEqualDeep } from '@tanstack/react-query';
import type { InboxFilter, InboxRow } from '@/api/app';
import type { Page } from '@/api/shapes';

export type InboxPages = InfiniteData<Page<InboxRow>, unknown>;

/** Rows of a page after which the list is read again: a page is read with a hundred. */
const PAGE_ROWS_MAX = 500;

/** Whether somebody should read it. What an assistant handles is not unread. */
export function isUnread({ conversation }: InboxRow): boolean {
  return conversation.unread_count > 0 && conversation.handler !== 'assistant';
}

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
  if (filter.unread && !isUnread(row)) return false;
  if (filter.needs_person && row.needs_person_since === null) return false;
  const isTaken = conversation.assigned_user_id !== null || conversation.handler === 'assistant';
  if (filter.assigned === 'nobody' && isTaken) return false;
  const assignee = filter.assigned === 'me' ? me : filter.assigned;
  if (assignee && assignee !== 'nobody' && conversation.assigned_user_id !== assignee) return false;
  return filter.q ? undefined : true;
}

/**
 * What to open when a conversation leaves its list: the one below it, or above it if it was the last. Null: it was the
 * only one. Undefined: it is not in the list.
 */
export function nextAfter(rows: readonly InboxRow[], id: string): string | null | undefined {
  const at = rows.findIndex((row) => row.conversation.id === id);
  if (at < 0) return undefined;
  return (rows[at + 1] ?? rows[at - 1])?.conversation.id ?? null;
}

/** Newest activity first; the id decides between two of the same moment. */
export function before(a: InboxRow, b: InboxRow): boolean {
  if (a.last_activity_at !== b.last_activity_at) return a.last_activity_at > b.last_activity_at;
  return a.conversation.id > b.conversation.id;
}

/** Puts rows where they belong by their activity, or takes them out. Pages that do not change stay the same object. */
export function placeRows(
  data: InboxPages,
  rows: ReadonlyMap<string, { row: InboxRow; keep: boolean }>,
): InboxPages {
  const pages = data.pages.map((page) => {
    const rest = page.data.filter((other) => !rows.has(other.conversation.id));
    return rest.length === page.data.length ? page : { ...page, data: rest };
  });
  const kept = [...rows.values()].filter(({ keep }) => keep).map(({ row }) => row);
  // The newest last: with a burst of new rows, most of them are found to be the first at once.
  kept.sort((a, b) => (before(a, b) ? 1 : -1));
  for (const row of kept) insert(pages, row);
  const same = pages.every((page, index) => page === data.pages[index]);
  return same ? data : { ...data, pages };
}

export function placeRow(data: InboxPages, row: InboxRow, keep: boolean): InboxPages {
  return placeRows(data, new Map([[row.conversation.id, { row, keep }]]));
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

/** Whether new rows have made a page so long that the list is better read again from its top. */
export function isOvergrown(old: InboxPages, data: InboxPages): boolean {
  const grew = (rows: number, index: number) => rows > (old.pages[index]?.data.length ?? 0);
  return data.pages.some(({ data: rows }, index) => rows.length > PAGE_ROWS_MAX && grew(rows.length, index));
}

/** The top of a list, to be read again: the pages after it would begin at rows that have moved. */
export function topOf(data: InboxPages, rows: number): InboxPages {
  const first = data.pages[0];
  if (!first) return data;
  const page = { ...first, data: first.data.slice(0, rows), meta: { ...first.meta, has_more: true } };
  return { pages: [page], pageParams: data.pageParams.slice(0, 1) };
}

/** Keeps the objects of rows that a reading has not changed, wherever they stand, so that they are not drawn again. */
export function shareRows(old: InboxPages | undefined, data: InboxPages): InboxPages {
  if (!old) return data;
  const known = new Map(old.pages.flatMap((page) => page.data).map((row) => [row.conversation.id, row]));
  const share = (row: InboxRow) => {
    const before = known.get(row.conversation.id);
    return before && before !== row ? replaceEqualDeep(before, row) : row;
  };
  return {
    ...data,
    pages: data.pages.map((page) =>
      old.pages.includes(page) ? page : { ...page, data: page.data.map(share) },
    ),
  };
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
