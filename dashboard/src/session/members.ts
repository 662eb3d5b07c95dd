import { useQuery } from '@tanstack/react-query';
import type { Member } from '@/api/schema';
import { t } from '@/i18n';
import { membersQuery } from './queries';

/** Members who can be given work. */
export function useActiveMembers(): Member[] {
  return (useQuery(membersQuery).data ?? []).filter((member) => member.status === 'active');
}

/** A member's name by id, also of one who has left. */
export function useMemberName(): (id: string | null | undefined) => string {
  const members = useQuery(membersQuery).data;
  return (id) =>
    id ? (members?.find((member) => member.id === id)?.name ?? t('member.unknown')) : t('member.nobody');
}
