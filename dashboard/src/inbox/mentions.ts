/** Tells a member that a colleague's note mentions them. */
import type { QueryClient } from '@tanstack/react-query';
import type { Event, Member } from '@/api/schema';
import { t } from '@/i18n';
import { alertPreferences, playTone, showNotification } from '@/live/alerts';
import { membersQuery } from '@/session/queries';
import { notify } from '@/ui/toast';

/** The conversation whose new note mentions the member; null for any other event. */
export function mentionedIn({ event_type: type, data }: Event, me: string): string | null {
  if (type !== 'note.created' || data.note.author_user_id === me) return null;
  return data.mentioned_user_ids?.includes(me) ? (data.note.conversation_id ?? null) : null;
}

/**
 * The name of a member. The page may not have read the members yet, or before this one joined: then they are read now.
 */
export async function nameOf(client: QueryClient, id: string | null | undefined): Promise<string> {
  const find = (members: Member[] | undefined) => members?.find((member) => member.id === id)?.name;
  const known = find(client.getQueryData(membersQuery.queryKey));
  if (known) return known;
  const members = await client.fetchQuery({ ...membersQuery, staleTime: 0 }).catch(() => undefined);
  return find(members) ?? t('member.unknown');
}

export async function tellMention(
  client: QueryClient,
  event: Event,
  me: string,
  open: (conversationId: string) => void,
): Promise<void> {
  const conversationId = mentionedIn(event, me);
  if (!conversationId || event.event_type !== 'note.created') return;
  const { note } = event.data;
  const title = t('alerts.mentioned', { name: await nameOf(client, note.author_user_id) });
  notify(title, { label: t('alerts.openConversation'), run: () => open(conversationId) });
  const preferences = alertPreferences();
  if (preferences.sound) playTone();
  if (preferences.desktop) {
    showNotification(title, note.body, conversationId, () => open(conversationId));
  }
}
