import { useState } from 'react';
import type { CustomField } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { Button } from '@/ui/Button';
import { Checkbox, SelectField } from '@/ui/Field';
import { Section } from '@/ui/Page';
import type { ImportFile } from './ImportPage';
import { doubled, type Mapping, TARGETS, type Target } from './mapping';

export interface MappingChoice {
  mapping: Mapping;
  matchBy: 'phone' | 'email';
  updateExisting: boolean;
}

interface MappingFormProps {
  file: ImportFile;
  fields: CustomField[];
  initial: Mapping;
  onBack: () => void;
  onNext: (choice: MappingChoice) => void;
}

const SAMPLES_MAX = 3;

export function MappingForm({ file, fields, initial, onBack, onNext }: MappingFormProps) {
  const [mapping, setMapping] = useState(initial);
  const [matchBy, setMatchBy] = useState<'phone' | 'email'>(
    initial.includes('phone') || !initial.includes('email') ? 'phone' : 'email',
  );
  const [updateExisting, setUpdateExisting] = useState(true);
  const twice = doubled(mapping);
  const keyMissing = !mapping.includes(matchBy);
  const label = (target: Target) =>
    fields.find((field) => target === `field:${field.id}`)?.name ?? tDynamic('importTarget', target);
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        onNext({ mapping, matchBy, updateExisting });
      }}
    >
      <Section title={t('import.mapping', { name: file.name })}>
        <p className="mb-3 text-ink-soft">{t('import.mappingHelp', { count: file.rows.length })}</p>
        <div className="overflow-x-auto">
          <table className="w-full min-w-lg border-collapse text-start">
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
                    {file.rows
                      .slice(0, SAMPLES_MAX)
                      .map((row) => row.cells[index])
                      .filter(Boolean)
                      .join(' · ')}
                  </td>
                  <td className="py-2">
                    <SelectField
                      label={t('import.goesToColumn', { name: heading })}
                      hideLabel
                      value={mapping[index] ?? 'skip'}
                      onChange={(event) =>
                        setMapping((before) => before.with(index, event.target.value as Target))
                      }
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
      <Section title={t('import.duplicates')}>
        <div className="flex flex-col gap-3">
          <SelectField
            label={t('import.matchBy')}
            hint={t('import.matchByHelp')}
            value={matchBy}
            error={
              keyMissing ? t('import.keyMissing', { name: tDynamic('importTarget', matchBy) }) : undefined
            }
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
  );
}
