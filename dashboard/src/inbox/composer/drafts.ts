/**
 * What a member has written and not sent, per account and conversation. Replies and notes are kept
 * apart, so that a note can never turn into a reply. Drafts outlive the tab; old ones are dropped.
 */
export interface Draft {
  text: string;
  /** The message that is quoted. */
  replyTo?: string | undefined;
  /** The newest message when the member began to write, or has confirmed to know. */
  seen?: string | undefined;
  savedAt: number;
}
export type DraftKind = 'reply' | 'note';

export const DRAFTS_MAX = 500;
export const DRAFT_MS_MAX = 30 * 24 * 60 * 60_000;
const PREFIX = 'frontdesk.draft.';

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

export class Drafts {
  private readonly store: Store;
  private readonly scope: string;
  /** What was written since the page was loaded, whether or not the browser could store it. Null: nothing. */
  private readonly memory = new Map<string, Draft | null>();
  private readonly listeners = new Set<() => void>();

  constructor(store: Store, accountId: string, userId: string) {
    this.store = store;
    this.scope = `${PREFIX}${accountId}.${userId}.`;
  }

  get(conversationId: string, kind: DraftKind): Draft | undefined {
    const key = this.key(conversationId, kind);
    const remembered = this.memory.get(key);
    if (remembered !== undefined) return remembered ?? undefined;
    const stored = this.store.getItem(key);
    if (!stored) return undefined;
    try {
      const draft = JSON.parse(stored) as Draft;
      this.memory.set(key, draft);
      return draft;
    } catch {
      return undefined;
    }
  }

  /** Text that is blank and quotes nothing is no draft. */
  set(conversationId: string, kind: DraftKind, draft: Omit<Draft, 'savedAt'>, now: number): void {
    if (draft.text.trim() === '' && !draft.replyTo) {
      this.clear(conversationId, kind);
      return;
    }
    const key = this.key(conversationId, kind);
    const saved = { ...draft, savedAt: now };
    this.memory.set(key, saved);
    if (!this.write(key, saved)) {
      // The storage is full: make room and try once more.
      this.prune(now, DRAFTS_MAX / 2);
      this.write(key, saved);
    }
    this.publish();
  }

  /** With `until`, the stored draft stays until what it became is stored elsewhere: a crash in between loses nothing. */
  clear(conversationId: string, kind: DraftKind, until: Promise<unknown> = Promise.resolve()): void {
    const key = this.key(conversationId, kind);
    this.memory.set(key, null);
    this.publish();
    const remove = () => {
      // Something else may have been written meanwhile.
      if (this.memory.get(key) !== null) return;
      this.memory.delete(key);
      this.store.removeItem(key);
    };
    until.then(remove, () => undefined);
  }

  /** Puts text before what is being written, which stays. */
  prepend(conversationId: string, kind: DraftKind, draft: Omit<Draft, 'savedAt'>, now: number): void {
    const written = this.get(conversationId, kind);
    const text = [draft.text, written?.text].filter(Boolean).join('\n');
    this.set(conversationId, kind, { ...written, text, replyTo: written?.replyTo ?? draft.replyTo }, now);
  }

  /** Another tab has written: its draft is the one that counts now. */
  changedElsewhere(key: string | null): void {
    if (!key?.startsWith(this.scope)) return;
    this.memory.delete(key);
    this.publish();
  }

  /** Whether the list should mark the conversation. */
  has(conversationId: string): boolean {
    return this.get(conversationId, 'reply') !== undefined || this.get(conversationId, 'note') !== undefined;
  }

  /** Drops drafts that are too old, and the oldest beyond the limit. */
  prune(now: number, most = DRAFTS_MAX): void {
    const found: Array<{ key: string; savedAt: number }> = [];
    for (let index = 0; index < this.store.length; index += 1) {
      const key = this.store.key(index);
      if (key?.startsWith(PREFIX)) found.push({ key, savedAt: savedAt(this.store.getItem(key)) });
    }
    found.sort((a, b) => b.savedAt - a.savedAt);
    for (const [index, draft] of found.entries()) {
      if (index < most && now - draft.savedAt <= DRAFT_MS_MAX) continue;
      this.memory.delete(draft.key);
      this.store.removeItem(draft.key);
    }
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private key(conversationId: string, kind: DraftKind): string {
    return `${this.scope}${conversationId}.${kind}`;
  }

  private write(key: string, draft: Draft): boolean {
    try {
      this.store.setItem(key, JSON.stringify(draft));
      return true;
    } catch {
      return false;
    }
  }

  private publish(): void {
    for (const listener of this.listeners) listener();
  }
}

function savedAt(stored: string | null): number {
  try {
    return (JSON.parse(stored ?? '') as Draft).savedAt;
  } catch {
    return 0;
  }
}
