import { useQuery } from '@tanstack/react-query';
import { Pencil, Plus } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { Contact } from '@/api/schema';
import { t, withTexts } from '@/i18n';
import { useCan } from '@/session/session';
import { type Detail, detailsOf } from './detailRows';
import { fieldsQuery } from './queries';

const DetailEditor = lazy(async () => ({
  default: (await withTexts(() => import('./DetailEditor'), 'contacts')).DetailEditor,
}));

const LABELS = { phone: 'contact.phone', email: 'contact.email', company: 'contact.company' } as const;
const ADD = { phone: 'contact.addPhone', email: 'contact.addEmail', company: 'contact.addCompany' } as const;

const labelOf = ({ standard, name }: Detail) => (standard ? t(LABELS[standard]) : name);
const addLabel = ({ standard, name }: Detail) =>
  standard ? t(ADD[standard]) : t('contact.addNamed', { name });

/** What is known about a contact, custom fields included. Each is changed in place; what is missing can be added. */
export function Details({ contact }: { contact: Contact }) {
  const writable = useCan()('contacts:write');
  const fields = useQuery({ ...fieldsQuery, enabled: writable }).data ?? [];
  const details = detailsOf(contact, fields);
  const [editing, setEditing] = useState<string | null>(null);
  // The button that opened the editor is gone while it is open, and another one when the value has come.
  const [edited, setEdited] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a value that has come draws its button
  useEffect(() => {
    if (edited && document.activeElement === document.body)
      box.current?.querySelector<HTMLElement>(`[data-detail="${edited}"]`)?.focus();
  }, [edited, contact]);
  const edit = (key: string) => {
    setEditing(key);
    setEdited(null);
  };
  const done = (key: string) => {
    setEditing(null);
    setEdited(key);
  };
  const missing = details.filter((detail) => detail.value === null && detail.key !== editing);
  return (
    <div ref={box}>
      <dl>
        {details
          .filter((detail) => !missing.includes(detail))
          .map((detail) => (
            <div
              key={detail.key}
              className={`group flex min-h-8 gap-2 ${editing === detail.key ? 'flex-col gap-0' : 'items-center'}`}
            >
              <dt className="w-24 shrink-0 truncate text-sm text-ink-soft">{labelOf(detail)}</dt>
              <dd className="flex min-w-0 flex-1 items-center gap-1">
                {editing === detail.key ? (
                  <Suspense fallback={detail.value}>
                    <DetailEditor
                      contactId={contact.id}
                      detail={detail}
                      label={labelOf(detail)}
                      onDone={() => done(detail.key)}
                    />
                  </Suspense>
                ) : (
                  <span dir="auto" className="min-w-0 flex-1 break-words">
                    <Value detail={detail} />
                  </span>
                )}
                {writable && editing !== detail.key && (
                  <button
                    type="button"
                    data-detail={detail.key}
                    aria-label={t('ui.editNamed', { name: labelOf(detail) })}
                    title={t('ui.editNamed', { name: labelOf(detail) })}
                    onClick={() => edit(detail.key)}
                    className="rounded-md p-1.5 text-ink-soft opacity-0 group-hover:opacity-100 hover:bg-sunken focus-visible:opacity-100 pointer-coarse:opacity-100"
                  >
                    <Pencil size={14} aria-hidden />
                  </button>
                )}
              </dd>
            </div>
          ))}
      </dl>
      {writable && missing.length > 0 && (
        <div className="-ms-1.5 flex flex-wrap">
          {missing.map((detail) => (
            <button
              key={detail.key}
              type="button"
              data-detail={detail.key}
              onClick={() => edit(detail.key)}
              className="inline-flex min-h-chip items-center gap-1 rounded-md px-1.5 text-sm text-ink-soft hover:bg-sunken hover:text-ink"
            >
              <Plus size={14} aria-hidden />
              {addLabel(detail)}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function Value({ detail: { key, value } }: { detail: Detail }) {
  if (key === 'phone')
    return (
      <a href={`tel:${value}`} className="hover:underline">
        {value}
      </a>
    );
  if (key === 'email')
    return (
      <a href={`mailto:${value}`} className="hover:underline">
        {value}
      </a>
    );
  return value;
}
