import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Template, TemplateChoice } from '@/api/schema';
import type { ContactSummary } from '@/api/shapes';
import { upload } from '@/api/upload';
import { t, tDynamic } from '@/i18n';
import { Button } from '@/ui/Button';
import { Dialog, DialogActions } from '@/ui/Dialog';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { Picker } from '@/ui/Picker';
import { Loading } from '@/ui/Spinner';
import { templatesQuery } from './queries';
import { TemplateBubble } from './TemplateBubble';
import {
  missingFields,
  preview,
  type TemplateField,
  type TemplateValues,
  templateFields,
  toChoice,
} from './template';

interface TemplateDialogProps {
  contact: Pick<ContactSummary, 'name'>;
  open: boolean;
  onClose: () => void;
  /** Sends the template, which will read as `text`. A failure is shown in the dialog. */
  onSend: (choice: TemplateChoice, text: string) => void | Promise<void>;
}

export function TemplateDialog({ open, ...rest }: TemplateDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={rest.onClose}
      title={t('template.title')}
      description={t('template.help')}
      wide
    >
      {open && <TemplateForm {...rest} />}
    </Dialog>
  );
}

function TemplateForm({ contact, onClose, onSend }: Omit<TemplateDialogProps, 'open'>) {
  const query = useQuery(templatesQuery);
  const [template, setTemplate] = useState<Template | null>(null);
  const [values, setValues] = useState<TemplateValues>({});
  const send = useMutation({
    mutationFn: async (chosen: Template) => onSend(toChoice(chosen, values), preview(chosen, values).body),
    onSuccess: onClose,
  });
  if (query.isPending) return <Loading />;
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data.length === 0) return <p>{t('template.none')}</p>;

  const choose = (chosen: Template | null) => {
    setTemplate(chosen);
    // Only where the template itself says that a name belongs there: a wrong guess might be sent.
    const forName = chosen?.placeholders.find((placeholder) => /name/i.test(placeholder));
    setValues(forName && contact.name ? { [`body:${forName}`]: contact.name } : {});
  };
  const missing = template ? missingFields(template, values) : [];
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (template) send.mutate(template);
      }}
    >
      <div className="flex flex-col gap-1">
        <Picker
          label={t('template.choose')}
          items={query.data}
          text={(item) => `${item.name} (${item.language})`}
          itemKey={(item) => item.id}
          value={template}
          onChange={choose}
          placeholder={t('template.search')}
          autoFocus
        />
      </div>
      {template && (
        <div className="grid gap-4 sm:grid-cols-2">
          <div className="flex flex-col gap-3">
            {templateFields(template).map((field) => (
              <ValueField
                key={field.key}
                field={field}
                value={values[field.key] ?? ''}
                onChange={(value) => setValues((before) => ({ ...before, [field.key]: value }))}
              />
            ))}
            {templateFields(template).length === 0 && (
              <p className="text-ink-soft">{t('template.noValues')}</p>
            )}
          </div>
          <section aria-label={t('template.preview')} className="rounded-xl bg-bubble p-3">
            <TemplateBubble template={template} values={values} />
          </section>
        </div>
      )}
      {send.isError && <ErrorNotice error={send.error} />}
      <DialogActions>
        <Button onClick={onClose}>{t('ui.cancel')}</Button>
        <Button type="submit" kind="primary" busy={send.isPending} disabled={!template || missing.length > 0}>
          {t('template.send')}
        </Button>
      </DialogActions>
    </form>
  );
}

function ValueField({
  field,
  value,
  onChange,
}: {
  field: TemplateField;
  value: string;
  onChange: (value: string) => void;
}) {
  const store = useMutation({ mutationFn: upload, onSuccess: ({ url }) => onChange(url) });
  if (field.kind !== 'header_media') {
    return (
      <TextField
        label={t(`template.${field.kind}`, { name: field.name })}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        required
      />
    );
  }
  const accept = field.name === 'document' ? undefined : `${field.name}/*`;
  return (
    <div>
      <TextField
        type="file"
        label={t('template.header_media', { kind: tDynamic('messageType', field.name) })}
        accept={accept}
        disabled={store.isPending}
        onChange={(event) => event.target.files?.[0] && store.mutate(event.target.files[0])}
        required={!field.optional && value === ''}
      />
      {store.isError && <ErrorNotice error={store.error} />}
    </div>
  );
}
