import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '@/api/client';
import type { Contact } from '@/api/schema';
import type { ContactSummary } from '@/api/shapes';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { Dialog, DialogActions } from '@/ui/Dialog';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { notify } from '@/ui/toast';
import { ContactPicker } from './ContactPicker';
import { applyContact } from './cache';
import { contactName } from './names';

interface MergeProps {
  contact: Contact;
  open: boolean;
  onClose: () => void;
}

/** Merges another contact into this one. */
export function MergeDialog({ contact, open, onClose }: MergeProps) {
  const client = useQueryClient();
  const [other, setOther] = useState<ContactSummary | null>(null);
  const merge = useMutation({
    mutationFn: ({ id }: ContactSummary) =>
      call('POST /contacts/{id}/merge', { path: { id: contact.id }, body: { contact_id: id } }),
    onSuccess: async ({ data }, { id }) => {
      applyContact(client, data, id);
      await client.invalidateQueries({ predicate: (query) => query.queryKey[1] === contact.id });
      notify(t('merge.done', { name: contactName(data) }));
      onClose();
    },
  });
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
      {merge.isError && <ErrorNotice error={merge.error} />}
      <DialogActions>
        <Button onClick={onClose}>{t('ui.cancel')}</Button>
        <Button
          kind="danger"
          disabled={!other}
          busy={merge.isPending}
          onClick={() => other && merge.mutate(other)}
        >
          {t('merge.action')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
