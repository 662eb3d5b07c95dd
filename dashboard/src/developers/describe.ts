import { t } from '@/i18n';
import { chosenOf } from './patterns';

/** Which events an endpoint gets, in a few words. */
export function describeTypes(patterns: readonly string[]): string {
  const { all, chosen } = chosenOf(patterns);
  return all ? t('webhooks.allEvents') : [...chosen].join(', ');
}
