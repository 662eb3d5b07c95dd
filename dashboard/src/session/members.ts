import { useQuery } from '@tanstack/react-query';
import type { Member } from '@/api/schema';
import { t } from '@/i18n';
import { membersQuery } from './queries';

/** Members who can be given work. */
export function useActiveMembers(): Member[] {
  return (useQuery(membersQuery).data ?? []).filter((member) => member.status === 'active');
}

/** A member's name by id, also of one who has left. An ellipsis until the names are read. */
export function useMemberName(): (id: string | null | undefined) => string {
  const { data, isLoading } = useQuery(membersQuery);
  const otherwise = t(isLoading ? 'ui.notYet' : 'member.unknown');
  return (id) => (id ? (data?.find((member) => member.id === id)?.name ?? otherwise) : t('member.nobody'));
}
