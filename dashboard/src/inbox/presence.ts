import { useEffect, useSyncExternalStore } from 'react';
import type { Presence } from '@/api/app';
import { call } from '@/api/client';
import type { TypingNotice } from '@/live/handler';
import { useSession } from '@/session/session';
import { afterPaint } from '@/ui/afterPaint';

/** Who looks at which conversation, as the stream last said. */
const viewers = new Map<string, Presence['members']>();
const listeners = new Set<() => void>();
const NOBODY: Presence['members'] = [];

export function setPresence(presence: Presence): void {
  if (presence.members.length === 0) viewers.delete(presence.conversation_id);
  else viewers.set(presence.conversation_id, presence.members);
  for (const listener of listeners) listener();
}

/** Until when a website visitor is shown as typing. The widget repeats it while they type. */
const VISITOR_TYPING_MS = 10_000;
const typingVisitors = new Map<string, ReturnType<typeof setTimeout>>();

export function setVisitorTyping({ conversation_id: id, typing }: TypingNotice): void {
  const known = typingVisitors.get(id);
  if (!typing && !known) return;
  clearTimeout(known);
  typingVisitors.delete(id);
  if (typing) {
    const end = () => setVisitorTyping({ conversation_id: id, typing: false });
    typingVisitors.set(id, setTimeout(end, VISITOR_TYPING_MS));
  }
  for (const listener of listeners) listener();
}

/** Whether the website visitor of a conversation types now. */
export function useVisitorTyping(conversationId: string): boolean {
  return useSyncExternalStore(subscribe, () => typingVisitors.has(conversationId));
}

/** Without a stream nobody can be told to have left. */
export function clearPresence(): void {
  viewers.clear();
  for (const timer of typingVisitors.values()) clearTimeout(timer);
  typingVisitors.clear();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The other members who look at a conversation now. */
export function useViewers(conversationId: string): Presence['members'] {
  const me = useSession().user.id;
  const all = useSyncExternalStore(subscribe, () => viewers.get(conversationId) ?? NOBODY);
  return all.filter((member) => member.user_id !== me);
}

/** The server forgets a viewer after 45 seconds. */
const REPEAT_MS = 20_000;

let cancelTelling = () => {};

/** Only the last of several calls before a paint is sent: who goes on to the next conversation has left this one. */
function tell(conversationId: string | null, typing: boolean): void {
  cancelTelling();
  cancelTelling = afterPaint(() => {
    // Presence is a courtesy: a failure is not worth a message.
    call('POST /app/api/presence', { body: { conversation_id: conversationId, typing } }).catch(
      () => undefined,
    );
  });
}

/** Tells the others that this member looks at the conversation, and whether they type. */
export function useTellPresence(conversationId: string, typing: boolean): void {
  useEffect(() => {
    const repeat = () => !document.hidden && tell(conversationId, typing);
    repeat();
    const timer = setInterval(repeat, REPEAT_MS);
    return () => clearInterval(timer);
  }, [conversationId, typing]);
  useEffect(() => () => tell(null, false), []);
}
