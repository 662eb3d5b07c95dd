// Written by `make sdk` from the routes of the API. Changes are lost.

import { type Call, call, upload } from "../call.js";
import { List, type Paging } from "../list.js";
import { EventStream, type StreamOptions, type StreamQuery } from "../stream.js";
import type { RequestOptions, Transport } from "../transport.js";
import { unwrap } from "../webhooks.js";
import { type Event, readEvent } from "./events.js";
import type {
  AddTags,
  AiUsage,
  Ask,
  AskAnswer,
  AskKind,
  AskStatus,
  Assistant,
  AssistantPatch,
  AssistantTool,
  Booking,
  BookingStatus,
  BoundInstructions,
  Broadcast,
  BroadcastRecipient,
  BroadcastStatus,
  BulkJob,
  CannedReply,
  CannedReplyPatch,
  Channel,
  CloseDeal,
  Connection,
  Contact,
  ContactBulk,
  ContactPatch,
  Conversation,
  ConversationBulk,
  ConversationPatch,
  ConversationStatus,
  CustomField,
  CustomFieldPatch,
  Deal,
  DealPatch,
  DealStatus,
  Definition,
  DefinitionChange,
  Deleted,
  Delivery,
  DeliveryAttempt,
  DeliveryStatus,
  Direction,
  EventType,
  EventTypeInfo,
  FiredTrigger,
  Handler,
  Handover,
  Inquiry,
  InquiryPatch,
  InquiryStatus,
  Instruction,
  InstructionPatch,
  IssuedTrigger,
  Me,
  Member,
  Memory,
  MergeContact,
  Message,
  MessageStatus,
  MessageType,
  MoveDeal,
  NewAssistant,
  NewBroadcast,
  NewCannedReply,
  NewContact,
  NewConversationNote,
  NewCustomField,
  NewDeal,
  NewDefinition,
  NewInquiry,
  NewInstruction,
  NewMemory,
  NewMessage,
  NewNote,
  NewPipeline,
  NewReplay,
  NewRun,
  NewSegment,
  NewStage,
  NewTag,
  NewTrial,
  NewTrigger,
  NewWebhook,
  Note,
  OptOut,
  Pipeline,
  PipelinePatch,
  RecipientStatus,
  Replay,
  RetryBroadcast,
  RotatedTrigger,
  Run,
  RunEvent,
  RunEventType,
  RunStatus,
  ScheduleBroadcast,
  Segment,
  SegmentPatch,
  Snooze,
  Stage,
  StagePatch,
  StatusChange,
  Tag,
  TagPatch,
  Template,
  TemplateStatus,
  Tool,
  ToolSettings,
  TrialReply,
  Trigger,
  TriggerCall,
  TriggerKind,
  TriggerPatch,
  TriggerPreview,
  UploadMediaResult,
  WebhookEndpoint,
  WebhookPatch,
  WrittenDefinition,
} from "./types.js";

/** The query of getAiUsage. */
export interface GetAiUsageQuery {
  /** The first day; the first of this month when left out. */
  from?: string;
  /** The last day; today when left out. */
  to?: string;
}

/** The query of listAsks. */
export interface ListAsksQuery extends Paging {
  status?: AskStatus;
  kind?: AskKind;
  run_id?: string;
}

/** The query of listBookings. */
export interface ListBookingsQuery extends Paging {
  status?: BookingStatus;
  /** Only bookings of this contact. */
  contact_id?: string;
  /** Only bookings that start at this time or later. */
  from?: string;
  /** Only bookings that start before this time. */
  to?: string;
}

/** The query of listBroadcasts. */
export interface ListBroadcastsQuery extends Paging {
  status?: BroadcastStatus;
  /** Any part of the name, ignoring case. */
  q?: string;
}

/** The query of listBroadcastRecipients. */
export interface ListBroadcastRecipientsQuery extends Paging {
  status?: RecipientStatus;
}

/** The query of listContacts. */
export interface ListContactsQuery extends Paging {
  /** Any part of the name, phone, email or company, ignoring case. One or two characters match only the beginnings of words. */
  q?: string;
  /** Only contacts with this tag. */
  tag_id?: string;
  /** Only contacts in this segment. */
  segment_id?: string;
  /** Only the contact with this number, however it is written, or the one that a contact with this number was merged into. */
  phone?: string;
  /** Only contacts with this address, ignoring case. */
  email?: string;
  /** Only contacts changed at or after this time. */
  updated_since?: string;
  /** Only contacts created at or after this time. */
  created_since?: string;
}

/** The query of listConversations. */
export interface ListConversationsQuery extends Paging {
  status?: ConversationStatus;
  channel?: Channel;
  assigned_user_id?: string;
  contact_id?: string;
  handler?: Handler;
  /** Only conversations with unread messages, or only those without. */
  unread?: boolean;
  /** Only conversations with activity at or after this time. */
  updated_since?: string;
}

/** The query of listConversationMessages. */
export interface ListConversationMessagesQuery extends Paging {
  direction?: Direction;
  type?: MessageType;
  status?: MessageStatus;
}

/** The query of listDeals. */
export interface ListDealsQuery extends Paging {
  pipeline_id?: string;
  stage_id?: string;
  status?: DealStatus;
  contact_id?: string;
  owner_user_id?: string;
  /** Any part of the title, ignoring case. */
  q?: string;
  /** Only deals changed at or after this time. */
  updated_since?: string;
}

/** The query of listEvents. */
export interface ListEventsQuery extends Paging {
  /** Only events of this type, such as `contact.created`. */
  event_type?: EventType;
  /** Only events after this one, oldest first. No event is skipped, however late its transaction commits. */
  after?: string;
}

/** The query of listInquiries. */
export interface ListInquiriesQuery extends Paging {
  status?: InquiryStatus;
  /** Any part of the name, email, phone or message, ignoring case. */
  q?: string;
  /** Only inquiries changed at or after this time. */
  updated_since?: string;
}

/** The query of listInstructions. */
export interface ListInstructionsQuery extends Paging {
  /** Any part of the title or the body, ignoring case. */
  q?: string;
}

/** The query of listMemories. */
export interface ListMemoriesQuery extends Paging {
  /** Memories of this assistant. Those that belong to all assistants are not among them. */
  assistant_id?: string;
  contact_id?: string;
  /** Beginnings of words, in any order and ignoring case. All of them must match. */
  q?: string;
}

/** The query of searchMessages. */
export interface SearchMessagesQuery extends Paging {
  /** Any part of the text, whatever its case. Required. */
  q?: string;
  conversation_id?: string;
  contact_id?: string;
  /** Only messages since this moment. */
  since?: string;
}

/** The query of listRuns. */
export interface ListRunsQuery extends Paging {
  status?: RunStatus;
  assistant_id?: string;
  trigger_id?: string;
  contact_id?: string;
  conversation_id?: string;
  parent_run_id?: string;
}

/** The query of listRunEvents. */
export interface ListRunEventsQuery extends Paging {
  type?: RunEventType;
}

/** The query of listTemplates. */
export interface ListTemplatesQuery {
  status?: TemplateStatus;
  /** A language such as `en_US`. */
  language?: string;
  /** Any part of the name, ignoring case. */
  q?: string;
}

/** The query of listTriggers. */
export interface ListTriggersQuery extends Paging {
  assistant_id?: string;
  kind?: TriggerKind;
  enabled?: boolean;
}

