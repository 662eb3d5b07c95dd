import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DRAFT_MS_MAX, DRAFTS_MAX, Drafts } from './drafts';

class MemoryStore {
  readonly entries = new Map<string, string>();
  capacity = Number.POSITIVE_INFINITY;
  get length() {
    return this.entries.size;
  }
  key(index: number) {
    return [...this.entries.keys()][index] ?? null;
  }
  getItem(key: string) {
    return this.entries.get(key) ?? null;
  }
  removeItem(key: string) {
    this.entries.delete(key);
  }
  setItem(key: string, value: string) {
    if (!this.entries.has(key) && this.entries.size >= this.capacity)
      throw new DOMException('full', 'QuotaExceededError');
    this.entries.set(key, value);
  }
}

describe('Drafts', () => {
  let store: MemoryStore;
  let drafts: Drafts;
  beforeEach(() => {
    store = new MemoryStore();
    drafts = new Drafts(store, 'account', 'ann');
  });

  it('keeps replies and notes of a conversation apart', () => {
    drafts.set('c1', 'reply', { text: 'Hello' }, 1);
    drafts.set('c1', 'note', { text: 'Rude' }, 1);
    expect(drafts.get('c1', 'reply')?.text).toBe('Hello');
    expect(drafts.get('c1', 'note')?.text).toBe('Rude');
    expect(drafts.get('c2', 'reply')).toBeUndefined();
  });

  it('keeps accounts and members on one computer apart', () => {
    drafts.set('c1', 'reply', { text: 'Hello' }, 1);
    expect(new Drafts(store, 'account', 'bob').get('c1', 'reply')).toBeUndefined();
    expect(new Drafts(store, 'other', 'ann').get('c1', 'reply')).toBeUndefined();
  });

  it('drops a blank draft, but keeps one that quotes a message', () => {
    drafts.set('c1', 'reply', { text: 'x' }, 1);
    drafts.set('c1', 'reply', { text: '  \n' }, 2);
    expect(drafts.has('c1')).toBe(false);
    drafts.set('c1', 'reply', { text: '', replyTo: 'm1' }, 3);
    expect(drafts.get('c1', 'reply')?.replyTo).toBe('m1');
  });

  it('prunes old drafts and the oldest beyond the limit', () => {
    const now = DRAFT_MS_MAX * 2;
    drafts.set('old', 'reply', { text: 'x' }, now - DRAFT_MS_MAX - 1);
    for (let index = 0; index < DRAFTS_MAX; index += 1)
      drafts.set(`c${index}`, 'reply', { text: 'x' }, now - index);
    drafts.set('newest', 'reply', { text: 'x' }, now + 1);
    drafts.prune(now);
    expect(drafts.has('old')).toBe(false);
    expect(drafts.has('newest')).toBe(true);
    expect(drafts.has(`c${DRAFTS_MAX - 1}`)).toBe(false);
    expect(store.length).toBe(DRAFTS_MAX);
  });

  it('makes room when the storage is full', () => {
    store.capacity = DRAFTS_MAX;
    for (let index = 0; index < DRAFTS_MAX; index += 1)
      drafts.set(`c${index}`, 'reply', { text: 'x' }, index);
    drafts.set('new', 'reply', { text: 'kept' }, DRAFTS_MAX);
    expect(drafts.get('new', 'reply')?.text).toBe('kept');
  });

  it('survives a stored value that cannot be read', () => {
    store.entries.set('frontdesk.draft.account.ann.c1.reply', '{broken');
    expect(drafts.get('c1', 'reply')).toBeUndefined();
    drafts.prune(1);
  });

  it('keeps a sent draft stored until the message is', async () => {
    let done: () => void = () => undefined;
    drafts.set('c1', 'reply', { text: 'Hello' }, 1);
    drafts.clear(
      'c1',
      'reply',
      new Promise<void>((stored) => {
        done = stored;
      }),
    );
    expect(drafts.has('c1')).toBe(false);
    expect(store.length).toBe(1);
    done();
    await Promise.resolve();
    expect(store.length).toBe(0);
    drafts.set('c1', 'reply', { text: 'First' }, 1);
    drafts.clear('c1', 'reply');
    drafts.set('c1', 'reply', { text: 'Second' }, 2);
    await Promise.resolve();
    expect(drafts.get('c1', 'reply')?.text).toBe('Second');
    expect(store.length).toBe(1);
  });

  it('puts a message that is taken back before what is being written', () => {
    drafts.set('c1', 'reply', { text: 'And this' }, 1);
    drafts.prepend('c1', 'reply', { text: 'Not sent', replyTo: 'm1' }, 2);
    expect(drafts.get('c1', 'reply')).toMatchObject({ text: 'Not sent\nAnd this', replyTo: 'm1' });
    drafts.prepend('c2', 'reply', { text: 'Alone' }, 2);
    expect(drafts.get('c2', 'reply')?.text).toBe('Alone');
  });

  it('takes over what another tab has written', () => {
    drafts.set('c1', 'reply', { text: 'Here' }, 1);
    new Drafts(store, 'account', 'ann').set('c1', 'reply', { text: 'There' }, 2);
    drafts.changedElsewhere('frontdesk.draft.account.ann.c1.reply');
    expect(drafts.get('c1', 'reply')?.text).toBe('There');
    drafts.changedElsewhere('frontdesk.draft.account.bob.c1.reply');
    drafts.changedElsewhere(null);
  });

  it('tells listeners of changes', () => {
    const listener = vi.fn();
    const stop = drafts.subscribe(listener);
    drafts.set('c1', 'reply', { text: 'x' }, 1);
    drafts.clear('c1', 'reply');
    stop();
    drafts.set('c1', 'reply', { text: 'y' }, 2);
    expect(listener).toHaveBeenCalledTimes(2);
  });
});
