/** Tells a member that a colleague's note mentions them. */
import type { QueryClient } from '@tanstack/react-query';
import { t } from '@/i18n';
import { membersQuery } from '@/session/members';
import { notify } from '@/ui/toast';
import { alertPreferences, playTone, showNotification } from './alerts';
import type { Envelope } from './apply';

/** The conversation whose new note mentions the member; null for any other event. */
export function mentionedIn({ event_type: type, data }: Envelope, me: string): string | null {
  if (type !== 'note.created' || !data.note || data.note.author_user_id === me) return null;
  return data.mentioned_user_ids?.includes(me) ? (data.note.conversation_id ?? null) : null;
}

export function tellMention(
  client: QueryClient,
  envelope: Envelope,
  me: string,
  open: (conversationId: string) => void,
): void {
  const conversationId = mentionedIn(envelope, me);
  if (!conversationId) return;
  const members = client.getQueryData(membersQuery.queryKey);
  const author = members?.find((member) => member.id === envelope.data.note?.author_user_id)?.name;
  const title = t('alerts.mentioned', { name: author ?? t('member.unknown') });
  notify(title, { label: t('alerts.openConversation'), run: () => open(conversationId) });
  const preferences = alertPreferences();
  if (preferences.sound) playTone();
  if (preferences.desktop) {
    showNotification(title, envelope.data.note?.body ?? '', conversationId, () => open(conversationId));
  }
}
