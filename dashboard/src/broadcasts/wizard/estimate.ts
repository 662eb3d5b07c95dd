/** How long a broadcast takes, and what it costs. Pure. */
import { t } from '@/i18n';

/** What WhatsApp allows a number by default. */
export const WHATSAPP_PER_SECOND = 80;

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 60 * MINUTE_SECONDS;

export function durationText(recipients: number, perSecond = WHATSAPP_PER_SECOND): string {
  const seconds = Math.ceil(recipients / perSecond);
  if (seconds < MINUTE_SECONDS) return t('broadcast.durationShort');
  if (seconds < HOUR_SECONDS)
    return t('broadcast.durationMinutes', { count: Math.ceil(seconds / MINUTE_SECONDS) });
  return t('broadcast.durationHours', { count: Math.ceil(seconds / HOUR_SECONDS) });
}

/** A price as people type it, `0.05` or `0,05`; null if it is none. */
export function parsePrice(typed: string): number | null {
  const value = Number(typed.trim().replace(',', '.'));
  return typed.trim() === '' || !Number.isFinite(value) || value < 0 ? null : value;
}
