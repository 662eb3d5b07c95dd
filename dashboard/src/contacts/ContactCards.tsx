import { Link } from '@tanstack/react-router';
import type { Contact } from '@/api/schema';
import { matches } from '@/commands/keys';
import { KEYS } from '@/commands/shortcuts';
import { t } from '@/i18n';
import { Avatar } from '@/ui/Avatar';
import { onRowKeyDown } from '@/ui/rows';
import { useEndlessList } from '@/ui/useEndlessList';
import type { TableProps } from './ContactTable';
import { ContactTags } from './ContactTags';
import { contactName } from './names';

const CARD_PX = 96;
const GAP_PX = 8;

type CardsProps = Omit<TableProps, 'columns' | 'fields'>;

/** The contacts on a phone: a list of any length, of which only the cards in view are in the page. */
export function ContactCards({ contacts, selected, onToggle, hasMore, loadingMore, onMore }: CardsProps) {
  const { scroller, virtual, items } = useEndlessList({
    count: contacts.length,
    rowPx: CARD_PX,
    gapPx: GAP_PX,
    overscan: 6,
    keyOf: (index) => contacts[index]?.id ?? index,
    hasMore,
    loadingMore,
    onMore,
  });
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto p-2">
      <ul
        aria-label={t('nav.contacts')}
        data-rows
        className="relative"
        style={{ height: virtual.getTotalSize() }}
      >
        {items.map((item) => {
          const contact = contacts[item.index];
          return (
            contact && (
              <li
                key={item.key}
                className="absolute inset-x-0 top-0"
                style={{ height: CARD_PX, transform: `translateY(${item.start}px)` }}
                aria-setsize={hasMore ? -1 : contacts.length}
                aria-posinset={item.index + 1}
              >
                <Card contact={contact} selected={selected.has(contact.id)} onToggle={onToggle} />
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

interface CardProps {
  contact: Contact;
  selected: boolean;
  onToggle: ((id: string) => void) | undefined;
}

function Card({ contact, selected, onToggle }: CardProps) {
  const name = contactName(contact);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys act on the link and the checkbox inside
    <div
      data-row
      onKeyDown={(event) => {
        onRowKeyDown(event);
        if (!onToggle || !matches(KEYS.select, event)) return;
        event.preventDefault();
        onToggle(contact.id);
      }}
      className="relative flex h-full items-center gap-3 rounded-xl border border-line bg-surface px-3"
    >
      <Avatar name={name} src={contact.avatar_url} size={40} />
      <div className="min-w-0 flex-1">
        <Link
          to="/contacts/$contactId"
          params={{ contactId: contact.id }}
          aria-keyshortcuts={onToggle && KEYS.select}
          className="block truncate font-medium after:absolute after:inset-0"
        >
          {name}
        </Link>
        <p className="flex gap-2 truncate text-sm text-ink-soft">
          {(contact.phone ?? contact.email) && (
            // Numbers and addresses run from left to right in every language.
            <bdi dir="ltr" className="truncate">
              {contact.phone ?? contact.email}
            </bdi>
          )}
          {contact.company && <span className="truncate">{contact.company}</span>}
        </p>
        <ContactTags contact={contact} />
      </div>
      {onToggle && (
        // As large as a finger, and above the link that fills the card.
        <label className="z-10 -me-2 inline-flex size-11 shrink-0 items-center justify-center">
          <input
            type="checkbox"
            tabIndex={-1}
            className="size-5 accent-accent"
            checked={selected}
            onChange={() => onToggle(contact.id)}
            aria-label={t('inbox.selectNamed', { name })}
          />
        </label>
      )}
    </div>
  );
}
