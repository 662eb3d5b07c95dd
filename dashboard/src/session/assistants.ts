import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '@/api/client';
import { t } from '@/i18n';
import { useCan } from './session';

export const assistantsQuery = queryOptions({
  queryKey: ['assistants'],
  queryFn: async ({ signal }) => (await call('GET /assistants', { query: { limit: 100 } }, { signal })).data,
});

/** An assistant's name by id, also of one that was deleted. */
export function useAssistantName(): (id: string | null | undefined) => string {
  const can = useCan();
  const assistants = useQuery({ ...assistantsQuery, enabled: can('assistants:read') }).data;
  return (id) => assistants?.find((assistant) => assistant.id === id)?.name ?? t('assistant.unknown');
}
