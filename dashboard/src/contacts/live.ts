import type { Contact } from '@/api/schema';
import { refreshSoon } from '@/live/burst';
import { rowKey } from '@/live/changes';
import type { LiveHandler } from '@/live/handler';
import { applyContact, applyContacts, forgetContact } from './cache';
import { contactNotesQuery, optOutQuery } from './queries';

/** Contacts that changed are written once for the whole batch; those that are gone are forgotten. */
export const contactsLive: LiveHandler = {
  watches: {
    tags: () => [['tags'], ['contacts'], ['contact']],
    'custom-fields': () => [['custom-fields'], ['contacts'], ['contact']],
    segments: (id) => [['segments'], rowKey('segment', id), ['contacts'], ['contact-total']],
  },
  apply({ events }, { client }) {
    const changed = new Map<string, Contact>();
    const forget = (id: string) => {
      changed.delete(id);
      forgetContact(client, id);
    };
    for (const { event_type: type, data } of events) {
      if (type === 'note.created' && data.note.contact_id)
        refreshSoon(client, contactNotesQuery(data.note.contact_id).queryKey);
      if (!('contact' in data)) continue;
      if (type === 'contact.deleted') forget(data.contact.id);
      else changed.set(data.contact.id, data.contact);
      if (type === 'contact.opted_out' || type === 'contact.opted_in')
        refreshSoon(client, optOutQuery(data.contact.id).queryKey);
      if (type === 'contact.merged') {
        changed.delete(data.previous.contact_id);
        applyContact(client, data.contact, data.previous.contact_id);
      }
    }
    applyContacts(client, [...changed.values()]);
  },
};
