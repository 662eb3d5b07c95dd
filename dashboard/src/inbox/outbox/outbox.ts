/**
 * Messages on their way. One appears in the thread at once, is stored before it is sent, and leaves the outbox when the
 * server has taken it: a reload, a crash or a lost connection loses nothing. It is tried again by itself until the
 * server answers, and stays with the reason when the server refuses it.
 *
 * Messages of one conversation go out one after the other, in the order they were written, from one tab at a time. One
 * that was refused waits for the member and does not hold up those after it; one that could not be delivered does.
 *
 * It knows nothing of React or of a page: a service worker can use it too.
 */
import type { MediaKind, Message, NewMessage } from '@/api/schema';
import { isPassing, isRefusal, localFailure, pauseMs, toFailure } from './failure';
import type { NewOutgoing, Outgoing } from './outgoing';
import type { OutboxStore } from './store';
import type { Lock, OutboxChannel, OutboxNotice } from './tabs';

/**
 * After this time a message is not sent by itself any more. It is an hour less than the server keeps an idempotency key:
 * later, a message whose response was lost could be sent twice, and the customer no longer expects it.
 */
export const SENDS_ITSELF_MS_MAX = 23 * 60 * 60_000;

/** The reason of a refusal because somebody else has replied meanwhile. */
export const NEWER_REPLY = 'newer_reply';

export interface OutboxOptions {
  owner: string;
  store: OutboxStore;
  channel: OutboxChannel;
  lock: Lock;
  upload: (file: File) => Promise<string>;
  send: (request: NewMessage, idempotencyKey: string) => Promise<Message>;
  onSent: (message: Message, outgoing: Outgoing) => void;
  now: () => number;
  newId: () => string;
  schedule: (task: () => void, milliseconds: number) => () => void;
}

export class Outbox {
  private readonly options: OutboxOptions;
  private entries: readonly Outgoing[] = [];
  /** Entries that are not in the store: not yet, or never because the browser has no room. */
  private readonly unstored = new Map<string, Outgoing>();
  private readonly files = new Map<string, File>();
  private readonly listeners = new Set<() => void>();
  /** Entries that are done with, and may still be in the store. */
  private readonly gone = new Set<string>();
  /** Ids of messages whose response has come: none of them is the echo of another entry. */
  private readonly answered = new Set<string>();
  private running = false;
  private stopListening: () => void = () => undefined;
  private cancelTimer: () => void = () => undefined;

  constructor(options: OutboxOptions) {
    this.options = options;
  }

  /** Reads what an earlier page has left, and begins to send. */
  start(): void {
    if (this.running) return;
    this.running = true;
    this.stopListening = this.options.channel.listen((notice) => void this.hear(notice));
    void this.reload().then(() => this.wake());
  }

  /** Sends nothing more: nobody is signed in, or somebody else is. */
  stop(): void {
    this.running = false;
    this.stopListening();
    this.cancelTimer();
  }

  /**
   * Sends what the store has, once, for a worker without a page. Resolves when every message was tried: whether none is
   * left that would be tried again.
   */
  async sendStored(): Promise<boolean> {
    this.running = true;
    await this.reload();
    const conversations = new Set(this.entries.map((entry) => entry.conversationId));
    await Promise.all([...conversations].map((id) => this.locked(id, () => this.sendDue(id, true))));
    this.running = false;
    return this.entries.every(({ state }) => state === 'failed');
  }

  /** The connection may be back: what waits is tried at once. */
  wake(): void {
    this.drainAll(true);
  }

  /** Resolves once the message is stored; it is shown and on its way before. */
  async add(fresh: NewOutgoing, file?: File): Promise<void> {
    const { newId, now, store } = this.options;
    const id = newId();
    // A member who goes on writing need not wait for the next try of what is before.
    const isBehind = this.entries.some(
      (other) => other.conversationId === fresh.conversationId && other.state === 'waiting',
    );
    const last = Math.max(0, ...this.entries.map(({ position }) => position));
    const entry: Outgoing = {
      ...fresh,
      id,
      key: newId(),
      position: Math.max(now(), last + 1),
      state: 'sending',
      error: null,
      tries: 0,
      triedAt: null,
      nextAt: 0,
    };
    this.unstored.set(id, entry);
    this.show(entry);
    if (file) {
      this.files.set(id, file);
      // Without room for the file, the message still survives and says that its file is missing.
      await store.putFile(id, file).catch(() => undefined);
    }
    // It may be on its way already, behind a message before it.
    if (this.find(id) === entry) await this.save(entry);
    void this.drain(entry.conversationId, isBehind);
  }

