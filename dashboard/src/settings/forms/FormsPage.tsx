import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { FileText, Plus } from 'lucide-react';
import { useState } from 'react';
import type { FormDetail } from '@/api/schema';
import { useCommands } from '@/commands/commands';
import { KEYS } from '@/commands/shortcuts';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Page } from '@/ui/Page';
import { LoadingRows } from '@/ui/Spinner';
import { AdminOnly } from '../AdminOnly';
import { formsQuery } from '../queries';
import { NewFormForm } from './NewFormForm';

const ROW_PX = 60;

export function FormsPage() {
  return (
    <AdminOnly>
      <Forms />
    </AdminOnly>
  );
}

function Forms() {
  const navigate = useNavigate();
  const query = useQuery(formsQuery);
  const [creating, setCreating] = useState(false);
  const create = (
    <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      {t('forms.new')}
    </Button>
  );
  useCommands([
    {
      id: 'forms.new',
      group: t('settings.forms'),
      label: t('forms.new'),
      shortcut: KEYS.create,
      run: () => setCreating(true),
    },
  ]);
  return (
    <Page title={t('settings.forms')} actions={create}>
      <div className="settings-column">
        {query.isPending && <LoadingRows rowPx={ROW_PX} count={3} />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.data?.length === 0 && (
          <EmptyState icon={<FileText size={40} />} title={t('forms.empty')} action={create}>
            {t('forms.emptyHelp')}
          </EmptyState>
        )}
        <ul className="divide-y divide-line rounded-xl border border-line bg-surface empty:hidden">
          {query.data?.map((form) => (
            <FormRow key={form.id} form={form} />
          ))}
        </ul>
      </div>
      <Dialog
        open={creating}
        onClose={() => setCreating(false)}
        title={t('forms.new')}
        description={t('forms.newHelp')}
      >
        {creating && (
          <NewFormForm
            onCancel={() => setCreating(false)}
            onCreated={async (form) => {
              setCreating(false);
              await navigate({ to: '/settings/forms/$formId', params: { formId: form.id } });
            }}
          />
        )}
      </Dialog>
    </Page>
  );
}

function FormRow({ form }: { form: FormDetail }) {
  const websites = form.origins.length > 0 ? form.origins.join(', ') : t('forms.anyWebsite');
  return (
    <li className="relative min-h-15 px-4 py-2 hover:bg-sunken">
      <Link
        to="/settings/forms/$formId"
        params={{ formId: form.id }}
        className="block truncate font-medium after:absolute after:inset-0"
      >
        {form.name}
      </Link>
      <p className="truncate text-sm text-ink-soft">{websites}</p>
    </li>
  );
}
