import { useQueryClient } from '@tanstack/react-query';
import { call } from '@/api/client';
import type { FormDetail } from '@/api/schema';
import { t } from '@/i18n';
import { TextArea, TextField } from '@/ui/Field';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { formsQuery } from '../queries';
import { originsOf } from './snippets';

interface NewFormProps {
  onCancel: () => void;
  onCreated: (form: FormDetail) => Promise<void>;
}

/** What a form of a website needs to be made. */
export function NewFormForm({ onCancel, onCreated }: NewFormProps) {
  const client = useQueryClient();
  return (
    <SubmitForm
      action={t('forms.new')}
      onCancel={onCancel}
      onSubmit={async (entered) => {
        const redirect = textOf(entered, 'redirect_url');
        const body = {
          name: textOf(entered, 'name'),
          origins: originsOf(textOf(entered, 'origins')),
          ...(redirect && { redirect_url: redirect }),
        };
        const { data } = await call('POST /app/api/admin/forms', { body });
        client.setQueryData(formsQuery.queryKey, (known) => known && [data, ...known]);
        await onCreated(data);
      }}
    >
      {(errorAt) => (
        <>
          <TextField
            label={t('forms.name')}
            name="name"
            hint={t('forms.nameHint')}
            required
            maxLength={200}
            error={errorAt('name')}
            autoFocus
          />
          <TextArea
            label={t('forms.origins')}
            name="origins"
            rows={2}
            hint={t('forms.originsHint')}
            error={errorAt('origins')}
          />
          <TextField
            label={t('forms.redirect')}
            name="redirect_url"
            type="url"
            hint={t('forms.redirectHint')}
            maxLength={2048}
            error={errorAt('redirect_url')}
          />
        </>
      )}
    </SubmitForm>
  );
}
