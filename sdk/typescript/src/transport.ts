import { apiError, ConnectionError, FrontdeskError, type RawResponse, TimeoutError } from "./errors.js";
import { backoff, isNeverSent, pauseAfter, sleep } from "./retry.js";
import { VERSION } from "./version.js";

const RETRIES_DEFAULT = 3;
const TIMEOUT_DEFAULT_MS = 60_000;
/** For a file, which may have 100 MiB. */
const FILE_TIMEOUT_DEFAULT_MS = 600_000;
/** An attempt without a response after so long is given up, and another one is made. Files may take longer. */
const ATTEMPT_MAX_MS = 30_000;
/** The longest time that a timer of JavaScript can be set to. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** How a client reaches the server. */
export interface ClientOptions {
  /** An API key. Without it, the variable FRONTDESK_API_KEY is used. */
  apiKey?: string;
  /** The server's address, such as `https://desk.example`. Without it, the variable FRONTDESK_BASE_URL is used. */
  baseUrl?: string;
  /** How often a request is sent again after a temporary failure. 3 unless set. */
  maxRetries?: number;
  /** How long a call may take with its retries, in milliseconds. A minute unless set, and ten minutes for a file. */
  timeout?: number;
  /** Another `fetch`, for tests and proxies. */
  fetch?: typeof fetch;
}

/** What one call does differently. */
export interface RequestOptions {
  /**
   * Makes the call take effect once, however often it is repeated within 24 hours. Calls that take one get a random one
   * unless it is given; give your own to repeat a call after your program was restarted.
   */
  idempotencyKey?: string;
  /** Cancels the call. What the server has begun by then may still take effect. */
  signal?: AbortSignal;
  /** How long the call may take with its retries, in milliseconds. */
  timeout?: number;
  maxRetries?: number;
}

/** The key's budget, as the last response told it. */
export interface RateLimit {
  /** Units per window. */
  readonly limit: number;
  /** Units left in the window. */
  readonly remaining: number;
  /** When the window ends. */
  readonly reset: Date;
}

/** One request of the API, before it has a key. */
export interface ApiRequest {
  method: string;
  /** The parts of the path below `/api/v1`. */
  path: readonly string[];
  query?: object | undefined;
  body?: unknown;
  /** It takes an idempotency key. */
  keyed?: boolean;
}

export class Transport {
  rateLimit: RateLimit | undefined;
  readonly #apiKey: string;
  readonly #root: string;
  readonly #maxRetries: number;
  readonly #timeout: number | undefined;
  readonly #fetch: typeof fetch;

  constructor(options: ClientOptions) {
    this.#apiKey = setting(options.apiKey, "FRONTDESK_API_KEY", "apiKey");
    const base = setting(options.baseUrl, "FRONTDESK_BASE_URL", "baseUrl");
    this.#root = `${base.replace(/\/+$/, "")}/api/v1`;
    this.#maxRetries = options.maxRetries ?? RETRIES_DEFAULT;
    this.#timeout = options.timeout;
    this.#fetch = options.fetch ?? fetch;
  }

  /** Sends a request until it succeeds, fails for good, or its deadline passes. */
  async send(request: ApiRequest, options: RequestOptions = {}): Promise<RawResponse> {
    const url = this.#url(request);
    const key = request.keyed ? (options.idempotencyKey ?? crypto.randomUUID()) : undefined;
    const { method, body } = request;
    // A PATCH sent twice may undo what somebody else has changed in between.
    const isRepeatable = key !== undefined || method === "GET" || method === "PUT" || method === "DELETE";
    const isFile = body instanceof FormData;
    const headers = this.#headers(body !== undefined && !isFile);
    if (key !== undefined) headers.set("idempotency-key", key);
    const content = body === undefined || isFile ? body : JSON.stringify(body);
    const retries = options.maxRetries ?? this.#maxRetries;
    const usual = isFile ? FILE_TIMEOUT_DEFAULT_MS : TIMEOUT_DEFAULT_MS;
    const timeout = options.timeout ?? this.#timeout ?? usual;
    return withDeadline(timeout, options.signal, async (signal) => {
      const deadline = performance.now() + timeout;
      for (let failures = 0; ; failures += 1) {
        let error: FrontdeskError;
        let pause: number | undefined;
        try {
          const patience = isFile ? timeout : Math.min(timeout, ATTEMPT_MAX_MS);
          const response = await withDeadline(patience, signal, (signal) =>
            this.#once(url, { method, headers, signal, ...(content && { body: content }) }),
          );
          if (response.status >= 200 && response.status < 300) return response;
          const refusal = apiError(response);
          error = refusal;
          pause = pauseAfter(refusal, failures, isRepeatable);
        } catch (cause) {
          if (signal.aborted) throw signal.reason;
          error =
            cause instanceof TimeoutError
              ? cause
              : new ConnectionError(`The server was not reached: ${reasonOf(cause)}`, { cause });
          pause = isRepeatable || isNeverSent(cause) ? backoff(failures) : undefined;
        }
        if (pause === undefined || failures >= retries || performance.now() + pause >= deadline) throw error;
        await sleep(pause, signal);
      }
    });
  }

