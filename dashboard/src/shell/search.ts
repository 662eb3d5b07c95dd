/** Finds people, conversations and deals for the palette. Each kind is one request, and only for the last words typed. */
import { queryOptions } from '@tanstack/react-query';
import type { UseNavigateResult } from '@tanstack/react-router';
import { call } from '@/api/client';
import { contactName } from '@/contacts/names';
import { t } from '@/i18n';
import { money } from '@/i18n/time';

/** One letter finds too much to be of use. */
export const QUERY_CHARS_MIN = 2;
/** Longer than any name; the server refuses more than 100. */
export const QUERY_CHARS_MAX = 100;
const FOUND_ROWS = 5;
const FRESH_MS = 10_000;

export interface FoundItem {
  id: string;
  label: string;
  detail: string;
  open: (navigate: UseNavigateResult<string>) => Promise<void>;
}

async function people(q: string, signal: AbortSignal): Promise<FoundItem[]> {
  const { data } = await call('GET /contacts', { query: { q, limit: FOUND_ROWS } }, { signal });
  return data.map((contact) => ({
    id: contact.id,
    label: contactName(contact),
    detail: [contact.company, contact.phone ?? contact.email].filter(Boolean).join(' · '),
    open: (navigate) => navigate({ to: '/contacts/$contactId', params: { contactId: contact.id } }),
  }));
}

async function conversations(q: string, signal: AbortSignal): Promise<FoundItem[]> {
  const { data } = await call('GET /app/api/inbox', { query: { q, limit: FOUND_ROWS } }, { signal });
  return data.map(({ conversation, contact, last_message: last }) => ({
    id: conversation.id,
    label: contactName(contact),
    detail: last?.text ?? '',
    open: (navigate) =>
      navigate({ to: '/inbox/$conversationId', params: { conversationId: conversation.id } }),
  }));
}

async function deals(q: string, signal: AbortSignal): Promise<FoundItem[]> {
  const { data } = await call('GET /deals', { query: { q, limit: FOUND_ROWS } }, { signal });
  return data.map((deal) => ({
    id: deal.id,
    label: deal.title,
    detail: deal.value === null ? '' : money(deal.value, deal.currency),
    open: (navigate) => navigate({ to: '/deals/$dealId', params: { dealId: deal.id } }),
  }));
}

const KINDS = [
  { title: 'palette.people', scope: 'contacts:read', find: people },
  { title: 'palette.conversations', scope: 'conversations:read', find: conversations },
  { title: 'palette.deals', scope: 'deals:read', find: deals },
] as const;

/** The searches that the member may make. */
export function searchQueries(q: string, can: (scope: string) => boolean) {
  return KINDS.filter(({ scope }) => can(scope)).map(({ title, find }) =>
    queryOptions({
      queryKey: [title, q],
      // The request for words that were typed over is cancelled.
      queryFn: async ({ signal }) => ({ title: t(title), items: await find(q, signal) }),
      enabled: q.length >= QUERY_CHARS_MIN,
      staleTime: FRESH_MS,
    }),
  );
}

/** Whether a command's name contains what was typed. */
export function isNamed(label: string, query: string): boolean {
  const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLocaleLowerCase();
  return folded(label).includes(folded(query));
}
