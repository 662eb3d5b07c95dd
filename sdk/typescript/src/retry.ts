import { type ApiError, retryAfterSeconds } from "./errors.js";

const BACKOFF_FIRST_MS = 500;
const BACKOFF_MAX_MS = 8_000;

/** The reason of a 409 while the same request, sent before, is still being carried out. */
const IN_FLIGHT = "idempotency_key_in_flight";

/** How long to wait after so many failures in a row: twice as long each time, with jitter. */
export function backoff(failures: number): number {
  const whole = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** failures);
  return whole / 2 + (Math.random() * whole) / 2;
}

/**
 * How long to wait before the request is sent again; undefined if it must not be. A 429 has no effect, so anything may
 * follow it. After a 503 the effect may be unknown, so only what is safe to repeat does.
 */
export function pauseAfter(error: ApiError, failures: number, isRepeatable: boolean): number | undefined {
  const isTemporary = error.status === 429 || (isRepeatable && (error.status === 503 || error.reason === IN_FLIGHT));
  if (!isTemporary) return undefined;
  const seconds = retryAfterSeconds(error.response.headers);
  return seconds === undefined ? backoff(failures) : seconds * 1000;
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
