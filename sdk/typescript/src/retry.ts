import { type ApiError, retryAfterSeconds } from "./errors.js";

const BACKOFF_FIRST_MS = 500;
const BACKOFF_MAX_MS = 8_000;
/** The longest `Retry-After` that is waited for. Windows of the rate limit last a minute. */
const RETRY_AFTER_MAX_MS = 120_000;

/** The reason of a 409 while the same request, sent before, is still being carried out. */
const IN_FLIGHT = "idempotency_key_in_flight";

/** Failures before anything was sent, as Node.js and Bun name them. Browsers do not tell. */
const NEVER_SENT = new Set([
  "ConnectionRefused",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ENOTFOUND",
  "FailedToOpenSocket",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** How long to wait after so many failures in a row: twice as long each time, with jitter. */
export function backoff(failures: number): number {
  const whole = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** failures);
  return whole / 2 + (Math.random() * whole) / 2;
}

/**
 * How long to wait before the request is sent again after this response; undefined if it must not be. A 429 has no
 * effect, so anything may follow it. After a 503, and after what a proxy responds that does not reach the server, the
 * effect may be unknown, so only what is safe to repeat does.
 */
export function pauseAfter(error: ApiError, failures: number, isRepeatable: boolean): number | undefined {
  const { status } = error;
  const isUnknown = status === 502 || status === 503 || status === 504 || error.reason === IN_FLIGHT;
  if (status !== 429 && !(isUnknown && isRepeatable)) return undefined;
  const told = toldPause(error);
  if (told === undefined) return backoff(failures);
  // A little later than asked, so that many clients do not come back at the same moment.
  return told > RETRY_AFTER_MAX_MS ? undefined : told + Math.random() * BACKOFF_FIRST_MS;
}

/** How long a stream waits after a refusal; undefined if it would be refused again. */
export function pauseOfStream(error: ApiError, failures: number): number | undefined {
  if (error.status !== 429 && error.status < 500) return undefined;
  return Math.min(toldPause(error) ?? 0, RETRY_AFTER_MAX_MS) + backoff(failures);
}

/** Whether a failed `fetch` has certainly sent nothing. */
export function isNeverSent(cause: unknown): boolean {
  for (let at = cause; at instanceof Error; at = at.cause) {
    if (NEVER_SENT.has((at as { code?: string }).code ?? "")) return true;
  }
  return false;
}

/** What the server asks for. */
function toldPause(error: ApiError): number | undefined {
  const seconds = retryAfterSeconds(error.response.headers);
  return seconds === undefined ? undefined : seconds * 1000;
}

/** Waits, or rejects with the signal's reason as soon as it is aborted. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
