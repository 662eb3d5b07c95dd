import type { Error as ErrorBody } from './schema';

export type ErrorCode = ErrorBody['error']['code'] | 'unreachable';

export interface ErrorDetail {
  path?: string;
  message?: string;
  contact_id?: string;
  limit?: number;
}

/** A request that the server refused, or that did not reach it (status 0). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly reason: string | undefined;
  readonly details: ErrorDetail[];
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(fields: {
    status: number;
    code: ErrorCode;
    message: string;
    reason?: string | undefined;
    details?: ErrorDetail[] | undefined;
    requestId?: string | undefined;
    retryAfterSeconds?: number | undefined;
  }) {
    super(fields.message);
    this.name = 'ApiError';
    this.status = fields.status;
    this.code = fields.code;
    this.reason = fields.reason;
    this.details = fields.details ?? [];
    this.requestId = fields.requestId;
    this.retryAfterSeconds = fields.retryAfterSeconds;
  }

  /** The message for one field of a form, when the server named that field. */
  at(path: string): string | undefined {
    return this.details.find((detail) => detail.path === path)?.message;
  }
}

export function unreachable(): ApiError {
  return new ApiError({ status: 0, code: 'unreachable', message: 'The server could not be reached.' });
}

export async function readError(response: Response): Promise<ApiError> {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfterSeconds = Number.isFinite(retryAfter) ? retryAfter : undefined;
  try {
    const { error } = (await response.json()) as ErrorBody;
    return new ApiError({
      status: response.status,
      code: error.code,
      message: error.message,
      reason: error.reason,
      details: error.details,
      requestId: error.request_id,
      retryAfterSeconds,
    });
  } catch {
    // A proxy answered instead of the server, with a page of its own.
    return new ApiError({
      status: response.status,
      code: response.status >= 500 ? 'internal' : 'bad_request',
      message: response.statusText,
      retryAfterSeconds,
    });
  }
}
