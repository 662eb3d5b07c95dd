import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  skipToken,
  useQueries,
} from '@tanstack/react-query';
import { call, type QueryOf } from '@/api/client';
import type { Match, RuleInput } from '@/api/schema';
import type { ContactSummary } from '@/api/shapes';
import { t } from '@/i18n';
import type { ContactOrder } from './order';

export const CONTACT_PAGE_ROWS = 100;
export type ContactFilter = Pick<QueryOf<'GET /contacts'>, 'q' | 'tag_id' | 'segment_id' | 'created_since'>;

/** The newest first, or in an order of the dashboard's own, which a search does not have. */
export const contactsQuery = (filter: ContactFilter, order?: ContactOrder) =>
  infiniteQueryOptions({
    queryKey: ['contacts', filter, ...(order ? [order] : [])],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filter, limit: CONTACT_PAGE_ROWS, ...(pageParam && { cursor: pageParam }) };
      return order
        ? call('GET /app/api/contacts/sorted/{order}', { path: { order }, query }, { signal })
        : call('GET /contacts', { query }, { signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
    // The table stays, and with it the focus on the heading, while the same contacts come in another order.
    placeholderData: (before, earlier) =>
      JSON.stringify(earlier?.queryKey[1]) === JSON.stringify(filter) ? before : undefined,
  });

/** How many contacts the filter finds. On a large account not all are counted. */
export const contactTotalQuery = (filter: ContactFilter) =>
  queryOptions({
    queryKey: ['contact-total', filter],
    queryFn: async ({ signal }) =>
      (await call('GET /app/api/contacts/count', { query: { ...filter } }, { signal })).data,
    placeholderData: keepPreviousData,
  });

export const contactQuery = (id: string) =>
  queryOptions({
    queryKey: ['contact', id],
    queryFn: async ({ signal }) => (await call('GET /contacts/{id}', { path: { id } }, { signal })).data,
  });

export const optOutQuery = (id: string) =>
  queryOptions({
    queryKey: ['opt-out', id],
    queryFn: async ({ signal }) =>
      (await call('GET /contacts/{id}/opt-out', { path: { id } }, { signal })).data,
  });

export const contactNotesQuery = (id: string) =>
  queryOptions({
    queryKey: ['contact-notes', id],
    queryFn: async ({ signal }) =>
      (await call('GET /contacts/{id}/notes', { path: { id }, query: { limit: 100 } }, { signal })).data,
  });

export const contactConversationsQuery = (id: string) =>
  queryOptions({
    queryKey: ['contact-conversations', id],
    queryFn: async ({ signal }) =>
      (await call('GET /conversations', { query: { contact_id: id, limit: 100 } }, { signal })).data,
  });

export const contactDealsQuery = (id: string) =>
  queryOptions({
    queryKey: ['contact-deals', id],
    queryFn: async ({ signal }) =>
      (await call('GET /deals', { query: { contact_id: id, limit: 100 } }, { signal })).data,
  });

export const contactInquiriesQuery = (id: string) =>
  queryOptions({
    queryKey: ['contact-inquiries', id],
    queryFn: async ({ signal }) =>
      (await call('GET /app/api/contacts/{id}/inquiries', { path: { id } }, { signal })).data,
  });

export const contactBookingsQuery = (id: string) =>
  queryOptions({
    queryKey: ['contact-bookings', id],
    queryFn: async ({ signal }) =>
      (await call('GET /bookings', { query: { contact_id: id, limit: 100 } }, { signal })).data,
  });

/** What assistants did about a contact, without the parts that they gave to sub-runs. */
export const contactRunsQuery = (id: string) =>
  queryOptions({
    queryKey: ['contact-runs', id],
    queryFn: async ({ signal }) =>
      (await call('GET /runs', { query: { contact_id: id, limit: 100 } }, { signal })).data.filter(
        (run) => run.parent_run_id === null,
      ),
  });

const CHANGE_PAGE_ROWS = 50;

/** What happened to the deals of a contact, newest first. */
export const contactDealChangesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['contact-deal-changes', id],
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /app/api/contacts/{id}/deal-changes',
        { path: { id }, query: { limit: CHANGE_PAGE_ROWS, ...(pageParam && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
  });

export const pipelinesQuery = queryOptions({
  queryKey: ['pipelines'],
  queryFn: async ({ signal }) => (await call('GET /pipelines', undefined, { signal })).data,
  staleTime: 5 * 60_000,
});

export const tagsQuery = queryOptions({
  queryKey: ['tags'],
  queryFn: async ({ signal }) => (await call('GET /tags', undefined, { signal })).data,
  staleTime: 5 * 60_000,
});

export const fieldsQuery = queryOptions({
  queryKey: ['custom-fields'],
  queryFn: async ({ signal }) => (await call('GET /custom-fields', undefined, { signal })).data,
  staleTime: 5 * 60_000,
});

export const segmentsQuery = queryOptions({
  queryKey: ['segments'],
  queryFn: async ({ signal }) => (await call('GET /segments', undefined, { signal })).data,
});

export const segmentQuery = (id: string) =>
  queryOptions({
    queryKey: ['segment', id],
    queryFn: async ({ signal }) => (await call('GET /segments/{id}', { path: { id } }, { signal })).data,
  });

export interface SegmentRules {
  match: Match;
  rules: RuleInput[];
}

/** Who the rules find. The request for rules that have changed since is cancelled. */
export const segmentPreviewQuery = (rules: SegmentRules | null) =>
  queryOptions({
    queryKey: ['segment-preview', rules],
    queryFn: rules
      ? async ({ signal }) => (await call('POST /app/api/segments/preview', { body: rules }, { signal })).data
      : skipToken,
    placeholderData: keepPreviousData,
  });

const NAMES_PER_REQUEST = 100;

const notYet = (id: string): ContactSummary => ({ id, name: t('ui.notYet'), phone: null, avatar_url: null });

/**
 * Names of the contacts on a page of deals, inquiries or bookings: one request for up to a hundred. An ellipsis until they
 * are read.
 */
export function useContactNames(ids: ReadonlyArray<string | null>): ReadonlyMap<string, ContactSummary> {
  const wanted = [...new Set(ids.filter((id) => id !== null))].sort();
  const chunks: string[][] = [];
  for (let at = 0; at < wanted.length; at += NAMES_PER_REQUEST)
    chunks.push(wanted.slice(at, at + NAMES_PER_REQUEST));
  return useQueries({
    queries: chunks.map((chunk) => ({
      queryKey: ['contact-names', chunk],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await call('GET /app/api/contacts/names', { query: { ids: chunk.join(',') } }, { signal })).data,
      staleTime: 5 * 60_000,
    })),
    combine: (results) =>
      new Map(
        results
          .flatMap(({ data, isLoading }, at) => data ?? (isLoading ? (chunks[at] ?? []).map(notYet) : []))
          .map((contact) => [contact.id, contact]),
      ),
  });
}
