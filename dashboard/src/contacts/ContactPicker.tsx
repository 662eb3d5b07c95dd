import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ContactSummary } from '@/api/shapes';
import { t } from '@/i18n';
import { Picker } from '@/ui/Picker';
import { useDebounced } from '@/ui/useDebounced';
import { contactName } from './names';
import { contactsQuery } from './queries';

interface ContactPickerProps {
  label: string;
  value: ContactSummary | null;
  onChange: (contact: ContactSummary | null) => void;
  /** A contact that cannot be chosen. */
  except?: string;
}

/** Finds a contact among any number: the server searches. */
export function ContactPicker({ label, value, onChange, except }: ContactPickerProps) {
  const [text, setText] = useState('');
  const q = useDebounced(text);
  const query = useInfiniteQuery(contactsQuery(q ? { q } : {}));
  const found = (query.data?.pages[0]?.data ?? []).filter((contact) => contact.id !== except).slice(0, 20);
  return (
    <div className="flex flex-col gap-1">
      <Picker<ContactSummary>
        label={label}
        items={found}
        text={contactName}
        itemKey={(contact) => contact.id}
        value={value}
        onChange={onChange}
        onSearch={setText}
        placeholder={t('contacts.searchHint')}
        render={(contact) => (
          <>
            {contactName(contact)}{' '}
            {contact.name && contact.phone && <span className="text-sm text-ink-soft">{contact.phone}</span>}
          </>
        )}
      />
    </div>
  );
}
