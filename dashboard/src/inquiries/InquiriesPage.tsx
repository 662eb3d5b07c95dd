import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ListTodo } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { InquiryStatus } from '@/api/schema';
import { useCommands } from '@/commands/commands';
import { KEYS } from '@/commands/shortcuts';
import { t, tDynamic } from '@/i18n';
import { useIsAdmin } from '@/session/session';
import { ButtonLink } from '@/ui/ButtonLink';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { FilterChips } from '@/ui/FilterChips';
import { LoadMore } from '@/ui/LoadMore';
import { Page } from '@/ui/Page';
import { SearchField } from '@/ui/SearchField';
import { Loading } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import { Time } from '@/ui/Time';
import { useDebounced } from '@/ui/useDebounced';
import { inquiriesQuery } from './queries';
import { INQUIRY_STATUSES } from './search';

const route = getRouteApi('/shell/inquiries');

const TONES: Record<InquiryStatus, 'accent' | 'warning' | 'neutral'> = {
  new: 'accent',
  in_progress: 'warning',
  resolved: 'neutral',
  spam: 'neutral',
};

export function InquiriesPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const [text, setText] = useState(search.q ?? '');
  const settled = useDebounced(text);
  const input = useRef<HTMLInputElement>(null);
  const change = (next: Record<string, string | undefined>) =>
    void navigate({
      to: '/inquiries',
      search: (before) => ({ ...before, ...next }) as typeof search,
      replace: true,
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed changes the address
  useEffect(() => {
    if (settled !== (search.q ?? '')) change({ q: settled || undefined });
  }, [settled]);
  useCommands([
    {
      id: 'inquiries.search',
      group: t('nav.inquiries'),
      label: t('inquiries.search'),
      shortcut: KEYS.search,
      run: () => input.current?.focus(),
    },
  ]);
  const filter = { status: search.status, q: search.q };
  const query = useInfiniteQuery(inquiriesQuery(filter));
  const inquiries = query.data?.pages.flatMap((page) => page.data) ?? [];
  const filtered = filter.status !== undefined || filter.q !== undefined;
  return (
    <Page title={t('nav.inquiries')}>
      <div className="filter-bar">
        <div className="min-w-40 flex-1">
          <SearchField ref={input} label={t('inquiries.search')} value={text} onChange={setText} />
        </div>
        <FilterChips
          label={t('inquiries.status')}
          all={t('ui.anyStatus')}
          chips={INQUIRY_STATUSES.map((value) => ({ value, label: tDynamic('inquiryStatus', value) }))}
          value={search.status}
          onChange={(status) => change({ status })}
        />
      </div>
      {query.isPending && <Loading />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && inquiries.length === 0 && (
        <EmptyState
          icon={<ListTodo size={40} />}
          title={filtered ? t('inquiries.noMatch') : t('inquiries.empty')}
          action={
            isAdmin &&
            !filtered && (
              <ButtonLink kind="primary" to="/settings/forms">
                {t('forms.new')}
              </ButtonLink>
            )
          }
        >
          {filtered ? t('inquiries.noMatchHelp') : t('inquiries.emptyHelp')}
        </EmptyState>
      )}
      <ul className="page-column flex flex-col">
        {inquiries.map((inquiry) => (
          <li
            key={inquiry.id}
            className="lazy-render relative border border-t-0 border-line bg-surface px-4 py-3 first:rounded-t-xl first:border-t last:rounded-b-xl hover:bg-sunken"
          >
            <div className="flex items-center gap-2">
              <Link
                to="/inquiries/$inquiryId"
                params={{ inquiryId: inquiry.id }}
                className="min-w-0 flex-1 truncate font-medium after:absolute after:inset-0"
              >
                {inquiry.name ?? inquiry.email ?? inquiry.phone ?? t('contact.unnamed')}
              </Link>
              <Badge tone={TONES[inquiry.status]}>{tDynamic('inquiryStatus', inquiry.status)}</Badge>
              <span className="text-sm text-ink-soft">
                <Time at={inquiry.created_at} />
              </span>
            </div>
            <p className="truncate text-ink-soft">{inquiry.message ?? inquiry.form}</p>
          </li>
        ))}
      </ul>
      <LoadMore query={query} />
    </Page>
  );
}
