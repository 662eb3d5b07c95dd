import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Paperclip, Zap } from 'lucide-react';
import { useState } from 'react';
import { useAttempts } from '@/api/attempts';
import { call } from '@/api/client';
import type { CannedReply } from '@/api/schema';
import { t } from '@/i18n';
import { cannedQuery } from '@/inbox/queries';
import { useCan } from '@/session/session';
import { TextArea, TextField } from '@/ui/Field';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { FilesField, type StoredFile, useIsUploading } from './FilesField';
import { type FormProps, ManagedList } from './ManagedList';

const PLACEHOLDERS =
  '{{contact.name}}, {{contact.first_name}}, {{contact.company}}, {{agent.name}}, {{account.name}}';
const FILES_MAX = 10;

export function CannedRepliesPage() {
  const client = useQueryClient();
  return (
    <ManagedList
      query={useQuery(cannedQuery)}
      writable={useCan()('conversations:write')}
      nameOf={(reply) => reply.shortcut}
      render={(reply) => (
        <>
          <div className="min-w-0 flex-1">
            <p className="font-medium">/{reply.shortcut}</p>
            <p className="truncate text-ink-soft">{reply.body}</p>
          </div>
          {reply.media.length > 0 && (
            <span className="flex items-center gap-1 text-sm text-ink-soft">
              <Paperclip size={14} aria-hidden />
              {t('canned.fileCount', { count: reply.media.length })}
            </span>
          )}
        </>
      )}
      form={(props) => <CannedReplyForm {...props} />}
      onDelete={(reply) => call('DELETE /canned-replies/{id}', { path: { id: reply.id } })}
      refresh={() => client.invalidateQueries({ queryKey: cannedQuery.queryKey })}
      icon={<Zap size={40} />}
      text={{
        title: t('settings.canned'),
        create: t('canned.new'),
        edit: t('canned.edit'),
        empty: t('canned.empty'),
        emptyHelp: t('canned.emptyHelp'),
        delete: t('canned.delete'),
        deleteHelp: (name) => t('canned.deleteHelp', { name }),
      }}
    />
  );
}

function CannedReplyForm({ item: reply, onCancel, onSaved }: FormProps<CannedReply>) {
  const [files, setFiles] = useState<StoredFile[]>(
    reply?.media.map(({ id, filename, size }) => ({ id, name: filename ?? t('media.file'), size })) ?? [],
  );
  const attempts = useAttempts();
  return (
    <SubmitForm
      action={t('ui.save')}
      onCancel={onCancel}
      disabled={useIsUploading()}
      onSubmit={async (form) => {
        const body = {
          shortcut: textOf(form, 'shortcut').replace(/^\//, ''),
          body: textOf(form, 'body'),
          media_ids: files.map((file) => file.id),
        };
        if (reply) await call('PATCH /canned-replies/{id}', { path: { id: reply.id }, body });
        else await attempts.call('POST /canned-replies', { body });
        await onSaved();
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
          <FilesField label={t('canned.files')} files={files} max={FILES_MAX} onChange={setFiles} />
        </>
      )}
    </SubmitForm>
  );
}
