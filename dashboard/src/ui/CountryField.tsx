import { useMemo } from 'react';
import { currentLanguage, t } from '@/i18n';
import { countriesIn } from './countries';
import { SelectField } from './SelectField';

interface CountryFieldProps {
  hint: string;
  /** Null: numbers need their country code. */
  value: string | null;
  error?: string | undefined;
  onChange: (country: string | null) => void;
}

/** The country whose national phone numbers are read. */
export function CountryField({ hint, value, error, onChange }: CountryFieldProps) {
  const language = currentLanguage();
  const countries = useMemo(() => countriesIn(language), [language]);
  return (
    <SelectField
      label={t('country.label')}
      hint={hint}
      error={error}
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value || null)}
    >
      <option value="">{t('country.none')}</option>
      {countries.map(({ code, name }) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
