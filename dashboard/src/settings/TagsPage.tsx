import { useQuery, useQueryClient } from '@tanstack/react-query';
import { TagsIcon } from 'lucide-react';
import { call } from '@/api/client';
import type { Tag as TagResource } from '@/api/schema';
import { tagsQuery } from '@/contacts/queries';
import { t } from '@/i18n';
import { useCan } from '@/session/session';
import { TextField } from '@/ui/Field';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { Tag } from '@/ui/Tag';
import { type FormProps, ManagedList } from './ManagedList';

const NEW_COLOR = '#2563eb';

export function TagsPage() {
  const client = useQueryClient();
  return (
    <ManagedList
      query={useQuery(tagsQuery)}
      writable={useCan()('contacts:write')}
      nameOf={(tag) => tag.name}
      render={(tag) => (
        <span className="min-w-0 flex-1">
          <Tag name={tag.name} color={tag.color} />
        </span>
      )}
      form={(props) => <TagForm {...props} />}
      onDelete={(tag) => call('DELETE /tags/{id}', { path: { id: tag.id } })}
      refresh={() =>
        Promise.all([
          client.invalidateQueries({ queryKey: tagsQuery.queryKey }),
          client.invalidateQueries({ queryKey: ['contacts'] }),
        ])
      }
      icon={<TagsIcon size={40} />}
      text={{
        title: t('settings.tags'),
        create: t('tags.new'),
        edit: t('tags.edit'),
        empty: t('tags.empty'),
        emptyHelp: t('tags.emptyHelp'),
        delete: t('tags.delete'),
        deleteHelp: (name) => t('tags.deleteHelp', { name }),
      }}
    />
  );
}

function TagForm({ item: tag, onCancel, onSaved }: FormProps<TagResource>) {
  return (
    <SubmitForm
      action={t('ui.save')}
      onCancel={onCancel}
      onSubmit={async (form) => {
        const body = { name: textOf(form, 'name'), color: textOf(form, 'color') };
        if (tag) await call('PATCH /tags/{id}', { path: { id: tag.id }, body });
        else await call('POST /tags', { body });
        await onSaved();
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
  );
}
