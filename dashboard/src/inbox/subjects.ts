import type { InboxFilter } from '@/api/app';
import { call } from '@/api/client';
import type { ConversationChoice } from '@/api/schema';
import { byIds } from '@/ui/bulk';
import { INBOX_PAGE_ROWS } from './queries';

/** The list's filter as bulk changes take it; null when they have no such filter. */
export function asChoice(filter: InboxFilter, me: string): ConversationChoice | null {
  const { assigned, q, connection_id, unread, needs_person, ...rest } = filter;
  if (q || connection_id || assigned === 'nobody' || needs_person) return null;
  // In the list, what an assistant handles is never unread.
  const read = unread ? { unread, handler: 'human' as const } : {};
  return { ...rest, ...read, ...(assigned && { assigned_user_id: assigned === 'me' ? me : assigned }) };
}

/** Every conversation of the list, also those that are not loaded. */
export async function allMatching(
  filter: InboxFilter,
  me: string,
): Promise<Array<{ filter: ConversationChoice } | { ids: string[] }>> {
  const choice = asChoice(filter, me);
  if (choice) return [{ filter: choice }];
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const query = { ...filter, limit: INBOX_PAGE_ROWS, ...(cursor && { cursor }) };
    const page: Awaited<ReturnType<typeof call<'GET /app/api/inbox'>>> = await call('GET /app/api/inbox', {
      query,
    });
    ids.push(...page.data.map((row) => row.conversation.id));
    cursor = page.meta.next_cursor;
  } while (cursor);
  return byIds(ids);
}
