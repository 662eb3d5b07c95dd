/** Shapes that several parts of the client share. */
import type { ListMeta, Note } from './schema';

export type { ContactSummary } from './schema';

export interface One<T> {
  data: T;
}
export interface Page<T> {
  data: T[];
  meta: ListMeta;
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

/** Public operations whose body is a form, not JSON. */
export interface FormOperations {
  'POST /media': { body: FormData; response: One<Upload> };
}
