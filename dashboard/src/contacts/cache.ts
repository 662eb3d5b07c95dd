import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { InboxRow } from '@/api/app';
import type { Contact } from '@/api/schema';
import type { Page } from '@/api/shapes';
import type { InboxPages } from '@/inbox/rows';

type ContactPages = InfiniteData<Page<Contact>, unknown>;

/** A contact that changed, or took over the one it was merged with. */
export function applyContact(client: QueryClient, contact: Contact, mergedId?: string): void {
  const isNew = client.getQueryData(['contact', contact.id]) === undefined && !known(client, contact.id);
  client.setQueryData(['contact', contact.id], contact);
  client.setQueriesData<ContactPages>({ queryKey: ['contacts'] }, (data) => data && mapPages(data, contact));
  client.setQueriesData<InboxPages>({ queryKey: ['inbox'] }, (data) => data && renameRows(data, contact));
  client.setQueriesData<InboxRow>({ queryKey: ['inbox-row'] }, (row) => row && rename(row, contact));
  if (mergedId) forgetContact(client, mergedId);
  // Only the server can tell which filters and segments a new contact matches.
  if (isNew) void client.invalidateQueries({ queryKey: ['contacts'] });
}

export function forgetContact(client: QueryClient, id: string): void {
  client.removeQueries({ queryKey: ['contact', id] });
  client.setQueriesData<ContactPages>({ queryKey: ['contacts'] }, (data) => data && withoutContact(data, id));
  void client.invalidateQueries({ queryKey: ['inbox'] });
}

function known(client: QueryClient, id: string): boolean {
  return client
    .getQueriesData<ContactPages>({ queryKey: ['contacts'] })
    .some(([, data]) => data?.pages.some((page) => page.data.some((contact) => contact.id === id)));
}

function mapPages(data: ContactPages, contact: Contact): ContactPages {
  const pages = data.pages.map((page) => {
    const index = page.data.findIndex((other) => other.id === contact.id);
    return index < 0 ? page : { ...page, data: page.data.with(index, contact) };
  });
  return { ...data, pages };
}

function withoutContact(data: ContactPages, id: string): ContactPages {
  return {
    ...data,
    pages: data.pages.map((page) => ({ ...page, data: page.data.filter((other) => other.id !== id) })),
  };
}

function rename(row: InboxRow, contact: Contact): InboxRow {
  if (row.contact.id !== contact.id) return row;
  const { id, name, phone, avatar_url } = contact;
  return { ...row, contact: { id, name, phone, avatar_url } };
}

function renameRows(data: InboxPages, contact: Contact): InboxPages {
  const pages = data.pages.map((page) =>
    page.data.some((row) => row.contact.id === contact.id)
      ? { ...page, data: page.data.map((row) => rename(row, contact)) }
      : page,
  );
  return { ...data, pages };
}
