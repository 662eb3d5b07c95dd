import { CalendarX } from 'lucide-react';
import type { Deal } from '@/api/schema';
import { t } from '@/i18n';
import { calendarDate, dateIn } from '@/i18n/time';
import { useSession } from '@/session/session';
import { useNow } from '@/ui/useNow';
import { isOverdue } from './board';

const TODAY_MS = 60_000;

/** The date in the account's timezone, which decides what is overdue. */
export function useToday(): string {
  return dateIn(useSession().account.timezone, useNow(TODAY_MS));
}

/** When a deal is expected to close, marked when that day is over. */
export function CloseDate({ deal, today }: { deal: Deal; today: string }) {
  if (!deal.expected_close_date) return null;
  const date = calendarDate(deal.expected_close_date);
  if (!isOverdue(deal, today)) return <span className="text-ink-soft">{date}</span>;
  return (
    <span className="inline-flex items-center gap-1 font-medium text-danger">
      <CalendarX size={14} aria-hidden />
      <span className="sr-only">{t('deals.overdue')}</span>
      <span title={t('deals.overdue')}>{date}</span>
    </span>
  );
}
