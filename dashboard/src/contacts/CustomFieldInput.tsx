import type { CustomField } from '@/api/schema';
import { t } from '@/i18n';
import { TextField } from '@/ui/Field';
import { SelectField } from '@/ui/SelectField';

const INPUT_TYPES = { text: 'text', number: 'number', date: 'date' } as const;

interface InputProps {
  field: CustomField;
  label: string;
  name: string;
  defaultValue: string;
  error: string | undefined;
  hideLabel?: boolean;
}

/** The input that fits the type of a custom field. */
export function CustomFieldInput({ field, ...common }: InputProps) {
  if (field.type === 'select' || field.type === 'boolean') {
    const options =
      field.type === 'boolean'
        ? [
            ['true', t('ui.yes')],
            ['false', t('ui.no')],
          ]
        : field.options.map((option) => [option, option]);
    return (
      <SelectField {...common}>
        <option value="">–</option>
        {options.map(([option, label]) => (
          <option key={option} value={option}>
            {label}
          </option>
        ))}
      </SelectField>
    );
  }
  return (
    <TextField
      {...common}
      type={INPUT_TYPES[field.type]}
      autoFocus={common.hideLabel}
      {...(field.type === 'number' && { step: 'any' })}
    />
  );
}
