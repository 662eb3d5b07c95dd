import type { RawResponse } from "./errors.js";
import { parse, type RequestOptions, type Transport } from "./transport.js";

/** Which rows of a list a page has. */
export interface Paging {
  /** The `nextCursor` of an earlier page of the same list with the same filters. */
  cursor?: string;
  /** How many rows a page has, from 1 to 100. 20 unless set. */
  limit?: number;
}

/** Some rows of a list. */
export class Page<T> {
  readonly data: T[];
  /** Where the next page begins; null on the last page. */
  readonly nextCursor: string | null;
  readonly response: RawResponse;
  readonly next: () => Promise<Page<T> | null>;

  constructor(data: T[], nextCursor: string | null, response: RawResponse, next: () => Promise<Page<T> | null>) {
    this.data = data;
    this.nextCursor = nextCursor;
    this.response = response;
    this.next = next;
  }

  get hasMore(): boolean {
    return this.nextCursor !== null;
  }
}

/**
 * A list. Nothing is read before it is iterated:
 * `for await (const contact of client.contacts.list()) …` reads one page after the other.
 */
export class List<T> implements AsyncIterable<T> {
  readonly #transport: Transport;
  readonly #path: readonly string[];
  readonly #query: Paging;
  readonly #options: RequestOptions | undefined;
  readonly #read: ((row: never) => T) | undefined;

  constructor(
    transport: Transport,
    path: readonly string[],
    query: object = {},
    options?: RequestOptions,
    /** Makes a row of what is received. Without it, rows are as they are received. */
    read?: (row: never) => T,
  ) {
    this.#transport = transport;
    this.#path = path;
    this.#query = query;
    this.#options = options;
    this.#read = read;
  }

  /** One page: the first, or the one at the query's `cursor`. */
  page(): Promise<Page<T>> {
    return this.#pageAt(this.#query.cursor);
  }

  /** One page after the other. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    for (let page: Page<T> | null = await this.page(); page !== null; page = await page.next()) yield page;
  }

  /** All rows, but no more than `limit` if it is given. */
  async toArray(limit = Number.POSITIVE_INFINITY): Promise<T[]> {
    const rows: T[] = [];
    for await (const { data } of this.pages()) {
      rows.push(...data.slice(0, limit - rows.length));
      if (rows.length >= limit) break;
    }
    return rows;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  async #pageAt(cursor: string | undefined): Promise<Page<T>> {
    const query = { ...this.#query, cursor };
    const response = await this.#transport.send({ method: "GET", path: this.#path, query }, this.#options);
    const { data, meta } = parse(response) as { data: T[]; meta: { next_cursor: string | null } };
    const next = meta.next_cursor;
    const read = this.#read;
    const rows = read === undefined ? data : data.map((row) => read(row as never));
    return new Page(rows, next, response, async () => (next === null ? null : this.#pageAt(next)));
  }
}
