import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAttempts } from '@/api/attempts';
import { call } from '@/api/client';
import { ApiError } from '@/api/errors';
import type { Contact } from '@/api/schema';
import { t } from '@/i18n';
import { useSession } from '@/session/session';
import { Button } from '@/ui/Button';
import { changedOf } from '@/ui/changed';
import { Dialog, DialogActions } from '@/ui/Dialog';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { CustomFieldInput } from './CustomFieldInput';
import { applyContact } from './cache';
import { fieldValue } from './columns';
import { fieldsQuery } from './queries';

interface ContactDialogProps {
  open: boolean;
  onClose: () => void;
  /** Absent: a new contact is made. */
  contact?: Contact;
  onSaved?: (contact: Contact) => void;
}

export function ContactDialog({ open, onClose, contact, onSaved }: ContactDialogProps) {
  const title = contact ? t('contact.edit') : t('contact.new');
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      {open && <ContactForm onClose={onClose} {...(contact && { contact })} {...(onSaved && { onSaved })} />}
    </Dialog>
  );
}

function ContactForm({ contact, onClose, onSaved }: Omit<ContactDialogProps, 'open'>) {
  const client = useQueryClient();
  const fields = useQuery(fieldsQuery).data ?? [];
  const { country } = useSession().account;
  const attempts = useAttempts();
  // As it was when its fields were filled. A colleague may change it meanwhile.
  const [opened] = useState(contact);
  const store = async (form: FormData) => {
    const text = (name: string) => String(form.get(name) ?? '').trim() || null;
    const entered = {
      name: text('name'),
      phone: text('phone'),
      email: text('email'),
      company: text('company'),
    };
    const own = fields.map(({ id }) => [id, text(`field:${id}`)] as const);
    if (!opened)
      return attempts.call('POST /contacts', {
        body: { ...entered, ...(country && { country }), custom_fields: Object.fromEntries(own) },
      });
    const changed = changedOf<typeof entered>(opened, entered);
    const changedOwn = own.filter(([id, value]) => value !== fieldValue(opened, id));
    const body = {
      ...changed,
      ...('phone' in changed && country && { country }),
      ...(changedOwn.length > 0 && { custom_fields: Object.fromEntries(changedOwn) }),
    };
    return call('PATCH /contacts/{id}', { path: { id: opened.id }, body });
  };
  const save = useMutation({
    mutationFn: store,
    onSuccess: ({ data }) => {
      applyContact(client, data);
      onSaved?.(data);
      onClose();
    },
  });
  const api = save.error instanceof ApiError ? save.error : null;
  const duplicate =
    api?.status === 409 ? api.details.find((detail) => detail.contact_id)?.contact_id : undefined;
  const at = (path: string) => api?.at(path);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(new FormData(event.currentTarget));
      }}
    >
      <TextField
        label={t('contact.name')}
        name="name"
        defaultValue={contact?.name ?? ''}
        error={at('name')}
        maxLength={200}
        autoFocus
      />
      <TextField
        label={t('contact.phone')}
        name="phone"
        type="tel"
        hint={country ? t('contact.phoneHintHere', { country }) : t('contact.phoneHint')}
        defaultValue={contact?.phone ?? ''}
        error={at('phone')}
      />
      {duplicate && (
        <p>
          <Link to="/contacts/$contactId" params={{ contactId: duplicate }} className="text-accent underline">
            {t('contact.openDuplicate')}
          </Link>
        </p>
      )}
      <TextField
        label={t('contact.email')}
        name="email"
        type="email"
        defaultValue={contact?.email ?? ''}
        error={at('email')}
      />
      <TextField
        label={t('contact.company')}
        name="company"
        defaultValue={contact?.company ?? ''}
        error={at('company')}
        maxLength={200}
      />
      {fields.map((field) => (
        <CustomFieldInput
          key={field.id}
          field={field}
          label={field.name}
          name={`field:${field.id}`}
          defaultValue={(contact && fieldValue(contact, field.id)) ?? ''}
          error={at(`custom_fields.${field.id}`)}
        />
      ))}
      {save.isError && (api?.details.length ?? 0) === 0 && <ErrorNotice error={save.error} />}
      <DialogActions>
        <Button onClick={onClose}>{t('ui.cancel')}</Button>
        <Button type="submit" kind="primary" busy={save.isPending}>
          {t('ui.save')}
        </Button>
      </DialogActions>
    </form>
  );
}
