import type { Channel } from './schema';

/** Where a customer can write to. */
export const CHANNELS: readonly Channel[] = [
  'whatsapp',
  'personal_whatsapp',
  'messenger',
  'instagram',
  'web_chat',
];
