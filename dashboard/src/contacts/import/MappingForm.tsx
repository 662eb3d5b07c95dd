import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CustomField } from '@/api/schema';
import { t } from '@/i18n';
import { useCan } from '@/session/session';
import { Button } from '@/ui/Button';
import { CountryField } from '@/ui/CountryField';
import { Dialog } from '@/ui/Dialog';
import { Checkbox } from '@/ui/Field';
import { Section } from '@/ui/Page';
import { SelectField } from '@/ui/SelectField';
import { FieldForm } from '../FieldForm';
import { fieldsQuery } from '../queries';
import { doubled, labelOf, type Mapping, samples, TARGETS, type Target } from './mapping';
import type { ImportFile } from './readFile';

export interface MappingChoice {
  mapping: Mapping;
  matchBy: 'phone' | 'email';
  updateExisting: boolean;
  /** The country of numbers without a country code; null for none. */
  country: string | null;
}

interface MappingFormProps {
  file: ImportFile;
  fields: CustomField[];
  initial: Mapping;
  /** The account's country. */
  country: string | null;
  onBack: () => void;
  onNext: (choice: MappingChoice) => void;
}

/** Not a target: makes a field for the column. */
const NEW_FIELD = 'new';

export function MappingForm({ file, fields, initial, country: preset, onBack, onNext }: MappingFormProps) {
  const client = useQueryClient();
  const mayCreate = useCan()('contacts:write');
  const [mapping, setMapping] = useState(initial);
  const [country, setCountry] = useState(preset);
  /** The column for which a field is being made. */
  const [naming, setNaming] = useState<number | null>(null);
  const point = (index: number, target: Target) => setMapping((before) => before.with(index, target));
  const [matchBy, setMatchBy] = useState<'phone' | 'email'>(
    initial.includes('phone') || !initial.includes('email') ? 'phone' : 'email',
  );
  const [updateExisting, setUpdateExisting] = useState(true);
  const twice = doubled(mapping);
  const keyMissing = !mapping.includes('phone') && !mapping.includes('email');
  const label = (target: Target) => labelOf(target, fields);
  const create = async (index: number, field: CustomField) => {
    client.setQueryData(fieldsQuery.queryKey, (known) => [field, ...(known ?? [])]);
    point(index, `field:${field.id}`);
    setNaming(null);
    await client.invalidateQueries({ queryKey: fieldsQuery.queryKey });
  };
  return (
    <>
      <Dialog open={naming !== null} onClose={() => setNaming(null)} title={t('fields.new')}>
        {naming !== null && (
          <FieldForm
            item={null}
            name={file.headings[naming] ?? ''}
            onCancel={() => setNaming(null)}
            onSaved={(field) => create(naming, field)}
          />
        )}
      </Dialog>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onNext({ mapping, matchBy, updateExisting, country });
        }}
      >
        <Section title={t('import.mapping', { name: file.name })}>
          <p className="mb-3 text-ink-soft">{t('import.mappingHelp', { count: file.rows.length })}</p>
          <div className="overflow-x-auto">
            <table className="w-full border-collapse text-start sm:min-w-lg">
              <thead>
                <tr className="border-b border-line text-sm text-ink-soft">
                  <th scope="col" className="py-2 text-start">
                    {t('import.column')}
                  </th>
                  <th scope="col" className="py-2 text-start">
                    {t('import.samples')}
                  </th>
                  <th scope="col" className="py-2 text-start">
                    {t('import.goesTo')}
                  </th>
                </tr>
              </thead>
              <tbody>
                {file.headings.map((heading, index) => (
                  <tr key={index} className="border-b border-line">
                    <th scope="row" className="py-2 pe-3 text-start font-medium">
                      {heading || t('import.columnNumber', { number: index + 1 })}
                    </th>
                    <td className="max-w-56 truncate py-2 pe-3 text-ink-soft">
                      {samples(file.rows, index).join(' · ')}
                    </td>
                    <td className="py-2">
                      <SelectField
                        label={t('import.goesToColumn', { name: heading })}
                        hideLabel
                        value={mapping[index] ?? 'skip'}
                        onChange={(event) => {
                          if (event.target.value === NEW_FIELD) setNaming(index);
                          else point(index, event.target.value as Target);
                        }}
                      >
                        <option value="skip">{label('skip')}</option>
                        {TARGETS.map((target) => (
                          <option key={target} value={target}>
                            {label(target)}
                          </option>
                        ))}
                        {fields.map((field) => (
                          <option key={field.id} value={`field:${field.id}`}>
                            {field.name}
                          </option>
                        ))}
                        {mayCreate && <option value={NEW_FIELD}>{t('import.newField')}</option>}
                      </SelectField>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {twice.length > 0 && (
            <p role="alert" className="mt-2 text-danger">
              {t('import.twice', { names: twice.map(label).join(', ') })}
            </p>
          )}
        </Section>
        <Section title={t('import.numbers')}>
          <CountryField hint={t('import.countryHelp')} value={country} onChange={setCountry} />
        </Section>
        <Section title={t('import.duplicates')}>
          <div className="flex flex-col gap-3">
            <SelectField
              label={t('import.matchBy')}
              hint={t('import.matchByHelp')}
              value={matchBy}
              error={keyMissing ? t('import.keyMissing') : undefined}
              onChange={(event) => setMatchBy(event.target.value as 'phone' | 'email')}
            >
              <option value="phone">{t('contact.phone')}</option>
              <option value="email">{t('contact.email')}</option>
            </SelectField>
            <Checkbox
              label={t('import.update')}
              hint={t('import.updateHelp')}
              checked={updateExisting}
              onChange={(event) => setUpdateExisting(event.target.checked)}
            />
          </div>
        </Section>
        <div className="flex justify-end gap-2">
          <Button onClick={onBack}>{t('ui.back')}</Button>
          <Button type="submit" kind="primary" disabled={keyMissing || twice.length > 0}>
            {t('import.check')}
          </Button>
        </div>
      </form>
    </>
  );
}
