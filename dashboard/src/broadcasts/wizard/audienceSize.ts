/** How many people an audience is, and a few of them. */
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { call } from '@/api/client';
import type { Contact, ContactTotal } from '@/api/schema';
import type { ContactSummary } from '@/api/shapes';
import { type ContactFilter, contactTotalQuery } from '@/contacts/queries';
import { type AudienceDraft, parsePhones, toAudience } from './draft';

const SAMPLE_ROWS = 5;
/** Of how many tags the sample is taken. */
const SAMPLE_LISTS_MAX = 5;

export interface AudienceSize {
  /** At most so many: those without a number and those who have opted out are left out when it is sent. */
  total: ContactTotal | null;
  sample: Array<Contact | ContactSummary>;
  isReading: boolean;
  error: unknown;
}

/** The lists of contacts whose members the audience has; null for one that is listed by hand. */
export function filtersOf(audience: AudienceDraft): ContactFilter[] | null {
  if (audience.type === 'all') return [{}];
  if (audience.type === 'tags') return audience.tagIds.map((tag_id) => ({ tag_id }));
  if (audience.type === 'segment') return [{ segment_id: audience.segmentId }];
  return null;
}

/** A contact with two of the tags is counted twice, so the sum is the most that it can be. */
export function sumOf(totals: readonly ContactTotal[]): ContactTotal {
  return {
    count: totals.reduce((sum, { count }) => sum + count, 0),
    is_more: totals.some(({ is_more: isMore }) => isMore),
  };
}

export function useAudienceSize(audience: AudienceDraft): AudienceSize {
  const isComplete = toAudience(audience) !== null;
  const filters = isComplete ? (filtersOf(audience) ?? []) : [];
  const totals = useQueries({ queries: filters.map(contactTotalQuery) });
  const sample = useQuery({
    queryKey: ['audience-sample', filters, audience.excludeTagIds],
    queryFn: async ({ signal }) => {
      const pages = await Promise.all(
        filters
          .slice(0, SAMPLE_LISTS_MAX)
          .map((filter) => call('GET /contacts', { query: { ...filter, limit: SAMPLE_ROWS } }, { signal })),
      );
      const excluded = (contact: Contact) =>
        contact.tags.some(({ id }) => audience.excludeTagIds.includes(id)) || contact.phone === null;
      const found = new Map(pages.flatMap((page) => page.data).map((contact) => [contact.id, contact]));
      return [...found.values()].filter((contact) => !excluded(contact)).slice(0, SAMPLE_ROWS);
    },
    enabled: filters.length > 0,
    placeholderData: keepPreviousData,
  });
  if (!isComplete) return { total: null, sample: [], isReading: false, error: null };
  if (audience.type === 'contacts')
    return known(audience.contacts.length, audience.contacts.slice(0, SAMPLE_ROWS));
  if (audience.type === 'phones') return known(parsePhones(audience.phones).phones.length, []);
  const read = totals.flatMap(({ data }) => data ?? []);
  return {
    total: read.length === totals.length ? sumOf(read) : null,
    sample: sample.data ?? [],
    isReading: totals.some(({ isFetching }) => isFetching),
    error: totals.find(({ error }) => error)?.error ?? sample.error,
  };
}

function known(count: number, sample: ContactSummary[]): AudienceSize {
  return { total: { count, is_more: false }, sample, isReading: false, error: null };
}
