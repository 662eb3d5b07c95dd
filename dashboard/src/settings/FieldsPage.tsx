import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ListPlus } from 'lucide-react';
import { useState } from 'react';
import { call } from '@/api/client';
import type { CustomField, FieldType } from '@/api/schema';
import { fieldsQuery } from '@/contacts/queries';
import { t, tDynamic } from '@/i18n';
import { useCan } from '@/session/session';
import { SelectField, TextArea, TextField } from '@/ui/Field';
import { Badge } from '@/ui/Tag';
import { type FormProps, ManagedList } from './ManagedList';
import { SubmitForm, textOf } from './SubmitForm';

const TYPES: readonly FieldType[] = ['text', 'number', 'date', 'boolean', 'select'];

export function FieldsPage() {
  const client = useQueryClient();
  return (
    <ManagedList
      query={useQuery(fieldsQuery)}
      writable={useCan()('contacts:write')}
      nameOf={(field) => field.name}
      render={(field) => (
        <>
          <span className="min-w-0 flex-1 truncate">
            {field.name} <span className="text-sm text-ink-soft">{field.options.join(', ')}</span>
          </span>
          <Badge>{tDynamic('fieldType', field.type)}</Badge>
        </>
      )}
      form={(props) => <FieldForm {...props} />}
      onDelete={(field) => call('DELETE /custom-fields/{id}', { path: { id: field.id } })}
      typesName
      refresh={() =>
        Promise.all([
          client.invalidateQueries({ queryKey: fieldsQuery.queryKey }),
          client.invalidateQueries({ queryKey: ['contacts'] }),
          client.invalidateQueries({ queryKey: ['contact'] }),
        ])
      }
      icon={<ListPlus size={40} />}
      text={{
        title: t('settings.fields'),
        create: t('fields.new'),
        edit: t('fields.edit'),
        empty: t('fields.empty'),
        emptyHelp: t('fields.emptyHelp'),
        delete: t('fields.delete'),
        deleteHelp: (name) => t('fields.deleteHelp', { name }),
      }}
    />
  );
}

/** The type is chosen once: values are kept as they were checked. */
function FieldForm({ item: field, onCancel, onSaved }: FormProps<CustomField>) {
  const [type, setType] = useState<FieldType>(field?.type ?? 'text');
  return (
    <SubmitForm
      action={t('ui.save')}
      onCancel={onCancel}
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
