/**
 * A client for the account's event stream. It resumes after the last event it has handed on, hands
 * no event on twice, notices a connection that has gone silent, and reconnects by itself.
 *
 * `EventSource` is not used: it hides the response's status (a session that has ended looks like a
 * lost network) and gives up for good on a 503.
 */
import { type StreamEvent, StreamParser } from './sse';

export type StreamState = 'connecting' | 'open' | 'lost' | 'ended';

export interface StreamOptions {
  url: string;
  fetch: typeof fetch;
  onEvent: (event: StreamEvent) => void;
  onState: (state: StreamState) => void;
  /** Events may have been missed: everything on screen has to be read again. */
  onReset: () => void;
  schedule: (task: () => void, milliseconds: number) => () => void;
  random: () => number;
  /** The event to go on after, when another tab has followed the stream so far. */
  lastId?: string | undefined;
}

/** The server sends a comment at least every 15 seconds. */
export const SILENCE_MS_MAX = 40_000;
export const RETRY_MS_MIN = 500;
export const RETRY_MS_MAX = 30_000;
/** How many event ids are remembered to recognise a repeat. */
export const SEEN_IDS_MAX = 2_000;

export class EventStream {
  private readonly options: StreamOptions;
  private lastId: string | undefined;
  private readonly seen = new Set<string>();
  private failures = 0;
  private abort: AbortController | undefined;
  private cancelTimer: () => void = () => undefined;
  private started = false;
  private closed = false;

  constructor(options: StreamOptions) {
    this.options = options;
    this.lastId = options.lastId;
    this.started = options.lastId !== undefined;
  }

  start(): void {
    void this.connect();
  }

  stop(): void {
    this.closed = true;
    this.cancelTimer();
    this.abort?.abort();
  }

  /** Tries at once, for instance when the browser says that it is online again. */
  retryNow(): void {
    if (this.closed || this.abort) return;
    this.cancelTimer();
    void this.connect();
  }

  private async connect(): Promise<void> {
    const abort = new AbortController();
    this.abort = abort;
    this.options.onState(this.failures === 0 ? 'connecting' : 'lost');
    this.watch(abort);
    try {
      const headers: Record<string, string> = { accept: 'text/event-stream' };
      if (this.lastId !== undefined) headers['last-event-id'] = this.lastId;
      const response = await this.options.fetch(this.options.url, {
        headers,
        signal: abort.signal,
        cache: 'no-store',
        credentials: 'same-origin',
      });
      if (response.status === 401 || response.status === 403) return this.end();
      if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
      this.opened();
      await this.read(response.body, abort);
    } catch {
      // Whatever went wrong, the stream is taken up again below.
    }
    if (this.abort === abort) this.abort = undefined;
    this.retry();
  }

  private opened(): void {
    // Lists that were read before the first connection may lack what happened in between.
    if (!this.started) this.options.onReset();
    this.started = true;
    this.options.onState('open');
  }

  private async read(body: ReadableStream<Uint8Array>, abort: AbortController): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const parser = new StreamParser();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done || this.closed) return;
        this.failures = 0;
        this.watch(abort);
        for (const event of parser.push(decoder.decode(value, { stream: true }))) this.receive(event);
      }
    } finally {
      reader.cancel().catch(() => undefined);
    }
  }

  private receive(event: StreamEvent): void {
    if (event.type === 'reset') {
      this.seen.clear();
      this.lastId = event.id ?? this.lastId;
      this.options.onReset();
      return;
    }
    if (event.id !== undefined) {
      this.lastId = event.id;
      if (this.seen.has(event.id)) return;
      this.remember(event.id);
    }
    this.options.onEvent(event);
  }

  private remember(id: string): void {
    this.seen.add(id);
    if (this.seen.size <= SEEN_IDS_MAX) return;
    const oldest = this.seen.values().next().value;
    if (oldest !== undefined) this.seen.delete(oldest);
  }

  /** Gives the connection up when nothing, not even a comment, has come for too long. */
  private watch(abort: AbortController): void {
    this.cancelTimer();
    this.cancelTimer = this.options.schedule(() => abort.abort(), SILENCE_MS_MAX);
  }

  private retry(): void {
    if (this.closed) return;
    this.failures += 1;
    this.options.onState('lost');
    this.cancelTimer();
    this.cancelTimer = this.options.schedule(() => void this.connect(), this.delay());
  }

  private delay(): number {
    const most = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** (this.failures - 1));
    return most / 2 + (most / 2) * this.options.random();
  }

  private end(): void {
    this.closed = true;
    this.cancelTimer();
    this.options.onState('ended');
  }
}
