import { useSyncExternalStore } from 'react';
import { useDrafts } from '../services';
import type { DraftKind } from './drafts';

/** The draft of a conversation as a field's value: every key press is kept. */
export function useDraftText(conversationId: string, kind: DraftKind) {
  const drafts = useDrafts();
  const text = useSyncExternalStore(drafts.subscribe, () => drafts.get(conversationId, kind)?.text ?? '');
  const replyTo = useSyncExternalStore(drafts.subscribe, () => drafts.get(conversationId, kind)?.replyTo);
  const change = (next: { text: string; replyTo: string | undefined }) =>
    drafts.set(conversationId, kind, next, Date.now());
  return {
    text,
    replyTo,
    setText: (next: string) => change({ text: next, replyTo }),
    setReplyTo: (next: string | undefined) => change({ text, replyTo: next }),
    clear: () => drafts.clear(conversationId, kind),
  };
}
