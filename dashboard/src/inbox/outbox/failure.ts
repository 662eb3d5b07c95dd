/** Why a message was not sent, as plain data that the browser can store, and what to do about it. Pure. */
import { ApiError, type ErrorCode, type ErrorDetail, unreachable } from '@/api/errors';

/** A failure of this device, beside those of the server. */
export type LocalCode = 'file_missing' | 'too_old' | 'unexpected';

export interface SendFailure {
  /** 0 when the server gave no answer. */
  status: number;
  code: ErrorCode | LocalCode;
  message: string;
  reason?: string | undefined;
  details?: ErrorDetail[] | undefined;
  retryAfterSeconds?: number | undefined;
}

/** How often a message is tried by itself while the server answers with an error of its own. */
export const FAULTS_MAX = 6;
const AGAIN_MS_MIN = 1_000;
const AGAIN_MS_MAX = 30_000;

/** Answers that say nothing about the message: no answer, signed out, busy, or the key still in flight. */
const PASSING = new Set([0, 401, 408, 429, 502, 503, 504]);

export function localFailure(code: LocalCode): SendFailure {
  return { status: 0, code, message: code };
}

export function toFailure(error: unknown): SendFailure {
  // The server took too long: it may have carried the request out or not.
  if (error instanceof DOMException && error.name === 'TimeoutError') return toFailure(unreachable());
  if (!(error instanceof ApiError)) return localFailure('unexpected');
  const { status, code, message, reason, details, retryAfterSeconds } = error;
  return { status, code, message, reason, details, retryAfterSeconds };
}

const isLocal = ({ code }: SendFailure): boolean =>
  code === 'file_missing' || code === 'too_old' || code === 'unexpected';

/** Whether the message is tried again by itself. Otherwise it waits for the member. */
export function isPassing(failure: SendFailure, tries: number): boolean {
  if (isLocal(failure)) return false;
  if (PASSING.has(failure.status)) return true;
  // The same key is being carried out for another tab, or for a request whose connection was lost.
  if (failure.status === 409) return failure.code === 'conflict' && !failure.reason;
  return failure.status >= 500 && tries < FAULTS_MAX;
}

/**
 * Whether the server has refused the message, so that it was not sent. It stores a refusal with the idempotency key:
 * the next try needs a new one. After any other failure the message may have been sent, and the key stays.
 */
export function isRefusal({ status }: SendFailure): boolean {
  return status >= 400 && status < 500;
}

/** How long to wait before the next try. */
export function pauseMs({ retryAfterSeconds }: SendFailure, tries: number): number {
  const pause = Math.min(AGAIN_MS_MAX, AGAIN_MS_MIN * 2 ** Math.max(0, tries - 1));
  return Math.max(pause, (retryAfterSeconds ?? 0) * 1_000);
}
