/** Shapes that several parts of the client share. */
import type { Contact, ListMeta, Note } from './schema';

export interface One<T> {
  data: T;
}
export interface Page<T> {
  data: T[];
  meta: ListMeta;
}
export interface PageQuery {
  cursor?: string;
  limit?: number;
}

/** A private note on a conversation. It is never sent. */
export type ConversationNote = Omit<Note, 'contact_id' | 'inquiry_id'>;

/** A file that was uploaded, for a message to refer to by its `url`. */
export interface Upload {
  id: string;
  url: string;
  content_type: string;
  size: number;
}

/** Contact as rows of a list carry it. */
export type ContactSummary = Pick<Contact, 'id' | 'name' | 'phone' | 'avatar_url'>;

/** Public operations whose body is a form, not JSON. */
export interface FormOperations {
  'POST /media': { body: FormData; response: One<Upload> };
}
