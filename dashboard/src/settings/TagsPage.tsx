import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil, Plus, TagsIcon, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '@/api/client';
import type { Tag as TagResource } from '@/api/schema';
import { tagsQuery } from '@/contacts/queries';
import { t } from '@/i18n';
import { useCan } from '@/session/session';
import { Button, IconButton } from '@/ui/Button';
import { ConfirmDialog, Dialog } from '@/ui/Dialog';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { Page } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { Tag } from '@/ui/Tag';
import { SubmitForm, textOf } from './SubmitForm';

const NEW_COLOR = '#2563eb';

export function TagsPage() {
  const client = useQueryClient();
  const writable = useCan()('contacts:write');
  const query = useQuery(tagsQuery);
  const [editing, setEditing] = useState<TagResource | 'new' | null>(null);
  const [deleting, setDeleting] = useState<TagResource | null>(null);
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: tagsQuery.queryKey }),
      client.invalidateQueries({ queryKey: ['contacts'] }),
    ]);
  const tag = editing === 'new' ? null : editing;
  const create = writable && (
    <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setEditing('new')}>
      {t('tags.new')}
    </Button>
  );
  return (
    <Page title={t('settings.tags')} actions={create}>
      <div className="mx-auto max-w-2xl p-4">
        {query.isPending && <Loading />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.data?.length === 0 && (
          <EmptyState icon={<TagsIcon size={40} />} title={t('tags.empty')}>
            {t('tags.emptyHelp')}
          </EmptyState>
        )}
        <ul className="divide-y divide-line rounded-xl border border-line bg-surface empty:hidden">
          {query.data?.map((each) => (
            <li key={each.id} className="flex items-center gap-2 px-3 py-1.5">
              <span className="min-w-0 flex-1">
                <Tag name={each.name} color={each.color} />
              </span>
              {writable && (
                <>
                  <IconButton
                    label={t('ui.editNamed', { name: each.name })}
                    icon={<Pencil size={16} aria-hidden />}
                    onClick={() => setEditing(each)}
                  />
                  <IconButton
                    label={t('ui.deleteNamed', { name: each.name })}
                    icon={<Trash2 size={16} aria-hidden />}
                    onClick={() => setDeleting(each)}
                  />
                </>
              )}
            </li>
          ))}
        </ul>
      </div>
      <Dialog
        open={editing !== null}
        onClose={() => setEditing(null)}
        title={tag ? t('tags.edit') : t('tags.new')}
      >
        <SubmitForm
          action={t('ui.save')}
          onCancel={() => setEditing(null)}
          onSubmit={async (form) => {
            const body = { name: textOf(form, 'name'), color: textOf(form, 'color') };
            if (tag) await call('PATCH /tags/{id}', { path: { id: tag.id }, body });
            else await call('POST /tags', { body });
            setEditing(null);
            await refresh();
          }}
        >
          {(errorAt) => (
            <>
              <TextField
                label={t('tags.name')}
                name="name"
                defaultValue={tag?.name ?? ''}
                required
                maxLength={100}
                error={errorAt('name')}
                autoFocus
              />
              <TextField
                label={t('tags.color')}
                name="color"
                type="color"
                defaultValue={tag?.color ?? NEW_COLOR}
                error={errorAt('color')}
              />
            </>
          )}
        </SubmitForm>
      </Dialog>
      <ConfirmDialog
        open={deleting !== null}
        onClose={() => setDeleting(null)}
        title={t('tags.delete')}
        description={t('tags.deleteHelp', { name: deleting?.name ?? '' })}
        action={t('ui.delete')}
        onConfirm={async () => {
          if (deleting) await call('DELETE /tags/{id}', { path: { id: deleting.id } });
          await refresh();
        }}
      />
    </Page>
  );
}
