/** A message on its way, as it is stored and passed between tabs. */
import type { NewMessage } from '@/api/schema';
import type { SendFailure } from './failure';

export interface OutgoingFile {
  name: string;
  size: number;
  contentType: string;
  /** The address of the upload. Null while the file is on this device only. */
  url: string | null;
}

export interface Outgoing {
  id: string;
  /** The idempotency key: a second try can never send twice. */
  key: string;
  /** The place in the outbox. */
  position: number;
  conversationId: string;
  createdAt: string;
  text: string | null;
  file: OutgoingFile | null;
  replyTo: string | null;
  /** The newest message that the member had seen: the server refuses this one when somebody has replied after it. */
  lastSeen: string | null;
  /** Null for a file: its address is known only after the upload. */
  request: NewMessage | null;
  /** `waiting` is tried again by itself; `failed` waits for the member. */
  state: 'sending' | 'waiting' | 'failed';
  error: SendFailure | null;
  tries: number;
  /** When the first try under this key began, and when the next is due, in milliseconds. */
  triedAt: number | null;
  nextAt: number;
}

export type NewOutgoing = Pick<
  Outgoing,
  'conversationId' | 'createdAt' | 'text' | 'file' | 'replyTo' | 'lastSeen' | 'request'
>;