  /** Opens a response without an end, once. */
  async open(
    request: ApiRequest,
    more: Record<string, string>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    const headers = this.#headers(false);
    for (const [name, value] of Object.entries(more)) headers.set(name, value);
    // It is called without `this`: a browser's fetch must not be a method.
    const fetch = this.#fetch;
    const response = await fetch(this.#url(request), { method: request.method, headers, signal, redirect: "manual" });
    this.#count(response.headers);
    if (!response.ok || response.body === null) throw apiError(await read(response));
    return response.body;
  }

  async #once(url: string, init: RequestInit): Promise<RawResponse> {
    const fetch = this.#fetch;
    // A redirect is not followed, so the key reaches no other host.
    const response = await fetch(url, { ...init, redirect: "manual" });
    this.#count(response.headers);
    return await read(response);
  }

  #url({ path, query }: ApiRequest): string {
    const url = [this.#root, ...path.map(segment)].join("/");
    const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
    const search = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]));
    return pairs.length === 0 ? url : `${url}?${search}`;
  }

  #headers(isJson: boolean): Headers {
    const headers = new Headers({ authorization: `Bearer ${this.#apiKey}` });
    if (isJson) headers.set("content-type", "application/json");
    // In a browser it would need the server's consent, and tells nothing.
    if ("process" in globalThis) headers.set("user-agent", `frontdesk-typescript/${VERSION}`);
    return headers;
  }

  #count(headers: Headers): void {
    const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`));
    if (limit && remaining && reset) {
      this.rateLimit = { limit: Number(limit), remaining: Number(remaining), reset: new Date(Number(reset) * 1000) };
    }
  }
}

async function read(response: Response): Promise<RawResponse> {
  const { status, headers } = response;
  return { status, headers, body: await response.text(), requestId: headers.get("x-request-id") ?? undefined };
}

/** A part of a path. An empty id or dots would name another resource. */
function segment(part: string): string {
  if (typeof part !== "string" || /^\.{0,2}$/.test(part)) {
    throw new TypeError(`${JSON.stringify(part)} is no id. Pass the id of the resource as text.`);
  }
  return encodeURIComponent(part);
}

function setting(given: string | undefined, variable: string, option: string): string {
  const environment = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env;
  const value = given ?? environment?.[variable];
  if (!value) throw new TypeError(`There is no ${option}. Pass it to the client, or set ${variable}.`);
  return value;
}

function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return inner instanceof Error ? inner.message : String(inner);
}

/** Runs with a signal that the caller's signal and the deadline abort. */
async function withDeadline<T>(
  ms: number,
  outer: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const late = () => controller.abort(new TimeoutError(`The call took longer than ${ms} milliseconds.`));
  const cancel = () => controller.abort(outer?.reason);
  if (outer?.aborted) throw outer.reason;
  const timer = setTimeout(late, Math.min(ms, TIMER_MAX_MS));
  outer?.addEventListener("abort", cancel, { once: true });
  try {
    return await run(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", cancel);
  }
}

/** Reads a body that must be JSON. */
export function parse(response: RawResponse): unknown {
  try {
    return JSON.parse(response.body);
  } catch {
    throw new FrontdeskError(`The response to ${response.requestId ?? "the request"} is not JSON. Check the base URL.`);
  }
}
