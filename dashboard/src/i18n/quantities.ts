import { locale, t } from './index';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** A duration with as many digits as a person reads: 812 ms, 1.5 s, 2 min 5 s, 3 h 10 min. */
export function duration(ms: number): string {
  if (ms < SECOND_MS) return t('time.milliseconds', { count: Math.round(ms) });
  if (ms < MINUTE_MS) {
    const digits = ms < 10 * SECOND_MS ? 1 : 0;
    const count = Math.floor((ms / SECOND_MS) * 10 ** digits) / 10 ** digits;
    return t('time.seconds', { count });
  }
  if (ms < HOUR_MS)
    return t('time.minutesSeconds', {
      minutes: Math.floor(ms / MINUTE_MS),
      seconds: Math.floor((ms % MINUTE_MS) / SECOND_MS),
    });
  return t('time.hoursMinutes', {
    hours: Math.floor(ms / HOUR_MS),
    minutes: Math.floor((ms % HOUR_MS) / MINUTE_MS),
  });
}

const CENT = 0.01;

/** What models cost. Less than a cent is shown with two digits that count. */
export function cost(usd: number): string {
  const digits = usd > 0 && usd < CENT ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 };
  return usd.toLocaleString(locale(), { style: 'currency', currency: 'USD', ...digits });
}
