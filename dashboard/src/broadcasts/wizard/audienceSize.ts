/** How many people an audience is, a few of them, and who is left out: asked while it is chosen. */
import { keepPreviousData, queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '@/api/client';
import type { AudienceInput, BroadcastPreview } from '@/api/schema';
import { useDebounced } from '@/ui/useDebounced';
import { type AudienceDraft, toAudience } from './draft';

export interface AudienceSize {
  /** Null while something is missing, or before the first response. */
  preview: BroadcastPreview | null;
  /** Whether the numbers belong to an earlier choice. */
  isReading: boolean;
  /** Whether something of the audience is missing. */
  isIncomplete: boolean;
  error: unknown;
}

/** The request for an audience that has changed since is cancelled. */
const previewQuery = (audience: AudienceInput | null) =>
  queryOptions({
    queryKey: ['broadcast-preview', audience],
    queryFn: audience
      ? async ({ signal }) =>
          (await call('POST /app/api/broadcasts/preview', { body: { audience } }, { signal })).data
      : skipToken,
    placeholderData: keepPreviousData,
  });

export function useAudienceSize(draft: AudienceDraft): AudienceSize {
  const audience = useMemo(() => toAudience(draft), [draft]);
  const settled = useDebounced(audience);
  const query = useQuery(previewQuery(audience && settled));
  if (!audience) return { preview: null, isReading: false, isIncomplete: true, error: null };
  const isReading = settled !== audience || query.isFetching;
  return {
    preview: query.data ?? null,
    isReading,
    isIncomplete: false,
    error: isReading ? null : query.error,
  };
}
