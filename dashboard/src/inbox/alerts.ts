/** Sound and desktop notifications for new messages. */
import type { InboxRow } from '@/api/app';
import type { Event, Message } from '@/api/schema';
import { t } from '@/i18n';
import { alertPreferences, playTone, showNotification } from '@/live/alerts';

/** Whether a message should be announced. Pure, so that the rule can be tested. */
export function shouldAlert(
  message: Pick<Message, 'direction'>,
  row: Pick<InboxRow, 'conversation'> | undefined,
  context: { me: string; onlyMine: boolean; lookingAt: string | null },
): boolean {
  if (message.direction !== 'inbound') return false;
  if (!row) return !context.onlyMine;
  if (row.conversation.id === context.lookingAt) return false;
  if (row.conversation.handler === 'assistant') return false;
  const assignee = row.conversation.assigned_user_id;
  return !context.onlyMine || assignee === null || assignee === context.me;
}

/** A message to announce, and the row of its conversation. */
export interface Alert {
  message: Message;
  row: InboxRow | undefined;
}

/** The messages of a batch that should be announced: the last of each conversation. */
export function toAnnounce(
  events: readonly Event[],
  rowOf: (conversationId: string) => InboxRow | undefined,
  me: string,
  lookingAt: string | null,
): Alert[] {
  const { onlyMine } = alertPreferences();
  const alerts = new Map<string, Alert>();
  for (const { event_type: type, data } of events) {
    if (type !== 'message.received') continue;
    const { message } = data;
    const row = rowOf(message.conversation_id);
    if (shouldAlert(message, row, { me, onlyMine, lookingAt }))
      alerts.set(message.conversation_id, { message, row });
  }
  return [...alerts.values()];
}

/** Notifications for one batch. A member who returns to a screen full of them reads none. */
const NOTIFICATIONS_MAX = 3;

/** One tone for a batch, in one tab; notifications of several tabs replace each other by themselves. */
export function announce(alerts: readonly Alert[], audible: boolean, open: (id: string) => void): void {
  if (alerts.length === 0) return;
  const preferences = alertPreferences();
  if (preferences.sound && audible) playTone();
  if (!preferences.desktop) return;
  for (const { message, row } of alerts.slice(-NOTIFICATIONS_MAX)) {
    showDesktop(row, message, () => open(message.conversation_id));
  }
}

function showDesktop(row: InboxRow | undefined, message: Message, open: () => void): void {
  const title = row?.contact.name ?? row?.contact.phone ?? t('alerts.newMessage');
  showNotification(title, message.text ?? t('alerts.newMessage'), message.conversation_id, open);
}
