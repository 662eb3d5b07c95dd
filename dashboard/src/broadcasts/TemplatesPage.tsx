import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { MessageSquareText, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { call } from '@/api/client';
import type { Template, TemplateStatus } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { useCan, useIsAdmin } from '@/session/session';
import { allTemplatesQuery, templatesQuery } from '@/templates/queries';
import { TemplateBubble } from '@/templates/TemplateBubble';
import { Button } from '@/ui/Button';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { FilterChips } from '@/ui/FilterChips';
import { Page } from '@/ui/Page';
import { SearchField } from '@/ui/SearchField';
import { Loading } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import { notify, notifyFailure } from '@/ui/toast';
import { TEMPLATE_STATUSES } from './search';
import { BroadcastTabs } from './Tabs';

const route = getRouteApi('/shell/templates');

const TONES: Record<TemplateStatus, 'neutral' | 'accent' | 'danger' | 'warning'> = {
  APPROVED: 'accent',
  PENDING: 'warning',
  REJECTED: 'danger',
  PAUSED: 'warning',
  DISABLED: 'neutral',
};

export function TemplatesPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const query = useQuery(allTemplatesQuery);
  const [text, setText] = useState(search.q ?? '');
  const wanted = text.trim().toLowerCase();
  const found = (query.data ?? []).filter(
    (template) =>
      (!search.status || template.status === search.status) &&
      (!wanted || `${template.name} ${JSON.stringify(template.components)}`.toLowerCase().includes(wanted)),
  );
  return (
    <Page title={t('templates.title')} actions={isAdmin && <SyncButton />}>
      <BroadcastTabs />
      <div className="filter-bar">
        <div className="min-w-40 flex-1">
          <SearchField label={t('template.search')} value={text} onChange={setText} />
        </div>
        <FilterChips
          label={t('broadcasts.status')}
          all={t('ui.anyStatus')}
          chips={TEMPLATE_STATUSES.map((value) => ({ value, label: tDynamic('templateStatus', value) }))}
          value={search.status}
          onChange={(status) => void navigate({ to: '/templates', search: { status }, replace: true })}
        />
      </div>
      {query.isPending && <Loading />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && found.length === 0 && (
        <EmptyState
          icon={<MessageSquareText size={40} />}
          title={query.data.length > 0 ? t('templates.noMatch') : t('templates.empty')}
          action={query.data.length === 0 && isAdmin && <SyncButton />}
        >
          {query.data.length > 0 ? t('broadcasts.noMatchHelp') : t('templates.emptyHelp')}
        </EmptyState>
      )}
      <ul
        aria-label={t('templates.title')}
        className="mx-auto grid max-w-columns grid-cols-1 gap-4 p-gutter empty:hidden sm:grid-cols-2 xl:grid-cols-3"
      >
        {found.map((template) => (
          <Card key={template.id} template={template} />
        ))}
      </ul>
    </Page>
  );
}

function Card({ template }: { template: Template }) {
  const mayUse = useCan()('broadcasts:send') && template.status === 'APPROVED';
  return (
    <li className="flex flex-col overflow-hidden rounded-xl border border-line bg-surface">
      <div className="flex items-start gap-2 px-4 py-3">
        <div className="min-w-0 flex-1">
          <h2 className="truncate font-semibold">{template.name}</h2>
          <p className="text-sm text-ink-soft">
            {template.language} · {tDynamic('templateCategory', template.category)}
          </p>
        </div>
        <Badge tone={TONES[template.status]}>{tDynamic('templateStatus', template.status)}</Badge>
      </div>
      <div className="flex-1 bg-bubble p-4 pe-8 text-sm">
        <TemplateBubble template={template} values={{}} />
      </div>
      {template.status === 'APPROVED' ? (
        mayUse && (
          <Link
            to="/broadcasts/new"
            search={{ template: template.name, language: template.language }}
            className="border-t border-line px-4 py-2.5 text-center font-medium text-accent hover:bg-sunken"
          >
            {t('templates.use')}
            <span className="sr-only"> {`${template.name} ${template.language}`}</span>
          </Link>
        )
      ) : (
        <p className="border-t border-line px-4 py-2.5 text-sm text-ink-soft">
          {tDynamic('templateStatusHelp', template.status)}
        </p>
      )}
    </li>
  );
}

/** Reads the templates of every connected WhatsApp number again. */
function SyncButton() {
  const client = useQueryClient();
  const sync = useMutation({
    mutationFn: async () => {
      const { data: connections } = await call('GET /app/api/admin/connections');
      const numbers = connections.filter(
        ({ channel, status }) => channel === 'whatsapp' && status === 'connected',
      );
      let count = 0;
      for (const { id } of numbers)
        count += (await call('POST /app/api/admin/connections/{id}/sync', { path: { id } })).data.templates;
      return count;
    },
    onSuccess: async (count) => {
      await client.invalidateQueries({ queryKey: templatesQuery.queryKey });
      notify(t('channels.synced', { count }));
    },
    onError: (error) => notifyFailure(t('templates.syncFailed'), error),
  });
  return (
    <Button icon={<RefreshCw size={16} aria-hidden />} busy={sync.isPending} onClick={() => sync.mutate()}>
      {t('channels.sync')}
    </Button>
  );
}
