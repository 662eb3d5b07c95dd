/** Commands to try a key with, at once, in a terminal. */
import type { Scope } from './scopes';

/** What a key with a scope can read. */
const READS: Partial<Record<Scope, string>> = {
  'contacts:read': '/contacts?limit=5',
  'contacts:write': '/contacts?limit=5',
  'conversations:read': '/conversations?limit=5',
  'conversations:write': '/conversations?limit=5',
  'messages:read': '/messages?q=hello&limit=5',
  'messages:send': '/templates?limit=5',
  'templates:read': '/templates?limit=5',
  'broadcasts:read': '/broadcasts?limit=5',
  'broadcasts:send': '/broadcasts?limit=5',
  'deals:read': '/deals?limit=5',
  'deals:write': '/deals?limit=5',
  'inquiries:read': '/inquiries?limit=5',
  'inquiries:write': '/inquiries?limit=5',
  'assistants:read': '/assistants?limit=5',
  'assistants:write': '/assistants?limit=5',
  'runs:read': '/runs?limit=5',
  'runs:start': '/runs?limit=5',
  'asks:read': '/asks?limit=5',
  'asks:answer': '/asks?limit=5',
  'ai:usage': '/ai/usage',
  'webhooks:manage': '/events?limit=5',
};

/** Text that a shell reads as one word, whatever is in it. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A request that a key with these scopes may make. Without a secret the key comes from the environment. */
export function curlOf(origin: string, scopes: readonly Scope[], secret?: string): string {
  const path = scopes.map((scope) => READS[scope]).find(Boolean) ?? '/me';
  const header = secret
    ? shellQuote(`Authorization: Bearer ${secret}`)
    : '"Authorization: Bearer $FRONTDESK_API_KEY"';
  return `curl ${shellQuote(`${origin}/api/v1${path}`)} \\\n  -H ${header}`;
}
