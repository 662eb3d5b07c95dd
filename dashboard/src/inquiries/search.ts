import type { InquiryStatus } from '@/api/schema';

export const INQUIRY_STATUSES: readonly InquiryStatus[] = ['new', 'in_progress', 'resolved', 'spam'];

export interface InquirySearch {
  status?: InquiryStatus | undefined;
  q?: string | undefined;
}

export function parseInquirySearch(search: Record<string, unknown>): InquirySearch {
  const status = INQUIRY_STATUSES.find((candidate) => candidate === search.status);
  const q = typeof search.q === 'string' && search.q.trim() !== '' ? search.q : undefined;
  return { status, q };
}
