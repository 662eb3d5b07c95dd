import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import { call, type QueryOf } from '@/api/client';
import type { Broadcast, BroadcastRecipient, RecipientStatus } from '@/api/schema';
import type { ContactSummary, Page } from '@/api/shapes';

const PAGE_ROWS = 50;
export const RECIPIENT_PAGE_ROWS = 100;
/** How often a broadcast that is being sent is read: its progress has no event of its own. */
const SENDING_POLL_MS = 1_500;
/** How often the others are read: somebody may have scheduled one, which no event says. */
const WAITING_POLL_MS = 15_000;
/** Failures are counted by reason among the newest of them. */
export const FAILURES_COUNTED_MAX = 500;
const NAMES_STALE_MS = 5 * 60_000;

export type BroadcastFilter = Pick<QueryOf<'GET /broadcasts'>, 'status' | 'q'>;

const pollMs = (broadcasts: readonly Broadcast[]) =>
  broadcasts.some(({ status }) => status === 'sending') ? SENDING_POLL_MS : WAITING_POLL_MS;

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

/** The newest failures. `failed` is how many there are: another number reads them again. */
export const failuresQuery = (id: string, failed: number) =>
  queryOptions({
    queryKey: ['broadcast-failures', id, failed],
    queryFn: async ({ signal }) => {
      const found: BroadcastRecipient[] = [];
      let cursor: string | null = null;
      do {
        const query = {
          status: 'failed' as const,
          limit: RECIPIENT_PAGE_ROWS,
          ...(cursor !== null && { cursor }),
        };
        const page: Page<BroadcastRecipient> = await call(
          'GET /broadcasts/{id}/recipients',
          { path: { id }, query },
          { signal },
        );
        found.push(...page.data);
        cursor = page.meta.next_cursor;
      } while (cursor !== null && found.length < FAILURES_COUNTED_MAX);
      return found;
    },
    enabled: failed > 0,
    placeholderData: (before) => before,
  });
