import { useQuery } from '@tanstack/react-query';
import type { InboxCounts } from '@/api/app';
import { countsQuery } from './queries';

export function useInboxCounts(): InboxCounts | undefined {
  return useQuery(countsQuery).data;
}
