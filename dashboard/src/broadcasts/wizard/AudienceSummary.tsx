import { contactName } from '@/contacts/names';
import { t } from '@/i18n';
import { Avatar } from '@/ui/Avatar';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Section } from '@/ui/Page';
import { Spinner } from '@/ui/Spinner';
import type { AudienceSize } from './audienceSize';
import type { AudienceDraft } from './draft';

/** How many people it is for, some of them, and who is left out. */
export function AudienceSummary({ audience, size }: { audience: AudienceDraft; size: AudienceSize }) {
  return (
    <Section title={t('audience.size')} actions={size.isReading && <Spinner />}>
      <p aria-live="polite" className="text-lg font-semibold">
        {size.total ? sizeText(size) : ''}
      </p>
      {!size.total && !size.isReading && <p className="text-ink-soft">{t('audience.incomplete')}</p>}
      {size.error !== null && size.error !== undefined && <ErrorNotice error={size.error} />}
      <ul className="mt-2 flex flex-col gap-1.5 empty:hidden">
        {size.sample.map((contact) => (
          <li key={contact.id} className="flex items-center gap-2">
            <Avatar name={contactName(contact)} src={contact.avatar_url} size={28} />
            <span className="truncate">{contactName(contact)}</span>
            <bdi dir="ltr" className="ms-auto truncate text-sm text-ink-soft">
              {contact.phone}
            </bdi>
          </li>
        ))}
      </ul>
      <div className="mt-3 border-t border-line pt-3 text-sm text-ink-soft">
        <p className="font-medium text-ink">{t('audience.leftOut')}</p>
        <ul className="list-disc ps-5">
          <li>{t('audience.leftOutOptedOut')}</li>
          {audience.type !== 'phones' && <li>{t('audience.leftOutNoPhone')}</li>}
          {audience.excludeTagIds.length > 0 &&
            audience.type !== 'phones' &&
            audience.type !== 'contacts' && <li>{t('audience.leftOutTags')}</li>}
        </ul>
        <p className="mt-1">{t('audience.listedTwice')}</p>
        {audience.type === 'phones' && <p className="mt-1">{t('audience.newContacts')}</p>}
      </div>
    </Section>
  );
}

export function sizeText({ total }: AudienceSize): string {
  if (!total) return '';
  return total.is_more
    ? t('audience.moreThan', { count: total.count })
    : t('audience.atMost', { count: total.count });
}
