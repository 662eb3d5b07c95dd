import type { Trigger } from '@/api/schema';
import { locale, t, tDynamic } from '@/i18n';
import { mediumTime } from '@/i18n/time';

/** A Sunday. */
const SUNDAY = Date.UTC(2026, 0, 4);
const DAY_MS = 24 * 60 * 60_000;

export function weekdayName(day: number): string {
  return new Date(SUNDAY + day * DAY_MS).toLocaleDateString(locale(), { weekday: 'long', timeZone: 'UTC' });
}

/** When a trigger fires, in one sentence. */
export function describeTrigger(trigger: Trigger): string {
  const time = trigger.send_time ?? '';
  switch (trigger.kind) {
    case 'once':
      return t('trigger.onceAt', { time: trigger.run_at ? mediumTime(trigger.run_at) : '–' });
    case 'event':
      return tDynamic('triggerEvent', trigger.event_key ?? '');
    case 'webhook':
      return t('triggerKind.webhook');
    case 'recurring':
      if (trigger.period === 'weekly')
        return t('trigger.weeklyAt', { day: weekdayName(trigger.day_of_week ?? 0), time });
      if (trigger.period === 'monthly')
        return t('trigger.monthlyAt', { day: trigger.day_of_month ?? 1, time });
      return t('trigger.dailyAt', { time });
  }
}

/** A moment with its weekday, in the account's timezone. */
export function dueText(moment: number, zone: string): string {
  return new Date(moment).toLocaleString(locale(), {
    timeZone: zone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  });
}
