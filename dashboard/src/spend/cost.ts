import { locale } from '@/i18n';

/** Dollars. Small sums have more digits: a model call costs a fraction of a cent. */
export function cost(usd: number): string {
  return usd.toLocaleString(locale(), {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: usd > 0 && usd < 1 ? 4 : 2,
  });
}
