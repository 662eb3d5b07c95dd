import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import { call } from '@/api/client';
import type { AssistantTool, AssistantVersion } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { useMemberName } from '@/session/members';
import { useCan } from '@/session/session';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { LoadMore } from '@/ui/LoadMore';
import { LoadingRows } from '@/ui/Spinner';
import { Time } from '@/ui/Time';
import { notify } from '@/ui/toast';
import { diffLines, draftOfVersion, fieldText, type Line } from './compare';
import { changedFields, type Draft } from './draft';
import { libraryQuery, readStored, versionQuery, versionsQuery } from './queries';

interface VersionsProps {
  open: boolean;
  onClose: () => void;
  assistantId: string;
  /** When the assistant was changed last: the list is read again after a change. */
  updatedAt: string;
  /** The assistant as it is stored. */
  stored: Draft;
  tools: AssistantTool[];
}

/** What the assistant was after each change, compared with what it is now, and the way back. */
export function VersionsDialog({ open, onClose, assistantId, updatedAt, stored, tools }: VersionsProps) {
  const query = useInfiniteQuery(versionsQuery(assistantId, updatedAt));
  const versions = query.data?.pages.flatMap((page) => page.data) ?? [];
  const [chosen, setChosen] = useState<string>();
  const version = versions.find(({ id }) => id === chosen) ?? versions[1] ?? versions[0];
  return (
    <Dialog open={open} onClose={onClose} wide title={t('versions.title')} description={t('versions.help')}>
      {query.isPending && <LoadingRows rowPx={44} count={4} />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && versions.length === 0 && (
        <EmptyState icon={<History size={40} />} title={t('versions.empty')}>
          {t('versions.emptyHelp')}
        </EmptyState>
      )}
      {version && (
        <div className="grid gap-4 sm:grid-cols-[15rem_1fr]">
          <div className="min-w-0 overflow-auto sm:max-h-[60dvh]">
            <ul aria-label={t('versions.list')} className="flex flex-col gap-0.5">
              {versions.map((each) => (
                <li key={each.id}>
                  <Row version={each} isChosen={each.id === version.id} onChoose={() => setChosen(each.id)} />
                </li>
              ))}
            </ul>
            <LoadMore query={query} />
          </div>
          <Comparison
            key={version.id}
            assistantId={assistantId}
            version={version}
            stored={stored}
            tools={tools}
            onRestored={onClose}
          />
        </div>
      )}
    </Dialog>
  );
}

interface RowProps {
  version: AssistantVersion;
  isChosen: boolean;
  onChoose: () => void;
}

/** Fields by the names that the editor has for them. */
function fieldName(field: string): string {
  const shown = ['tool_access', 'gated_tools', 'unconfined_tools'].includes(field) ? 'tools' : field;
  return tDynamic('assistantField', shown);
}

function Row({ version, isChosen, onChoose }: RowProps) {
  const memberName = useMemberName();
  const fields = [...new Set(version.changed.map(fieldName))].join(', ');
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      className="w-full rounded-lg px-2.5 py-1.5 text-start hover:bg-sunken aria-pressed:bg-selected"
    >
      <span className="flex items-baseline justify-between gap-2">
        <span className="font-medium">{t('versions.number', { number: version.number })}</span>
        <span className="text-sm text-ink-soft">
          <Time at={version.created_at} style="medium" />
        </span>
      </span>
      <span className="block truncate text-sm text-ink-soft">
        {version.restored_from
          ? t('versions.restoredFrom', { number: version.restored_from })
          : fields || t('versions.first')}
      </span>
      <span className="block truncate text-sm text-ink-soft">
        {version.author_user_id ? memberName(version.author_user_id) : t('versions.byKey')}
      </span>
    </button>
  );
}

interface ComparisonProps {
  assistantId: string;
  version: AssistantVersion;
  stored: Draft;
  tools: AssistantTool[];
  onRestored: () => void;
}

function Comparison({ assistantId, version, stored, tools, onRestored }: ComparisonProps) {
  const client = useQueryClient();
  const memberName = useMemberName();
  const writable = useCan()('assistants:write');
  const query = useQuery(versionQuery(assistantId, version.id));
  const library = useQuery(libraryQuery).data ?? [];
  const restore = useMutation({
    mutationFn: () =>
      call('POST /app/api/assistants/{id}/versions/{version_id}/restore', {
        path: { id: assistantId, version_id: version.id },
      }),
    onSuccess: async () => {
      await readStored(client, assistantId);
      void client.invalidateQueries({ queryKey: ['assistants'] });
      void client.invalidateQueries({ queryKey: ['assistant-versions', assistantId] });
      notify(t('versions.restored', { number: version.number }));
      onRestored();
    },
  });
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <LoadingRows rowPx={44} count={4} />;
  const then = draftOfVersion(query.data, tools);
  const names = {
    member: (id: string) => memberName(id),
    instruction: (id: string) =>
      library.find((each) => each.id === id)?.title ?? t('versions.goneInstruction'),
  };
  const fields = changedFields(stored, then);
  return (
    <section aria-label={t('versions.comparison')} className="flex min-w-0 flex-col gap-3">
      {fields.length === 0 ? (
        <p className="text-ink-soft">{t('versions.same')}</p>
      ) : (
        <p className="text-ink-soft">{t('versions.wouldChange')}</p>
      )}
      {fields.map((field) => (
        <div key={field}>
          <h3 className="mb-1 font-medium">{tDynamic('assistantField', field)}</h3>
          <Diff lines={diffLines(fieldText(field, stored, names), fieldText(field, then, names))} />
        </div>
      ))}
      {restore.isError && <ErrorNotice error={restore.error} />}
      {writable && fields.length > 0 && (
        <Button kind="primary" className="self-end" busy={restore.isPending} onClick={() => restore.mutate()}>
          {t('versions.restore', { number: version.number })}
        </Button>
      )}
    </section>
  );
}

/** Unchanged lines around a change that are shown. */
const CONTEXT_LINES = 2;
const STYLES = {
  same: 'text-ink-soft',
  removed: 'bg-danger-soft',
  added: 'bg-accent-soft',
} as const;
const MARKS = { same: ' ', removed: '−', added: '+' } as const;

function Diff({ lines }: { lines: Line[] }) {
  const isNear = (index: number) =>
    lines
      .slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1)
      .some(({ kind }) => kind !== 'same');
  return (
    <ul className="overflow-auto rounded-lg border border-line text-sm">
      {lines.map(
        ({ kind, text }, index) =>
          isNear(index) && (
            <li
              key={index}
              className={`flex gap-2 px-2 py-0.5 break-words whitespace-pre-wrap ${STYLES[kind]}`}
            >
              <span aria-hidden>{MARKS[kind]}</span>
              {kind !== 'same' && <span className="sr-only">{tDynamic('versionLine', kind)}</span>}
              <span dir="auto" className="min-w-0 flex-1">
                {text}
              </span>
            </li>
          ),
      )}
    </ul>
  );
}
