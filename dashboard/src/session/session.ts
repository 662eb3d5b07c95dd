import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import type { Session } from '@/api/app';
import { sessionQuery } from './queries';
import { tellTabs } from './tabs';

/** Who is signed in. Only used below the signed-in layout, which has loaded it. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

/** Whether the role allows an action, by the scope that its route needs. */
export function useCan(): (scope: string) => boolean {
  const { scopes } = useSession();
  return (scope) => scopes.includes(scope);
}

export function useIsAdmin(): boolean {
  return useSession().role !== 'agent';
}

/** Everything of the session before is dropped: another account must never show through. */
export function useEnterSession(): (session: Session) => void {
  const client = useQueryClient();
  return (session) => {
    client.clear();
    tellTabs();
    client.setQueryData(sessionQuery.queryKey, session);
  };
}
