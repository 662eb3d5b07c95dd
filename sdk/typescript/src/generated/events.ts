// Written by `make sdk` from the routes of the API. Changes are lost.

import type {
  AskEventData,
  BookingEventData,
  BroadcastEventData,
  BudgetWarningEventData,
  ChannelDisconnectedEventData,
  ChannelEventData,
  ContactEventData,
  ContactMergedEventData,
  ConversationEventData,
  DealEventData,
  DealStageEventData,
  DealStatusEventData,
  InquiryEventData,
  InquiryStatusEventData,
  MessageEventData,
  MessageStatusEventData,
  NoteEventData,
  RunEventData,
  WebhookEventData,
} from "./types.js";

/** What every event has. */
export interface EventEnvelope {
  /** The same on every attempt and for every endpoint. */
  event_id: string;
  event_type: string;
  created_at: string;
  account_id: string;
  api_version: string;
}

/** An event of a type that this version of the package does not know. */
export interface UnknownEvent extends EventEnvelope {
  event_type: "unknown";
  /** The event as it arrived, with its type. */
  raw: EventEnvelope & { data: unknown };
}

/** The month's AI cost has reached 80 % of the budget. Sent once a month. */
export interface AiBudgetWarningEvent extends EventEnvelope {
  event_type: "ai.budget_warning";
  data: BudgetWarningEventData;
}

/** An ask was approved, declined or answered, has expired, or was cancelled with its run. */
export interface AskAnsweredEvent extends EventEnvelope {
  event_type: "ask.answered";
  data: AskEventData;
}

/** An assistant waits for a person to approve or to answer. */
export interface AskCreatedEvent extends EventEnvelope {
  event_type: "ask.created";
  data: AskEventData;
}

/** A booking was cancelled. */
export interface BookingCancelledEvent extends EventEnvelope {
  event_type: "booking.cancelled";
  data: BookingEventData;
}

/** A booking's end has passed. */
export interface BookingCompletedEvent extends EventEnvelope {
  event_type: "booking.completed";
  data: BookingEventData;
}

/** A calendar has reported a new booking. */
export interface BookingCreatedEvent extends EventEnvelope {
  event_type: "booking.created";
  data: BookingEventData;
}

/** A broadcast was cancelled. */
export interface BroadcastCancelledEvent extends EventEnvelope {
  event_type: "broadcast.cancelled";
  data: BroadcastEventData;
}

/** The channel has accepted the last recipient's message; `error` gives the reason if the broadcast ended early. */
export interface BroadcastCompletedEvent extends EventEnvelope {
  event_type: "broadcast.completed";
  data: BroadcastEventData;
}

/** No message of a broadcast could be sent; `error` gives the reason if it was stopped. */
export interface BroadcastFailedEvent extends EventEnvelope {
  event_type: "broadcast.failed";
  data: BroadcastEventData;
}

/** A broadcast has started, or some of its recipients are retried. */
export interface BroadcastStartedEvent extends EventEnvelope {
  event_type: "broadcast.started";
  data: BroadcastEventData;
}

/** A channel was connected, for the first time or again. */
export interface ChannelConnectedEvent extends EventEnvelope {
  event_type: "channel.connected";
  data: ChannelEventData;
}

/** A channel was disconnected: nothing is sent over it until it is connected again; `reason` says why. */
export interface ChannelDisconnectedEvent extends EventEnvelope {
  event_type: "channel.disconnected";
  data: ChannelDisconnectedEventData;
}

/** A contact was created. */
export interface ContactCreatedEvent extends EventEnvelope {
  event_type: "contact.created";
  data: ContactEventData;
}

/** A contact was permanently erased; `data` has only its id and timestamps. */
export interface ContactDeletedEvent extends EventEnvelope {
  event_type: "contact.deleted";
  data: ContactEventData;
}

/** Another contact was merged into this one; `previous` has the id of the deleted contact. */
export interface ContactMergedEvent extends EventEnvelope {
  event_type: "contact.merged";
  data: ContactMergedEventData;
}

/** A contact has opted in to broadcasts again. */
export interface ContactOptedInEvent extends EventEnvelope {
  event_type: "contact.opted_in";
  data: ContactEventData;
}

/** A contact has opted out of broadcasts. */
export interface ContactOptedOutEvent extends EventEnvelope {
  event_type: "contact.opted_out";
  data: ContactEventData;
}

/** A contact, its tags or its custom fields changed. */
export interface ContactUpdatedEvent extends EventEnvelope {
  event_type: "contact.updated";
  data: ContactEventData;
}

/** A conversation was created. */
export interface ConversationCreatedEvent extends EventEnvelope {
  event_type: "conversation.created";
  data: ConversationEventData;
}

/** A conversation was handed over to an assistant or to a person. */
export interface ConversationHandedOverEvent extends EventEnvelope {
  event_type: "conversation.handed_over";
  data: ConversationEventData;
}

/** A conversation's status or assignment changed, or it was marked as read or unread, or snoozed. */
export interface ConversationUpdatedEvent extends EventEnvelope {
  event_type: "conversation.updated";
  data: ConversationEventData;
}

/** A deal was won or lost. */
export interface DealClosedEvent extends EventEnvelope {
  event_type: "deal.closed";
  data: DealStatusEventData;
}

