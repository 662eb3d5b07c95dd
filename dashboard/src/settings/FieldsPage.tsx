import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ListPlus, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '@/api/client';
import type { CustomField, FieldType } from '@/api/schema';
import { fieldsQuery } from '@/contacts/queries';
import { t, tDynamic } from '@/i18n';
import { useCan } from '@/session/session';
import { Button, IconButton } from '@/ui/Button';
import { ConfirmDialog, Dialog } from '@/ui/Dialog';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { SelectField, TextArea, TextField } from '@/ui/Field';
import { Page } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import { SubmitForm, textOf } from './SubmitForm';

const TYPES: readonly FieldType[] = ['text', 'number', 'date', 'boolean', 'select'];

export function FieldsPage() {
  const client = useQueryClient();
  const writable = useCan()('contacts:write');
  const query = useQuery(fieldsQuery);
  const [editing, setEditing] = useState<CustomField | 'new' | null>(null);
  const [deleting, setDeleting] = useState<CustomField | null>(null);
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: fieldsQuery.queryKey }),
      client.invalidateQueries({ queryKey: ['contacts'] }),
      client.invalidateQueries({ queryKey: ['contact'] }),
    ]);
  return (
    <Page
      title={t('settings.fields')}
      actions={
        writable && (
          <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setEditing('new')}>
            {t('fields.new')}
          </Button>
        )
      }
    >
      <div className="mx-auto max-w-2xl p-4">
        {query.isPending && <Loading />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.data?.length === 0 && (
          <EmptyState icon={<ListPlus size={40} />} title={t('fields.empty')}>
            {t('fields.emptyHelp')}
          </EmptyState>
        )}
        <ul className="divide-y divide-line rounded-xl border border-line bg-surface empty:hidden">
          {query.data?.map((field) => (
            <li key={field.id} className="flex items-center gap-2 px-3 py-1.5">
              <span className="min-w-0 flex-1 truncate">
                {field.name} <span className="text-sm text-ink-soft">{field.options.join(', ')}</span>
              </span>
              <Badge>{tDynamic('fieldType', field.type)}</Badge>
              {writable && (
                <>
                  <IconButton
                    label={t('ui.editNamed', { name: field.name })}
                    icon={<Pencil size={16} aria-hidden />}
                    onClick={() => setEditing(field)}
                  />
                  <IconButton
                    label={t('ui.deleteNamed', { name: field.name })}
                    icon={<Trash2 size={16} aria-hidden />}
                    onClick={() => setDeleting(field)}
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
        title={editing === 'new' ? t('fields.new') : t('fields.edit')}
      >
        {editing !== null && (
          <FieldForm
            field={editing === 'new' ? null : editing}
            onClose={() => setEditing(null)}
            onSaved={async () => {
              setEditing(null);
              await refresh();
            }}
          />
        )}
      </Dialog>
      <ConfirmDialog
        open={deleting !== null}
        onClose={() => setDeleting(null)}
        title={t('fields.delete')}
        description={t('fields.deleteHelp', { name: deleting?.name ?? '' })}
        action={t('ui.delete')}
        typed={deleting?.name ?? ''}
        onConfirm={async () => {
          if (deleting) await call('DELETE /custom-fields/{id}', { path: { id: deleting.id } });
          await refresh();
        }}
      />
    </Page>
  );
}

/** The type is chosen once: values are kept as they were checked. */
function FieldForm({
  field,
  onClose,
  onSaved,
}: {
  field: CustomField | null;
  onClose: () => void;
  onSaved: () => Promise<void>;
}) {
  const [type, setType] = useState<FieldType>(field?.type ?? 'text');
  return (
    <SubmitForm
      action={t('ui.save')}
      onCancel={onClose}
      onSubmit={async (form) => {
        const name = textOf(form, 'name');
        const options = textOf(form, 'options')
          .split('\n')
          .map((line) => line.trim())
          .filter(Boolean);
        const choices = type === 'select' ? { options } : {};
        if (field)
          await call('PATCH /custom-fields/{id}', { path: { id: field.id }, body: { name, ...choices } });
        else await call('POST /custom-fields', { body: { name, type, ...choices } });
        await onSaved();
      }}
    >
      {(errorAt) => (
        <>
          <TextField
            label={t('fields.name')}
            name="name"
            defaultValue={field?.name ?? ''}
            required
            maxLength={100}
            error={errorAt('name')}
            autoFocus
          />
          <SelectField
            label={t('fields.type')}
            value={type}
            disabled={field !== null}
            hint={field ? t('fields.typeFixed') : undefined}
            onChange={(event) => setType(event.target.value as FieldType)}
          >
            {TYPES.map((each) => (
              <option key={each} value={each}>
                {tDynamic('fieldType', each)}
              </option>
            ))}
          </SelectField>
          {type === 'select' && (
            <TextArea
              label={t('fields.options')}
              name="options"
              hint={t('fields.optionsHint')}
              defaultValue={field?.options.join('\n') ?? ''}
              required
              error={errorAt('options')}
            />
          )}
        </>
      )}
    </SubmitForm>
  );
}
