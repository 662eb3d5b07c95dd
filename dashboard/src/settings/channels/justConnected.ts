/**
 * What is known of a channel only because it was connected in this tab: its verify token, which the server does not show
 * again, and that no phone is linked yet. It is forgotten when the page is loaded anew.
 */
import type { QueryClient } from '@tanstack/react-query';

export interface JustConnected {
  verifyToken: string | null;
}

const keyOf = (connectionId: string) => ['just-connected', connectionId] as const;

export function rememberConnected(client: QueryClient, connectionId: string, known: JustConnected): void {
  client.setQueryDefaults(keyOf(connectionId), { gcTime: Number.POSITIVE_INFINITY });
  client.setQueryData(keyOf(connectionId), known);
}

export function justConnected(client: QueryClient, connectionId: string): JustConnected | undefined {
  return client.getQueryData<JustConnected>(keyOf(connectionId));
}

export function forgetConnected(client: QueryClient, connectionId: string): void {
  client.removeQueries({ queryKey: keyOf(connectionId) });
}
