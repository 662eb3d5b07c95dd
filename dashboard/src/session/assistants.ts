import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '@/api/client';
import { t } from '@/i18n';
import { useCan } from './session';

export const assistantsQuery = queryOptions({
  queryKey: ['assistants'],
  queryFn: async ({ signal }) => (await call('GET /assistants', { query: { limit: 100 } }, { signal })).data,
});

/** An assistant's name by id, also of one that was deleted. An ellipsis until the names are read. */
export function useAssistantName(): (id: string | null | undefined) => string {
  const can = useCan();
  const { data, isLoading } = useQuery({ ...assistantsQuery, enabled: can('assistants:read') });
  const otherwise = t(isLoading ? 'ui.notYet' : 'assistant.unknown');
  return (id) => data?.find((assistant) => assistant.id === id)?.name ?? otherwise;
}
