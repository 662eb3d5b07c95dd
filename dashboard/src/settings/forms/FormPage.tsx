import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { ExternalLink, FileText, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '@/api/client';
import type { FormDetail } from '@/api/schema';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { buttonLook } from '@/ui/ButtonLink';
import { CodeBlock } from '@/ui/CodeBlock';
import { CopyField } from '@/ui/Copy';
import { ConfirmDialog } from '@/ui/Dialog';
import { EmptyState } from '@/ui/EmptyState';
import { BackLink, Page, Section, UnreadyPage } from '@/ui/Page';
import { AdminOnly } from '../AdminOnly';
import { formsQuery } from '../queries';
import { FormEditor } from './FormEditor';
import { Submissions } from './Submissions';
import { frameSnippet, ownFormSnippet } from './snippets';

const route = getRouteApi('/shell/settings/forms/$formId');

/** One form: what was sent, how it gets onto a website, and how it looks. */
export function FormPage() {
  return (
    <AdminOnly>
      <OneForm />
    </AdminOnly>
  );
}

function OneForm() {
  const { formId } = route.useParams();
  const query = useQuery(formsQuery);
  const back = <BackLink to="/settings/forms" label={t('settings.forms')} />;
  if (!query.data)
    return (
      <UnreadyPage
        title={t('settings.forms')}
        back={back}
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  const form = query.data.find(({ id }) => id === formId);
  if (!form)
    return (
      <Page title={t('settings.forms')} back={back}>
        <EmptyState icon={<FileText size={40} />} title={t('forms.missing')}>
          {t('forms.missingHelp')}
        </EmptyState>
      </Page>
    );
  return (
    <Page
      title={form.name}
      back={back}
      actions={
        <>
          <a href={form.url} target="_blank" rel="noreferrer" className={buttonLook('secondary')}>
            {t('forms.open')}
            <ExternalLink size={14} aria-hidden />
          </a>
          <DeleteForm form={form} />
        </>
      }
    >
      <div className="settings-columns flex flex-col gap-4">
        <FormEditor key={form.id} form={form} />
        <OnYourWebsite form={form} />
        <Submissions form={form} />
      </div>
    </Page>
  );
}

function OnYourWebsite({ form }: { form: FormDetail }) {
  return (
    <Section title={t('forms.website')}>
      <div className="flex flex-col gap-4">
        <CopyField label={t('forms.address')} value={form.url} />
        <p className="text-ink-soft">
          {form.origins.length > 0
            ? t('forms.allowed', { websites: form.origins.join(', ') })
            : t('forms.allowedAny')}{' '}
          {form.redirect_url ? t('forms.after', { address: form.redirect_url }) : t('forms.afterUsual')}
        </p>
        {form.origins.length > 0 && (
          <div className="flex flex-col gap-1">
            <h3 className="font-medium">{t('forms.frame')}</h3>
            <CodeBlock label={t('forms.frame')} code={frameSnippet(form)} />
          </div>
        )}
        <div className="flex flex-col gap-1">
          <h3 className="font-medium">{t('forms.own')}</h3>
          <p className="text-sm text-ink-soft">{t('forms.ownHelp')}</p>
          <CodeBlock label={t('forms.own')} code={ownFormSnippet(form)} height="tall" />
        </div>
      </div>
    </Section>
  );
}

function DeleteForm({ form }: { form: FormDetail }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button icon={<Trash2 size={16} aria-hidden />} onClick={() => setAsking(true)}>
        {t('ui.delete')}
      </Button>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t('forms.delete')}
        description={t('forms.deleteHelp', { name: form.name })}
        action={t('ui.delete')}
        onConfirm={async () => {
          await call('DELETE /app/api/admin/forms/{id}', { path: { id: form.id } });
          await navigate({ to: '/settings/forms' });
          client.setQueryData(formsQuery.queryKey, (known) => known?.filter(({ id }) => id !== form.id));
        }}
      />
    </>
  );
}
