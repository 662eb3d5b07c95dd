import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CalendarPlus, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '@/api/client';
import type { BookingSourceDetail } from '@/api/schema';
import { useCommands } from '@/commands/commands';
import { KEYS } from '@/commands/shortcuts';
import { t } from '@/i18n';
import { Button, IconButton } from '@/ui/Button';
import { CopyField } from '@/ui/Copy';
import { ConfirmDialog, Dialog, DialogActions } from '@/ui/Dialog';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { Page } from '@/ui/Page';
import { LoadingRows } from '@/ui/Spinner';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { AdminOnly } from './AdminOnly';
import { bookingSourcesQuery } from './queries';

const ROW_PX = 110;

/** Calendars whose bookings appear here: Cal.com, and whatever sends the same webhook. */
export function BookingSourcesPage() {
  return (
    <AdminOnly>
      <BookingSources />
    </AdminOnly>
  );
}

function BookingSources() {
  const client = useQueryClient();
  const query = useQuery(bookingSourcesQuery);
  const [adding, setAdding] = useState(false);
  const [added, setAdded] = useState<BookingSourceDetail | null>(null);
  const [deleting, setDeleting] = useState<BookingSourceDetail | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: bookingSourcesQuery.queryKey });
  const add = (
    <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {t('bookingSources.new')}
    </Button>
  );
  useCommands([
    {
      id: 'bookingSources.new',
      group: t('settings.bookingSources'),
      label: t('bookingSources.new'),
      shortcut: KEYS.create,
      run: () => setAdding(true),
    },
  ]);
  return (
    <Page title={t('settings.bookingSources')} actions={add}>
      <div className="settings-column flex flex-col gap-3">
        {query.isPending && <LoadingRows rowPx={ROW_PX} count={2} />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.data?.length === 0 && (
          <EmptyState icon={<CalendarPlus size={40} />} title={t('bookingSources.empty')} action={add}>
            {t('bookingSources.emptyHelp')}
          </EmptyState>
        )}
        {query.data?.map((source) => (
          <section
            key={source.id}
            aria-label={source.name}
            className="rounded-xl border border-line bg-surface p-4"
          >
            <div className="mb-2 flex items-center gap-2">
              <h2 className="min-w-0 flex-1 truncate font-semibold">{source.name}</h2>
              <IconButton
                label={t('ui.deleteNamed', { name: source.name })}
                icon={<Trash2 size={16} aria-hidden />}
                onClick={() => setDeleting(source)}
              />
            </div>
            <CopyField label={t('bookingSources.url')} value={source.url} />
          </section>
        ))}
      </div>
      <Dialog
        open={adding}
        onClose={() => setAdding(false)}
        title={t('bookingSources.new')}
        description={t('bookingSources.newHelp')}
      >
        <SubmitForm
          action={t('bookingSources.new')}
          onCancel={() => setAdding(false)}
          onSubmit={async (form) => {
            const body = { name: textOf(form, 'name') };
            const { data } = await call('POST /app/api/admin/booking-sources', { body });
            setAdding(false);
            setAdded(data);
            await refresh();
          }}
        >
          {(errorAt) => (
            <TextField
              label={t('bookingSources.name')}
              name="name"
              defaultValue="Cal.com"
              required
              maxLength={200}
              error={errorAt('name')}
              autoFocus
            />
          )}
        </SubmitForm>
      </Dialog>
      <AddedDialog source={added} onClose={() => setAdded(null)} />
      <ConfirmDialog
        open={deleting !== null}
        onClose={() => setDeleting(null)}
        title={t('bookingSources.delete')}
        description={t('bookingSources.deleteHelp', { name: deleting?.name ?? '' })}
        action={t('ui.delete')}
        onConfirm={async () => {
          if (deleting)
            await call('DELETE /app/api/admin/booking-sources/{id}', { path: { id: deleting.id } });
          await refresh();
        }}
      />
    </Page>
  );
}

/** What is entered at the calendar. The secret is shown only now. */
function AddedDialog({ source, onClose }: { source: BookingSourceDetail | null; onClose: () => void }) {
  return (
    <Dialog
      open={source !== null}
      onClose={onClose}
      title={t('bookingSources.added')}
      description={t('bookingSources.addedHelp')}
    >
      <div className="flex flex-col gap-3">
        <p>{t('bookingSources.where')}</p>
        <CopyField label={t('bookingSources.url')} value={source?.url ?? ''} />
        <CopyField label={t('bookingSources.secret')} value={source?.secret ?? ''} />
        <p>{t('bookingSources.events')}</p>
      </div>
      <DialogActions>
        <Button kind="primary" onClick={onClose}>
          {t('ui.close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
