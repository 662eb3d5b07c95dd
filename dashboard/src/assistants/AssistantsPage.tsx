import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Bot, Plus, Route } from 'lucide-react';
import { useState } from 'react';
import { useAttempts } from '@/api/attempts';
import type { Assistant } from '@/api/schema';
import { useCommands } from '@/commands/commands';
import { KEYS } from '@/commands/shortcuts';
import { t, tDynamic } from '@/i18n';
import { assistantsQuery } from '@/session/assistants';
import { useCan } from '@/session/session';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { Page } from '@/ui/Page';
import { LoadingRows } from '@/ui/Spinner';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { Badge } from '@/ui/Tag';
import { readKept } from './kept';
import { useDraftOwner } from './owner';

const ROW_PX = 64;

/** The account's assistants. */
export function AssistantsPage() {
  const query = useQuery(assistantsQuery);
  const writable = useCan()('assistants:write');
  const [creating, setCreating] = useState(false);
  useCommands(
    writable
      ? [
          {
            id: 'assistants.new',
            group: t('nav.assistants'),
            label: t('assistants.new'),
            shortcut: KEYS.create,
            run: () => setCreating(true),
          },
        ]
      : [],
  );
  const create = writable && (
    <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      {t('assistants.new')}
    </Button>
  );
  return (
    <Page
      title={t('nav.assistants')}
      actions={
        <>
          <Link
            to="/runs"
            className="inline-flex items-center gap-1.5 rounded-lg px-3 py-1.5 font-medium text-ink-soft hover:bg-sunken"
          >
            <Route size={16} aria-hidden />
            {t('nav.runs')}
          </Link>
          {query.data?.length !== 0 && create}
        </>
      }
    >
      <div className="page-column">
        {query.isPending && <LoadingRows rowPx={ROW_PX} count={4} />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.data?.length === 0 && (
          <EmptyState icon={<Bot size={40} />} title={t('assistants.empty')} action={create}>
            {t('assistants.emptyHelp')}
          </EmptyState>
        )}
        <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-surface empty:hidden">
          {query.data?.map((assistant) => (
            <AssistantRow key={assistant.id} assistant={assistant} />
          ))}
        </ul>
      </div>
      <Dialog open={creating} onClose={() => setCreating(false)} title={t('assistants.new')}>
        <NewAssistant onCancel={() => setCreating(false)} />
      </Dialog>
    </Page>
  );
}

export function AssistantMark({ assistant }: { assistant: Pick<Assistant, 'color'> }) {
  return (
    <span className="relative inline-flex size-9 shrink-0 items-center justify-center rounded-full bg-badge text-badge-ink">
      <Bot size={18} aria-hidden />
      {assistant.color && (
        <span
          aria-hidden
          className="absolute -end-0.5 -bottom-0.5 size-3 rounded-full border-2 border-surface"
          style={{ background: assistant.color }}
        />
      )}
    </span>
  );
}

function AssistantRow({ assistant }: { assistant: Assistant }) {
  const owner = useDraftOwner();
  const channels = assistant.targets.map((target) =>
    tDynamic('channel', target.split(':')[0] === 'pwa' ? 'personal_whatsapp' : target),
  );
  const facts = [
    channels.length > 0 ? [...new Set(channels)].join(', ') : t('assistants.noChannels'),
    tDynamic('scheduleMode', assistant.schedule.mode),
    assistant.model ?? t('assistants.defaultModel'),
  ];
  return (
    <li className="relative flex items-center gap-3 px-3 py-2 hover:bg-sunken" style={{ minHeight: ROW_PX }}>
      <AssistantMark assistant={assistant} />
      <div className="min-w-0 flex-1">
        <Link
          to="/assistants/$assistantId"
          params={{ assistantId: assistant.id }}
          className="block truncate font-medium after:absolute after:inset-0"
        >
          {assistant.name}
        </Link>
        <p className="truncate text-sm text-ink-soft">{facts.join(' · ')}</p>
      </div>
      {readKept(owner, assistant.id) && <Badge tone="warning">{t('assistants.unsaved')}</Badge>}
      <Badge tone={assistant.enabled ? 'accent' : 'neutral'}>
        {assistant.enabled ? t('assistants.on') : t('assistants.off')}
      </Badge>
    </li>
  );
}

function NewAssistant({ onCancel }: { onCancel: () => void }) {
  const attempts = useAttempts();
  const navigate = useNavigate();
  return (
    <SubmitForm
      action={t('assistants.create')}
      onCancel={onCancel}
      onSubmit={async (form) => {
        const body = { name: textOf(form, 'name') };
        const { data } = await attempts.call('POST /assistants', { body });
        await navigate({ to: '/assistants/$assistantId', params: { assistantId: data.id } });
      }}
    >
      {(errorAt) => (
        <TextField
          label={t('assistants.name')}
          name="name"
          required
          maxLength={100}
          autoFocus
          error={errorAt('name')}
        />
      )}
    </SubmitForm>
  );
}
