import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useAttempts } from '@/api/attempts';
import { call } from '@/api/client';
import type { Inquiry, InquiryStatus } from '@/api/schema';
import { Notes } from '@/contacts/Notes';
import { OpenConversation } from '@/contacts/OpenConversation';
import { t, tDynamic } from '@/i18n';
import { useCan } from '@/session/session';
import { BackLink, Page, Section, UnreadyPage } from '@/ui/Page';
import { SelectField } from '@/ui/SelectField';
import { Time } from '@/ui/Time';
import { notifyFailure } from '@/ui/toast';
import { inquiryNotesQuery, inquiryQuery } from './queries';
import { INQUIRY_STATUSES } from './search';

const route = getRouteApi('/shell/inquiries/$inquiryId');

export function InquiryPage() {
  const { inquiryId } = route.useParams();
  const query = useQuery(inquiryQuery(inquiryId));
  if (!query.data) {
    return (
      <UnreadyPage
        title={t('nav.inquiries')}
        back={<BackLink to="/inquiries" label={t('nav.inquiries')} />}
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return <InquiryDetail inquiry={query.data} />;
}

function InquiryDetail({ inquiry }: { inquiry: Inquiry }) {
  const client = useQueryClient();
  const writable = useCan()('inquiries:write');
  const path = { id: inquiry.id };
  const attempts = useAttempts();
  const notes = useQuery(inquiryNotesQuery(inquiry.id)).data;
  const setStatus = async (status: InquiryStatus) => {
    const { queryKey } = inquiryQuery(inquiry.id);
    client.setQueryData(queryKey, { ...inquiry, status });
    try {
      client.setQueryData(queryKey, (await call('PATCH /inquiries/{id}', { path, body: { status } })).data);
      void client.invalidateQueries({ queryKey: ['inquiries'] });
    } catch (error) {
      client.setQueryData(queryKey, inquiry);
      notifyFailure(t('inquiries.changeFailed'), error);
    }
  };
  const addNote = async (body: string) => {
    await attempts.call('POST /inquiries/{id}/notes', { path, body: { body } });
    await client.invalidateQueries({ queryKey: inquiryNotesQuery(inquiry.id).queryKey });
  };
  const facts: Array<[string, string | null]> = [
    [t('contact.email'), inquiry.email],
    [t('contact.phone'), inquiry.phone],
    [t('inquiries.form'), inquiry.form],
    [t('inquiries.page'), inquiry.source_url],
    ...Object.entries(inquiry.fields),
  ];
  return (
    <Page
      title={inquiry.name ?? inquiry.email ?? inquiry.phone ?? t('contact.unnamed')}
      back={<BackLink to="/inquiries" label={t('nav.inquiries')} />}
      actions={
        <>
          <OpenConversation contactId={inquiry.contact_id} />
          {inquiry.contact_id && (
            <Link
              to="/contacts/$contactId"
              params={{ contactId: inquiry.contact_id }}
              className="px-2 font-medium text-accent underline"
            >
              {t('inquiries.contact')}
            </Link>
          )}
          <div className="w-40">
            <SelectField
              label={t('inquiries.status')}
              hideLabel
              value={inquiry.status}
              disabled={!writable}
              onChange={(event) => void setStatus(event.target.value as InquiryStatus)}
            >
              {INQUIRY_STATUSES.map((status) => (
                <option key={status} value={status}>
                  {tDynamic('inquiryStatus', status)}
                </option>
              ))}
            </SelectField>
          </div>
        </>
      }
    >
      <div className="mx-auto grid max-w-columns grid-cols-1 gap-4 p-gutter lg:grid-cols-[1fr_22rem]">
        <Section
          title={t('inquiries.message')}
          actions={
            <span className="text-sm text-ink-soft">
              <Time at={inquiry.created_at} style="medium" />
            </span>
          }
        >
          <p dir="auto" className="mb-4 break-words whitespace-pre-wrap">
            {inquiry.message ?? t('inquiries.noMessage')}
          </p>
          <dl className="grid gap-y-1.5 sm:grid-cols-[10rem_1fr]">
            {facts.map(([label, value]) =>
              value ? (
                <div key={label} className="contents">
                  <dt className="text-ink-soft">{label}</dt>
                  <dd className="break-words">{value}</dd>
                </div>
              ) : null,
            )}
          </dl>
        </Section>
        <Section title={t('contact.notes')}>
          <Notes notes={notes} onAdd={writable ? addNote : undefined} />
        </Section>
      </div>
    </Page>
  );
}
