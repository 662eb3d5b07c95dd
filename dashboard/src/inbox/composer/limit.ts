/** How much a channel takes in one message. Pure. */
import type { Channel } from '@/api/schema';

/** The server refuses longer texts: `Channel::too_long` has the same numbers. Instagram counts bytes. */
const LIMITS: Record<Channel, { most: number; inBytes?: boolean }> = {
  whatsapp: { most: 4_096 },
  personal_whatsapp: { most: 4_096 },
  web_chat: { most: 4_096 },
  messenger: { most: 2_000 },
  instagram: { most: 1_000, inBytes: true },
};
/** The counter shows in the last tenth. */
const NEAR = 0.9;

/** How many more fit, below zero when there are too many. Null while the limit is far. */
export function charactersLeft(text: string, channel: Channel): number | null {
  const { most, inBytes } = LIMITS[channel];
  const used = inBytes ? new TextEncoder().encode(text).length : [...text].length;
  return used < most * NEAR ? null : most - used;
}
