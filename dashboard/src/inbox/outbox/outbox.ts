/**
 * Messages on their way. One appears in the thread at once; it leaves the outbox when the server
 * has taken it, and stays with the reason when it could not be sent. Messages of one conversation
 * go out one after the other, so that they arrive in the order they were written.
 */
import type { MediaKind, Message, NewMessage } from '@/api/schema';

export interface OutgoingFile {
  name: string;
  size: number;
  contentType: string;
  /** A file of this device, or the address of an upload; a second try does not upload again. */
  source: File | string;
}

export interface Outgoing {
  /** Also the idempotency key: a second try can never send twice. */
  id: string;
  conversationId: string;
  createdAt: string;
  text: string | null;
  file: OutgoingFile | null;
  replyTo: string | null;
  /** The request without the file's address, which is known only after the upload. */
  request: NewMessage | null;
  state: 'sending' | 'failed';
  error: unknown;
}

export interface Transport {
  upload: (file: File) => Promise<string>;
  send: (request: NewMessage, idempotencyKey: string) => Promise<Message>;
}

type NewOutgoing = Omit<Outgoing, 'state' | 'error'>;

export class Outbox {
  private readonly transport: Transport;
  private readonly onSent: (message: Message, outgoing: Outgoing) => void;
  private entries: readonly Outgoing[] = [];
  private readonly queues = new Map<string, Promise<void>>();
  private readonly listeners = new Set<() => void>();

  constructor(transport: Transport, onSent: (message: Message, outgoing: Outgoing) => void) {
    this.transport = transport;
    this.onSent = onSent;
  }

  add(outgoing: NewOutgoing): void {
    this.entries = [...this.entries, { ...outgoing, state: 'sending', error: null }];
    this.publish();
    this.enqueue(outgoing.id, outgoing.conversationId);
  }

  retry(id: string): void {
    const entry = this.entries.find((candidate) => candidate.id === id);
    if (entry?.state !== 'failed') return;
    this.update(id, { state: 'sending', error: null });
    this.enqueue(id, entry.conversationId);
  }

  discard(id: string): Outgoing | undefined {
    const entry = this.entries.find((candidate) => candidate.id === id && candidate.state === 'failed');
    if (entry) this.remove(id);
    return entry;
  }

  all = (): readonly Outgoing[] => this.entries;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private enqueue(id: string, conversationId: string): void {
    const before = this.queues.get(conversationId) ?? Promise.resolve();
    const next = before.then(() => this.deliver(id));
    this.queues.set(conversationId, next);
  }

  private async deliver(id: string): Promise<void> {
    const entry = this.entries.find((candidate) => candidate.id === id);
    if (!entry) return;
    try {
      const message = await this.transport.send(await this.request(entry), id);
      this.remove(id);
      this.onSent(message, entry);
    } catch (error) {
      this.update(id, { state: 'failed', error });
    }
  }

  private async request(entry: Outgoing): Promise<NewMessage> {
    if (entry.request) return entry.request;
    if (!entry.file) throw new Error('A message needs text, a template or a file.');
    const { source, name, contentType } = entry.file;
    const url = typeof source === 'string' ? source : await this.transport.upload(source);
    this.update(entry.id, { file: { ...entry.file, source: url } });
    const media = { kind: mediaKind(contentType), url, filename: name };
    return {
      type: 'media',
      to: { conversation_id: entry.conversationId },
      media: { ...media, ...(entry.text && { caption: entry.text }) },
      ...(entry.replyTo && { reply_to_message_id: entry.replyTo }),
    };
  }

  private update(id: string, change: Partial<Outgoing>): void {
    this.entries = this.entries.map((entry) => (entry.id === id ? { ...entry, ...change } : entry));
    this.publish();
  }

  private remove(id: string): void {
    this.entries = this.entries.filter((entry) => entry.id !== id);
    this.publish();
  }

  private publish(): void {
    for (const listener of this.listeners) listener();
  }
}

export function mediaKind(contentType: string): MediaKind {
  const family = contentType.split('/')[0];
  return family === 'image' || family === 'video' || family === 'audio' ? family : 'document';
}
