import { useSession } from '@/session/session';

/** Whose drafts are kept in this browser: nobody else who signs in here sees them. */
export function useDraftOwner(): string {
  const { account, user } = useSession();
  return `${account.id}.${user.id}`;
}