  /** Tries a message at once that waits or was refused. */
  async retry(id: string): Promise<void> {
    const known = this.find(id);
    if (!known) return;
    const { now, newId } = this.options;
    await this.locked(known.conversationId, async () => {
      // Another tab may have sent it meanwhile.
      const entry = this.find(id);
      if (!entry) return;
      // The member has seen the newer reply by now, and sends anyway.
      const lastSeen = entry.error?.reason === NEWER_REPLY ? null : entry.lastSeen;
      const renewed = entry.error && isRefusal(entry.error) ? { key: newId(), triedAt: null, lastSeen } : {};
      const createdAt = new Date(now()).toISOString();
      await this.save({
        ...entry,
        ...renewed,
        createdAt,
        state: 'sending',
        tries: 0,
        error: null,
        nextAt: 0,
      });
    });
    await this.drain(known.conversationId, true);
  }

  /** Takes a message back, with its file, once a try that is under way has ended. Undefined when it has been sent. */
  async discard(id: string): Promise<{ outgoing: Outgoing; file: File | undefined } | undefined> {
    const entry = this.find(id);
    if (!entry) return undefined;
    return this.locked(entry.conversationId, async () => {
      const outgoing = this.find(id);
      if (!outgoing) return undefined;
      const file = await this.fileOf(id);
      await this.forget(id);
      return { outgoing, file };
    });
  }

  all = (): readonly Outgoing[] => this.entries;

  isAnswered = (messageId: string): boolean => this.answered.has(messageId);

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Runs a task while no other tab sends in the conversation, on what the store has then. */
  private locked<T>(conversationId: string, task: () => Promise<T>): Promise<T> {
    const name = `frontdesk.outbox.${this.options.owner}.${conversationId}`;
    const run = async () => {
      await this.reload();
      return task();
    };
    return this.options.lock(name, run);
  }

  private find(id: string): Outgoing | undefined {
    return this.entries.find((entry) => entry.id === id);
  }

  private drainAll(forced: boolean): void {
    for (const id of new Set(this.entries.map((entry) => entry.conversationId))) void this.drain(id, forced);
  }

  private async drain(conversationId: string, forced: boolean): Promise<void> {
    await this.locked(conversationId, () => this.sendDue(conversationId, forced));
    this.scheduleNext();
  }

  private async sendDue(conversationId: string, forced: boolean): Promise<void> {
    for (;;) {
      const entry = this.entries.find(
        (candidate) => candidate.conversationId === conversationId && candidate.state !== 'failed',
      );
      if (!entry || !this.running) return;
      if (!forced && entry.nextAt > this.options.now()) return;
      if (!(await this.deliver(entry))) return;
    }
  }

  /** Whether the message is done with, sent or refused, so that the next one may go. */
  private async deliver(entry: Outgoing): Promise<boolean> {
    const { now, send, channel, onSent } = this.options;
    if (now() - Date.parse(entry.createdAt) > SENDS_ITSELF_MS_MAX) {
      await this.save({ ...entry, state: 'failed', error: localFailure('too_old') });
      return true;
    }
    const tries = entry.tries + 1;
    let attempt: Outgoing = { ...entry, state: 'sending', tries, triedAt: entry.triedAt ?? now() };
    await this.save(attempt);
    let message: Message;
    try {
      attempt = await this.uploaded(attempt);
      message = await send(requestOf(attempt), attempt.key);
    } catch (cause) {
      const error = cause instanceof MissingFile ? localFailure('file_missing') : toFailure(cause);
      const passing = isPassing(error, tries);
      const nextAt = now() + pauseMs(error, tries);
      await this.save({ ...attempt, state: passing ? 'waiting' : 'failed', error, nextAt });
      return !passing;
    }
    this.answered.add(message.id);
    onSent(message, attempt);
    channel.tell({ kind: 'sent', message, outgoing: attempt });
    await this.forget(entry.id);
    return true;
  }

