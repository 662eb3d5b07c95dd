import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useBlocker, useNavigate } from '@tanstack/react-router';
import { FlaskConical, History, Route, Save, Trash2 } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { call } from '@/api/client';
import { ApiError } from '@/api/errors';
import type { Assistant, AssistantTool, Instruction } from '@/api/schema';
import { useCommands } from '@/commands/commands';
import { KeyCaps } from '@/commands/KeyCaps';
import { KEYS } from '@/commands/shortcuts';
import { t, tDynamic, withTexts } from '@/i18n';
import { useCan } from '@/session/session';
import { Button, IconButton } from '@/ui/Button';
import { ConfirmDialog, Dialog, DialogActions } from '@/ui/Dialog';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { lazyDialog } from '@/ui/Lazy';
import { BackLink, Page, UnreadyPage } from '@/ui/Page';
import { notify } from '@/ui/toast';
import { useMedia } from '@/ui/useMedia';
import { BasicsSection } from './BasicsSection';
import { DelegationSection } from './DelegationSection';
import { draftOf } from './draft';
import { InstructionsSection } from './InstructionsSection';
import { MediaSection } from './MediaSection';
import { MemoriesSection } from './MemoriesSection';
import { useDraftOwner } from './owner';
import { assistantInstructionsQuery, assistantQuery, assistantToolsQuery } from './queries';
import { ReachSection } from './ReachSection';
import type { SectionProps } from './section';
import { ToolsSection } from './ToolsSection';
import { TrialChat } from './TrialChat';
import { ChangedMeanwhile, useDraft } from './useDraft';

const VersionsDialog = lazyDialog(
  async () => (await withTexts(() => import('./VersionsDialog'), 'assistants', 'tools')).VersionsDialog,
);

const route = getRouteApi('/shell/assistants/$assistantId');
/** As wide that the chat fits beside the editor. */
const BESIDE = '(min-width: 80rem)';
const SECTIONS = ['basics', 'reach', 'tools', 'instructions', 'memories', 'media', 'delegation'] as const;

/** Everything that an assistant is, to edit. */
export function AssistantPage() {
  const { assistantId: id } = route.useParams();
  const client = useQueryClient();
  const assistant = useQuery(assistantQuery(id));
  const tools = useQuery(assistantToolsQuery(id));
  const instructions = useQuery(assistantInstructionsQuery(id));
  const updatedAt = assistant.data?.updated_at;
  const known = useRef(updatedAt);
  useEffect(() => {
    if (known.current && known.current !== updatedAt) {
      void client.invalidateQueries({ queryKey: assistantToolsQuery(id).queryKey });
      void client.invalidateQueries({ queryKey: assistantInstructionsQuery(id).queryKey });
    }
    known.current = updatedAt;
  }, [client, id, updatedAt]);
  const back = <BackLink to="/assistants" label={t('assistants.back')} />;
  if (!assistant.data || !tools.data || !instructions.data)
    return (
      <UnreadyPage
        title={t('nav.assistants')}
        back={back}
        error={assistant.error ?? tools.error ?? instructions.error}
        onRetry={() => {
          for (const query of [assistant, tools, instructions]) void query.refetch();
        }}
      />
    );
  return <Editor key={id} assistant={assistant.data} tools={tools.data} instructions={instructions.data} />;
}

interface EditorProps {
  assistant: Assistant;
  tools: AssistantTool[];
  instructions: Instruction[];
}

