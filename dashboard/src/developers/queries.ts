import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call, type QueryOf } from '@/api/client';
import type { Delivery, EventType } from '@/api/schema';

const ENDPOINTS_MAX = 100;
const DELIVERY_PAGE_ROWS = 50;
const EVENTS_STORED_ROWS = 100;

export const endpointsQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: async ({ signal }) =>
    (await call('GET /webhooks', { query: { limit: ENDPOINTS_MAX } }, { signal })).data,
});

export const endpointQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhook', id],
    queryFn: async ({ signal }) => (await call('GET /webhooks/{id}', { path: { id } }, { signal })).data,
  });

export type DeliveryFilter = Pick<QueryOf<'GET /webhooks/{id}/deliveries'>, 'status' | 'event_type'>;

export const deliveriesKey = (id: string) => ['deliveries', id] as const;

export const deliveriesQuery = (id: string, filter: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: [...deliveriesKey(id), filter],
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /webhooks/{id}/deliveries',
        {
          path: { id },
          query: { ...filter, limit: DELIVERY_PAGE_ROWS, ...(pageParam && { cursor: pageParam }) },
        },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
  });

export const deliveryQuery = (id: string, deliveryId: string) =>
  queryOptions({
    queryKey: [...deliveriesKey(id), 'one', deliveryId],
    queryFn: async ({ signal }) =>
      (
        await call(
          'GET /webhooks/{id}/deliveries/{delivery_id}',
          { path: { id, delivery_id: deliveryId } },
          { signal },
        )
      ).data,
  });

/** The attempts of a delivery. They are read again when there are more. */
export const attemptsQuery = (id: string, { id: deliveryId, attempts }: Delivery) =>
  queryOptions({
    queryKey: [...deliveriesKey(id), 'attempts', deliveryId, attempts],
    queryFn: async ({ signal }) =>
      (
        await call(
          'GET /webhooks/{id}/deliveries/{delivery_id}/attempts',
          { path: { id, delivery_id: deliveryId } },
          { signal },
        )
      ).data,
  });

export const eventTypesQuery = queryOptions({
  queryKey: ['event-types'],
  queryFn: async ({ signal }) => (await call('GET /event-types', undefined, { signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
});

/** The newest events that the server has, so that the log does not begin empty. */
export const storedEventsQuery = (type: EventType | undefined) =>
  queryOptions({
    queryKey: ['events', type ?? ''],
    queryFn: async ({ signal }) =>
      (
        await call(
          'GET /events',
          { query: { limit: EVENTS_STORED_ROWS, ...(type && { event_type: type }) } },
          { signal },
        )
      ).data,
    staleTime: 0,
    gcTime: 0,
  });

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async ({ signal }) => (await call('GET /app/api/admin/keys', undefined, { signal })).data,
});
