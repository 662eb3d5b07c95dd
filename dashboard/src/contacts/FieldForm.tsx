import { useState } from 'react';
import { call } from '@/api/client';
import type { CustomField, FieldType } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { TextArea, TextField } from '@/ui/Field';
import { SelectField } from '@/ui/SelectField';
import { SubmitForm, textOf } from '@/ui/SubmitForm';

const TYPES: readonly FieldType[] = ['text', 'number', 'date', 'boolean', 'select'];

interface FieldFormProps {
  /** Null for a new one. */
  item: CustomField | null;
  /** What a new one may be called. */
  name?: string;
  onCancel: () => void;
  onSaved: (field: CustomField) => Promise<unknown>;
}

/** The type is chosen once: values are kept as they were checked. */
export function FieldForm({ item: field, name: suggested = '', onCancel, onSaved }: FieldFormProps) {
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
        const { data } = field
          ? await call('PATCH /custom-fields/{id}', { path: { id: field.id }, body: { name, ...choices } })
          : await call('POST /custom-fields', { body: { name, type, ...choices } });
        await onSaved(data);
      }}
    >
      {(errorAt) => (
        <>
          <TextField
            label={t('fields.name')}
            name="name"
            defaultValue={field?.name ?? suggested}
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
