import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '@/api/client';
import type { Contact } from '@/api/schema';
import type { ContactSummary } from '@/api/shapes';
import { t } from '@/i18n';
import { contactName } from '@/inbox/names';
import { Button } from '@/ui/Button';
import { Dialog, DialogActions } from '@/ui/Dialog';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { notify } from '@/ui/toast';
import { ContactPicker } from './ContactPicker';
import { applyContact } from './cache';

interface MergeProps {
  contact: Contact;
  open: boolean;
  onClose: () => void;
}

/** Merges another contact into this one. */
export function MergeDialog({ contact, open, onClose }: MergeProps) {
  const client = useQueryClient();
  const [other, setOther] = useState<ContactSummary | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const merge = async () => {
    if (!other) return;
    setBusy(true);
    setError(null);
    try {
      const { data } = await call('POST /contacts/{id}/merge', {
        path: { id: contact.id },
        body: { contact_id: other.id },
      });
      applyContact(client, data, other.id);
      await client.invalidateQueries({ predicate: (query) => query.queryKey[1] === contact.id });
      notify(t('merge.done', { name: contactName(data) }));
      onClose();
    } catch (cause) {
      setError(cause);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={t('merge.title')}
      description={t('merge.help', { name: contactName(contact) })}
    >
      <ContactPicker label={t('merge.other')} value={other} onChange={setOther} except={contact.id} />
      {other && (
        <p className="mt-3 rounded-lg bg-warning-soft p-3">
          {t('merge.warning', { other: contactName(other), name: contactName(contact) })}
        </p>
      )}
      {error !== null && <ErrorNotice error={error} />}
      <DialogActions>
        <Button onClick={onClose}>{t('ui.cancel')}</Button>
        <Button kind="danger" disabled={!other} busy={busy} onClick={() => void merge()}>
          {t('merge.action')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
