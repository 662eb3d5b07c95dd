import { useSyncExternalStore } from 'react';
import { useDrafts } from '../services';
import type { Draft, DraftKind } from './drafts';

/** The draft of a conversation as a field's value: every key press is kept. */
export function useDraftText(conversationId: string, kind: DraftKind, newest: string | null = null) {
  const drafts = useDrafts();
  const draft = useSyncExternalStore(drafts.subscribe, () => drafts.get(conversationId, kind));
  const { text = '', replyTo, seen } = draft ?? {};
  const change = (next: Partial<Omit<Draft, 'savedAt'>>) =>
    drafts.set(
      conversationId,
      kind,
      { text, replyTo, seen: seen ?? newest ?? undefined, ...next },
      Date.now(),
    );
  return {
    text,
    replyTo,
    seen,
    setText: (next: string) => change({ text: next }),
    setReplyTo: (next: string | undefined) => change({ replyTo: next }),
    setSeen: (next: string | null) => change({ seen: next ?? undefined }),
    clear: (until?: Promise<unknown>) => drafts.clear(conversationId, kind, until),
  };
}
