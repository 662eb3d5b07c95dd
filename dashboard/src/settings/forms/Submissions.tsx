import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FormDetail } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { inquiriesQuery } from '@/inquiries/queries';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { LoadMore } from '@/ui/LoadMore';
import { Section } from '@/ui/Page';
import { LoadingRows } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import { Time } from '@/ui/Time';

const ROW_PX = 60;

/** What was sent by a form, newest first. The API has no filter by form, so it is sought among all inquiries. */
export function Submissions({ form }: { form: FormDetail }) {
  const query = useInfiniteQuery(inquiriesQuery({}));
  const sent = query.data?.pages.flatMap((page) => page.data).filter((inquiry) => inquiry.form === form.name);
  return (
    <Section title={t('forms.submissions')}>
      {query.isPending && <LoadingRows rowPx={ROW_PX} count={3} />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {sent?.length === 0 && (
        <p className="text-ink-soft">{query.hasNextPage ? t('forms.noneRecent') : t('forms.none')}</p>
      )}
      <ul className="-mx-4 divide-y divide-line empty:hidden">
        {sent?.map((inquiry) => (
          <li
            key={inquiry.id}
            className="relative flex min-h-15 items-center gap-3 px-4 py-2 hover:bg-sunken"
          >
            <div className="min-w-0 flex-1">
              <Link
                to="/inquiries/$inquiryId"
                params={{ inquiryId: inquiry.id }}
                className="block truncate font-medium after:absolute after:inset-0"
              >
                {inquiry.name ?? inquiry.email ?? inquiry.phone ?? t('contact.unnamed')}
              </Link>
              <p className="truncate text-sm text-ink-soft">{inquiry.message ?? t('inquiries.noMessage')}</p>
            </div>
            <Badge tone={inquiry.status === 'new' ? 'accent' : 'neutral'}>
              {tDynamic('inquiryStatus', inquiry.status)}
            </Badge>
            <span className="text-sm text-ink-soft">
              <Time at={inquiry.created_at} />
            </span>
          </li>
        ))}
      </ul>
      <LoadMore query={query} />
    </Section>
  );
}
