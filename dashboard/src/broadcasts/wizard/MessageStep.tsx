import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Template } from '@/api/schema';
import { upload } from '@/api/upload';
import { fieldsQuery } from '@/contacts/queries';
import { t, tDynamic } from '@/i18n';
import { type TemplateField, templateFields } from '@/templates/template';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { Picker } from '@/ui/Picker';
import { SelectField } from '@/ui/SelectField';
import {
  CONTACT_FIELDS,
  type Draft,
  suggestVariables,
  type VariableDraft,
  type VariableSource,
  variableOf,
} from './draft';

interface MessageProps {
  draft: Draft;
  templates: Template[];
  template: Template | undefined;
  onChange: (next: Partial<Draft>) => void;
}

/** Which template, and where its values come from. */
export function MessageFields({ draft, templates, template, onChange }: MessageProps) {
  if (templates.length === 0)
    return (
      <p className="text-ink-soft">
        {t('template.none')}{' '}
        <Link to="/templates" className="text-accent underline">
          {t('templates.title')}
        </Link>
      </p>
    );
  const choose = (chosen: Template | null) =>
    onChange({
      template: chosen && { name: chosen.name, language: chosen.language },
      variables: chosen ? suggestVariables(chosen) : {},
      headerMediaUrl: '',
    });
  const fields = template ? templateFields(template) : [];
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-1">
        <Picker
          label={t('template.choose')}
          items={templates}
          text={(item) => `${item.name} (${item.language})`}
          itemKey={(item) => item.id}
          value={template ?? null}
          onChange={choose}
          placeholder={t('template.search')}
        />
      </div>
      {template && fields.length === 0 && <p className="text-ink-soft">{t('template.noValues')}</p>}
      {fields.map((field) =>
        field.kind === 'header_media' ? (
          <MediaField
            key={field.key}
            field={field}
            url={draft.headerMediaUrl}
            onChange={(headerMediaUrl) => onChange({ headerMediaUrl })}
          />
        ) : (
          <VariableFields
            key={field.key}
            field={field}
            variable={variableOf(draft, field.key)}
            onChange={(variable) => onChange({ variables: { ...draft.variables, [field.key]: variable } })}
          />
        ),
      )}
    </div>
  );
}

interface VariableProps {
  field: TemplateField;
  variable: VariableDraft;
  onChange: (variable: VariableDraft) => void;
}

/** One value: the same for all, or each contact's own, with what to write where it is empty. */
function VariableFields({ field, variable, onChange }: VariableProps) {
  const fields = useQuery(fieldsQuery).data ?? [];
  const label = t(`template.${field.kind as 'body' | 'header_text' | 'button'}`, {
    name: field.kind === 'button' ? field.name : `{{${field.name}}}`,
  });
  return (
    <fieldset className="rounded-lg border border-line p-3">
      <legend className="px-1 font-medium">{label}</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label={t('variable.source')}
          value={variable.source}
          onChange={(event) => onChange({ ...variable, source: event.target.value as VariableSource })}
        >
          <option value="static">{t('variable.static')}</option>
          <optgroup label={t('variable.contact')}>
            {CONTACT_FIELDS.map((name) => (
              <option key={name} value={name}>
                {tDynamic('contact', name)}
              </option>
            ))}
          </optgroup>
          {fields.length > 0 && (
            <optgroup label={t('variable.custom')}>
              {fields.map(({ id, name }) => (
                <option key={id} value={`field:${id}`}>
                  {name}
                </option>
              ))}
            </optgroup>
          )}
        </SelectField>
        {variable.source === 'static' ? (
          <TextField
            label={t('variable.text')}
            value={variable.text}
            maxLength={1024}
            onChange={(event) => onChange({ ...variable, text: event.target.value })}
            required
          />
        ) : (
          <TextField
            label={t('variable.fallback')}
            hint={variable.fallback.trim() === '' ? t('variable.fallbackHint') : undefined}
            value={variable.fallback}
            maxLength={1024}
            onChange={(event) => onChange({ ...variable, fallback: event.target.value })}
          />
        )}
      </div>
    </fieldset>
  );
}

interface MediaProps {
  field: TemplateField;
  url: string;
  onChange: (url: string) => void;
}

function MediaField({ field, url, onChange }: MediaProps) {
  const store = useMutation({ mutationFn: upload, onSuccess: (stored) => onChange(stored.url) });
  return (
    <div>
      <TextField
        type="file"
        label={t('template.header_media', { kind: tDynamic('messageType', field.name) })}
        accept={field.name === 'document' ? undefined : `${field.name}/*`}
        disabled={store.isPending}
        hint={url ? t('variable.fileReady') : field.optional ? t('variable.fileOptional') : undefined}
        onChange={(event) => event.target.files?.[0] && store.mutate(event.target.files[0])}
      />
      {store.isError && <ErrorNotice error={store.error} />}
    </div>
  );
}
