import { ApiError, ConnectionError, StreamResetError } from "./errors.js";
import { type Event, readEvent } from "./generated/events.js";
import { backoff, pauseOfStream, sleep } from "./retry.js";
import { type ServerSentEvent, SseParser } from "./sse.js";
import type { Transport } from "./transport.js";

/** The server sends something at least every few seconds. A connection that is silent for so long is dead. */
const SILENCE_MAX_MS = 30_000;

export interface StreamOptions {
  /** Ends the stream. */
  signal?: AbortSignal;
}

/** Where a stream begins. */
export interface StreamQuery {
  /** The id of the last event that was received. Without it, the stream begins with the next event. */
  after?: string;
}

/**
 * The account's events, as they happen. A broken connection is opened again after the last event, so none is missed or
 * repeated. It ends when it is left, or its signal is aborted.
 */
export class EventStream implements AsyncIterable<Event> {
  readonly #transport: Transport;
  readonly #path: readonly string[];
  readonly #signal: AbortSignal | undefined;
  #last: string | undefined;

  constructor(transport: Transport, path: readonly string[], query: StreamQuery = {}, options: StreamOptions = {}) {
    this.#transport = transport;
    this.#path = path;
    this.#signal = options.signal;
    this.#last = query.after;
  }

  /** The id of the last event. Store it to continue after a restart of the program. */
  get lastEventId(): string | undefined {
    return this.#last;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    const end = new AbortController();
    const stop = () => end.abort(this.#signal?.reason);
    if (this.#signal?.aborted) throw this.#signal.reason;
    this.#signal?.addEventListener("abort", stop, { once: true });
    try {
      for (let failures = 0; ; failures += 1) {
        let pause: number | undefined = backoff(failures);
        try {
          for await (const message of this.#connect(end.signal)) {
            failures = 0;
            const event = this.#take(message);
            if (event !== undefined) yield event;
          }
        } catch (error) {
          if (end.signal.aborted) throw end.signal.reason;
          // Whatever is neither a refusal nor a reset is a broken connection.
          if (error instanceof StreamResetError) throw error;
          if (error instanceof ApiError) pause = pauseOfStream(error, failures);
          if (pause === undefined) throw error;
        }
        await sleep(pause, end.signal);
      }
    } finally {
      end.abort();
      this.#signal?.removeEventListener("abort", stop);
    }
  }

  /** One connection: its messages, until it breaks. */
  async *#connect(outer: AbortSignal): AsyncGenerator<ServerSentEvent, void, undefined> {
    const controller = new AbortController();
    const cancel = () => controller.abort(outer.reason);
    const late = () => controller.abort(new ConnectionError("The stream was silent for too long."));
    outer.addEventListener("abort", cancel, { once: true });
    let timer = setTimeout(late, SILENCE_MAX_MS);
    try {
      const headers: Record<string, string> = this.#last === undefined ? {} : { "last-event-id": this.#last };
      const body = await this.#transport.open({ method: "GET", path: this.#path }, headers, controller.signal);
      const [reader, decoder, parser] = [body.getReader(), new TextDecoder(), new SseParser()];
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        clearTimeout(timer);
        timer = setTimeout(late, SILENCE_MAX_MS);
        yield* parser.push(decoder.decode(read.value, { stream: true }));
      }
    } finally {
      clearTimeout(timer);
      outer.removeEventListener("abort", cancel);
      controller.abort();
    }
  }

  /** The event of a message. Messages that are no events are for the dashboard. */
  #take(message: ServerSentEvent): Event | undefined {
    if (message.event === "reset") throw new StreamResetError(message.id);
    if (message.id === undefined || message.data === "") return undefined;
    this.#last = message.id;
    return readEvent(JSON.parse(message.data));
  }
}
