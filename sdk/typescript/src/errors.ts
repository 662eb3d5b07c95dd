import type { ErrorCode } from "./generated/events.js";

/** Every error of this package that is not a mistake in the program is one of these. */
export class FrontdeskError extends Error {
  override name = "FrontdeskError";
}

/** A detail of an error, such as one problem of a body. Further fields depend on the code. */
export interface ErrorDetail {
  /** From the body's root: `audience.phones.3`. */
  path?: string;
  message?: string;
  [field: string]: unknown;
}

/** What a response says beside its data. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it arrived. */
  readonly body: string;
  /** Quote it to support. */
  readonly requestId: string | undefined;
}

/** The server refused the request, or failed. */
export class ApiError extends FrontdeskError {
  override name = "ApiError";
  readonly status: number;
  /** Stable, for programs. Undefined if the response is not one of the API's, such as a proxy's page. */
  readonly code: ErrorCode | (string & {}) | undefined;
  /** The cause, if a code has several. Stable. */
  readonly reason: string | undefined;
  readonly details: readonly ErrorDetail[];
  readonly requestId: string | undefined;
  readonly response: RawResponse;

  constructor(response: RawResponse, error: ErrorBody) {
    super(error.message ?? `The server answered ${response.status}.`);
    this.status = response.status;
    this.code = error.code;
    this.reason = error.reason;
    this.details = error.details ?? [];
    this.requestId = error.request_id ?? response.requestId;
    this.response = response;
  }
}

/** Malformed JSON, an invalid cursor, or a parameter of the wrong shape. */
export class BadRequestError extends ApiError {
  override name = "BadRequestError";
}

/** The body breaks rules; `details` lists every one with its path. */
export class ValidationError extends ApiError {
  override name = "ValidationError";
}

/** The key is missing, unknown, revoked or expired. */
export class UnauthorizedError extends ApiError {
  override name = "UnauthorizedError";
}

/** The account reached a limit of its plan. */
export class PlanLimitError extends ApiError {
  override name = "PlanLimitError";
}

/** The key lacks a scope, or may not be used from this address. */
export class ForbiddenError extends ApiError {
  override name = "ForbiddenError";
}

/** The account is suspended. */
export class AccountSuspendedError extends ApiError {
  override name = "AccountSuspendedError";
}

/** There is no such thing in this account. */
export class NotFoundError extends ApiError {
  override name = "NotFoundError";
}

/** The current state does not allow it. */
export class ConflictError extends ApiError {
  override name = "ConflictError";
}

/** It cannot be processed; `reason` says why. */
export class UnprocessableError extends ApiError {
  override name = "UnprocessableError";
}

/** The required channel is not connected. */
export class ChannelNotConnectedError extends UnprocessableError {
  override name = "ChannelNotConnectedError";
}

/** The key's budget is used up. */
export class RateLimitedError extends ApiError {
  override name = "RateLimitedError";

  /** How many seconds to wait before the next attempt. */
  get retryAfter(): number {
    return retryAfterSeconds(this.response.headers) ?? 0;
  }
}

/** The server failed, or cannot process requests now. */
export class InternalError extends ApiError {
  override name = "InternalError";
}

/** The server was not reached, or the connection broke before the whole response arrived. */
export class ConnectionError extends FrontdeskError {
  override name = "ConnectionError";
}

/** The deadline passed. */
export class TimeoutError extends FrontdeskError {
  override name = "TimeoutError";
}

/** A webhook's signature does not match, or is too old. */
export class SignatureError extends FrontdeskError {
  override name = "SignatureError";
}

/**
 * The stream cannot continue after the given event, because the server does not know it any more. Read everything
 * again, and open a stream after `lastEventId`.
 */
export class StreamResetError extends FrontdeskError {
  override name = "StreamResetError";
  readonly lastEventId: string | undefined;

  constructor(lastEventId: string | undefined) {
    super(
      "The server does not know the event to continue after. Read everything again, then stream after lastEventId.",
    );
    this.lastEventId = lastEventId;
  }
}

interface ErrorBody {
  code?: string;
  message?: string;
  reason?: string;
  details?: ErrorDetail[];
  request_id?: string;
}

const BY_CODE: Record<ErrorCode, typeof ApiError> = {
  bad_request: BadRequestError,
  validation_error: ValidationError,
  unauthorized: UnauthorizedError,
  plan_limit_reached: PlanLimitError,
  forbidden: ForbiddenError,
  account_suspended: AccountSuspendedError,
  not_found: NotFoundError,
  conflict: ConflictError,
  unprocessable: UnprocessableError,
  channel_not_connected: ChannelNotConnectedError,
  rate_limited: RateLimitedError,
  internal: InternalError,
};

/** The error that a response tells of. A code of a later version is an `ApiError`. */
export function apiError(response: RawResponse): ApiError {
  const error = errorBody(response.body);
  const kind = Object.hasOwn(BY_CODE, error.code ?? "") ? BY_CODE[error.code as ErrorCode] : ApiError;
  return new kind(response, error);
}

function errorBody(body: string): ErrorBody {
  try {
    const error: unknown = JSON.parse(body)?.error;
    return typeof error === "object" && error !== null ? error : {};
  } catch {
    return {};
  }
}

/** A date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The value of `Retry-After`, which is a number of seconds or a date. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  if (!HTTP_DATE.test(text)) return undefined;
  const seconds = (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
