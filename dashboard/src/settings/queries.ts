import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ConnectionDetail } from '@/api/app';
import { call } from '@/api/client';
import type { FormChanges, FormDetail } from '@/api/schema';
import { currentLanguage } from '@/i18n';
import { accountQuery, connectionsQuery } from '@/session/queries';

export { accountQuery, connectionsQuery };

const AUDIT_PAGE_ROWS = 50;
/** How often a phone that is being linked is asked for. */
const PAIRING_POLL_MS = 2_000;

export const auditLogQuery = infiniteQueryOptions({
  queryKey: ['audit-log'],
  queryFn: ({ pageParam, signal }) =>
    call(
      'GET /app/api/admin/audit-log',
      { query: { limit: AUDIT_PAGE_ROWS, ...(pageParam && { cursor: pageParam }) } },
      { signal },
    ),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
});

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await call('GET /app/api/sessions', undefined, { signal })).data,
});

/** A push service may have refused a device meanwhile, so it is always asked for anew. */
export const pushQuery = queryOptions({
  queryKey: ['push'],
  queryFn: async ({ signal }) => (await call('GET /app/api/push', undefined, { signal })).data,
  staleTime: 0,
});

/** What the member gets mails about. A mail may have been used to decline some. */
export const mailQuery = queryOptions({
  queryKey: ['mail'],
  queryFn: async ({ signal }) => (await call('GET /app/api/mail', undefined, { signal })).data,
  staleTime: 0,
});

export const teamQuery = queryOptions({
  queryKey: ['team'],
  queryFn: async ({ signal }) => (await call('GET /app/api/admin/members', undefined, { signal })).data,
});

/**
 * A conversation in which a customer has written to a connection; null while there is none. Of the channel's newest
 * conversations only: those of a new connection are among them.
 */
export const firstConversationQuery = ({ id, channel }: ConnectionDetail) =>
  queryOptions({
    queryKey: ['first-conversation', id],
    queryFn: async ({ signal }) => {
      const { data } = await call('GET /conversations', { query: { channel, limit: 100 } }, { signal });
      // The window opens when a customer writes: a conversation without one was begun by us.
      return data.find((one) => one.connection_id === id && one.window_expires_at !== null) ?? null;
    },
  });

export const formsQuery = queryOptions({
  queryKey: ['forms'],
  queryFn: async ({ signal }) => (await call('GET /app/api/admin/forms', undefined, { signal })).data,
});

/** The pages of a form as they would be after these changes. */
export const formPreviewQuery = (form: FormDetail, changes: FormChanges) =>
  queryOptions({
    // The stored form is a part of the key, because the answer follows from it, too.
    queryKey: ['form-preview', form, changes],
    queryFn: async ({ signal }) =>
      (
        await call(
          'POST /app/api/admin/forms/{id}/preview',
          { path: { id: form.id }, query: { language: currentLanguage() }, body: changes },
          { signal },
        )
      ).data,
    retry: false,
  });

/** How the account's forms and web chats look. */
export const brandQuery = queryOptions({
  queryKey: ['brand'],
  queryFn: async ({ signal }) => (await call('GET /app/api/admin/brand', undefined, { signal })).data,
});

/** How the widget of a web chat looks and behaves. */
export const widgetQuery = (id: string) =>
  queryOptions({
    queryKey: ['connections', id, 'widget'],
    queryFn: async ({ signal }) =>
      (await call('GET /app/api/admin/connections/{id}/widget', { path: { id } }, { signal })).data,
  });

export const bookingSourcesQuery = queryOptions({
  queryKey: ['booking-sources'],
  queryFn: async ({ signal }) =>
    (await call('GET /app/api/admin/booking-sources', undefined, { signal })).data,
});

/** Begins to link a phone, once. */
export const pairingStartQuery = (id: string) =>
  queryOptions({
    queryKey: ['pairing-start', id],
    queryFn: async () =>
      (await call('POST /app/api/admin/connections/{id}/pairing', { path: { id }, body: {} })).data,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });

/** Whether the phone of a number is linked. It fails for one that was never linked. */
export const deviceQuery = (id: string) =>
  queryOptions({
    queryKey: ['device', id],
    queryFn: async ({ signal }) =>
      (await call('GET /app/api/admin/connections/{id}/pairing', { path: { id } }, { signal })).data,
    retry: false,
    gcTime: 0,
  });

export const pairingQuery = (id: string) =>
  queryOptions({
    queryKey: ['pairing', id],
    queryFn: async ({ signal }) =>
      (await call('GET /app/api/admin/connections/{id}/pairing', { path: { id } }, { signal })).data,
    refetchInterval: ({ state }) => (state.data?.status === 'waiting' ? PAIRING_POLL_MS : false),
    gcTime: 0,
  });
