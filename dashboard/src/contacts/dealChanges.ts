/** What happened to a deal, in words. Pure. */
import type { DealChange } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { calendarDate, money } from '@/i18n/time';

/** Names by id. */
export interface Names {
  member: (id: string) => string;
  assistant: (id: string) => string;
  contact: (id: string) => string;
  stage: (id: string) => string;
}

export function changeText(change: DealChange, names: Names): string {
  const { kind, old_value: before, new_value: now } = change;
  switch (kind) {
    case 'created':
      return t('dealChange.created');
    case 'won':
      return t('dealChange.won');
    case 'lost':
      return now ? t('dealChange.lostFor', { reason: now }) : t('dealChange.lost');
    case 'reopened':
      return t('dealChange.reopened');
    default: {
      const field = tDynamic('dealField', kind);
      const [old, next] = [before, now].map((value) => value && shown(kind, value, names));
      if (old && next) return t('dealChange.changed', { field, old, next });
      if (next) return t('dealChange.set', { field, next });
      if (old) return t('dealChange.removed', { field, old });
      // The contact that was there is erased.
      return t('dealChange.changedUnknown', { field });
    }
  }
}

function shown(kind: DealChange['kind'], value: string, names: Names): string {
  switch (kind) {
    case 'value':
      return amount(value);
    case 'stage':
      return names.stage(value);
    case 'owner':
      return names.member(value);
    case 'contact':
      return names.contact(value);
    case 'expected_close_date':
      return calendarDate(value);
    default:
      return t('dealChange.quoted', { text: value });
  }
}

/** An amount and its currency, such as `1200 EUR`. */
function amount(text: string): string {
  const [value = '', currency = ''] = text.split(' ');
  return money(Number(value), currency);
}

/** Who did it; nothing if the system did. */
export function changedBy(change: DealChange, names: Names): string | null {
  if (change.by_user_id) return names.member(change.by_user_id);
  if (change.by_assistant_id) return names.assistant(change.by_assistant_id);
  if (change.by_key_id) return t('dealChange.key', { name: change.by_key_name ?? '' }).trim();
  return null;
}
