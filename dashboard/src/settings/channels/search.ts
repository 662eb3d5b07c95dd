import { CHANNELS } from '@/api/channels';
import type { Channel } from '@/api/schema';

export interface ConnectSearch {
  channel?: Channel | undefined;
}

export function parseConnectSearch(search: Record<string, unknown>): ConnectSearch {
  return { channel: CHANNELS.find((channel) => channel === search.channel) };
}
