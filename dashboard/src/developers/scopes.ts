import type { NewApiKey } from '@/api/app';

export type Scope = NewApiKey['scopes'][number];

/** Scopes that a key can have, with the scopes that each includes. */
export const SCOPES = {
  'contacts:read': [],
  'contacts:write': ['contacts:read'],
  'conversations:read': [],
  'conversations:write': ['conversations:read'],
  'messages:read': [],
  'messages:send': ['templates:read'],
  'templates:read': [],
  'broadcasts:read': [],
  'broadcasts:send': ['broadcasts:read', 'templates:read'],
  'deals:read': [],
  'deals:write': ['deals:read'],
  'inquiries:read': [],
  'inquiries:write': ['inquiries:read'],
  'assistants:read': [],
  'assistants:write': ['assistants:read'],
  'runs:read': [],
  'runs:start': ['runs:read'],
  'asks:read': [],
  'asks:answer': ['asks:read'],
  'ai:usage': [],
  'webhooks:manage': [],
} as const satisfies Record<Scope, readonly Scope[]>;

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];

/** Whether a chosen scope already includes this one. */
export function isIncluded(scope: Scope, chosen: ReadonlySet<Scope>): boolean {
  return SCOPE_NAMES.some(
    (other) => chosen.has(other) && (SCOPES[other] as readonly Scope[]).includes(scope),
  );
}

/** The scopes of a key with those that they include, in the usual order. */
export function impliedScopes(scopes: readonly Scope[]): Scope[] {
  const chosen = new Set(scopes);
  return SCOPE_NAMES.filter((scope) => chosen.has(scope) || isIncluded(scope, chosen));
}
