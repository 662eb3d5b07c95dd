import { refreshIfReading, refreshSoon } from '@/live/burst';
import type { LiveHandler } from '@/live/handler';
import { inquiryNotesQuery, inquiryQuery } from './queries';

export const inquiriesLive: LiveHandler = {
  apply({ events }, { client }) {
    for (const { event_type: type, data } of events) {
      if (type === 'note.created' && data.note.inquiry_id)
        refreshSoon(client, inquiryNotesQuery(data.note.inquiry_id).queryKey);
      if (!('inquiry' in data)) continue;
      const { inquiry } = data;
      const { queryKey } = inquiryQuery(inquiry.id);
      client.setQueryData(queryKey, (known) => known && inquiry);
      refreshIfReading(client, queryKey);
      refreshSoon(client, ['inquiries']);
      refreshSoon(client, ['contact-inquiries']);
    }
  },
};
