import type { ContactTotal } from '@/api/schema';
import { t } from '@/i18n';

/** A number of contacts in words. */
export function totalText({ count, is_more: isMore }: ContactTotal): string {
  return isMore ? t('contacts.totalMore', { count }) : t('contacts.total', { count });
}
