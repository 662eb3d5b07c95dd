import { Link } from '@tanstack/react-router';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Contact, CustomField } from '@/api/schema';
import { matches } from '@/commands/keys';
import { KEYS } from '@/commands/shortcuts';
import { t, tDynamic } from '@/i18n';
import { Avatar } from '@/ui/Avatar';
import { onRowKeyDown } from '@/ui/rows';
import { Time } from '@/ui/Time';
import { useEndlessList } from '@/ui/useEndlessList';
import { ContactTags } from './ContactTags';
import { type Column, fieldValue } from './columns';
import { contactName } from './names';
import { ariaSort, type ContactOrder, isSorted, pressed } from './order';

export const ROW_PX = 40;
const NAME_WIDTH = '16rem';
const COLUMN_WIDTH = '12rem';

export interface TableProps {
  contacts: Contact[];
  columns: Column[];
  fields: CustomField[];
  selected: ReadonlySet<string>;
  /** Absent when the member may only read. */
  onToggle: ((id: string) => void) | undefined;
  hasMore: boolean;
  loadingMore: boolean;
  onMore: () => void;
}

type ContactTableProps = TableProps & {
  order: ContactOrder;
  /** Absent while a search has an order of its own. */
  onOrder: ((order: ContactOrder) => void) | undefined;
  /** Whether the rows are still those of another order. */
  isBusy: boolean;
};

/** A table of any length: only the rows in view are in the page, each knows its number. */
export function ContactTable({
  contacts,
  columns,
  fields,
  selected,
  onToggle,
  hasMore,
  loadingMore,
  onMore,
  order,
  onOrder,
  isBusy,
}: ContactTableProps) {
  const { scroller, virtual, items } = useEndlessList({
    count: contacts.length,
    rowPx: ROW_PX,
    overscan: 10,
    keyOf: (index) => contacts[index]?.id ?? index,
    hasMore,
    loadingMore,
    onMore,
  });
  // Another order begins at its first row.
  const shown = useRef(order);
  useEffect(() => {
    if (shown.current !== order) scroller.current?.scrollTo({ top: 0 });
    shown.current = order;
  }, [order, scroller]);
  const grid = {
    gridTemplateColumns: `${onToggle ? '2.75rem ' : ''}${NAME_WIDTH} repeat(${columns.length}, minmax(${COLUMN_WIDTH}, 1fr))`,
  };
  const title = (column: Column) => {
    const field = fields.find((candidate) => column === `field:${candidate.id}`);
    return field ? field.name : tDynamic('contact', column);
  };
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-auto">
      <div
        role="table"
        aria-label={t('nav.contacts')}
        aria-busy={isBusy}
        aria-rowcount={hasMore ? -1 : contacts.length + 1}
        className="min-w-fit"
      >
        <div
          role="row"
          style={grid}
          className="sticky top-0 z-10 grid items-center border-b border-line bg-canvas text-sm font-semibold text-ink-soft"
        >
          {onToggle && (
            <span role="columnheader">
              <span className="sr-only">{t('ui.select')}</span>
            </span>
          )}
          {['name', ...columns].map((column) => (
            <Heading
              key={column}
              column={column}
              title={column === 'name' ? t('contact.name') : title(column as Column)}
              order={order}
              onOrder={onOrder}
            />
          ))}
        </div>
        <div data-rows className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => {
            const contact = contacts[item.index];
            if (!contact) return null;
            return (
              <div
                key={item.key}
                role="row"
                data-row
                onKeyDown={(event) => {
                  onRowKeyDown(event);
                  if (!onToggle || !matches(KEYS.select, event)) return;
                  event.preventDefault();
                  onToggle(contact.id);
                }}
                aria-rowindex={item.index + 2}
                style={{ ...grid, height: ROW_PX, transform: `translateY(${item.start}px)` }}
                className="absolute inset-x-0 top-0 grid items-center border-b border-line bg-surface hover:bg-sunken"
              >
                {onToggle && (
                  <span role="cell" className="flex justify-center">
                    <input
                      type="checkbox"
                      tabIndex={-1}
                      className="size-4.5 accent-accent"
                      checked={selected.has(contact.id)}
                      onChange={() => onToggle(contact.id)}
                      aria-label={t('inbox.selectNamed', { name: contactName(contact) })}
                    />
                  </span>
                )}
                <span role="cell" className="flex min-w-0 items-center gap-2 px-3">
                  <Avatar name={contactName(contact)} src={contact.avatar_url} size={28} />
                  <Link
                    to="/contacts/$contactId"
                    params={{ contactId: contact.id }}
                    aria-keyshortcuts={onToggle && KEYS.select}
                    className="truncate font-medium hover:underline"
                  >
                    {contactName(contact)}
                  </Link>
                </span>
                {columns.map((column) => (
                  <span key={column} role="cell" className="truncate px-3">
                    <Cell contact={contact} column={column} />
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface HeadingProps {
  column: string;
  title: string;
  order: ContactOrder;
  onOrder: ((order: ContactOrder) => void) | undefined;
}

/** A heading that sorts, where the column is one that contacts are sorted by. */
function Heading({ column, title, order, onOrder }: HeadingProps) {
  if (!onOrder || !isSorted(column))
    return (
      <span role="columnheader" className="truncate px-3 py-2">
        {title}
      </span>
    );
  const sort = ariaSort(order, column);
  const Arrow = sort === 'ascending' ? ArrowUp : ArrowDown;
  return (
    <span role="columnheader" aria-sort={sort} className="flex min-w-0 px-1">
      <button
        type="button"
        onClick={() => onOrder(pressed(order, column))}
        className="group flex min-w-0 items-center gap-1 rounded-lg px-2 py-2 hover:bg-sunken hover:text-ink"
      >
        <span className="truncate">{title}</span>
        <Arrow
          size={14}
          aria-hidden
          className={`shrink-0 ${sort === 'none' ? 'opacity-0 group-hover:opacity-50' : ''}`}
        />
      </button>
    </span>
  );
}

function Cell({ contact, column }: { contact: Contact; column: Column }) {
  switch (column) {
    case 'tags':
      return <ContactTags contact={contact} />;
    case 'created_at':
    case 'updated_at':
      return <Time at={contact[column]} />;
    case 'phone':
    case 'email':
      // Numbers and addresses run from left to right in every language.
      return <bdi dir="ltr">{contact[column] ?? '–'}</bdi>;
    case 'company':
      return contact[column] ?? '–';
    default:
      return fieldValue(contact, column.slice('field:'.length)) ?? '–';
  }
}
