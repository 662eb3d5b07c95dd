/**
 * One stream for all tabs of a member. Browsers open only six HTTP/1.1 connections to a host, so a
 * stream per tab would stop the sixth tab from loading. The tab that holds a lock follows the
 * stream and passes on what it hears; when it closes, another takes over after the last event.
 */
import type { StreamEvent } from './sse';
import type { EventStream, StreamOptions, StreamState } from './stream';

type Told =
  /** A tab has opened and asks how things stand. */
  | { kind: 'hello' }
  | { kind: 'state'; state: StreamState; lastId: string | undefined }
  | { kind: 'event'; event: StreamEvent }
  | { kind: 'reset'; lastId: string | undefined };

/** Reaches the other tabs, not this one. */
export interface Channel {
  postMessage: (told: Told) => void;
  onmessage: ((event: { data: Told }) => void) | null;
  close: () => void;
}

export function broadcastChannel(name: string): Channel {
  const broadcast = new BroadcastChannel(name);
  const channel: Channel = {
    onmessage: null,
    postMessage: (told) => broadcast.postMessage(told),
    close: () => broadcast.close(),
  };
  broadcast.onmessage = (event: MessageEvent<Told>) => channel.onmessage?.(event);
  return channel;
}

type Hooks = Pick<StreamOptions, 'onEvent' | 'onState' | 'onReset'>;

export interface SharedOptions extends Hooks {
  channel: Channel;
  /** Runs the task once no other tab holds the lock, and holds it until the task's promise settles. */
  lock: (task: () => Promise<void>) => void;
  open: (options: Hooks & { lastId: string | undefined }) => EventStream;
}

export class SharedStream {
  private readonly options: SharedOptions;
  private stream: EventStream | undefined;
  private state: StreamState = 'connecting';
  private lastId: string | undefined;
  private following = false;
  private release: () => void = () => undefined;
  private closed = false;

  constructor(options: SharedOptions) {
    this.options = options;
  }

  start(): void {
    this.options.channel.onmessage = ({ data }) => this.hear(data);
    this.options.channel.postMessage({ kind: 'hello' });
    this.options.lock(() => {
      if (this.closed) return Promise.resolve();
      this.lead();
      return new Promise((done) => {
        this.release = done;
      });
    });
  }

  stop(): void {
    this.closed = true;
    this.stream?.stop();
    this.release();
    this.options.channel.close();
  }

  /** Whether this tab follows the stream for the others. */
  leads(): boolean {
    return this.stream !== undefined;
  }

  retryNow(): void {
    this.stream?.retryNow();
  }

  private lead(): void {
    this.stream = this.options.open({
      lastId: this.lastId,
      onEvent: (event) => {
        this.lastId = event.id ?? this.lastId;
        this.options.channel.postMessage({ kind: 'event', event });
        this.options.onEvent(event);
      },
      onState: (state) => {
        this.state = state;
        this.options.channel.postMessage({ kind: 'state', state, lastId: this.lastId });
        this.options.onState(state);
      },
      onReset: () => {
        this.options.channel.postMessage({ kind: 'reset', lastId: this.lastId });
        this.options.onReset();
      },
    });
    this.stream.start();
  }

  private hear(told: Told): void {
    if (this.stream) {
      if (told.kind === 'hello')
        this.options.channel.postMessage({ kind: 'state', state: this.state, lastId: this.lastId });
      return;
    }
    if (told.kind === 'hello') return;
    if (told.kind === 'event') {
      this.lastId = told.event.id ?? this.lastId;
      this.options.onEvent(told.event);
      return;
    }
    this.lastId = told.lastId ?? this.lastId;
    if (told.kind === 'reset') {
      this.options.onReset();
      return;
    }
    // Lists that were read before this tab began to listen may lack what happened in between.
    if (told.state === 'open' && !this.following) this.options.onReset();
    this.following ||= told.state === 'open';
    this.options.onState(told.state);
  }
}
