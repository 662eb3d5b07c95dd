import type { BroadcastStatus, TemplateStatus } from '@/api/schema';

export const BROADCAST_STATUSES: readonly BroadcastStatus[] = [
  'draft',
  'scheduled',
  'sending',
  'sent',
  'failed',
];
export const TEMPLATE_STATUSES: readonly TemplateStatus[] = [
  'APPROVED',
  'PENDING',
  'REJECTED',
  'PAUSED',
  'DISABLED',
];

const words = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : undefined);

export interface BroadcastSearch {
  status?: BroadcastStatus | undefined;
  q?: string | undefined;
}

export function parseBroadcastSearch(search: Record<string, unknown>): BroadcastSearch {
  return { status: BROADCAST_STATUSES.find((each) => each === search.status), q: words(search.q) };
}

export interface TemplateSearch {
  status?: TemplateStatus | undefined;
  q?: string | undefined;
}

export function parseTemplateSearch(search: Record<string, unknown>): TemplateSearch {
  return { status: TEMPLATE_STATUSES.find((each) => each === search.status), q: words(search.q) };
}

/** What a new broadcast begins with: a template, or another broadcast. */
export interface NewBroadcastSearch {
  template?: string | undefined;
  language?: string | undefined;
  copy?: string | undefined;
}

export function parseNewBroadcastSearch(search: Record<string, unknown>): NewBroadcastSearch {
  return { template: words(search.template), language: words(search.language), copy: words(search.copy) };
}
