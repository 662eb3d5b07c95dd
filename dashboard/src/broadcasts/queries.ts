import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import { call, type QueryOf } from '@/api/client';
import type { Broadcast, BroadcastCopy, BroadcastRecipient, RecipientStatus } from '@/api/schema';
import type { ContactSummary, Page } from '@/api/shapes';

const PAGE_ROWS = 50;
export const RECIPIENT_PAGE_ROWS = 100;
/** How often a broadcast that is being sent is read: its progress has no event of its own. */
const SENDING_POLL_MS = 1_500;
const NAMES_STALE_MS = 5 * 60_000;

export type BroadcastFilter = Pick<QueryOf<'GET /broadcasts'>, 'status' | 'q'>;

const pollMs = (broadcasts: readonly Broadcast[]) =>
  broadcasts.some(({ status }) => status === 'sending') && SENDING_POLL_MS;

export const broadcastsQuery = (filter: BroadcastFilter) =>
  infiniteQueryOptions({
    queryKey: ['broadcasts', filter],
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /broadcasts',
        { query: { ...filter, limit: PAGE_ROWS, ...(pageParam && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
    refetchInterval: ({ state }) => pollMs(state.data?.pages.flatMap((page) => page.data) ?? []),
  });

export const broadcastQuery = (id: string) =>
  queryOptions({
    queryKey: ['broadcast', id],
    queryFn: async ({ signal }) => (await call('GET /broadcasts/{id}', { path: { id } }, { signal })).data,
    refetchInterval: ({ state }) => (state.data ? pollMs([state.data]) : false),
  });

export type RecipientRow = BroadcastRecipient & { contact: ContactSummary | undefined };

/** A page of recipients with their names. */
export async function readRecipients(
  client: QueryClient,
  id: string,
  status: RecipientStatus | undefined,
  cursor: string | undefined,
  signal?: AbortSignal,
): Promise<Page<RecipientRow>> {
  const query = { limit: RECIPIENT_PAGE_ROWS, ...(status && { status }), ...(cursor && { cursor }) };
  const { data, meta } = await call(
    'GET /broadcasts/{id}/recipients',
    { path: { id }, query },
    signal ? { signal } : {},
  );
  const ids = data.flatMap(({ contact_id: contact }) => (contact ? [contact] : []));
  const names =
    ids.length === 0
      ? []
      : await client.fetchQuery({
          queryKey: ['contact-names', ids],
          queryFn: async () =>
            (await call('GET /app/api/contacts/names', { query: { ids: ids.join(',') } })).data,
          staleTime: NAMES_STALE_MS,
        });
  const byId = new Map(names.map((contact) => [contact.id, contact]));
  return { data: data.map((each) => ({ ...each, contact: byId.get(each.contact_id ?? '') })), meta };
}

type RecipientKey = readonly ['broadcast-recipients', string, RecipientStatus | 'all'];
export type RecipientPages = InfiniteData<Page<RecipientRow>, string | undefined>;

export const recipientsQuery = (client: QueryClient, id: string, status: RecipientStatus | undefined) =>
  infiniteQueryOptions<Page<RecipientRow>, Error, RecipientPages, RecipientKey, string | undefined>({
    queryKey: ['broadcast-recipients', id, status ?? 'all'],
    queryFn: ({ pageParam, signal }) => readRecipients(client, id, status, pageParam, signal),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
    // Pages are read again one at a time, those in view: there may be a thousand.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** How often the report of a broadcast that is being sent is read: it counts every recipient. */
const REPORT_POLL_MS = 2_000;
/** The same for a large one. */
const LARGE_REPORT_POLL_MS = 5_000;
const LARGE_RECIPIENTS = 20_000;

/** Recipients by state and failures by reason. Other counts of the broadcast read them again. */
export const reportQuery = ({ id, status, counts }: Broadcast) =>
  queryOptions({
    // While it is being sent, its counts change all the time: it is read by the clock.
    queryKey: ['broadcast-report', id, status, ...(status === 'sending' ? [] : [counts])],
    queryFn: async ({ signal }) =>
      (await call('GET /app/api/broadcasts/{id}/report', { path: { id } }, { signal })).data,
    refetchInterval:
      status === 'sending' && (counts.total > LARGE_RECIPIENTS ? LARGE_REPORT_POLL_MS : REPORT_POLL_MS),
    placeholderData: (before) => before,
  });

const NAMES_PER_REQUEST = 100;

/** What a copy starts from, with the names of listed contacts. */
export interface CopiedBroadcast extends BroadcastCopy {
  contacts: ContactSummary[];
}

export const broadcastCopyQuery = (id: string) =>
  queryOptions({
    queryKey: ['broadcast-copy', id],
    queryFn: async ({ signal }): Promise<CopiedBroadcast> => {
      const { data } = await call('GET /app/api/broadcasts/{id}/copy', { path: { id } }, { signal });
      const ids = data.audience?.contact_ids ?? [];
      const contacts: ContactSummary[] = [];
      for (let at = 0; at < ids.length; at += NAMES_PER_REQUEST) {
        const query = { ids: ids.slice(at, at + NAMES_PER_REQUEST).join(',') };
        contacts.push(...(await call('GET /app/api/contacts/names', { query }, { signal })).data);
      }
      return { ...data, contacts };
    },
    // A copy is taken once.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
