import type { ContactSummary } from '@/api/shapes';
import { t } from '@/i18n';

/** What a contact is called: by name, else by number. */
export function contactName(contact: Pick<ContactSummary, 'name' | 'phone'> | undefined | null): string {
  return contact?.name || contact?.phone || t('contact.unnamed');
}
