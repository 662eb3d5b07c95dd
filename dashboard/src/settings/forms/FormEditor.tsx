import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '@/api/client';
import { ApiError } from '@/api/errors';
import type { FormDetail } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextArea, TextField } from '@/ui/Field';
import { FilterChips } from '@/ui/FilterChips';
import { Section } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { notify } from '@/ui/toast';
import { useDebounced } from '@/ui/useDebounced';
import { formPreviewQuery, formsQuery } from '../queries';
import { SaveBar } from '../SaveBar';
import { useSettingsDraft } from '../useSettingsDraft';
import { changesOf, draftOf, type FormDraft } from './draft';
import { FieldList } from './FieldList';
import { FormPreview } from './FormPreview';

const SETTLE_MS = 400;
const PAGES = ['form', 'thanks'] as const;

/** Changes a form. Beside it are its pages as they will look. */
export function FormEditor({ form }: { form: FormDetail }) {
  const client = useQueryClient();
  const { draft, isChanged, isOutdated, set, discard } = useSettingsDraft(draftOf(form));
  const save = useMutation({
    mutationFn: () =>
      call('PATCH /app/api/admin/forms/{id}', { path: { id: form.id }, body: changesOf(form, draft) }),
    onSuccess: async ({ data }) => {
      // An answer that is under way was written before this change.
      await client.cancelQueries({ queryKey: formsQuery.queryKey });
      client.setQueryData(formsQuery.queryKey, (known) =>
        known?.map((one) => (one.id === data.id ? data : one)),
      );
      discard();
      notify(t('ui.saved'));
    },
  });
  const errorAt = (path: string) => (save.error instanceof ApiError ? save.error.at(path) : undefined);
  return (
    <>
      <div className="grid gap-4 lg:grid-cols-2">
        <Section title={t('forms.edit')}>
          <div className="flex flex-col gap-4">
            <Texts draft={draft} set={set} errorAt={errorAt} />
            <h3 className="font-medium">{t('forms.fields')}</h3>
            <p className="text-sm text-ink-soft">{t('forms.fieldsHelp')}</p>
            <FieldList fields={draft.fields} errorAt={errorAt} onChange={(fields) => set({ fields })} />
          </div>
        </Section>
        <div className="lg:sticky lg:top-0 lg:self-start">
          <Preview form={form} draft={draft} />
        </div>
      </div>
      <SaveBar
        group={t('settings.forms')}
        isChanged={isChanged}
        isOutdated={isOutdated}
        busy={save.isPending}
        error={save.error}
        onSave={() => save.mutate()}
        onDiscard={() => {
          save.reset();
          discard();
        }}
      />
    </>
  );
}

interface TextsProps {
  draft: FormDraft;
  set: (change: Partial<FormDraft>) => void;
  errorAt: (path: string) => string | undefined;
}

function Texts({ draft, set, errorAt }: TextsProps) {
  return (
    <>
      <TextField
        label={t('forms.name')}
        hint={t('forms.nameChanged')}
        value={draft.name}
        maxLength={200}
        error={errorAt('name')}
        onChange={(event) => set({ name: event.target.value })}
      />
      <TextField
        label={t('forms.button')}
        placeholder="Send"
        value={draft.button}
        maxLength={60}
        error={errorAt('button_text')}
        onChange={(event) => set({ button: event.target.value })}
      />
      <TextArea
        label={t('forms.thanks')}
        placeholder="Your message was sent."
        rows={2}
        value={draft.thanks}
        maxLength={1000}
        error={errorAt('thanks_text')}
        onChange={(event) => set({ thanks: event.target.value })}
      />
      <TextField
        label={t('forms.redirect')}
        type="url"
        hint={t('forms.redirectHint')}
        value={draft.redirect}
        maxLength={2048}
        error={errorAt('redirect_url')}
        onChange={(event) => set({ redirect: event.target.value })}
      />
      <TextArea
        label={t('forms.origins')}
        rows={2}
        hint={t('forms.originsHint')}
        value={draft.origins}
        error={errorAt('origins')}
        onChange={(event) => set({ origins: event.target.value })}
      />
    </>
  );
}

function Preview({ form, draft }: { form: FormDetail; draft: FormDraft }) {
  const [page, setPage] = useState<(typeof PAGES)[number]>('form');
  const changes = useDebounced(JSON.stringify(changesOf(form, draft)), SETTLE_MS);
  const query = useQuery({
    ...formPreviewQuery(form, JSON.parse(changes)),
    placeholderData: keepPreviousData,
  });
  const isUnfinished = query.error instanceof ApiError && query.error.status === 400;
  return (
    <Section
      title={t('forms.preview')}
      actions={
        <FilterChips
          label={t('forms.preview')}
          chips={PAGES.map((value) => ({ value, label: tDynamic('formPage', value) }))}
          value={page}
          onChange={(value) => setPage(value ?? 'form')}
        />
      }
    >
      {query.isPending && <Loading />}
      {isUnfinished && <p className="text-ink-soft">{t('forms.previewUnfinished')}</p>}
      {query.isError && !isUnfinished && (
        <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.data && !query.isError && (
        <FormPreview html={page === 'form' ? query.data.form_html : query.data.thanks_html} />
      )}
    </Section>
  );
}
