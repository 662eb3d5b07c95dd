import { keepPreviousData, queryOptions, skipToken } from '@tanstack/react-query';
import { call } from '@/api/client';
import type { TriggerDraft } from '@/api/schema';

const TRIGGERS_MAX = 100;
const RESULTS_MAX = 10;
/** Refused calls tell nobody, because there may be thousands a minute: they are read again while they are on screen. */
const CALLS_REFRESH_MS = 5_000;

export const triggersQuery = queryOptions({
  queryKey: ['triggers'],
  queryFn: async ({ signal }) =>
    (await call('GET /triggers', { query: { limit: TRIGGERS_MAX } }, { signal })).data,
});

export const triggerQuery = (id: string) =>
  queryOptions({
    queryKey: ['trigger', id],
    queryFn: async ({ signal }) => (await call('GET /triggers/{id}', { path: { id } }, { signal })).data,
  });

/** What a firing of the saved trigger would do now. `version` changes when it is saved. */
export const previewQuery = (id: string, version: string) =>
  queryOptions({
    queryKey: ['trigger-preview', id, version],
    queryFn: async ({ signal }) =>
      (await call('POST /triggers/{id}/preview', { path: { id } }, { signal })).data,
  });

/** Times pass, and contacts change. */
const PREVIEW_REFRESH_MS = 30_000;

/** What a trigger would do that is not saved. */
export const draftPreviewQuery = (draft: TriggerDraft | null) =>
  queryOptions({
    queryKey: ['trigger-draft', draft],
    queryFn: draft
      ? async ({ signal }) => (await call('POST /app/api/triggers/preview', { body: draft }, { signal })).data
      : skipToken,
    placeholderData: keepPreviousData,
    refetchInterval: PREVIEW_REFRESH_MS,
  });

/** The last calls of a webhook trigger's address. */
export const callsQuery = (id: string) =>
  queryOptions({
    queryKey: ['trigger-calls', id],
    queryFn: async ({ signal }) =>
      (await call('GET /triggers/{id}/calls', { path: { id } }, { signal })).data,
    refetchInterval: CALLS_REFRESH_MS,
  });

export const resultsQuery = (id: string) =>
  queryOptions({
    queryKey: ['trigger-runs', id],
    queryFn: async ({ signal }) =>
      (await call('GET /runs', { query: { trigger_id: id, limit: RESULTS_MAX } }, { signal })).data,
  });
