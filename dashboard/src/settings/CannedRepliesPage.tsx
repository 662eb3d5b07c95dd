import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil, Plus, Trash2, Zap } from 'lucide-react';
import { useState } from 'react';
import { call } from '@/api/client';
import type { CannedReply } from '@/api/schema';
import { t } from '@/i18n';
import { cannedQuery } from '@/inbox/queries';
import { useCan } from '@/session/session';
import { Button, IconButton } from '@/ui/Button';
import { ConfirmDialog, Dialog } from '@/ui/Dialog';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextArea, TextField } from '@/ui/Field';
import { Page } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { SubmitForm, textOf } from './SubmitForm';

const PLACEHOLDERS =
  '{{contact.name}}, {{contact.first_name}}, {{contact.company}}, {{agent.name}}, {{account.name}}';

export function CannedRepliesPage() {
  const client = useQueryClient();
  const writable = useCan()('conversations:write');
  const query = useQuery(cannedQuery);
  const [editing, setEditing] = useState<CannedReply | 'new' | null>(null);
  const [deleting, setDeleting] = useState<CannedReply | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: cannedQuery.queryKey });
  const reply = editing === 'new' ? null : editing;
  return (
    <Page
      title={t('settings.canned')}
      actions={
        writable && (
          <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setEditing('new')}>
            {t('canned.new')}
          </Button>
        )
      }
    >
      <div className="mx-auto max-w-3xl p-4">
        {query.isPending && <Loading />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.data?.length === 0 && (
          <EmptyState icon={<Zap size={40} />} title={t('canned.empty')}>
            {t('canned.emptyHelp')}
          </EmptyState>
        )}
        <ul className="divide-y divide-line rounded-xl border border-line bg-surface empty:hidden">
          {query.data?.map((each) => (
            <li key={each.id} className="flex items-center gap-2 px-3 py-2">
              <div className="min-w-0 flex-1">
                <p className="font-medium">/{each.shortcut}</p>
                <p className="truncate text-ink-soft">{each.body}</p>
              </div>
              {writable && (
                <>
                  <IconButton
                    label={t('ui.editNamed', { name: each.shortcut })}
                    icon={<Pencil size={16} aria-hidden />}
                    onClick={() => setEditing(each)}
                  />
                  <IconButton
                    label={t('ui.deleteNamed', { name: each.shortcut })}
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
        title={reply ? t('canned.edit') : t('canned.new')}
      >
        <SubmitForm
          action={t('ui.save')}
          onCancel={() => setEditing(null)}
          onSubmit={async (form) => {
            const body = {
              shortcut: textOf(form, 'shortcut').replace(/^\//, ''),
              body: textOf(form, 'body'),
            };
            if (reply) await call('PATCH /canned-replies/{id}', { path: { id: reply.id }, body });
            else await call('POST /canned-replies', { body }, { idempotencyKey: crypto.randomUUID() });
            setEditing(null);
            await refresh();
          }}
        >
          {(errorAt) => (
            <>
              <TextField
                label={t('canned.shortcut')}
                name="shortcut"
                hint={t('canned.shortcutHint')}
                defaultValue={reply?.shortcut ?? ''}
                pattern="/?\S+"
                required
                maxLength={50}
                error={errorAt('shortcut')}
                autoFocus
              />
              <TextArea
                label={t('canned.body')}
                name="body"
                rows={6}
                hint={`${t('canned.bodyHint')} ${PLACEHOLDERS}`}
                defaultValue={reply?.body ?? ''}
                required
                maxLength={4096}
                error={errorAt('body')}
              />
            </>
          )}
        </SubmitForm>
      </Dialog>
      <ConfirmDialog
        open={deleting !== null}
        onClose={() => setDeleting(null)}
        title={t('canned.delete')}
        description={t('canned.deleteHelp', { name: deleting?.shortcut ?? '' })}
        action={t('ui.delete')}
        onConfirm={async () => {
          if (deleting) await call('DELETE /canned-replies/{id}', { path: { id: deleting.id } });
          await refresh();
        }}
      />
    </Page>
  );
}
