import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check, X } from 'lucide-react';
import { call } from '@/api/client';
import { describeError } from '@/api/describe';
import { ApiError } from '@/api/errors';
import { t } from '@/i18n';
import { useSession } from '@/session/session';
import { IconButton } from '@/ui/Button';
import { TextField } from '@/ui/Field';
import { CustomFieldInput } from './CustomFieldInput';
import { applyContact } from './cache';
import { changeOf, type Detail, pathOf } from './detailRows';

const TYPES: Record<string, string> = { phone: 'tel', email: 'email' };
const TEXT_CHARS_MAX = 1_000;

interface EditorProps {
  contactId: string;
  detail: Detail;
  label: string;
  onDone: () => void;
}

/** One value of a contact, while it is changed. Enter stores it, Escape leaves it as it was. */
export function DetailEditor({ contactId, detail, label, onDone }: EditorProps) {
  const client = useQueryClient();
  const { country } = useSession().account;
  const save = useMutation({
    mutationFn: async (text: string) => {
      if (text.trim() === (detail.value ?? '')) return null;
      const body = changeOf(detail, text, country);
      return (await call('PATCH /contacts/{id}', { path: { id: contactId }, body })).data;
    },
    onSuccess: (contact) => {
      if (contact) applyContact(client, contact);
      onDone();
    },
  });
  const api = save.error instanceof ApiError ? save.error : null;
  const error = save.error ? (api?.at(pathOf(detail)) ?? describeError(save.error)) : undefined;
  const duplicate = api?.details.find((found) => found.contact_id)?.contact_id;
  const common = { label, hideLabel: true, name: 'value', defaultValue: detail.value ?? '', error };
  return (
    <form
      className="flex min-w-0 flex-1 items-start gap-1 py-1"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(String(new FormData(event.currentTarget).get('value') ?? ''));
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // The panel itself stays open.
        event.stopPropagation();
        onDone();
      }}
    >
      <div className="min-w-0 flex-1">
        {detail.field ? (
          <CustomFieldInput {...common} field={detail.field} />
        ) : (
          <TextField {...common} type={TYPES[detail.key] ?? 'text'} maxLength={TEXT_CHARS_MAX} autoFocus />
        )}
        {duplicate && (
          <Link to="/contacts/$contactId" params={{ contactId: duplicate }} className="text-accent underline">
            {t('contact.openDuplicate')}
          </Link>
        )}
      </div>
      <IconButton
        type="submit"
        label={t('ui.save')}
        disabled={save.isPending}
        icon={<Check size={16} aria-hidden />}
      />
      <IconButton label={t('ui.cancel')} icon={<X size={16} aria-hidden />} onClick={onDone} />
    </form>
  );
}
