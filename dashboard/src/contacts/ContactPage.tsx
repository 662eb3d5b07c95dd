import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Ellipsis, Pencil } from 'lucide-react';
import { useState } from 'react';
import { downloadArchive, ExportRunning } from '@/api/archive';
import { useAttempts } from '@/api/attempts';
import { call } from '@/api/client';
import type { Contact } from '@/api/schema';
import { t } from '@/i18n';
import { useCan, useIsAdmin } from '@/session/session';
import { Avatar } from '@/ui/Avatar';
import { Button, IconButton } from '@/ui/Button';
import { ConfirmDialog } from '@/ui/Dialog';
import { Menu, MenuItem, MenuSeparator } from '@/ui/Menu';
import { BackLink, Page, Section, UnreadyPage } from '@/ui/Page';
import { Badge } from '@/ui/Tag';
import { notify, notifyFailure } from '@/ui/toast';
import { ContactDialog } from './ContactForm';
import { forgetContact } from './cache';
import { Details } from './Details';
import { MergeDialog } from './MergeDialog';
import { Notes } from './Notes';
import { contactName } from './names';
import { OpenConversation } from './OpenConversation';
import { contactNotesQuery, contactQuery, optOutQuery } from './queries';
import { TagEditor } from './TagEditor';
import { Timeline } from './TimelineList';

const route = getRouteApi('/shell/contacts/$contactId');

export function ContactPage() {
  const { contactId } = route.useParams();
  const query = useQuery(contactQuery(contactId));
  if (!query.data) {
    return (
      <UnreadyPage
        title={t('nav.contacts')}
        back={<BackLink to="/contacts" label={t('nav.contacts')} />}
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return <ContactDetail contact={query.data} />;
}

type OpenDialog = 'edit' | 'merge' | 'erase' | null;

function ContactDetail({ contact }: { contact: Contact }) {
  const { id } = contact;
  const client = useQueryClient();
  const navigate = useNavigate();
  const writable = useCan()('contacts:write');
  const isAdmin = useIsAdmin();
  const optOut = useQuery(optOutQuery(id)).data;
  const notes = useQuery(contactNotesQuery(id)).data;
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const attempts = useAttempts();
  const close = () => setDialog(null);
  const toggleOptOut = async () => {
    try {
      const operation = optOut?.opted_out ? 'DELETE /contacts/{id}/opt-out' : 'PUT /contacts/{id}/opt-out';
      const { data } = await call(operation, { path: { id } });
      client.setQueryData(optOutQuery(id).queryKey, data);
    } catch (error) {
      notifyFailure(t('contact.saveFailed'), error);
    }
  };
  const exportData = async () => {
    try {
      await downloadArchive('GET /app/api/contacts/{id}/export', { id });
      notify(t('contactExport.begun'));
    } catch (error) {
      if (error instanceof ExportRunning) notify(t('contactExport.running'));
      else notifyFailure(t('contactExport.failed'), error);
    }
  };
  const erase = async () => {
    await call('DELETE /contacts/{id}', { path: { id } });
    notify(t('erase.done'));
    await navigate({ to: '/contacts' });
    forgetContact(client, id);
  };
  const addNote = async (body: string) => {
    await attempts.call('POST /contacts/{id}/notes', { path: { id }, body: { body } });
    await client.invalidateQueries({ queryKey: contactNotesQuery(id).queryKey });
  };
  const name = contactName(contact);
  return (
    <Page
      title={name}
      back={<BackLink to="/contacts" label={t('nav.contacts')} />}
      actions={
        <>
          <OpenConversation contactId={id} />
          {writable && (
            <>
              <Button icon={<Pencil size={16} aria-hidden />} onClick={() => setDialog('edit')}>
                {t('ui.edit')}
              </Button>
              <Menu trigger={<IconButton label={t('ui.more')} icon={<Ellipsis size={18} aria-hidden />} />}>
                <MenuItem onSelect={() => void toggleOptOut()}>
                  {optOut?.opted_out ? t('contact.optIn') : t('contact.optOut')}
                </MenuItem>
                <MenuItem onSelect={() => setDialog('merge')}>{t('merge.title')}</MenuItem>
                {isAdmin && (
                  <MenuItem onSelect={() => void exportData()}>{t('contactExport.action')}</MenuItem>
                )}
                <MenuSeparator />
                <MenuItem danger onSelect={() => setDialog('erase')}>
                  {t('erase.title')}
                </MenuItem>
              </Menu>
            </>
          )}
        </>
      }
    >
      <div className="mx-auto grid max-w-columns grid-cols-1 gap-4 p-gutter lg:grid-cols-[22rem_1fr]">
        <div className="flex flex-col gap-4">
          <Section title={t('contact.details')}>
            <div className="mb-3 flex items-center gap-3">
              <Avatar name={name} src={contact.avatar_url} size={56} />
              {optOut?.opted_out && <Badge tone="warning">{t('contact.optedOut')}</Badge>}
            </div>
            <Details contact={contact} />
            <div className="mt-2">
              <TagEditor contact={contact} />
            </div>
          </Section>
          <Section title={t('contact.notes')}>
            <Notes notes={notes} onAdd={writable ? addNote : undefined} />
          </Section>
        </div>
        <Section title={t('timeline.title')}>
          <Timeline contactId={id} />
        </Section>
      </div>
      <ContactDialog open={dialog === 'edit'} onClose={close} contact={contact} />
      <MergeDialog open={dialog === 'merge'} onClose={close} contact={contact} />
      <ConfirmDialog
        open={dialog === 'erase'}
        onClose={close}
        title={t('erase.title')}
        description={t('erase.help', { name })}
        action={t('erase.action')}
        typed={name}
        onConfirm={erase}
      />
    </Page>
  );
}
