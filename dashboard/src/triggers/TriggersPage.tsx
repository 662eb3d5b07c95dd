import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { AlarmClock, Plus } from 'lucide-react';
import type { Trigger } from '@/api/schema';
import { useCommands } from '@/commands/commands';
import { KEYS } from '@/commands/shortcuts';
import { t, tDynamic } from '@/i18n';
import { useAssistantName } from '@/session/assistants';
import { useCan } from '@/session/session';
import { ButtonLink } from '@/ui/ButtonLink';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Page } from '@/ui/Page';
import { LoadingRows } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import { Time } from '@/ui/Time';
import { describeTrigger } from './describe';
import { triggersQuery } from './queries';

const ROW_PX = 60;
const NEW = { to: '/triggers/$triggerId', params: { triggerId: 'new' } } as const;

function NewTrigger() {
  return (
    <ButtonLink {...NEW} kind="primary" icon={<Plus size={16} aria-hidden />}>
      {t('trigger.new')}
    </ButtonLink>
  );
}

/** What starts assistants by itself. */
export function TriggersPage() {
  const query = useQuery(triggersQuery);
  const navigate = useNavigate();
  const writable = useCan()('assistants:write');
  useCommands(
    writable
      ? [
          {
            id: 'triggers.new',
            group: t('nav.triggers'),
            label: t('trigger.new'),
            shortcut: KEYS.create,
            run: () => void navigate(NEW),
          },
        ]
      : [],
  );
  return (
    <Page title={t('nav.triggers')} actions={writable && <NewTrigger />}>
      <div className="settings-column">
        {query.isPending && <LoadingRows rowPx={ROW_PX} count={4} />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.data?.length === 0 && (
          <EmptyState
            icon={<AlarmClock size={40} />}
            title={t('triggers.empty')}
            action={writable && <NewTrigger />}
          >
            {t('triggers.emptyHelp')}
          </EmptyState>
        )}
        <ul className="divide-y divide-line rounded-xl border border-line bg-surface empty:hidden">
          {query.data?.map((trigger) => (
            <Row key={trigger.id} trigger={trigger} />
          ))}
        </ul>
      </div>
    </Page>
  );
}

function Row({ trigger }: { trigger: Trigger }) {
  const assistantName = useAssistantName();
  return (
    <li className="relative flex min-h-15 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 hover:bg-sunken">
      <div className="min-w-0 flex-1 basis-60">
        <Link
          to="/triggers/$triggerId"
          params={{ triggerId: trigger.id }}
          className="block truncate font-medium after:absolute after:inset-0"
        >
          {trigger.name}
        </Link>
        <p className="truncate text-sm text-ink-soft">
          {describeTrigger(trigger)} · {assistantName(trigger.assistant_id)}
        </p>
      </div>
      {trigger.last_fired_at && (
        <span className="text-sm text-ink-soft">
          {t('trigger.lastFired')} <Time at={trigger.last_fired_at} style="relative" />
        </span>
      )}
      {trigger.last_error && <Badge tone="danger">{tDynamic('triggerRefusal', trigger.last_error)}</Badge>}
      <Badge tone={trigger.enabled ? 'success' : 'neutral'}>
        {trigger.enabled ? t('trigger.on') : t('trigger.off')}
      </Badge>
    </li>
  );
}
