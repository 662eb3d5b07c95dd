/**
 * Calls the server. Every operation is named "METHOD /path" and typed by the generated schema: those of the public
 * API by their path alone, those of the dashboard with the prefix `/app/api`.
 */
import { ApiError, readError, unreachable } from './errors';
import type { Operations as DeclaredOperations } from './schema';
import type { FormOperations } from './shapes';

export type Operations = Omit<DeclaredOperations, keyof FormOperations> & FormOperations;
export type Operation = keyof Operations;
export type ResponseOf<O extends Operation> = Operations[O]['response'];
export type InputOf<O extends Operation> = Omit<Operations[O], 'response'>;
export type QueryOf<O extends Operation> = Operations[O] extends { query?: infer Q } ? NonNullable<Q> : never;

export interface CallOptions {
  signal?: AbortSignal;
  /** Makes a retry of the same request safe: the server carries it out once. */
  idempotencyKey?: string;
  /** Who has made the request. The server refuses it when somebody else is signed in by now. */
  memberId?: string;
}

type Arguments<O extends Operation> =
  Record<never, never> extends InputOf<O>
    ? [input?: InputOf<O>, options?: CallOptions]
    : [input: InputOf<O>, options?: CallOptions];

interface AnyInput {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

const APP_PREFIX = '/app/api';
const PUBLIC_PREFIX = '/app/api/v1';

/** Called once when the server says that the session has ended. */
let sessionEnded: () => void = () => undefined;
export function onSessionEnded(listener: () => void): void {
  sessionEnded = listener;
}
/** For whoever notices it without a call, as the event stream does. */
export function endSession(): void {
  sessionEnded();
}

export async function call<O extends Operation>(operation: O, ...rest: Arguments<O>): Promise<ResponseOf<O>> {
  const [input, options] = rest as [AnyInput | undefined, CallOptions | undefined];
  const [method, template] = operation.split(' ') as [string, string];
  const headers = new Headers({ accept: 'application/json' });
  const init: RequestInit = { method, headers, credentials: 'same-origin' };
  if (options?.signal) init.signal = options.signal;
  if (options?.idempotencyKey) headers.set('idempotency-key', options.idempotencyKey);
  if (options?.memberId) headers.set('frontdesk-member', options.memberId);
  if (input?.body instanceof FormData) {
    init.body = input.body;
  } else if (input?.body !== undefined) {
    headers.set('content-type', 'application/json');
    init.body = JSON.stringify(input.body);
  }
  const response = await send(url(template, input), init);
  if (response.ok) return (response.status === 204 ? undefined : await response.json()) as ResponseOf<O>;
  const error = await readError(response);
  if (error.status === 401 && !template.startsWith(`${APP_PREFIX}/session`)) sessionEnded();
  throw error;
}

async function send(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw unreachable();
  }
}

export function url(template: string, input: AnyInput | undefined): string {
  const path = template.replace(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(input?.path?.[key] ?? ''),
  );
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(input?.query ?? {})) {
    if (value !== undefined && value !== null && value !== '') query.set(key, String(value));
  }
  const prefix = path.startsWith(`${APP_PREFIX}/`) ? '' : PUBLIC_PREFIX;
  const search = query.size > 0 ? `?${query}` : '';
  return `${prefix}${path}${search}`;
}

/** Whether a failed request may be sent again without harm or hope lost. */
export function isTemporary(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}
