import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useAttempts } from '@/api/attempts';
import { call } from '@/api/client';
import type { Memory } from '@/api/schema';
import { contactName } from '@/contacts/names';
import { useContactNames } from '@/contacts/queries';
import { t, tDynamic } from '@/i18n';
import { useCan } from '@/session/session';
import { Button, IconButton } from '@/ui/Button';
import { ConfirmDialog } from '@/ui/Dialog';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { SearchField } from '@/ui/SearchField';
import { Loading } from '@/ui/Spinner';
import { Time } from '@/ui/Time';
import { useDebounced } from '@/ui/useDebounced';
import { memoriesQuery } from './queries';
import { EditorSection } from './section';

const CONTENT_CHARS_MAX = 2_000;

/** What it has kept. Changes here are stored at once: they are facts, not settings. */
export function MemoriesSection({ assistantId }: { assistantId: string }) {
  const writable = useCan()('assistants:write');
  const client = useQueryClient();
  const attempts = useAttempts();
  const [text, setText] = useState('');
  const q = useDebounced(text);
  const [content, setContent] = useState('');
  const [deleting, setDeleting] = useState<Memory | null>(null);
  const query = useInfiniteQuery(memoriesQuery(assistantId, q));
  const memories = query.data?.pages.flatMap((page) => page.data) ?? [];
  const names = useContactNames(memories.map((memory) => memory.contact_id));
  const refresh = () => client.invalidateQueries({ queryKey: ['memories'] });
  const add = useMutation({
    mutationFn: () =>
      attempts.call('POST /memories', { body: { content: content.trim(), assistant_id: assistantId } }),
    onSuccess: async () => {
      setContent('');
      await refresh();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (content.trim() !== '' && !add.isPending) add.mutate();
  };
  return (
    <EditorSection name="memories">
      <p className="text-sm text-ink-soft">{t('memories.help')}</p>
      {writable && (
        <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
          <div className="min-w-48 flex-1">
            <TextField
              label={t('memories.new')}
              value={content}
              maxLength={CONTENT_CHARS_MAX}
              onChange={(event) => setContent(event.target.value)}
            />
          </div>
          <Button type="submit" busy={add.isPending} disabled={content.trim() === ''}>
            {t('memories.add')}
          </Button>
        </form>
      )}
      {add.isError && <ErrorNotice error={add.error} />}
      <SearchField label={t('memories.search')} value={text} onChange={setText} />
      {query.isPending && <Loading />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && memories.length === 0 && (
        <p className="text-ink-soft">{q ? t('memories.noMatch') : t('memories.none')}</p>
      )}
      <ul className="divide-y divide-line rounded-lg border border-line empty:hidden">
        {memories.map((memory) => (
          <li key={memory.id} className="flex items-center gap-2 px-3 py-1.5">
            <div className="min-w-0 flex-1">
              <p dir="auto" className="break-words">
                {memory.content}
              </p>
              <p className="text-sm text-ink-soft">
                {tDynamic('memorySource', memory.source)} · <Time at={memory.created_at} />
                {memory.contact_id && (
                  <>
                    {' · '}
                    <Link
                      to="/contacts/$contactId"
                      params={{ contactId: memory.contact_id }}
                      className="underline"
                    >
                      {t('memories.about', { name: contactName(names.get(memory.contact_id)) })}
                    </Link>
                  </>
                )}
              </p>
            </div>
            {writable && (
              <IconButton
                label={`${t('memories.delete')}: ${memory.content.slice(0, 40)}`}
                icon={<Trash2 size={16} aria-hidden />}
                onClick={() => setDeleting(memory)}
              />
            )}
          </li>
        ))}
      </ul>
      {query.hasNextPage && (
        <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t('ui.loadMore')}
        </Button>
      )}
      <ConfirmDialog
        open={deleting !== null}
        onClose={() => setDeleting(null)}
        title={t('memories.deleteTitle')}
        description={deleting?.content ?? ''}
        action={t('memories.delete')}
        onConfirm={async () => {
          if (deleting) await call('DELETE /memories/{id}', { path: { id: deleting.id } });
          await refresh();
        }}
      />
    </EditorSection>
  );
}