  /** Uploads the file once: its address is stored before the message is sent. */
  private async uploaded(entry: Outgoing): Promise<Outgoing> {
    if (!entry.file || entry.file.url !== null) return entry;
    const file = await this.fileOf(entry.id);
    if (!file) throw new MissingFile();
    const url = await this.options.upload(file);
    const next = { ...entry, file: { ...entry.file, url } };
    await this.save(next);
    return next;
  }

  private async fileOf(id: string): Promise<File | undefined> {
    return this.files.get(id) ?? (await this.options.store.file(id).catch(() => undefined));
  }

  private scheduleNext(): void {
    this.cancelTimer();
    const waiting = this.entries.filter(({ state }) => state === 'waiting').map(({ nextAt }) => nextAt);
    if (!this.running || waiting.length === 0) return;
    const pause = Math.max(0, Math.min(...waiting) - this.options.now());
    this.cancelTimer = this.options.schedule(() => this.drainAll(false), pause);
  }

  private async hear(notice: OutboxNotice): Promise<void> {
    if (notice.kind === 'sent') {
      this.answered.add(notice.message.id);
      this.hide(notice.outgoing.id);
      this.options.onSent(notice.message, notice.outgoing);
    }
    await this.reload();
    this.scheduleNext();
  }

  /** Another tab's changes come from the store; what could not be stored stays. */
  private async reload(): Promise<void> {
    const stored = await this.options.store.list().catch(() => []);
    const known = new Map(stored.map((entry) => [entry.id, entry]));
    for (const id of this.gone) known.delete(id);
    for (const [id, entry] of this.unstored) known.set(id, entry);
    this.publish([...known.values()]);
  }

  private async save(entry: Outgoing): Promise<void> {
    this.unstored.set(entry.id, entry);
    this.show(entry);
    try {
      await this.options.store.put(entry);
      if (this.unstored.get(entry.id) === entry) this.unstored.delete(entry.id);
    } catch {
      // No room, or the browser stores nothing: it lives as long as the page.
    }
    this.options.channel.tell({ kind: 'changed' });
  }

  private async forget(id: string): Promise<void> {
    this.hide(id);
    await this.options.store.remove(id).catch(() => undefined);
    this.options.channel.tell({ kind: 'changed' });
  }

  /** From now on, whether or not the store still has it. */
  private hide(id: string): void {
    this.gone.add(id);
    this.unstored.delete(id);
    this.files.delete(id);
    this.publish(this.entries.filter((entry) => entry.id !== id));
  }

  private show(entry: Outgoing): void {
    this.publish([...this.entries.filter((other) => other.id !== entry.id), entry]);
  }

  private publish(entries: Outgoing[]): void {
    this.entries = entries.toSorted((a, b) => a.position - b.position);
    for (const listener of this.listeners) listener();
  }
}

/** The messages of one conversation as they are shown: those behind one that waits wait too. */
export function asShown(entries: readonly Outgoing[]): Outgoing[] {
  let held: Outgoing | undefined;
  return entries.map((entry) => {
    if (entry.state === 'waiting') held = entry;
    return held && entry.state === 'sending' && entry.tries === 0
      ? { ...entry, state: 'waiting', error: held.error }
      : entry;
  });
}

class MissingFile extends Error {}

function requestOf(entry: Outgoing): NewMessage {
  const to = {
    conversation_id: entry.conversationId,
    ...(entry.lastSeen && { last_seen_message_id: entry.lastSeen }),
  };
  if (entry.request) return { ...entry.request, to };
  if (!entry.file?.url) throw new MissingFile();
  const { url, name, contentType } = entry.file;
  const media = { kind: mediaKind(contentType), url, filename: name };
  return {
    type: 'media',
    to,
    media: { ...media, ...(entry.text && { caption: entry.text }) },
    ...(entry.replyTo && { reply_to_message_id: entry.replyTo }),
  };
}

export function mediaKind(contentType: string): MediaKind {
  const family = contentType.split('/')[0];
  return family === 'image' || family === 'video' || family === 'audio' ? family : 'document';
}
