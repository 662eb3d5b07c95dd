import type { Contact } from '@/api/schema';
import { t } from '@/i18n';

function Row({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className="flex gap-3 py-1">
      <dt className="w-28 shrink-0 text-ink-soft">{label}</dt>
      <dd dir="auto" className="min-w-0 flex-1 break-words">
        {children ?? '–'}
      </dd>
    </div>
  );
}

/** What is known about a contact, custom fields included. */
export function Details({ contact }: { contact: Contact }) {
  return (
    <dl>
      <Row label={t('contact.phone')}>
        {contact.phone && (
          <a href={`tel:${contact.phone}`} className="hover:underline">
            {contact.phone}
          </a>
        )}
      </Row>
      <Row label={t('contact.email')}>
        {contact.email && (
          <a href={`mailto:${contact.email}`} className="hover:underline">
            {contact.email}
          </a>
        )}
      </Row>
      <Row label={t('contact.company')}>{contact.company}</Row>
      {contact.custom_fields.map((field) => (
        <Row key={field.field_id} label={field.name}>
          {field.value}
        </Row>
      ))}
    </dl>
  );
}
