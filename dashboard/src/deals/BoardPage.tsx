import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Handshake, Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useCommands } from '@/commands/commands';
import { KEYS } from '@/commands/shortcuts';
import { pipelinesQuery } from '@/contacts/queries';
import { t, tDynamic } from '@/i18n';
import { useActiveMembers } from '@/session/members';
import { useCan, useIsAdmin } from '@/session/session';
import { Button } from '@/ui/Button';
import { ButtonLink } from '@/ui/ButtonLink';
import { EmptyState } from '@/ui/EmptyState';
import { Page, UnreadyPage } from '@/ui/Page';
import { SearchField } from '@/ui/SearchField';
import { SelectField } from '@/ui/SelectField';
import { useDebounced } from '@/ui/useDebounced';
import { Board } from './Board';
import { type BoardFilter, ORDERS, type Order } from './board';
import { DealDialog } from './DealForm';

const route = getRouteApi('/shell/deals');

export function BoardPage() {
  const search = route.useSearch();
  const can = useCan();
  const admin = useIsAdmin();
  const query = useQuery(pipelinesQuery);
  const [creating, setCreating] = useState(false);
  const writable = can('deals:write');
  useCommands(
    writable
      ? [
          {
            id: 'deals.new',
            group: t('nav.deals'),
            label: t('deals.new'),
            shortcut: KEYS.create,
            run: () => setCreating(true),
          },
        ]
      : [],
  );
  if (!query.data) {
    return <UnreadyPage title={t('nav.deals')} error={query.error} onRetry={() => void query.refetch()} />;
  }
  const pipeline = query.data.find((candidate) => candidate.id === search.pipeline) ?? query.data[0];
  if (!pipeline) {
    return (
      <Page title={t('nav.deals')}>
        <EmptyState
          icon={<Handshake size={40} />}
          title={t('deals.noPipeline')}
          action={admin && <ButtonLink to="/settings/pipelines">{t('settings.pipelines')}</ButtonLink>}
        >
          {t('deals.noPipelineHelp')}
        </EmptyState>
      </Page>
    );
  }
  const filter: BoardFilter = {
    pipeline_id: pipeline.id,
    ...(search.owner && { owner_user_id: search.owner }),
    ...(search.q && { q: search.q }),
  };
  return (
    <Page
      title={t('nav.deals')}
      actions={
        writable && (
          <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            {t('deals.new')}
          </Button>
        )
      }
    >
      <div className="flex h-full min-h-0 flex-col">
        <BoardFilters pipelineId={pipeline.id} pipelines={query.data} />
        <Board pipeline={pipeline} filter={filter} order={search.order ?? 'newest'} />
      </div>
      <DealDialog open={creating} onClose={() => setCreating(false)} pipelineId={pipeline.id} />
    </Page>
  );
}

function BoardFilters({
  pipelineId,
  pipelines,
}: {
  pipelineId: string;
  pipelines: Array<{ id: string; name: string }>;
}) {
  const search = route.useSearch();
  const navigate = useNavigate();
  const members = useActiveMembers();
  const [text, setText] = useState(search.q ?? '');
  const settled = useDebounced(text);
  const input = useRef<HTMLInputElement>(null);
  const change = (next: Record<string, string | undefined>) =>
    void navigate({
      to: '/deals',
      search: (before) => ({ ...before, ...next }) as typeof search,
      replace: true,
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed changes the address
  useEffect(() => {
    if (settled !== (search.q ?? '')) change({ q: settled || undefined });
  }, [settled]);
  useCommands([
    {
      id: 'deals.search',
      group: t('nav.deals'),
      label: t('deals.search'),
      shortcut: KEYS.search,
      run: () => input.current?.focus(),
    },
  ]);
  return (
    <div className="filter-bar">
      <div className="min-w-40 flex-1 max-sm:basis-full">
        <SearchField ref={input} label={t('deals.search')} value={text} onChange={setText} />
      </div>
      {pipelines.length > 1 && (
        <div className="w-44 max-sm:w-auto max-sm:flex-1">
          <SelectField
            label={t('deals.pipeline')}
            hideLabel
            value={pipelineId}
            onChange={(event) => change({ pipeline: event.target.value })}
          >
            {pipelines.map((pipeline) => (
              <option key={pipeline.id} value={pipeline.id}>
                {pipeline.name}
              </option>
            ))}
          </SelectField>
        </div>
      )}
      <div className="w-44 max-sm:w-auto max-sm:flex-1">
        <SelectField
          label={t('deals.owner')}
          hideLabel
          value={search.owner ?? ''}
          onChange={(event) => change({ owner: event.target.value || undefined })}
        >
          <option value="">{t('deals.anyOwner')}</option>
          {members.map((member) => (
            <option key={member.id} value={member.id}>
              {member.name}
            </option>
          ))}
        </SelectField>
      </div>
      <div className="w-44 max-sm:w-auto max-sm:flex-1">
        <SelectField
          label={t('deals.order')}
          hideLabel
          value={search.order ?? 'newest'}
          onChange={(event) => change({ order: event.target.value as Order })}
        >
          {ORDERS.map((order) => (
            <option key={order} value={order}>
              {tDynamic('dealOrder', order)}
            </option>
          ))}
        </SelectField>
      </div>
    </div>
  );
}
