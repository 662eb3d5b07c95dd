/** WhatsApp, Messenger and Instagram take free text for 24 hours after the customer's last message. */
import type { Conversation } from '@/api/schema';

export type WindowState =
  /** The channel has no window. */
  { kind: 'none' } | { kind: 'open'; remainingMs: number; closing: boolean } | { kind: 'closed' };

export const CLOSING_MS = 60 * 60_000;

const WINDOWED = new Set<Conversation['channel']>(['whatsapp', 'messenger', 'instagram']);

export function windowState(
  conversation: Pick<Conversation, 'channel' | 'window_expires_at'>,
  now: number,
): WindowState {
  if (!WINDOWED.has(conversation.channel)) return { kind: 'none' };
  // A customer who has never written has opened no window.
  if (conversation.window_expires_at === null) return { kind: 'closed' };
  const remainingMs = Date.parse(conversation.window_expires_at) - now;
  if (remainingMs <= 0) return { kind: 'closed' };
  return { kind: 'open', remainingMs, closing: remainingMs <= CLOSING_MS };
}

/** Hours and minutes left, and seconds in the last hour: `23:59`, `59:07`. Rounded up, so 0 is never shown. */
export function countdown(remainingMs: number): { hours: number; minutes: number; seconds: number } {
  const total = Math.ceil(remainingMs / 1_000);
  return { hours: Math.floor(total / 3_600), minutes: Math.floor((total % 3_600) / 60), seconds: total % 60 };
}
