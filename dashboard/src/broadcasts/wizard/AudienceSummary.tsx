import type { BroadcastPreview, ContactTotal } from '@/api/schema';
import { contactName } from '@/contacts/names';
import { t } from '@/i18n';
import { Avatar } from '@/ui/Avatar';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Section } from '@/ui/Page';
import { Spinner } from '@/ui/Spinner';
import type { AudienceSize } from './audienceSize';

/** How many people it is for, some of them, and who is left out. */
export function AudienceSummary({ size }: { size: AudienceSize }) {
  const { preview, isReading, isIncomplete, error } = size;
  return (
    <Section title={t('audience.size')} actions={isReading && <Spinner />}>
      {isIncomplete && <p className="text-ink-soft">{t('audience.incomplete')}</p>}
      {error !== null && error !== undefined && <ErrorNotice error={error} />}
      <p aria-live="polite" className="text-lg font-semibold">
        {preview && !isReading && sizeText(preview.recipients)}
      </p>
      {preview && (
        <div className={isReading ? 'opacity-55' : ''}>
          <Sample preview={preview} />
          <LeftOut preview={preview} />
          <Limit left={preview.broadcasts_left} />
        </div>
      )}
    </Section>
  );
}

function Sample({ preview: { sample } }: { preview: BroadcastPreview }) {
  return (
    <ul className="mt-2 flex flex-col gap-1.5 empty:hidden">
      {sample.map((contact) => (
        <li key={contact.id} className="flex items-center gap-2">
          <Avatar name={contactName(contact)} src={contact.avatar_url} size={28} />
          <span className="truncate">{contactName(contact)}</span>
          <bdi dir="ltr" className="ms-auto truncate text-sm text-ink-soft">
            {contact.phone}
          </bdi>
        </li>
      ))}
    </ul>
  );
}

/** Each reason with the number of people, and none that keeps nobody from it. */
function LeftOut({ preview: { left_out: left, new_contacts: added } }: { preview: BroadcastPreview }) {
  const reasons = [
    [left.opted_out, t('audience.leftOutOptedOut', { count: left.opted_out })],
    [left.without_phone, t('audience.leftOutNoPhone', { count: left.without_phone })],
    [left.excluded_by_tag, t('audience.leftOutTags', { count: left.excluded_by_tag })],
    [left.listed_twice, t('audience.listedTwice', { count: left.listed_twice })],
  ] as const;
  const given = reasons.filter(([count]) => count > 0);
  return (
    <div className="mt-3 border-t border-line pt-3 text-sm text-ink-soft">
      <p className="font-medium text-ink">
        {given.length > 0 ? t('audience.leftOut') : t('audience.nobodyLeftOut')}
      </p>
      <ul className="list-disc ps-5 empty:hidden">
        {given.map(([, words]) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
      {added > 0 && <p className="mt-1">{t('audience.newContacts', { count: added })}</p>}
    </div>
  );
}

/** What is left of the month's limit of broadcasts. */
export function Limit({ left }: { left: number | null }) {
  if (left === null) return null;
  return left > 0 ? (
    <p className="mt-3 text-sm text-ink-soft">{t('broadcast.left', { count: left })}</p>
  ) : (
    <p className="mt-3 rounded-lg bg-warning-soft p-3">{t('broadcast.noneLeft')}</p>
  );
}

export function sizeText(total: ContactTotal): string {
  return total.is_more
    ? t('audience.moreThan', { count: total.count })
    : t('audience.people', { count: total.count });
}
