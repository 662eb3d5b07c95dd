import { ApiError, ConnectionError, StreamResetError } from "./errors.js";
import { type Event, readEvent } from "./generated/events.js";
import { List } from "./list.js";
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
  /** Events that were listed, and that the stream may send as well. */
  readonly #listed = new Set<string>();
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
    let isPlaced = this.#last !== undefined;
    try {
      for (let failures = 0; ; failures += 1) {
        let pause: number | undefined = backoff(failures);
        try {
          // So that there is something to continue after, should the connection break before its first event.
          if (!isPlaced) this.#last = (await this.#list(end.signal, 1).page()).data[0]?.event_id;
          isPlaced = true;
          for await (const event of this.#connect(end.signal)) {
            failures = 0;
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

  /** The account's events, the newest first. */
  #list(signal: AbortSignal, limit: number): List<Event> {
    return new List(this.#transport, this.#path.slice(0, -1), { limit }, { signal }, readEvent);
  }

  /** One connection: its messages, until it breaks. Those that are no events are undefined. */
  async *#connect(outer: AbortSignal): AsyncGenerator<Event | undefined, void, undefined> {
    const controller = new AbortController();
    const cancel = () => controller.abort(outer.reason);
    const late = () => controller.abort(new ConnectionError("The stream was silent for too long."));
    outer.addEventListener("abort", cancel, { once: true });
    let timer = setTimeout(late, SILENCE_MAX_MS);
    try {
      const headers: Record<string, string> = this.#last === undefined ? {} : { "last-event-id": this.#last };
      const body = await this.#transport.open({ method: "GET", path: this.#path }, headers, controller.signal);
      // There was no event when the stream began, so all that there are have happened since.
      for (const event of this.#last === undefined ? await this.#allListed(outer) : []) {
        this.#last = event.event_id;
        yield event;
      }
      const [reader, decoder, parser] = [body.getReader(), new TextDecoder(), new SseParser()];
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        clearTimeout(timer);
        timer = setTimeout(late, SILENCE_MAX_MS);
        for (const message of parser.push(decoder.decode(read.value, { stream: true }))) yield this.#take(message);
      }
    } finally {
      clearTimeout(timer);
      outer.removeEventListener("abort", cancel);
      controller.abort();
    }
  }

  /** All events, the oldest first. */
  async #allListed(signal: AbortSignal): Promise<Event[]> {
    const events = await this.#list(signal, 100).toArray();
    for (const { event_id } of events) this.#listed.add(event_id);
    return events.reverse();
  }

  /** The event of a message, unless it was listed before. Messages that are no events are for the dashboard. */
  #take(message: ServerSentEvent): Event | undefined {
    if (message.event === "reset") throw new StreamResetError(message.id);
    if (message.id === undefined || message.data === "") return undefined;
    this.#last = message.id;
    return this.#listed.has(message.id) ? undefined : readEvent(JSON.parse(message.data));
  }
}