/** A deal was created. */
export interface DealCreatedEvent extends EventEnvelope {
  event_type: "deal.created";
  data: DealEventData;
}

/** A deal was deleted; `data` has its last state. */
export interface DealDeletedEvent extends EventEnvelope {
  event_type: "deal.deleted";
  data: DealEventData;
}

/** A closed deal is open again. */
export interface DealReopenedEvent extends EventEnvelope {
  event_type: "deal.reopened";
  data: DealStatusEventData;
}

/** A deal moved to another stage; `previous` has the stage before. */
export interface DealStageChangedEvent extends EventEnvelope {
  event_type: "deal.stage_changed";
  data: DealStageEventData;
}

/** A deal's title, value, contact, owner or expected date changed. */
export interface DealUpdatedEvent extends EventEnvelope {
  event_type: "deal.updated";
  data: DealEventData;
}

/** An inquiry was submitted through a website's form or the API. */
export interface InquiryCreatedEvent extends EventEnvelope {
  event_type: "inquiry.created";
  data: InquiryEventData;
}

/** An inquiry's status changed. */
export interface InquiryStatusChangedEvent extends EventEnvelope {
  event_type: "inquiry.status_changed";
  data: InquiryStatusEventData;
}

/** A customer sent a message. */
export interface MessageReceivedEvent extends EventEnvelope {
  event_type: "message.received";
  data: MessageEventData;
}

/** The channel has accepted a message. */
export interface MessageSentEvent extends EventEnvelope {
  event_type: "message.sent";
  data: MessageEventData;
}

/** A message was sent, delivered, read, or failed; `error` says why it failed. */
export interface MessageStatusChangedEvent extends EventEnvelope {
  event_type: "message.status_changed";
  data: MessageStatusEventData;
}

/** A note was written. */
export interface NoteCreatedEvent extends EventEnvelope {
  event_type: "note.created";
  data: NoteEventData;
}

/** A run succeeded, failed or was cancelled. */
export interface RunFinishedEvent extends EventEnvelope {
  event_type: "run.finished";
  data: RunEventData;
}

/** A run has started. */
export interface RunStartedEvent extends EventEnvelope {
  event_type: "run.started";
  data: RunEventData;
}

/** Sent to one endpoint as a test. */
export interface WebhookTestEvent extends EventEnvelope {
  event_type: "webhook.test";
  data: WebhookEventData;
}

/** An event whose type this version of the package knows. */
export type KnownEvent =
  | AiBudgetWarningEvent
  | AskAnsweredEvent
  | AskCreatedEvent
  | BookingCancelledEvent
  | BookingCompletedEvent
  | BookingCreatedEvent
  | BroadcastCancelledEvent
  | BroadcastCompletedEvent
  | BroadcastFailedEvent
  | BroadcastStartedEvent
  | ChannelConnectedEvent
  | ChannelDisconnectedEvent
  | ContactCreatedEvent
  | ContactDeletedEvent
  | ContactMergedEvent
  | ContactOptedInEvent
  | ContactOptedOutEvent
  | ContactUpdatedEvent
  | ConversationCreatedEvent
  | ConversationHandedOverEvent
  | ConversationUpdatedEvent
  | DealClosedEvent
  | DealCreatedEvent
  | DealDeletedEvent
  | DealReopenedEvent
  | DealStageChangedEvent
  | DealUpdatedEvent
  | InquiryCreatedEvent
  | InquiryStatusChangedEvent
  | MessageReceivedEvent
  | MessageSentEvent
  | MessageStatusChangedEvent
  | NoteCreatedEvent
  | RunFinishedEvent
  | RunStartedEvent
  | WebhookTestEvent;

const KNOWN: ReadonlySet<string> = new Set([
  "ai.budget_warning",
  "ask.answered",
  "ask.created",
  "booking.cancelled",
  "booking.completed",
  "booking.created",
  "broadcast.cancelled",
  "broadcast.completed",
  "broadcast.failed",
  "broadcast.started",
  "channel.connected",
  "channel.disconnected",
  "contact.created",
  "contact.deleted",
  "contact.merged",
  "contact.opted_in",
  "contact.opted_out",
  "contact.updated",
  "conversation.created",
  "conversation.handed_over",
  "conversation.updated",
  "deal.closed",
  "deal.created",
  "deal.deleted",
  "deal.reopened",
  "deal.stage_changed",
  "deal.updated",
  "inquiry.created",
  "inquiry.status_changed",
  "message.received",
  "message.sent",
  "message.status_changed",
  "note.created",
  "run.finished",
  "run.started",
  "webhook.test",
]);

/** An event. `event_type` tells its type, which is `unknown` for types of later versions of the API. */
export type Event = KnownEvent | UnknownEvent;

/** The event that arrived. */
export function readEvent(raw: EventEnvelope & { data: unknown }): Event {
  return KNOWN.has(raw.event_type) ? (raw as KnownEvent) : { ...raw, event_type: "unknown", raw };
}

/** The `code` of an error. */
export type ErrorCode = "bad_request" | "validation_error" | "unauthorized" | "plan_limit_reached" | "forbidden" | "account_suspended" | "not_found" | "conflict" | "unprocessable" | "channel_not_connected" | "rate_limited" | "internal";