function Editor({ assistant, tools, instructions }: EditorProps) {
  const { id } = assistant;
  const owner = useDraftOwner();
  const writable = useCan()('assistants:write');
  const stored = useMemo(() => draftOf(assistant, tools, instructions), [assistant, tools, instructions]);
  const editing = useDraft(owner, id, stored);
  const { draft, changed, save } = editing;
  // Set when the member has decided that the page may be left.
  const mayLeave = useRef(false);
  const isChanged = writable && changed.length > 0;
  const [versionsOpen, setVersionsOpen] = useState(false);
  const isWide = useMedia(BESIDE);
  const saveNow = () => {
    if (!isChanged || save.isPending) return;
    save.mutate(undefined, { onSuccess: () => notify(t('assistants.savedNow')) });
  };
  useCommands(
    writable
      ? [
          {
            id: 'assistants.save',
            group: t('nav.assistants'),
            label: t('assistants.save'),
            shortcut: KEYS.save,
            run: saveNow,
          },
        ]
      : [],
  );
  const section: SectionProps = {
    draft,
    set: editing.set,
    errorAt: (path) => (save.error instanceof ApiError ? save.error.at(path) : undefined),
  };
  return (
    <Page
      title={draft.name || assistant.name}
      back={<BackLink to="/assistants" label={t('assistants.back')} />}
      actions={
        <>
          <Link
            to="/runs"
            search={{ assistant: id }}
            className="inline-flex items-center gap-1.5 rounded-lg px-3 py-1.5 font-medium text-ink-soft hover:bg-sunken"
          >
            <Route size={16} aria-hidden />
            {t('assistants.runs')}
          </Link>
          {writable && !isWide && (
            <Button
              kind="quiet"
              icon={<FlaskConical size={16} aria-hidden />}
              onClick={() => document.getElementById('trial')?.scrollIntoView({ block: 'start' })}
            >
              {t('trial.title')}
            </Button>
          )}
          <IconButton
            label={t('versions.title')}
            icon={<History size={16} aria-hidden />}
            onClick={() => setVersionsOpen(true)}
          />
          {writable && <DeleteAssistant assistant={assistant} onDeleted={() => (mayLeave.current = true)} />}
        </>
      }
    >
      <div className="mx-auto flex max-w-columns items-start gap-6 p-gutter">
        <nav aria-label={t('assistants.sections')} className="sticky top-4 w-44 shrink-0 max-lg:hidden">
          <ul>
            {SECTIONS.map((name) => (
              <li key={name}>
                <a
                  href={`#${name}`}
                  onClick={(event) => {
                    event.preventDefault();
                    document.getElementById(name)?.scrollIntoView({ block: 'start' });
                  }}
                  className="block rounded-lg px-3 py-1.5 text-ink-soft hover:bg-sunken hover:text-ink"
                >
                  {tDynamic('assistantSection', name)}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div className="flex min-w-0 flex-1 flex-col gap-4">
          {!writable && (
            <p role="note" className="rounded-lg bg-sunken px-3 py-2 text-ink-soft">
              {t('assistants.readOnly')}
            </p>
          )}
          <fieldset disabled={!writable} className="flex min-w-0 flex-col gap-4">
            <BasicsSection {...section} />
            <ReachSection {...section} assistantId={id} />
            <ToolsSection {...section} tools={tools} />
            <InstructionsSection {...section} known={instructions} />
          </fieldset>
          <MemoriesSection assistantId={id} />
          <fieldset disabled={!writable} className="flex min-w-0 flex-col gap-4">
            <MediaSection {...section} />
            <DelegationSection {...section} tools={tools} />
          </fieldset>
          {writable && !isWide && <TrialChat assistantId={id} draft={draft} tools={tools} />}
          {isChanged && <SaveBar editing={editing} onSave={saveNow} />}
        </div>
        {writable && isWide && (
          <aside aria-label={t('trial.title')} className="sticky top-4 w-96 shrink-0">
            <TrialChat assistantId={id} draft={draft} tools={tools} />
          </aside>
        )}
      </div>
      <VersionsDialog
        open={versionsOpen}
        onClose={() => setVersionsOpen(false)}
        assistantId={id}
        updatedAt={assistant.updated_at}
        stored={stored}
        tools={tools}
      />
      <LeaveQuestion
        ask={() => isChanged && !mayLeave.current}
        onDiscard={() => {
          mayLeave.current = true;
          editing.discard();
        }}
      />
    </Page>
  );
}

type Editing = ReturnType<typeof useDraft>;

function SaveBar({ editing, onSave }: { editing: Editing; onSave: () => void }) {
  const { changed, conflicts, save } = editing;
  const [discarding, setDiscarding] = useState(false);
  const names = conflicts.map((field) => tDynamic('assistantField', field)).join(', ');
  return (
    <section
      aria-label={t('assistants.unsaved')}
      className="popup sticky bottom-3 z-10 flex flex-col gap-2 p-3"
    >
      {conflicts.length > 0 && (
        <div role="alert" className="flex flex-wrap items-center gap-2 rounded-lg bg-warning-soft px-3 py-2">
          <p className="min-w-40 flex-1 text-warning">{t('assistants.conflict', { fields: names })}</p>
          <Button onClick={editing.takeTheirs}>{t('assistants.takeTheirs')}</Button>
        </div>
      )}
      {save.error instanceof ChangedMeanwhile ? (
        <p role="alert" className="text-warning">
          {t('assistants.meanwhile')}
        </p>
      ) : (
        save.error !== null && <ErrorNotice error={save.error} />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-40 flex-1">
          {t('assistants.changed', { count: changed.length })}
          <span className="text-sm text-ink-soft"> · {t('assistants.kept')}</span>
        </p>
        <Button onClick={() => setDiscarding(true)}>{t('assistants.discard')}</Button>
        <Button kind="primary" busy={save.isPending} icon={<Save size={16} aria-hidden />} onClick={onSave}>
          {t('assistants.save')}
          <KeyCaps shortcut={KEYS.save} />
        </Button>
      </div>
      <ConfirmDialog
        open={discarding}
        onClose={() => setDiscarding(false)}
        title={t('assistants.discardTitle')}
        description={t('assistants.discardHelp')}
        action={t('assistants.discard')}
        onConfirm={async () => editing.discard()}
      />
    </section>
  );
}

/** Asks before the page is left with unsaved changes. They are kept unless the member discards them. */
function LeaveQuestion({ ask, onDiscard }: { ask: () => boolean; onDiscard: () => void }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && ask(),
    withResolver: true,
    // A reload or a closed tab loses nothing.
    enableBeforeUnload: false,
  });
  return (
    <Dialog
      open={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title={t('assistants.leaveTitle')}
      description={t('assistants.leaveHelp')}
    >
      <DialogActions>
        <Button
          kind="danger"
          onClick={() => {
            onDiscard();
            blocker.proceed?.();
          }}
        >
          {t('assistants.discard')}
        </Button>
        <Button onClick={() => blocker.proceed?.()}>{t('assistants.leave')}</Button>
        <Button kind="primary" autoFocus onClick={() => blocker.reset?.()}>
          {t('assistants.stay')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function DeleteAssistant({ assistant, onDeleted }: { assistant: Assistant; onDeleted: () => void }) {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  return (
    <>
      <IconButton
        label={t('assistants.delete')}
        icon={<Trash2 size={16} aria-hidden />}
        onClick={() => setAsking(true)}
      />
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t('assistants.delete')}
        description={t('assistants.deleteHelp')}
        action={t('assistants.delete')}
        typed={assistant.name}
        onConfirm={async () => {
          await call('DELETE /assistants/{id}', { path: { id: assistant.id } });
          onDeleted();
          void client.invalidateQueries({ queryKey: ['assistants'] });
          await navigate({ to: '/assistants' });
        }}
      />
    </>
  );
}