/** The query of listDeliveries. */
export interface ListDeliveriesQuery extends Paging {
  status?: DeliveryStatus;
  event_type?: EventType;
}

/** The operations on ai. */
export class AiResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Get the cost of models.
   *
   * From `from` to `to`, both included; this month when they are left out. Days are in the account's timezone.
   *
   * Needs the scope `ai:usage`. Costs 2 units.
   */
  getUsage(query?: GetAiUsageQuery, options?: RequestOptions): Call<AiUsage> {
    return call(this.#transport, { method: "GET", path: ["ai", "usage"], query }, options);
  }
}

/** The operations on asks. */
export class AsksResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List asks.
   *
   * Needs the scope `asks:read`.
   */
  list(query?: ListAsksQuery, options?: RequestOptions): List<Ask> {
    return new List(this.#transport, ["asks"], query, options);
  }

  /**
   * Get an ask.
   *
   * Needs the scope `asks:read`.
   */
  get(askId: string, options?: RequestOptions): Call<Ask> {
    return call(this.#transport, { method: "GET", path: ["asks", askId] }, options);
  }

  /**
   * Answer an ask.
   *
   * An approval takes a `decision` and optionally a `note` to the assistant. A question takes an `answer`, or the decision `decline`. The run continues at once. An ask that is no longer pending is a 409. Approving needs the scope of the operation that the tool calls: without it, the response is a 403 with the reason `scope`. The approval of a program's ask carries out what it asked for, as its key: if that is refused, the response is that refusal, and the ask still waits.
   *
   * Needs the scope `asks:answer`. Costs 2 units.
   */
  answer(askId: string, body: AskAnswer, options?: RequestOptions): Call<Ask> {
    return call(this.#transport, { method: "POST", path: ["asks", askId, "answer"], body, keyed: true }, options);
  }
}

/** The operations on assistants. */
export class AssistantsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List assistants.
   *
   * Needs the scope `assistants:read`.
   */
  list(query?: Paging, options?: RequestOptions): List<Assistant> {
    return new List(this.#transport, ["assistants"], query, options);
  }

  /**
   * Create an assistant.
   *
   * Every field but the name has a default.
   *
   * Needs the scope `assistants:write`.
   */
  create(body: NewAssistant, options?: RequestOptions): Call<Assistant> {
    return call(this.#transport, { method: "POST", path: ["assistants"], body, keyed: true }, options);
  }

  /**
   * Create an assistant with everything that it is.
   *
   * Its settings, the texts that it follows and its triggers, in one transaction.
   *
   * Needs the scope `assistants:write`.
   */
  createDefinition(body: NewDefinition, options?: RequestOptions): Call<WrittenDefinition> {
    return call(this.#transport, { method: "POST", path: ["assistants", "definition"], body, keyed: true }, options);
  }

  /**
   * Try out an assistant that is not stored.
   *
   * Replies to the conversation as this assistant would. Stores nothing but the cost. Tools that only read are used, with the scopes of this key; all others are simulated.
   *
   * Needs the scope `assistants:write`. Costs 2 units.
   */
  tryNew(body: NewTrial, options?: RequestOptions): Call<TrialReply> {
    return call(this.#transport, { method: "POST", path: ["assistants", "trial"], body }, options);
  }

  /**
   * Delete an assistant.
   *
   * Its triggers are deleted, its runs are cancelled, and its conversations go to people.
   *
   * Needs the scope `assistants:write`.
   */
  delete(assistantId: string, options?: RequestOptions): Call<Deleted> {
    return call(this.#transport, { method: "DELETE", path: ["assistants", assistantId] }, options);
  }

  /**
   * Get an assistant.
   *
   * Needs the scope `assistants:read`.
   */
  get(assistantId: string, options?: RequestOptions): Call<Assistant> {
    return call(this.#transport, { method: "GET", path: ["assistants", assistantId] }, options);
  }

  /**
   * Update an assistant.
   *
   * Needs the scope `assistants:write`.
   */
  update(assistantId: string, body: AssistantPatch, options?: RequestOptions): Call<Assistant> {
    return call(this.#transport, { method: "PATCH", path: ["assistants", assistantId], body }, options);
  }

  /**
   * Get everything that an assistant is.
   *
   * Its settings, the texts that it follows and its triggers, with a revision.
   *
   * Needs the scope `assistants:read`.
   */
  getDefinition(assistantId: string, options?: RequestOptions): Call<Definition> {
    return call(this.#transport, { method: "GET", path: ["assistants", assistantId, "definition"] }, options);
  }

  /**
   * Replace everything that an assistant is.
   *
   * In one transaction. An assistant that was changed since `expected_revision` is a 409 with the reason `changed_meanwhile`. Triggers that are not named are deleted. Instructions that are not named stay in the library, and the assistant does not follow them any more.
   *
   * Needs the scope `assistants:write`.
   */
  replaceDefinition(assistantId: string, body: DefinitionChange, options?: RequestOptions): Call<WrittenDefinition> {
    return call(this.#transport, { method: "PUT", path: ["assistants", assistantId, "definition"], body }, options);
  }

  /**
   * List an assistant's instructions.
   *
   * In the order in which the assistant follows them.
   *
   * Needs the scope `assistants:read`.
   */
  listInstructions(assistantId: string, options?: RequestOptions): List<Instruction> {
    return new List(this.#transport, ["assistants", assistantId, "instructions"], {}, options);
  }

  /**
   * Set an assistant's instructions.
   *
   * Replaces them. The order is kept.
   *
   * Needs the scope `assistants:write`.
   */
  setInstructions(assistantId: string, body: BoundInstructions, options?: RequestOptions): Call<Instruction[]> {
    return call(this.#transport, { method: "PUT", path: ["assistants", assistantId, "instructions"], body }, options);
  }

  /**
   * List an assistant's tools.
   *
   * Every tool of the catalogue, with whether this assistant has it, whether a person must approve it, and whether it is unconfined.
   *
   * Needs the scope `assistants:read`.
   */
  listTools(assistantId: string, options?: RequestOptions): List<AssistantTool> {
    return new List(this.#transport, ["assistants", assistantId, "tools"], {}, options);
  }

  /**
   * Set an assistant's tools.
   *
   * Replaces them. A run that a customer's message, an event or a webhook started is confined: its tools reach only the contact that it is about. `tool_access` switches a tool on or off and never changes that. A tool in `unconfined_tools` reaches the whole account in such a run too.
   *
   * Needs the scope `assistants:write`.
   */
  setTools(assistantId: string, body: ToolSettings, options?: RequestOptions): Call<AssistantTool[]> {
    return call(this.#transport, { method: "PUT", path: ["assistants", assistantId, "tools"], body }, options);
  }
}

/** The operations on bookings. */
export class BookingsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List bookings.
   *
   * Appointments from connected calendars, newest first. `from` and `to` are compared with `start_at`; `to` is excluded.
   *
   * Needs the scope `contacts:read`.
   */
  list(query?: ListBookingsQuery, options?: RequestOptions): List<Booking> {
    return new List(this.#transport, ["bookings"], query, options);
  }
}

/** The operations on broadcasts. */
export class BroadcastsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List broadcasts.
   *
   * Needs the scope `broadcasts:read`.
   */
  list(query?: ListBroadcastsQuery, options?: RequestOptions): List<Broadcast> {
    return new List(this.#transport, ["broadcasts"], query, options);
  }

  /**
   * Send a template to many people.
   *
   * Creates the broadcast with its recipients and starts it, or waits for `schedule_at`. Each person receives it once, however often they are listed; opted-out contacts and contacts without a phone are skipped. `counts.total` is complete at once for audiences of up to 5,000 and grows for larger ones. It counts toward the month's limit of broadcasts. New numbers become contacts and count toward the limit of contacts: if they exceed it, the whole broadcast is refused with 402. Templates are checked as by `POST /messages`.
   *
   * Needs the scope `broadcasts:send`. Costs 5 units.
   */
  create(body: NewBroadcast, options?: RequestOptions): Call<Broadcast> {
    return call(this.#transport, { method: "POST", path: ["broadcasts"], body, keyed: true }, options);
  }

  /**
   * Get a broadcast.
   *
   * Needs the scope `broadcasts:read`.
   */
  get(broadcastId: string, options?: RequestOptions): Call<Broadcast> {
    return call(this.#transport, { method: "GET", path: ["broadcasts", broadcastId] }, options);
  }

  /**
   * Cancel a broadcast.
   *
   * A scheduled broadcast becomes a draft. A broadcast that is being sent ends as `sent`, or as `failed` if no message was sent; the remaining recipients are cancelled. No message is sent after the response, which waits for running calls.
   *
   * Needs the scope `broadcasts:send`.
   */
  cancel(broadcastId: string, options?: RequestOptions): Call<Broadcast> {
    return call(this.#transport, { method: "POST", path: ["broadcasts", broadcastId, "cancel"] }, options);
  }

  /**
   * List the recipients of a broadcast.
   *
   * Needs the scope `broadcasts:read`.
   */
  listRecipients(broadcastId: string, query?: ListBroadcastRecipientsQuery, options?: RequestOptions): List<BroadcastRecipient> {
    return new List(this.#transport, ["broadcasts", broadcastId, "recipients"], query, options);
  }

  /**
   * Retry failed recipients.
   *
   * Sends again to recipients that failed for a temporary reason (a rate limit, a failure of the channel, an unreachable channel), at once or after the channel had accepted the message, except those who have opted out. With `include_unknown`, also to recipients that failed with `unknown_outcome`: they may have received the message already. If there are none, the response is 409.
   *
   * Needs the scope `broadcasts:send`. Costs 5 units.
   */
  retry(broadcastId: string, body?: RetryBroadcast, options?: RequestOptions): Call<Broadcast> {
    return call(this.#transport, { method: "POST", path: ["broadcasts", broadcastId, "retry"], body }, options);
  }

  /**
   * Start a draft, now or later.
   *
   * A scheduled broadcast gets the new time.
   *
   * Needs the scope `broadcasts:send`.
   */
  schedule(broadcastId: string, body?: ScheduleBroadcast, options?: RequestOptions): Call<Broadcast> {
    return call(this.#transport, { method: "POST", path: ["broadcasts", broadcastId, "schedule"], body }, options);
  }
}

/** The operations on canned replies. */
export class CannedRepliesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List canned replies.
   *
   * Needs the scope `conversations:read`.
   */
  list(options?: RequestOptions): List<CannedReply> {
    return new List(this.#transport, ["canned-replies"], {}, options);
  }

  /**
   * Create a canned reply.
   *
   * Needs the scope `conversations:write`.
   */
  create(body: NewCannedReply, options?: RequestOptions): Call<CannedReply> {
    return call(this.#transport, { method: "POST", path: ["canned-replies"], body, keyed: true }, options);
  }

  /**
   * Delete a canned reply.
   *
   * Needs the scope `conversations:write`.
   */
  delete(cannedReplyId: string, options?: RequestOptions): Call<Deleted> {
    return call(this.#transport, { method: "DELETE", path: ["canned-replies", cannedReplyId] }, options);
  }

  /**
   * Update a canned reply.
   *
   * `media_ids` replaces all files. A file that no canned reply and no message has is deleted after 7 days.
   *
   * Needs the scope `conversations:write`.
   */
  update(cannedReplyId: string, body: CannedReplyPatch, options?: RequestOptions): Call<CannedReply> {
    return call(this.#transport, { method: "PATCH", path: ["canned-replies", cannedReplyId], body }, options);
  }
}

/** The operations on channels. */
export class ChannelsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List the account's channels.
   *
   * Every number, page and widget that is or was connected. `frontdesk channel connect` creates them.
   */
  list(options?: RequestOptions): List<Connection> {
    return new List(this.#transport, ["channels"], {}, options);
  }
}

/** The operations on contacts. */
export class ContactsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List contacts.
   *
   * A `segment_id` that is not the account's is a 404.
   *
   * Needs the scope `contacts:read`.
   */
  list(query?: ListContactsQuery, options?: RequestOptions): List<Contact> {
    return new List(this.#transport, ["contacts"], query, options);
  }

  /**
   * Create a contact.
   *
   * A phone number that already belongs to a contact is a 409 with that contact's id in `details`, however the number is formatted.
   *
   * Needs the scope `contacts:write`.
   */
  create(body: NewContact, options?: RequestOptions): Call<Contact> {
    return call(this.#transport, { method: "POST", path: ["contacts"], body, keyed: true }, options);
  }

  /**
   * Change the tags of many contacts.
   *
   * Carried out in the background; `GET /contacts/bulk/{id}` shows its progress.
   *
   * Needs the scope `contacts:write`.
   */
  change(body: ContactBulk, options?: RequestOptions): Call<BulkJob> {
    return call(this.#transport, { method: "POST", path: ["contacts", "bulk"], body }, options);
  }

  /**
   * Get the progress of a change of many contacts.
   *
   * Needs the scope `contacts:read`.
   */
  getChange(bulkId: string, options?: RequestOptions): Call<BulkJob> {
    return call(this.#transport, { method: "GET", path: ["contacts", "bulk", bulkId] }, options);
  }

  /**
   * Erase a contact.
   *
   * Permanently erases the contact with its conversations, messages, notes and media. Queued messages are not sent. Deals, inquiries and bookings stay, without a contact. Earlier events stay until their retention ends.
   *
   * Needs the scope `contacts:write`.
   */
  delete(contactId: string, options?: RequestOptions): Call<Deleted> {
    return call(this.#transport, { method: "DELETE", path: ["contacts", contactId] }, options);
  }

  /**
   * Get a contact.
   *
   * Needs the scope `contacts:read`.
   */
  get(contactId: string, options?: RequestOptions): Call<Contact> {
    return call(this.#transport, { method: "GET", path: ["contacts", contactId] }, options);
  }

  /**
   * Update a contact.
   *
   * Needs the scope `contacts:write`.
   */
  update(contactId: string, body: ContactPatch, options?: RequestOptions): Call<Contact> {
    return call(this.#transport, { method: "PATCH", path: ["contacts", contactId], body }, options);
  }

  /**
   * Merge another contact into this one.
   *
   * Moves everything of the other contact into this one, which keeps its own fields and takes over the other's where its own are empty. Tags and identities are combined, it is opted out if either was, and the other's number belongs to it from now on. Of two conversations on one connection the more recent one stays open and the other is closed. The other contact is deleted, without a `contact.deleted` event. Merging a contact into itself is a 422 with the reason `same_contact`.
   *
   * Needs the scope `contacts:write`.
   */
  merge(contactId: string, body: MergeContact, options?: RequestOptions): Call<Contact> {
    return call(this.#transport, { method: "POST", path: ["contacts", contactId, "merge"], body }, options);
  }

  /**
   * List a contact's notes.
   *
   * Needs the scope `contacts:read`.
   */
  listNotes(contactId: string, query?: Paging, options?: RequestOptions): List<Note> {
    return new List(this.#transport, ["contacts", contactId, "notes"], query, options);
  }

  /**
   * Write a note about a contact.
   *
   * Needs the scope `contacts:write`.
   */
  createNote(contactId: string, body: NewNote, options?: RequestOptions): Call<Note> {
    return call(this.#transport, { method: "POST", path: ["contacts", contactId, "notes"], body, keyed: true }, options);
  }

  /**
   * Opt a contact in to broadcasts again.
   *
   * Needs the scope `contacts:write`.
   */
  optIn(contactId: string, options?: RequestOptions): Call<OptOut> {
    return call(this.#transport, { method: "DELETE", path: ["contacts", contactId, "opt-out"] }, options);
  }

  /**
   * Get a contact's opt-out.
   *
   * Needs the scope `contacts:read`.
   */
  getOptOut(contactId: string, options?: RequestOptions): Call<OptOut> {
    return call(this.#transport, { method: "GET", path: ["contacts", contactId, "opt-out"] }, options);
  }

  /**
   * Opt a contact out of broadcasts.
   *
   * Needs the scope `contacts:write`.
   */
  optOut(contactId: string, options?: RequestOptions): Call<OptOut> {
    return call(this.#transport, { method: "PUT", path: ["contacts", contactId, "opt-out"] }, options);
  }

  /**
   * Add tags to a contact.
   *
   * Needs the scope `contacts:write`.
   */
  addTags(contactId: string, body: AddTags, options?: RequestOptions): Call<Contact> {
    return call(this.#transport, { method: "POST", path: ["contacts", contactId, "tags"], body }, options);
  }

  /**
   * Remove a tag from a contact.
   *
   * Needs the scope `contacts:write`.
   */
  removeTag(contactId: string, tagId: string, options?: RequestOptions): Call<Contact> {
    return call(this.#transport, { method: "DELETE", path: ["contacts", contactId, "tags", tagId] }, options);
  }
}

/** The operations on conversations. */
export class ConversationsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List conversations.
   *
   * Newest first by creation; use `updated_since` to find recent activity.
   *
   * Needs the scope `conversations:read`.
   */
  list(query?: ListConversationsQuery, options?: RequestOptions): List<Conversation> {
    return new List(this.#transport, ["conversations"], query, options);
  }

  /**
   * Change many conversations.
   *
   * Carried out in the background; `GET /conversations/bulk/{id}` shows its progress.
   *
   * Needs the scope `conversations:write`.
   */
  change(body: ConversationBulk, options?: RequestOptions): Call<BulkJob> {
    return call(this.#transport, { method: "POST", path: ["conversations", "bulk"], body }, options);
  }

  /**
   * Get the progress of a change of many conversations.
   *
   * Needs the scope `conversations:read`.
   */
  getChange(bulkId: string, options?: RequestOptions): Call<BulkJob> {
    return call(this.#transport, { method: "GET", path: ["conversations", "bulk", bulkId] }, options);
  }

  /**
   * Get a conversation.
   *
   * Needs the scope `conversations:read`.
   */
  get(conversationId: string, options?: RequestOptions): Call<Conversation> {
    return call(this.#transport, { method: "GET", path: ["conversations", conversationId] }, options);
  }

  /**
   * Change a conversation's status or assignment.
   *
   * Needs the scope `conversations:write`.
   */
  update(conversationId: string, body: ConversationPatch, options?: RequestOptions): Call<Conversation> {
    return call(this.#transport, { method: "PATCH", path: ["conversations", conversationId], body }, options);
  }

  /**
   * Hand a conversation over.
   *
   * To an assistant, or to a person.
   *
   * Needs the scope `conversations:write`.
   */
  handOver(conversationId: string, body: Handover, options?: RequestOptions): Call<Conversation> {
    return call(this.#transport, { method: "POST", path: ["conversations", conversationId, "handover"], body }, options);
  }

  /**
   * List a conversation's messages.
   *
   * Needs the scope `messages:read`.
   */
  listMessages(conversationId: string, query?: ListConversationMessagesQuery, options?: RequestOptions): List<Message> {
    return new List(this.#transport, ["conversations", conversationId, "messages"], query, options);
  }

  /**
   * List a conversation's private notes.
   *
   * Needs the scope `conversations:read`.
   */
  listNotes(conversationId: string, query?: Paging, options?: RequestOptions): List<Note> {
    return new List(this.#transport, ["conversations", conversationId, "notes"], query, options);
  }

  /**
   * Write a private note about a conversation.
   *
   * The customer never sees it. `note.created` names the members whom it mentions.
   *
   * Needs the scope `conversations:write`.
   */
  createNote(conversationId: string, body: NewConversationNote, options?: RequestOptions): Call<Note> {
    return call(this.#transport, { method: "POST", path: ["conversations", conversationId, "notes"], body, keyed: true }, options);
  }

  /**
   * Mark a conversation as read.
   *
   * Clears `unread_count` and sends a read receipt, if the channel has them.
   *
   * Needs the scope `conversations:write`.
   */
  markRead(conversationId: string, options?: RequestOptions): Call<Conversation> {
    return call(this.#transport, { method: "POST", path: ["conversations", conversationId, "read"] }, options);
  }

  /**
   * Snooze a conversation.
   *
   * The conversation is `pending` until the given time, and opens then, or when the customer writes. Our own messages do not end a snooze; another status does, and so does `until: null`, which opens it at once.
   *
   * Needs the scope `conversations:write`.
   */
  snooze(conversationId: string, body: Snooze, options?: RequestOptions): Call<Conversation> {
    return call(this.#transport, { method: "POST", path: ["conversations", conversationId, "snooze"], body }, options);
  }

  /**
   * Mark a conversation as unread.
   *
   * `unread_count` becomes 1 where it is 0. The customer is told nothing.
   *
   * Needs the scope `conversations:write`.
   */
  markUnread(conversationId: string, options?: RequestOptions): Call<Conversation> {
    return call(this.#transport, { method: "POST", path: ["conversations", conversationId, "unread"] }, options);
  }
}

/** The operations on custom fields. */
export class CustomFieldsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List custom fields.
   *
   * Needs the scope `contacts:read`.
   */
  list(options?: RequestOptions): List<CustomField> {
    return new List(this.#transport, ["custom-fields"], {}, options);
  }

  /**
   * Define a custom field.
   *
   * Needs the scope `contacts:write`.
   */
  create(body: NewCustomField, options?: RequestOptions): Call<CustomField> {
    return call(this.#transport, { method: "POST", path: ["custom-fields"], body }, options);
  }

  /**
   * Delete a custom field.
   *
   * Deletes its values too.
   *
   * Needs the scope `contacts:write`.
   */
  delete(customFieldId: string, options?: RequestOptions): Call<Deleted> {
    return call(this.#transport, { method: "DELETE", path: ["custom-fields", customFieldId] }, options);
  }

  /**
   * Update a custom field.
   *
   * Needs the scope `contacts:write`.
   */
  update(customFieldId: string, body: CustomFieldPatch, options?: RequestOptions): Call<CustomField> {
    return call(this.#transport, { method: "PATCH", path: ["custom-fields", customFieldId], body }, options);
  }
}

/** The operations on deals. */
export class DealsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List deals.
   *
   * Needs the scope `deals:read`.
   */
  list(query?: ListDealsQuery, options?: RequestOptions): List<Deal> {
    return new List(this.#transport, ["deals"], query, options);
  }

  /**
   * Create a deal.
   *
   * A stage that is not in the given pipeline is a 422 with the reason `stage_not_in_pipeline`.
   *
   * Needs the scope `deals:write`.
   */
  create(body: NewDeal, options?: RequestOptions): Call<Deal> {
    return call(this.#transport, { method: "POST", path: ["deals"], body, keyed: true }, options);
  }

  /**
   * Delete a deal.
   *
   * Needs the scope `deals:write`.
   */
  delete(dealId: string, options?: RequestOptions): Call<Deleted> {
    return call(this.#transport, { method: "DELETE", path: ["deals", dealId] }, options);
  }

  /**
   * Get a deal.
   *
   * Needs the scope `deals:read`.
   */
  get(dealId: string, options?: RequestOptions): Call<Deal> {
    return call(this.#transport, { method: "GET", path: ["deals", dealId] }, options);
  }

  /**
   * Update a deal.
   *
   * A `stage_id` moves the deal under the rules of `POST /deals/{id}/move`, and sends `deal.stage_changed`.
   *
   * Needs the scope `deals:write`.
   */
  update(dealId: string, body: DealPatch, options?: RequestOptions): Call<Deal> {
    return call(this.#transport, { method: "PATCH", path: ["deals", dealId], body }, options);
  }

  /**
   * Close a deal as won or lost.
   *
   * Needs the scope `deals:write`.
   */
  close(dealId: string, body: CloseDeal, options?: RequestOptions): Call<Deal> {
    return call(this.#transport, { method: "POST", path: ["deals", dealId, "close"], body }, options);
  }

  /**
   * Move a deal to another stage.
   *
   * A closed deal cannot be moved (409). A stage of another pipeline is a 422 with the reason `stage_not_in_pipeline`. A move to the current stage changes nothing and sends no event.
   *
   * Needs the scope `deals:write`.
   */
  move(dealId: string, body: MoveDeal, options?: RequestOptions): Call<Deal> {
    return call(this.#transport, { method: "POST", path: ["deals", dealId, "move"], body }, options);
  }

  /**
   * Reopen a closed deal.
   *
   * Reopens it in the stage in which it was closed.
   *
   * Needs the scope `deals:write`.
   */
  reopen(dealId: string, options?: RequestOptions): Call<Deal> {
    return call(this.#transport, { method: "POST", path: ["deals", dealId, "reopen"] }, options);
  }
}

/** The operations on event types. */
export class EventTypesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List event types.
   *
   * The catalogue, with an example of each type's `data`.
   */
  list(options?: RequestOptions): List<EventTypeInfo> {
    return new List(this.#transport, ["event-types"], {}, options);
  }
}

/** The operations on events. */
export class EventsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List events.
   *
   * Every event of the account, newest first. To catch up after an outage, pass the last event you received as `after`: the list then continues from that event, oldest first. An event is listed as soon as every earlier transaction has ended, usually at once.
   *
   * Needs the scope `webhooks:manage`.
   */
  list(query?: ListEventsQuery, options?: RequestOptions): List<Event> {
    return new List(this.#transport, ["events"], query, options, readEvent);
  }

  /**
   * Stream events.
   *
   * Server-sent events of the account, as they happen: `id` is the event's id, `event` its type, and `data` the envelope that GET /events lists. Send the last `id` as `Last-Event-ID` to continue after it, without gaps or repetitions. For an unknown id the stream begins with the event `reset`: read everything again, and continue from its id. Needs the scope webhooks:manage.
   *
   * Needs the scope `webhooks:manage`.
   */
  stream(query?: StreamQuery, options?: StreamOptions): EventStream {
    return new EventStream(this.#transport, ["events", "stream"], query, options);
  }
}

/** The operations on inquiries. */
export class InquiriesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List inquiries.
   *
   * Needs the scope `inquiries:read`.
   */
  list(query?: ListInquiriesQuery, options?: RequestOptions): List<Inquiry> {
    return new List(this.#transport, ["inquiries"], query, options);
  }

  /**
   * Submit an inquiry.
   *
   * Its contact is found by phone, then by email, or created. Existing data of a contact is kept; missing data is filled in. If the contact limit is reached, the inquiry is stored without a contact.
   *
   * Needs the scope `inquiries:write`.
   */
  create(body: NewInquiry, options?: RequestOptions): Call<Inquiry> {
    return call(this.#transport, { method: "POST", path: ["inquiries"], body, keyed: true }, options);
  }

  /**
   * Get an inquiry.
   *
   * Needs the scope `inquiries:read`.
   */
  get(inquiryId: string, options?: RequestOptions): Call<Inquiry> {
    return call(this.#transport, { method: "GET", path: ["inquiries", inquiryId] }, options);
  }

  /**
   * Change an inquiry's status.
   *
   * Needs the scope `inquiries:write`.
   */
  update(inquiryId: string, body: InquiryPatch, options?: RequestOptions): Call<Inquiry> {
    return call(this.#transport, { method: "PATCH", path: ["inquiries", inquiryId], body }, options);
  }

  /**
   * List an inquiry's notes.
   *
   * Needs the scope `inquiries:read`.
   */
  listNotes(inquiryId: string, query?: Paging, options?: RequestOptions): List<Note> {
    return new List(this.#transport, ["inquiries", inquiryId, "notes"], query, options);
  }

  /**
   * Write a note about an inquiry.
   *
   * Needs the scope `inquiries:write`.
   */
  createNote(inquiryId: string, body: NewNote, options?: RequestOptions): Call<Note> {
    return call(this.#transport, { method: "POST", path: ["inquiries", inquiryId, "notes"], body, keyed: true }, options);
  }
}

/** The operations on instructions. */
export class InstructionsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List the instruction library.
   *
   * Needs the scope `assistants:read`.
   */
  list(query?: ListInstructionsQuery, options?: RequestOptions): List<Instruction> {
    return new List(this.#transport, ["instructions"], query, options);
  }

  /**
   * Add an instruction to the library.
   *
   * Needs the scope `assistants:write`.
   */
  create(body: NewInstruction, options?: RequestOptions): Call<Instruction> {
    return call(this.#transport, { method: "POST", path: ["instructions"], body, keyed: true }, options);
  }

  /**
   * Delete an instruction.
   *
   * It is removed from all assistants.
   *
   * Needs the scope `assistants:write`.
   */
  delete(instructionId: string, options?: RequestOptions): Call<Deleted> {
    return call(this.#transport, { method: "DELETE", path: ["instructions", instructionId] }, options);
  }

  /**
   * Get an instruction.
   *
   * Needs the scope `assistants:read`.
   */
  get(instructionId: string, options?: RequestOptions): Call<Instruction> {
    return call(this.#transport, { method: "GET", path: ["instructions", instructionId] }, options);
  }

  /**
   * Update an instruction.
   *
   * Needs the scope `assistants:write`.
   */
  update(instructionId: string, body: InstructionPatch, options?: RequestOptions): Call<Instruction> {
    return call(this.#transport, { method: "PATCH", path: ["instructions", instructionId], body }, options);
  }
}

/** The operations on me. */
export class MeResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Get the current key.
   *
   * Returns the account, the granted and effective scopes, the expiry and the budget per minute.
   */
  get(options?: RequestOptions): Call<Me> {
    return call(this.#transport, { method: "GET", path: ["me"] }, options);
  }
}

/** The operations on media. */
export class MediaResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Upload a file.
   *
   * A file of at most 100 MiB, in the part `file` of a form. `media.url` of POST /messages may then be its `url`: the file reaches the channel through the channel's own upload. It is deleted after 7 days unless it was sent; its `url` works until it is deleted. Needs the scope messages:send.
   *
   * Needs the scope `messages:send`.
   */
  upload(file: Blob, name?: string, options?: RequestOptions): Call<UploadMediaResult> {
    return upload(this.#transport, ["media"], file, name, options);
  }
}

/** The operations on members. */
export class MembersResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List members.
   *
   * Every member of the account, newest first; those who have left are `removed`.
   *
   * Needs the scope `conversations:read`.
   */
  list(options?: RequestOptions): List<Member> {
    return new List(this.#transport, ["members"], {}, options);
  }
}

/** The operations on memories. */
export class MemoriesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List memories.
   *
   * `q` matches the beginnings of words.
   *
   * Needs the scope `assistants:read`.
   */
  list(query?: ListMemoriesQuery, options?: RequestOptions): List<Memory> {
    return new List(this.#transport, ["memories"], query, options);
  }

  /**
   * Write a memory.
   *
   * Needs the scope `assistants:write`.
   */
  create(body: NewMemory, options?: RequestOptions): Call<Memory> {
    return call(this.#transport, { method: "POST", path: ["memories"], body, keyed: true }, options);
  }

  /**
   * Delete a memory.
   *
   * Needs the scope `assistants:write`.
   */
  delete(memoryId: string, options?: RequestOptions): Call<Deleted> {
    return call(this.#transport, { method: "DELETE", path: ["memories", memoryId] }, options);
  }
}

/** The operations on messages. */
export class MessagesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Search messages.
   *
   * Messages whose text holds `q`, whatever its case, newest first. `q` is required.
   *
   * Needs the scope `messages:read`.
   */
  search(query?: SearchMessagesQuery, options?: RequestOptions): List<Message> {
    return new List(this.#transport, ["messages"], query, options);
  }

  /**
   * Send a message.
   *
   * Sends to a conversation, or to a number, whose contact and conversation are found or created. The response has the status `sending`; `message.status_changed` and GET /messages/{id} report later ones. Text and media need an open 24-hour window on WhatsApp, Messenger and Instagram (422 `outside_window`); a template does not.
   *
   * Needs the scope `messages:send`.
   */
  send(body: NewMessage, options?: RequestOptions): Call<Message> {
    return call(this.#transport, { method: "POST", path: ["messages"], body, keyed: true }, options);
  }

  /**
   * Get a message.
   *
   * Needs the scope `messages:read`.
   */
  get(messageId: string, options?: RequestOptions): Call<Message> {
    return call(this.#transport, { method: "GET", path: ["messages", messageId] }, options);
  }

  /**
   * List a message's statuses.
   *
   * Every status of the message, oldest first, each with its time and, if it failed, the error. An outbound message begins as `sending`; a customer's message has one status, `delivered`.
   *
   * Needs the scope `messages:read`.
   */
  listStatuses(messageId: string, options?: RequestOptions): List<StatusChange> {
    return new List(this.#transport, ["messages", messageId, "statuses"], {}, options);
  }
}

/** The operations on pipelines. */
export class PipelinesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List pipelines.
   *
   * Newest first. The oldest is the default for new deals.
   *
   * Needs the scope `deals:read`.
   */
  list(options?: RequestOptions): List<Pipeline> {
    return new List(this.#transport, ["pipelines"], {}, options);
  }

  /**
   * Create a pipeline.
   *
   * Needs the scope `deals:write`.
   */
  create(body: NewPipeline, options?: RequestOptions): Call<Pipeline> {
    return call(this.#transport, { method: "POST", path: ["pipelines"], body }, options);
  }

  /**
   * Delete a pipeline.
   *
   * A pipeline with deals, and the account's last one, cannot be deleted.
   *
   * Needs the scope `deals:write`.
   */
  delete(pipelineId: string, options?: RequestOptions): Call<Deleted> {
    return call(this.#transport, { method: "DELETE", path: ["pipelines", pipelineId] }, options);
  }

  /**
   * Get a pipeline.
   *
   * Needs the scope `deals:read`.
   */
  get(pipelineId: string, options?: RequestOptions): Call<Pipeline> {
    return call(this.#transport, { method: "GET", path: ["pipelines", pipelineId] }, options);
  }

  /**
   * Rename a pipeline or reorder its stages.
   *
   * Needs the scope `deals:write`.
   */
  update(pipelineId: string, body: PipelinePatch, options?: RequestOptions): Call<Pipeline> {
    return call(this.#transport, { method: "PATCH", path: ["pipelines", pipelineId], body }, options);
  }

  /**
   * Add a stage to a pipeline.
   *
   * Needs the scope `deals:write`.
   */
  createStage(pipelineId: string, body: NewStage, options?: RequestOptions): Call<Stage> {
    return call(this.#transport, { method: "POST", path: ["pipelines", pipelineId, "stages"], body }, options);
  }

  /**
   * Delete a stage.
   *
   * A stage with deals, and a pipeline's last one, cannot be deleted.
   *
   * Needs the scope `deals:write`.
   */
  deleteStage(pipelineId: string, stageId: string, options?: RequestOptions): Call<Deleted> {
    return call(this.#transport, { method: "DELETE", path: ["pipelines", pipelineId, "stages", stageId] }, options);
  }

  /**
   * Update or move a stage.
   *
   * Needs the scope `deals:write`.
   */
  updateStage(pipelineId: string, stageId: string, body: StagePatch, options?: RequestOptions): Call<Stage> {
    return call(this.#transport, { method: "PATCH", path: ["pipelines", pipelineId, "stages", stageId], body }, options);
  }
}

/** The operations on runs. */
export class RunsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List runs.
   *
   * Needs the scope `runs:read`.
   */
  list(query?: ListRunsQuery, options?: RequestOptions): List<Run> {
    return new List(this.#transport, ["runs"], query, options);
  }

  /**
   * Start a run.
   *
   * The assistant works on the goal in the background; follow it with GET /runs/{id} or `run.finished`. A run about a contact or a conversation can send messages on the account's channels. A disabled assistant is a 422 with the reason `assistant_disabled`, a spent budget one with `ai_budget_exhausted`.
   *
   * Needs the scope `runs:start`. Costs 10 units.
   */
  start(body: NewRun, options?: RequestOptions): Call<Run> {
    return call(this.#transport, { method: "POST", path: ["runs"], body, keyed: true }, options);
  }

  /**
   * Get a run.
   *
   * Needs the scope `runs:read`.
   */
  get(runId: string, options?: RequestOptions): Call<Run> {
    return call(this.#transport, { method: "GET", path: ["runs", runId] }, options);
  }

  /**
   * Cancel a run.
   *
   * Cancels its sub-runs and pending asks too. A run that has ended is a 409.
   *
   * Needs the scope `runs:start`.
   */
  cancel(runId: string, options?: RequestOptions): Call<Run> {
    return call(this.#transport, { method: "POST", path: ["runs", runId, "cancel"] }, options);
  }

  /**
   * List a run's steps.
   *
   * Every step, newest first: model calls with their cost, tools with their arguments and results, asks.
   *
   * Needs the scope `runs:read`.
   */
  listEvents(runId: string, query?: ListRunEventsQuery, options?: RequestOptions): List<RunEvent> {
    return new List(this.#transport, ["runs", runId, "events"], query, options);
  }
}

/** The operations on segments. */
export class SegmentsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List segments.
   *
   * Needs the scope `contacts:read`.
   */
  list(options?: RequestOptions): List<Segment> {
    return new List(this.#transport, ["segments"], {}, options);
  }

  /**
   * Create a segment.
   *
   * Needs the scope `contacts:write`.
   */
  create(body: NewSegment, options?: RequestOptions): Call<Segment> {
    return call(this.#transport, { method: "POST", path: ["segments"], body }, options);
  }

  /**
   * Delete a segment.
   *
   * Needs the scope `contacts:write`.
   */
  delete(segmentId: string, options?: RequestOptions): Call<Deleted> {
    return call(this.#transport, { method: "DELETE", path: ["segments", segmentId] }, options);
  }

  /**
   * Get a segment.
   *
   * Needs the scope `contacts:read`.
   */
  get(segmentId: string, options?: RequestOptions): Call<Segment> {
    return call(this.#transport, { method: "GET", path: ["segments", segmentId] }, options);
  }

  /**
   * Update a segment.
   *
   * Needs the scope `contacts:write`.
   */
  update(segmentId: string, body: SegmentPatch, options?: RequestOptions): Call<Segment> {
    return call(this.#transport, { method: "PATCH", path: ["segments", segmentId], body }, options);
  }
}

/** The operations on tags. */
export class TagsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List tags.
   *
   * Needs the scope `contacts:read`.
   */
  list(options?: RequestOptions): List<Tag> {
    return new List(this.#transport, ["tags"], {}, options);
  }

  /**
   * Create a tag.
   *
   * Needs the scope `contacts:write`.
   */
  create(body: NewTag, options?: RequestOptions): Call<Tag> {
    return call(this.#transport, { method: "POST", path: ["tags"], body }, options);
  }

  /**
   * Delete a tag.
   *
   * Removes it from every contact.
   *
   * Needs the scope `contacts:write`.
   */
  delete(tagId: string, options?: RequestOptions): Call<Deleted> {
    return call(this.#transport, { method: "DELETE", path: ["tags", tagId] }, options);
  }

  /**
   * Update a tag.
   *
   * Needs the scope `contacts:write`.
   */
  update(tagId: string, body: TagPatch, options?: RequestOptions): Call<Tag> {
    return call(this.#transport, { method: "PATCH", path: ["tags", tagId], body }, options);
  }
}

/** The operations on templates. */
export class TemplatesResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List message templates.
   *
   * Templates are synced when a channel is connected, when the vendor reports a change, before the vendor's links to example media expire, and by `frontdesk channel sync`.
   *
   * Needs the scope `templates:read`.
   */
  list(query?: ListTemplatesQuery, options?: RequestOptions): List<Template> {
    return new List(this.#transport, ["templates"], query, options);
  }
}

/** The operations on tools. */
export class ToolsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List the tool catalogue.
   *
   * Every tool that assistants can be given, with its default.
   *
   * Needs the scope `assistants:read`.
   */
  list(options?: RequestOptions): List<Tool> {
    return new List(this.#transport, ["tools"], {}, options);
  }
}

/** The operations on triggers. */
export class TriggersResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List triggers.
   *
   * Needs the scope `assistants:read`.
   */
  list(query?: ListTriggersQuery, options?: RequestOptions): List<Trigger> {
    return new List(this.#transport, ["triggers"], query, options);
  }

  /**
   * Create a trigger.
   *
   * It is disabled unless `enabled` is true. For the kind `webhook`, `webhook_url` is the address that fires it; it is shown once.
   *
   * Needs the scope `assistants:write`.
   */
  create(body: NewTrigger, options?: RequestOptions): Call<IssuedTrigger> {
    return call(this.#transport, { method: "POST", path: ["triggers"], body, keyed: true }, options);
  }

  /**
   * Delete a trigger.
   *
   * Its running runs continue.
   *
   * Needs the scope `assistants:write`.
   */
  delete(triggerId: string, options?: RequestOptions): Call<Deleted> {
    return call(this.#transport, { method: "DELETE", path: ["triggers", triggerId] }, options);
  }

  /**
   * Get a trigger.
   *
   * Needs the scope `assistants:read`.
   */
  get(triggerId: string, options?: RequestOptions): Call<Trigger> {
    return call(this.#transport, { method: "GET", path: ["triggers", triggerId] }, options);
  }

  /**
   * Update a trigger.
   *
   * A change of the schedule applies to the next firing at once. A trigger whose kind becomes `webhook` gets its address from `POST /triggers/{id}/token`.
   *
   * Needs the scope `assistants:write`.
   */
  update(triggerId: string, body: TriggerPatch, options?: RequestOptions): Call<Trigger> {
    return call(this.#transport, { method: "PATCH", path: ["triggers", triggerId], body }, options);
  }

  /**
   * List the last calls of a webhook trigger's address.
   *
   * Newest first, the newest 50 of the last 30 days. Calls that are refused or repeated in the same way within a minute are one row of each server, whose `count` says how many they are; they appear after a few seconds.
   *
   * Needs the scope `assistants:read`.
   */
  listCalls(triggerId: string, options?: RequestOptions): List<TriggerCall> {
    return new List(this.#transport, ["triggers", triggerId, "calls"], {}, options);
  }

  /**
   * Preview a firing.
   *
   * Returns what a firing would do now, without firing.
   *
   * Needs the scope `assistants:read`. Costs 2 units.
   */
  preview(triggerId: string, options?: RequestOptions): Call<TriggerPreview> {
    return call(this.#transport, { method: "POST", path: ["triggers", triggerId, "preview"] }, options);
  }

  /**
   * Fire a trigger now.
   *
   * Fires whether or not the trigger is enabled, at any hour. Its schedule does not change. A disabled assistant is a 422 with the reason `assistant_disabled`, a spent budget one with `ai_budget_exhausted`, a model that the operator does not allow one with `over_operator_limit`. If the audience is empty, `runs` is empty and `last_error` says why.
   *
   * Needs the scope `runs:start`. Costs 10 units.
   */
  run(triggerId: string, options?: RequestOptions): Call<FiredTrigger> {
    return call(this.#transport, { method: "POST", path: ["triggers", triggerId, "run"], keyed: true }, options);
  }

  /**
   * Issue a new address for a webhook trigger.
   *
   * The old address is invalid at once. The new one is shown once.
   *
   * Needs the scope `assistants:write`.
   */
  rotateToken(triggerId: string, options?: RequestOptions): Call<RotatedTrigger> {
    return call(this.#transport, { method: "POST", path: ["triggers", triggerId, "token"] }, options);
  }
}

/** The operations on webhooks. */
export class WebhooksResource {
  readonly #transport: Transport;

  /**
   * Checks the signature of a delivery and returns its event. `body` must be as it arrived.
   * Without a client, import `webhooks` from this package.
   */
  readonly unwrap = unwrap;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * List webhook endpoints.
   *
   * Needs the scope `webhooks:manage`.
   */
  list(options?: RequestOptions): List<WebhookEndpoint> {
    return new List(this.#transport, ["webhooks"], {}, options);
  }

  /**
   * Create a webhook endpoint.
   *
   * The signing `secret` is shown once. Deliveries are signed by the Standard Webhooks scheme.
   *
   * Needs the scope `webhooks:manage`.
   */
  create(body: NewWebhook, options?: RequestOptions): Call<WebhookEndpoint> {
    return call(this.#transport, { method: "POST", path: ["webhooks"], body, keyed: true }, options);
  }

  /**
   * Delete a webhook endpoint.
   *
   * Needs the scope `webhooks:manage`.
   */
  delete(webhookId: string, options?: RequestOptions): Call<Deleted> {
    return call(this.#transport, { method: "DELETE", path: ["webhooks", webhookId] }, options);
  }

  /**
   * Get a webhook endpoint.
   *
   * Needs the scope `webhooks:manage`.
   */
  get(webhookId: string, options?: RequestOptions): Call<WebhookEndpoint> {
    return call(this.#transport, { method: "GET", path: ["webhooks", webhookId] }, options);
  }

  /**
   * Update a webhook endpoint.
   *
   * Needs the scope `webhooks:manage`.
   */
  update(webhookId: string, body: WebhookPatch, options?: RequestOptions): Call<WebhookEndpoint> {
    return call(this.#transport, { method: "PATCH", path: ["webhooks", webhookId], body }, options);
  }

  /**
   * List deliveries.
   *
   * Needs the scope `webhooks:manage`.
   */
  listDeliveries(webhookId: string, query?: ListDeliveriesQuery, options?: RequestOptions): List<Delivery> {
    return new List(this.#transport, ["webhooks", webhookId, "deliveries"], query, options);
  }

  /**
   * Get a delivery.
   *
   * Needs the scope `webhooks:manage`.
   */
  getDelivery(webhookId: string, deliveryId: string, options?: RequestOptions): Call<Delivery> {
    return call(this.#transport, { method: "GET", path: ["webhooks", webhookId, "deliveries", deliveryId] }, options);
  }

  /**
   * List the attempts of a delivery.
   *
   * Newest first, the newest 50. They are deleted with their delivery.
   *
   * Needs the scope `webhooks:manage`.
   */
  listDeliveryAttempts(webhookId: string, deliveryId: string, options?: RequestOptions): List<DeliveryAttempt> {
    return new List(this.#transport, ["webhooks", webhookId, "deliveries", deliveryId, "attempts"], {}, options);
  }

  /**
   * Retry a delivery.
   *
   * The delivery becomes pending again, due now, with a new schedule; its attempts keep counting. A pending delivery becomes due now. A delivery in flight is a 409.
   *
   * Needs the scope `webhooks:manage`.
   */
  retryDelivery(webhookId: string, deliveryId: string, options?: RequestOptions): Call<Delivery> {
    return call(this.#transport, { method: "POST", path: ["webhooks", webhookId, "deliveries", deliveryId, "retry"] }, options);
  }

  /**
   * Replay deliveries.
   *
   * Deliveries created from `since` until before `until` with one of the given statuses become pending again, due now. Large replays run in the background, oldest first.
   *
   * Needs the scope `webhooks:manage`.
   */
  replayDeliveries(webhookId: string, body: NewReplay, options?: RequestOptions): Call<Replay> {
    return call(this.#transport, { method: "POST", path: ["webhooks", webhookId, "replay"], body }, options);
  }

  /**
   * Rotate the signing secret.
   *
   * The new secret is shown once; the old one also signs for 24 hours.
   *
   * Needs the scope `webhooks:manage`.
   */
  rotateSecret(webhookId: string, options?: RequestOptions): Call<WebhookEndpoint> {
    return call(this.#transport, { method: "POST", path: ["webhooks", webhookId, "secret"] }, options);
  }

  /**
   * Send a test event.
   *
   * Sends a `webhook.test` event to this endpoint now, regardless of its event types.
   *
   * Needs the scope `webhooks:manage`.
   */
  test(webhookId: string, options?: RequestOptions): Call<Delivery> {
    return call(this.#transport, { method: "POST", path: ["webhooks", webhookId, "test"] }, options);
  }
}

/** The resources of an account. */
export class Resources {
  readonly ai: AiResource;
  readonly asks: AsksResource;
  readonly assistants: AssistantsResource;
  readonly bookings: BookingsResource;
  readonly broadcasts: BroadcastsResource;
  readonly cannedReplies: CannedRepliesResource;
  readonly channels: ChannelsResource;
  readonly contacts: ContactsResource;
  readonly conversations: ConversationsResource;
  readonly customFields: CustomFieldsResource;
  readonly deals: DealsResource;
  readonly eventTypes: EventTypesResource;
  readonly events: EventsResource;
  readonly inquiries: InquiriesResource;
  readonly instructions: InstructionsResource;
  readonly me: MeResource;
  readonly media: MediaResource;
  readonly members: MembersResource;
  readonly memories: MemoriesResource;
  readonly messages: MessagesResource;
  readonly pipelines: PipelinesResource;
  readonly runs: RunsResource;
  readonly segments: SegmentsResource;
  readonly tags: TagsResource;
  readonly templates: TemplatesResource;
  readonly tools: ToolsResource;
  readonly triggers: TriggersResource;
  readonly webhooks: WebhooksResource;

  constructor(transport: Transport) {
    this.ai = new AiResource(transport);
    this.asks = new AsksResource(transport);
    this.assistants = new AssistantsResource(transport);
    this.bookings = new BookingsResource(transport);
    this.broadcasts = new BroadcastsResource(transport);
    this.cannedReplies = new CannedRepliesResource(transport);
    this.channels = new ChannelsResource(transport);
    this.contacts = new ContactsResource(transport);
    this.conversations = new ConversationsResource(transport);
    this.customFields = new CustomFieldsResource(transport);
    this.deals = new DealsResource(transport);
    this.eventTypes = new EventTypesResource(transport);
    this.events = new EventsResource(transport);
    this.inquiries = new InquiriesResource(transport);
    this.instructions = new InstructionsResource(transport);
    this.me = new MeResource(transport);
    this.media = new MediaResource(transport);
    this.members = new MembersResource(transport);
    this.memories = new MemoriesResource(transport);
    this.messages = new MessagesResource(transport);
    this.pipelines = new PipelinesResource(transport);
    this.runs = new RunsResource(transport);
    this.segments = new SegmentsResource(transport);
    this.tags = new TagsResource(transport);
    this.templates = new TemplatesResource(transport);
    this.tools = new ToolsResource(transport);
    this.triggers = new TriggersResource(transport);
    this.webhooks = new WebhooksResource(transport);
  }
}
