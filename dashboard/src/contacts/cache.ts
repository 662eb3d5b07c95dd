import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { InboxRow } from '@/api/app';
import type { Contact } from '@/api/schema';
import type { ContactSummary, Page } from '@/api/shapes';
import { refreshIfReading, refreshSoon } from '@/live/burst';
import { columnOf, parseOrder } from './order';

type ContactPages = InfiniteData<Page<Contact>, unknown>;
type InboxPages = InfiniteData<Page<InboxRow>, unknown>;

/** The queries of what a contact has, by its id. */
const OF_A_CONTACT = [
  'contact-notes',
  'contact-conversations',
  'contact-deals',
  'contact-deal-changes',
  'contact-inquiries',
  'contact-bookings',
  'contact-runs',
  'opt-out',
] as const;

/** Contacts that changed. Only what is on screen or was a moment ago is kept: others are read when wanted. */
export function applyContacts(client: QueryClient, contacts: readonly Contact[]): void {
  if (contacts.length === 0) return;
  const byId = new Map(contacts.map((contact) => [contact.id, contact]));
  for (const contact of byId.values()) {
    client.setQueryData<Contact>(['contact', contact.id], (known) => known && contact);
    refreshIfReading(client, ['contact', contact.id]);
  }
  // Only the server can tell which filters and segments a contact matches that is not listed, and where one comes now.
  if (![...byId.keys()].every(listed(client)) || changesOrder(client, byId))
    refreshSoon(client, ['contacts']);
  else refreshIfReading(client, ['contacts']);
  refreshSoon(client, ['contact-total']);
  update<ContactPages>(client, 'contacts', (data) =>
    mapRows(data, (contact) => byId.get(contact.id) ?? contact),
  );
  const rename = (row: InboxRow) => renamed(row, byId.get(row.contact.id));
  update<InboxPages>(client, 'inbox', (data) => mapRows(data, rename));
  update<InboxRow>(client, 'inbox-row', rename);
  update<ContactSummary[]>(client, 'contact-names', (names) => renamedIn(names, byId));
  refreshIfReading(client, ['contact-names']);
}

/** A contact that changed, or took over the one it was merged with. */
export function applyContact(client: QueryClient, contact: Contact, mergedId?: string): void {
  applyContacts(client, [contact]);
  if (!mergedId) return;
  forgetContact(client, mergedId);
  // Everything that the other one had is this one's now.
  for (const part of OF_A_CONTACT) refreshSoon(client, [part, contact.id]);
}

export function forgetContact(client: QueryClient, id: string): void {
  client.removeQueries({ queryKey: ['contact', id] });
  client.setQueriesData<ContactPages>({ queryKey: ['contacts'] }, (data) => data && withoutContact(data, id));
  update<ContactSummary[]>(client, 'contact-names', (names) =>
    names.some((known) => known.id === id) ? names.filter((known) => known.id !== id) : names,
  );
  refreshSoon(client, ['contact-total']);
  refreshSoon(client, ['inbox']);
}

function listed(client: QueryClient): (id: string) => boolean {
  const lists = client.getQueriesData<ContactPages>({ queryKey: ['contacts'] });
  const ids = new Set(
    lists.flatMap(([, data]) => data?.pages.flatMap((page) => page.data.map((contact) => contact.id)) ?? []),
  );
  return (id) => ids.has(id);
}

/** Whether a sorted list has a contact with another value of what it is sorted by. */
function changesOrder(client: QueryClient, byId: ReadonlyMap<string, Contact>): boolean {
  return client.getQueriesData<ContactPages>({ queryKey: ['contacts'] }).some(([key, data]) => {
    const order = parseOrder(key[2]);
    if (!order || !data) return false;
    const column = columnOf(order);
    return data.pages.some((page) =>
      page.data.some((row) => (byId.get(row.id) ?? row)[column] !== row[column]),
    );
  });
}

/** Writes what a change makes of each query's data, where it makes a difference. */
function update<T>(client: QueryClient, kind: string, change: (data: T) => T): void {
  for (const [key, data] of client.getQueriesData<T>({ queryKey: [kind] })) {
    if (data === undefined) continue;
    const next = change(data);
    if (next !== data) client.setQueryData(key, next);
  }
}

/** The same object when no row changes. */
function mapRows<R>(
  data: InfiniteData<Page<R>, unknown>,
  change: (row: R) => R,
): InfiniteData<Page<R>, unknown> {
  const pages = data.pages.map((page) => {
    const rows = page.data.map(change);
    return rows.every((row, at) => row === page.data[at]) ? page : { ...page, data: rows };
  });
  return pages.every((page, at) => page === data.pages[at]) ? data : { ...data, pages };
}

function withoutContact(data: ContactPages, id: string): ContactPages {
  return {
    ...data,
    pages: data.pages.map((page) => ({ ...page, data: page.data.filter((other) => other.id !== id) })),
  };
}

/** The same array when no name changes. */
function renamedIn(names: ContactSummary[], contacts: ReadonlyMap<string, ContactSummary>): ContactSummary[] {
  const next = names.map((known) => {
    const now = contacts.get(known.id);
    return !now || isCalledTheSame(known, now) ? known : summaryOf(now);
  });
  return next.every((each, at) => each === names[at]) ? names : next;
}

const isCalledTheSame = (one: ContactSummary, other: ContactSummary) =>
  one.name === other.name && one.phone === other.phone && one.avatar_url === other.avatar_url;

const summaryOf = ({ id, name, phone, avatar_url }: ContactSummary): ContactSummary => ({
  id,
  name,
  phone,
  avatar_url,
});

function renamed(row: InboxRow, contact: Contact | undefined): InboxRow {
  if (!contact || isCalledTheSame(row.contact, contact)) return row;
  return { ...row, contact: summaryOf(contact) };
}
