// Written by `make sdk` from the routes of the API. Changes are lost.

/** One of the known words, or one of a later version of the API. */
export type Open<Word extends string> = Word | (string & {});

/** Tags to add. */
export interface AddTags {
  /** Tags of this account. */
  tag_ids: string[];
}

/** The cost of models. Days and months are in the account's timezone. */
export interface AiUsage {
  from: string;
  to: string;
  /** The cost from `from` to `to`. */
  spent_usd: number;
  /** The monthly budget; null for none. */
  budget_usd: number | null;
  /** The rest of this month's budget; null without a budget. */
  remaining_usd: number | null;
  calls: number;
  tokens_in: number;
  tokens_out: number;
  by_day: DayUsage[];
  by_model: ModelUsage[];
  by_assistant: AssistantUsage[];
}

/** Every contact. */
export interface AllAudience {
  type: "all";
  /** Contacts with one of these tags are left out. */
  exclude_tag_ids?: string[] | null;
}

/** Something that an assistant, or a program, waits for a person to approve or to answer. */
export interface Ask {
  id: string;
  /** The run that waits; for an ask of a sub-run, the run at the root. Null if a program asks through MCP. */
  run_id: string | null;
  /** Null if a program asks. */
  assistant_id: string | null;
  kind: Open<AskKind>;
  /** The question, for people. */
  prompt: string;
  /** The tool that the assistant wants to use. */
  tool: string | null;
  /** The tool's arguments. */
  arguments: unknown;
  status: Open<AskStatus>;
  /** The answer to a question, or the note of a decision. */
  answer: string | null;
  /** The member who answered. */
  answered_by: string | null;
  expires_at: string;
  answered_at: string | null;
  created_at: string;
}

/** An answer: a decision about an approval, or the answer to a question. */
export interface AskAnswer {
  /** For a question. */
  answer?: string | null;
  /** For an approval. */
  decision?: Decision | null;
  /** A note to the assistant about the decision. */
  note?: string | null;
}

/** The `data` of events about an ask. */
export interface AskEventData {
  ask: Ask;
}

/** The kind of ask: to approve the use of a tool, or to answer a question. */
export type AskKind = "approval" | "question";

/** The status of an ask. */
export type AskStatus = "pending" | "approved" | "declined" | "answered" | "expired" | "cancelled";

/** An assistant answers customers and works on goals for the account. */
export interface Assistant {
  id: string;
  name: string;
  /** Accent colour in the activity feed. */
  color: string | null;
  /** A disabled assistant refuses every run start. */
  enabled: boolean;
  /** Persona and standing instructions, sent to the model on every tick. */
  system_prompt: string;
  /** Null for the account's default. */
  model: string | null;
  /** Null for the model's default. */
  temperature: number | null;
  /** Tools that are enabled or disabled. Other tools have the default of `GET /tools`. */
  tool_access: Record<string, boolean>;
  /** Tools that a person must approve each time, in addition to the critical ones. */
  gated_tools: string[];
  delegation: Delegation;
  schedule: Schedule;
  /** The member who receives conversations that the assistant hands off. */
  default_handoff_user_id: string | null;
  /** Recent messages sent to the model: null for all of them, 0 for none. */
  history_limit: number | null;
  /** Transcribe inbound voice notes and describe photos for the inbox. */
  transcribe_media: boolean;
  /** Send inbound voice notes to the model. */
  handle_voice: boolean;
  /** Send inbound photos to the model. */
  handle_images: boolean;
  /** May reply with a synthesised voice note. */
  voice_replies: boolean;
  /** Text-to-speech provider; null for none. */
  voice_provider: string | null;
  /** The provider's voice; null for its default. */
  voice_id: string | null;
  /** The channels on which it takes new conversations: a channel's name, or `pwa:<connection_id>` for one personal number. */
  targets: string[];
  /** Instructions bound to it. */
  instruction_count: number;
  created_at: string;
  updated_at: string;
}

/** Changes of an assistant. Null clears a field that may be empty; maps and lists are replaced as a whole. */
export interface AssistantPatch {
  color?: string | null;
  default_handoff_user_id?: string | null;
  delegation?: DelegationInput;
  enabled?: boolean;
  gated_tools?: Array<"search_contacts" | "get_contact" | "update_contact" | "add_tag" | "remove_tag" | "add_note" | "opt_out_contact" | "list_conversations" | "read_messages" | "send_message" | "send_template" | "list_templates" | "set_conversation_status" | "assign_conversation" | "hand_off" | "ask_human" | "search_deals" | "create_deal" | "update_deal" | "move_deal" | "close_deal" | "delete_deal" | "create_inquiry_note" | "start_broadcast" | "remember" | "recall" | "forget" | "delegate" | "schedule_follow_up">;
  handle_images?: boolean;
  handle_voice?: boolean;
  history_limit?: number | null;
  model?: string | null;
  name?: string;
  schedule?: ScheduleInput;
  system_prompt?: string | null;
  targets?: string[];
  temperature?: number | null;
  tool_access?: Record<string, boolean>;
  transcribe_media?: boolean;
  voice_id?: string | null;
  voice_provider?: string | null;
  voice_replies?: boolean;
}

/** A tool of one assistant. */
export interface AssistantTool {
  id: string;
  name: string;
  description: string;
  category: Open<Category>;
  /** A person always approves it. */
  critical: boolean;
  default_enabled: boolean;
  /** Whether `unconfined_tools` may name it. */
  can_be_unconfined: boolean;
  /** JSON Schema of its arguments. */
  parameters: unknown;
  /** Whether this assistant has it. */
  enabled: boolean;
  /** Whether a person must approve each use by this assistant. */
  gated: boolean;
  /** Whether it reaches the whole account in a confined run, such as one that a customer's message started. */
  unconfined: boolean;
}

/** The cost of an assistant. */
export interface AssistantUsage {
  assistant_id: string;
  spent_usd: number;
  calls: number;
  tokens_in: number;
  tokens_out: number;
}

/** The audience of a broadcast. Opted-out contacts and contacts without a phone are always skipped. */
export type AudienceInput = PhonesAudience | ContactsAudience | TagsAudience | AllAudience | SegmentAudience;

/** The audience of a firing: none, one contact, or the contacts of a segment. */
export type AudienceType = "none" | "contact" | "segment";

/** An appointment. */
export interface Booking {
  id: string;
  /** The calendar's current id of the booking. */
  uid: string;
  contact_id: string | null;
  title: string;
  start_at: string;
  end_at: string;
  status: Open<BookingStatus>;
  created_at: string;
  updated_at: string;
}

/** The `data` of events about a booking. */
export interface BookingEventData {
  booking: Booking;
}

/** The status of a booking. */
export type BookingStatus = "scheduled" | "completed" | "cancelled";

/** The instructions of an assistant, in order. */
export interface BoundInstructions {
  instruction_ids: string[];
}

/** One message to many people. */
export interface Broadcast {
  id: string;
  name: string;
  kind: Open<BroadcastKind>;
  /** `whatsapp` or `personal_whatsapp`. */
  channel: Open<Channel>;
  /** The template that is sent; null for free text. */
  template: BroadcastTemplate | null;
  status: Open<BroadcastStatus>;
  /** When it was or will be started. */
  scheduled_at: string | null;
  counts: BroadcastCounts;
  created_at: string;
  updated_at: string;
}

/** The recipients of a broadcast by status. A recipient who has read the message also counts as delivered and sent. */
export interface BroadcastCounts {
  /** Recipients added so far. */
  total: number;
  /** Accepted by the channel. */
  sent: number;
  delivered: number;
  read: number;
  /** Replied within 72 hours. */
  replied: number;
  /** Rejected by the channel, or without a value that the template needs. */
  failed: number;
}

/** The `data` of events about a broadcast. */
export interface BroadcastEventData {
  broadcast: Broadcast;
  /** Why the service ended it before all messages were sent, if it did. */
  error?: StatusError | null;
  /** The reason of `error`. */
  reason?: string | null;
}

/** The kind of message: an approved WhatsApp template, or free text over a personal WhatsApp number. */
export type BroadcastKind = "template" | "free_text";

/** A recipient of a broadcast. */
export interface BroadcastRecipient {
  id: string;
  /** Null once the contact was erased. */
  contact_id: string | null;
  /** The recipient's number; null once the contact was erased. */
  phone: string | null;
  /** The message, once it exists. */
  message_id: string | null;
  status: Open<RecipientStatus>;
  /** Why it failed or was cancelled. */
  error: StatusError | null;
  created_at: string;
  updated_at: string;
}

/** The status of a broadcast. */
export type BroadcastStatus = "draft" | "scheduled" | "sending" | "sent" | "failed";

/** The template of a broadcast. */
export interface BroadcastTemplate {
  name: string;
  language: string;
}

/** The template to send. */
export interface BroadcastTemplateChoice {
  /** An approved template of the account. */
  name: string;
  /** Defaults to `en_US`. */
  language?: string | null;
}

/** The spent part of a month's budget. */
export interface BudgetWarning {
  /** Such as `2026-01`, in the account's timezone. */
  month: string;
  spent_usd: number;
  budget_usd: number;
}

/** The `data` of a budget warning. */
export interface BudgetWarningEventData {
  budget: BudgetWarning;
}

/** A change of many rows. */
export interface BulkJob {
  id: string;
  /** Rows that are to be changed. */
  total: number;
  /** Rows that were changed, or were already as wanted. */
  done: number;
  /** Rows that could not be changed: they were deleted meanwhile, or what the change names was. */
  failed: number;
  status: Open<BulkStatus>;
}

/** Where a job stands; `failed` when no row could be changed, or when the job kept failing. */
export type BulkStatus = "running" | "done" | "failed";

/** What a call of a trigger's address came to: a run was started; none was, and `error` says why; the call repeats one that was made before; the trigger was disabled; the address was called too often; the body is no JSON, or the call's id is invalid or was used for another body; the body is too large; the server failed. */
export type CallOutcome = "started" | "not_started" | "repeated" | "disabled" | "rate_limited" | "invalid" | "too_large" | "failed";

/** A text with files that members insert by its shortcut. */
export interface CannedReply {
  id: string;
  /** What members type to find it. */
  shortcut: string;
  /** The text. Placeholders such as `{{contact.name}}` are filled in by the client. */
  body: string;
  /** Files that the client sends with the text, in this order. */
  media: CannedReplyFile[];
  created_at: string;
  updated_at: string;
}

/** A file of a canned reply. `media.url` of a message may name its `url`. */
export interface CannedReplyFile {
  /** The id of the upload. */
  id: string;
  /** A signed link that works for about a day. Get the canned reply again for a new one. */
  url: string;
  content_type: string;
  filename: string | null;
  /** Bytes. */
  size: number;
}

/** What to change of a canned reply. */
export interface CannedReplyPatch {
  body?: string;
  /** Replaces all files. */
  media_ids?: string[];
  shortcut?: string;
}

/** The category of a tool. */
export type Category = "contacts" | "conversations" | "deals" | "inquiries" | "broadcasts" | "memory" | "people" | "runs";

/** The channels. */
export type Channel = "whatsapp" | "personal_whatsapp" | "messenger" | "instagram" | "web_chat";

/** The `data` of an event about a disconnected channel. */
export interface ChannelDisconnectedEventData {
  channel: Connection;
  /** Why it was disconnected. */
  reason: string;
}

/** The `data` of an event about a connected channel. */
export interface ChannelEventData {
  channel: Connection;
}

/** The outcome of a deal. */
export interface CloseDeal {
  outcome: DealOutcome;
  /** Why it was lost; only for lost deals. */
  reason?: string | null;
}

/** A connected number, page or widget of the account. */
export interface Connection {
  id: string;
  channel: Open<Channel>;
  name: string;
  /** The address that customers see: a phone number, a page's id. */
  address: string | null;
  status: Open<ConnectionStatus>;
  /** Why it is disconnected, if it is. */
  disconnected_reason: string | null;
  created_at: string;
}

/** Whether a connection can send and receive messages. */
export type ConnectionStatus = "connected" | "disconnected";

/** A person the business talks to. */
export interface Contact {
  id: string;
  /** Display name. */
  name: string | null;
  /** E.164; null for a contact reached only on Messenger, Instagram or web chat. */
  phone: string | null;
  /** Email address, when known. */
  email: string | null;
  /** Organisation. */
  company: string | null;
  /** Profile picture URL, when a channel supplied one. */
  avatar_url: string | null;
  tags: ContactTag[];
  /** Every custom field of the account, with a null value where it is unset. */
  custom_fields: ContactField[];
  created_at: string;
  updated_at: string;
}

/** Tags to add to and take off many contacts: those with these ids, or those that a filter chooses. */
export interface ContactBulk {
  add_tag_ids?: string[] | null;
  filter?: ContactChoice | null;
  /** At most 1,000 contacts. */
  ids?: string[] | null;
  remove_tag_ids?: string[] | null;
}

/** Which contacts, by the filters of GET /contacts. */
export interface ContactChoice {
  created_since?: string | null;
  email?: string | null;
  phone?: string | null;
  q?: string | null;
  segment_id?: string | null;
  tag_id?: string | null;
  updated_since?: string | null;
}

/** The `data` of events about a contact. */
export interface ContactEventData {
  contact: Contact;
}

/** A contact's value of a custom field. */
export interface ContactField {
  field_id: string;
  name: string;
  value: string | null;
}

/** The `data` of an event about a merge. */
export interface ContactMergedEventData {
  contact: Contact;
  previous: PreviousContact;
}

/** Changes of a contact. Null clears a field. */
export interface ContactPatch {
  company?: string | null;
  /** The country of a number without a country code, such as `DE`. With it, a number that cannot exist is refused. */
  country?: string | null;
  /** Merged by key; null clears a value. */
  custom_fields?: Record<string, string | null> | null;
  email?: string | null;
  name?: string | null;
  /** With its country code. With `country` also as it is dialled there. */
  phone?: string | null;
  /** Replaces the contact's tags. */
  tag_ids?: string[] | null;
}

/** A tag of a contact. */
export interface ContactTag {
  id: string;
  name: string;
  color: string;
}

/** Contacts of this account. */
export interface ContactsAudience {
  type: "contacts";
  contact_ids: string[];
}

/** The messages of one contact on one connection. */
export interface Conversation {
  id: string;
  contact_id: string;
  channel: Open<Channel>;
  connection_id: string;
  status: Open<ConversationStatus>;
  handler: Open<Handler>;
  assistant_id: string | null;
  /** The assigned member. */
  assigned_user_id: string | null;
  /** Messages of the customer since it was last marked as read. */
  unread_count: number;
  last_message_at: string | null;
  last_message_text: string | null;
  /** When the window for free text closes; null if the channel has no window, or the customer has not written yet. */
  window_expires_at: string | null;
  /** When a snoozed conversation opens again; null unless it is snoozed. */
  snoozed_until: string | null;
  created_at: string;
  updated_at: string;
}

/** What to change of many conversations: those with these ids, or those that a filter chooses. */
export interface ConversationBulk {
  /** A member of the account; null leaves them to nobody. */
  assigned_user_id?: string | null;
  filter?: ConversationChoice | null;
  /** At most 1,000 conversations. */
  ids?: string[] | null;
  status?: ConversationStatus;
}

/** Which conversations, by the filters of GET /conversations. */
export interface ConversationChoice {
  assigned_user_id?: string | null;
  channel?: Channel | null;
  contact_id?: string | null;
  handler?: Handler | null;
  status?: ConversationStatus | null;
  unread?: boolean | null;
  updated_since?: string | null;
}

/** The `data` of events about a conversation. */
export interface ConversationEventData {
  conversation: Conversation;
}

/** Changes of a conversation. */
export interface ConversationPatch {
  /** A member of the account; null removes the assignment. */
  assigned_user_id?: string | null;
  status?: ConversationStatus;
}

/** The status of a conversation. A message from the customer opens it again. */
export type ConversationStatus = "open" | "pending" | "closed";

/** The definition of a custom field. */
export interface CustomField {
  id: string;
  name: string;
  type: Open<FieldType>;
  /** The options of a `select`; empty for every other type. */
  options: string[];
  created_at: string;
  updated_at: string;
}

/** Changes of a custom field. Its type cannot change. */
export interface CustomFieldPatch {
  name?: string;
  options?: string[];
}

/** The cost of a day. */
export interface DayUsage {
  date: string;
  spent_usd: number;
  calls: number;
  tokens_in: number;
  tokens_out: number;
}

/** A potential sale. */
export interface Deal {
  id: string;
  title: string;
  /** The deal's value, exactly as it was given. */
  value: number | null;
  /** The value's currency, an ISO 4217 code. */
  currency: string;
  pipeline_id: string;
  stage_id: string;
  contact_id: string | null;
  /** The member who owns the deal. */
  owner_user_id: string | null;
  status: Open<DealStatus>;
  /** Why it was lost, if a reason was given. */
  lost_reason: string | null;
  expected_close_date: string | null;
  /** When it was won or lost. */
  closed_at: string | null;
  created_at: string;
  updated_at: string;
}

/** The `data` of events about a deal. */
export interface DealEventData {
  deal: Deal;
}

/** The outcome of a deal. */
export type DealOutcome = "won" | "lost";

/** Changes of a deal. Null clears a field that may be empty. */
export interface DealPatch {
  contact_id?: string | null;
  currency?: string;
  expected_close_date?: string | null;
  owner_user_id?: string | null;
  /** Moves the deal to another pipeline: to its first stage, unless `stage_id` is another stage of it. */
  pipeline_id?: string;
  /** Moves the deal, as `POST /deals/{id}/move` does. */
  stage_id?: string;
  title?: string;
  value?: number | null;
}

/** The `data` of an event about a move. */
export interface DealStageEventData {
  deal: Deal;
  previous: PreviousStage;
}

/** The status of a deal. */
export type DealStatus = "open" | "won" | "lost";

/** The `data` of an event about a deal's status. */
export interface DealStatusEventData {
  deal: Deal;
  previous: PreviousDealStatus;
}

/** A person's decision. */
export type Decision = "approve" | "decline";

/** An instruction of a definition. */
export interface DefinedInstruction {
  title: string;
  body: string;
  /** The instruction of the library that gets this text. Without an id, one with the same text is used if there is one, and otherwise a new one. */
  id?: string | null;
}

/** A trigger of a definition. Its fields are those of a trigger. */
export interface DefinedTrigger {
  name: string;
  kind: TriggerKind;
  /** The goal of the runs. */
  goal: string;
  /** Defaults to `none`. Event and webhook triggers allow no other. */
  audience_type?: AudienceType | null;
  /** Required when the audience is a contact. */
  contact_id?: string | null;
  /** In a shorter month it is the last day. */
  day_of_month?: number | null;
  /** 0 is Sunday. */
  day_of_week?: number | null;
  /** Defaults to false. */
  enabled?: boolean | null;
  event_key?: TriggerEvent | null;
  /** The trigger of this assistant that is changed. Without an id, it is a new one. */
  id?: string | null;
  /** Defaults to 50. */
  max_targets?: number | null;
  period?: TriggerPeriod | null;
  /** Defaults to false. */
  respect_quiet_hours?: boolean | null;
  /** A time that has passed fires at once. */
  run_at?: string | null;
  /** Required when the audience is a segment. */
  segment_id?: string | null;
  /** In the account's timezone. */
  send_time?: string | null;
}

/** Everything that an assistant is: its settings, the instructions that it follows, and its triggers. */
export interface Definition {
  /** Changes whenever something else in the definition does. */
  revision: string;
  assistant: Assistant;
  /** Tools that reach the whole account in a confined run. */
  unconfined_tools: string[];
  /** In order. */
  instructions: Instruction[];
  /** Those of the instructions that other assistants follow too. */
  shared_instruction_ids: string[];
  /** Oldest first. */
  triggers: Trigger[];
}

/** A definition that replaces another one. */
export interface DefinitionChange {
  definition: NewDefinition;
  /** The revision that is replaced. If the assistant has another one by now, nothing is changed. When left out, the definition is replaced whatever it is. */
  expected_revision?: string | null;
}

/** An assistant's limits for sub-runs. */
export interface Delegation {
  enabled: boolean;
  /** Tools that a sub-run may be given: null for any that the parent has, an empty list for none. */
  allowed_tools: string[] | null;
  /** Sub-runs that one run may start. */
  max_children_per_run: number;
  /** The maximum cost of the whole tree of runs, in US dollars; null for the server's default. */
  max_cost_usd: number | null;
}

/** An assistant's limits for sub-runs. */
export interface DelegationInput {
  /** Null for any tool that the parent has. */
  allowed_tools?: Array<"search_contacts" | "get_contact" | "update_contact" | "add_tag" | "remove_tag" | "add_note" | "opt_out_contact" | "list_conversations" | "read_messages" | "send_message" | "send_template" | "list_templates" | "set_conversation_status" | "assign_conversation" | "hand_off" | "ask_human" | "search_deals" | "create_deal" | "update_deal" | "move_deal" | "close_deal" | "delete_deal" | "create_inquiry_note" | "start_broadcast" | "remember" | "recall" | "forget" | "delegate" | "schedule_follow_up"> | null;
  /** Defaults to false. */
  enabled?: boolean | null;
  /** Defaults to 3. */
  max_children_per_run?: number | null;
  max_cost_usd?: number | null;
}

/** A deleted resource. */
export interface Deleted {
  /** The id of the deleted resource. */
  id: string;
  /** Always true. */
  deleted: boolean;
}

/** One event on its way to one endpoint. */
export interface Delivery {
  id: string;
  /** The `evt_…` id of the envelope carried. */
  event_id: string;
  event_type: string;
  status: Open<DeliveryStatus>;
  attempts: number;
  /** When a pending delivery is next due. */
  next_attempt_at: string | null;
  /** HTTP status of the last attempt. */
  last_status_code: number | null;
  last_error: string | null;
  /** The first 1 KB of the last response body. */
  response_snippet: string | null;
  duration_ms: number | null;
  delivered_at: string | null;
  created_at: string;
  /** The `data` that was or will be sent. */
  payload: unknown;
}

/** One call of an endpoint with a delivery. */
export interface DeliveryAttempt {
  /** Counts from 1. */
  number: number;
  /** Null if an earlier version of the server made it. */
  started_at: string | null;
  /** HTTP status of the response. Null if there was none. */
  status_code: number | null;
  /** Why it failed. */
  error: string | null;
  duration_ms: number | null;
  /** The first 1 KB of the response body. */
  response_snippet: string | null;
}

/** The status of a delivery: waiting for its next attempt, in flight, done, permanently failed, or out of attempts. */
export type DeliveryStatus = "pending" | "claimed" | "succeeded" | "failed" | "exhausted";

/** The direction of a message; `inbound` is from the customer. */
export type Direction = "inbound" | "outbound";

/** An event type, a group such as `contact.*`, or `*`. */
export type EventPattern = "*" | "contact.*" | "contact.created" | "contact.updated" | "contact.deleted" | "contact.merged" | "contact.opted_out" | "contact.opted_in" | "note.*" | "note.created" | "deal.*" | "deal.created" | "deal.updated" | "deal.stage_changed" | "deal.closed" | "deal.reopened" | "deal.deleted" | "inquiry.*" | "inquiry.created" | "inquiry.status_changed" | "booking.*" | "booking.created" | "booking.completed" | "booking.cancelled" | "channel.*" | "channel.connected" | "channel.disconnected" | "conversation.*" | "conversation.created" | "conversation.updated" | "conversation.handed_over" | "message.*" | "message.received" | "message.sent" | "message.status_changed" | "broadcast.*" | "broadcast.started" | "broadcast.completed" | "broadcast.failed" | "broadcast.cancelled" | "run.*" | "run.started" | "run.finished" | "ask.*" | "ask.created" | "ask.answered" | "ai.*" | "ai.budget_warning" | "webhook.*" | "webhook.test";

/** A kind of event. `GET /event-types` describes them. */
export type EventType = "contact.created" | "contact.updated" | "contact.deleted" | "contact.merged" | "contact.opted_out" | "contact.opted_in" | "note.created" | "deal.created" | "deal.updated" | "deal.stage_changed" | "deal.closed" | "deal.reopened" | "deal.deleted" | "inquiry.created" | "inquiry.status_changed" | "booking.created" | "booking.completed" | "booking.cancelled" | "channel.connected" | "channel.disconnected" | "conversation.created" | "conversation.updated" | "conversation.handed_over" | "message.received" | "message.sent" | "message.status_changed" | "broadcast.started" | "broadcast.completed" | "broadcast.failed" | "broadcast.cancelled" | "run.started" | "run.finished" | "ask.created" | "ask.answered" | "ai.budget_warning" | "webhook.test";

/** A kind of event that the service writes. */
export interface EventTypeInfo {
  event_type: string;
  description: string;
  /** An example of `data`. */
  example: unknown;
}

/** The type of a field's values. They are always strings: `12.5`, `2026-01-31`, `true`. */
export type FieldType = "text" | "number" | "date" | "boolean" | "select";

/** The runs of a manual firing. */
export interface FiredTrigger {
  trigger: Trigger;
  runs: Run[];
}

/** Who handles the conversation. */
export type Handler = "human" | "assistant";

/** Who handles the conversation from now on. */
export type Handover = ToAssistant | ToHuman;

/** A submission of a website's form or of the API. */
export interface Inquiry {
  id: string;
  /** The name of the form. */
  form: string | null;
  name: string | null;
  email: string | null;
  /** E.164. */
  phone: string | null;
  message: string | null;
  /** Further fields. */
  fields: Record<string, string>;
  /** The page it was sent from. */
  source_url: string | null;
  /** The inquiry's contact; null if it has no name, phone or email, or if the contact limit was reached. */
  contact_id: string | null;
  status: Open<InquiryStatus>;
  created_at: string;
  updated_at: string;
}

/** The `data` of an event about a new inquiry. */
export interface InquiryEventData {
  inquiry: Inquiry;
}

/** Changes of an inquiry. */
export interface InquiryPatch {
  status?: InquiryStatus;
}

/** The status of an inquiry. */
export type InquiryStatus = "new" | "in_progress" | "resolved" | "spam";

/** The `data` of an event about an inquiry's status. */
export interface InquiryStatusEventData {
  inquiry: Inquiry;
  previous: PreviousInquiryStatus;
}

/** A text that assistants follow. */
export interface Instruction {
  id: string;
  title: string;
  body: string;
  created_at: string;
  updated_at: string;
}

/** Changes of an instruction. */
export interface InstructionPatch {
  body?: string;
  title?: string;
}

/** The address of a webhook trigger. */
export interface IssuedAddress {
  trigger_id: string;
  /** The address that fires the trigger. It is shown once. */
  webhook_url: string;
}

/** A trigger and its address, which is shown once. */
export interface IssuedTrigger {
  trigger: Trigger;
  /** The address that fires a webhook trigger. Null for other kinds. It is shown once. */
  webhook_url: string | null;
}

/** Whether all rules must hold, or any one. */
export type Match = "all" | "any";

/** The key of the request. */
export interface Me {
  account: MeAccount;
  key: MeKey;
  /** The member to whom the key's writes are attributed: its creator, or the account's owner once the creator has left. */
  member: MeMember | null;
  /** The scopes granted to the key. */
  scopes: string[];
  /** The granted scopes and the reads they include. */
  effective_scopes: string[];
  /** When the key stops working; null for never. */
  expires_at: string | null;
  /** Units the key may spend in a minute. */
  rate_limit_per_minute: number;
  /** Addresses and ranges the key may be used from; empty for anywhere. */
  ip_allowlist: string[];
}

/** The account a key belongs to. */
export interface MeAccount {
  id: string;
  name: string;
  timezone: string;
}

/** The key itself, without its secret. */
export interface MeKey {
  id: string;
  name: string;
  created_at: string;
}

/** The member behind a key. */
export interface MeMember {
  id: string;
  name: string;
  email: string | null;
}

/** The media of a message. */
export interface MediaChoice {
  kind: MediaKind;
  /** A public address; the channel fetches it when the message is sent. */
  url: string;
  /** Where media has no caption, such as a recording, it follows as a text. */
  caption?: string | null;
  /** Shown for documents. */
  filename?: string | null;
}

/** The kind of media. */
export type MediaKind = "image" | "video" | "document" | "audio";

/** A member of the account. */
export interface Member {
  id: string;
  name: string;
  email: string | null;
  role: Open<Role>;
  status: Open<MemberStatus>;
}

/** Whether a member is active. */
export type MemberStatus = "active" | "removed";

/** A fact that assistants remember. */
export interface Memory {
  id: string;
  /** The assistant that recalls it; null for all of them. */
  assistant_id: string | null;
  /** The contact it is about; null for the whole account. */
  contact_id: string | null;
  content: string;
  source: Open<MemorySource>;
  created_at: string;
}

/** Who wrote a memory: a program, an assistant, or a member. */
export type MemorySource = "api" | "assistant" | "member";

/** The contact to merge into this one. */
export interface MergeContact {
  /** The other contact, which is deleted. */
  contact_id: string;
}

/** A message of a conversation. */
export interface Message {
  id: string;
  conversation_id: string;
  direction: Open<Direction>;
  sender_type: Open<SenderType>;
  type: Open<MessageType>;
  /** Body text, or the caption of a media message. */
  text: string | null;
  /** URL of the attached image, video, document or audio. One that a customer sent is a link that expires; get the message again for a new one. */
  media_url: string | null;
  /** The name of the template that was sent. */
  template_name: string | null;
  status: Open<MessageStatus>;
  /** The channel's own id. */
  channel_message_id: string | null;
  /** The message that this one quotes, if it does. */
  reply_to_message_id: string | null;
  created_at: string;
}

/** The `data` of events about a message. */
export interface MessageEventData {
  message: Message;
}

/** The status of a message. */
export type MessageStatus = "sending" | "sent" | "delivered" | "read" | "failed";

/** The `data` of an event about a message's status. */
export interface MessageStatusEventData {
  message: Message;
  previous: PreviousMessageStatus;
  /** Why it failed, if it did. */
  error?: StatusError | null;
}

/** The kind of content. */
export type MessageType = "text" | "image" | "document" | "audio" | "video" | "location" | "template" | "interactive";

/** The cost of a model. */
export interface ModelUsage {
  model: string;
  spent_usd: number;
  calls: number;
  tokens_in: number;
  tokens_out: number;
}

/** The target of a move. */
export interface MoveDeal {
  /** A stage of the deal's pipeline. */
  stage_id: string;
}

/** A new assistant. Every field but the name has a default. */
export interface NewAssistant {
  name: string;
  color?: string | null;
  default_handoff_user_id?: string | null;
  delegation?: DelegationInput | null;
  /** Defaults to true. */
  enabled?: boolean | null;
  gated_tools?: Array<"search_contacts" | "get_contact" | "update_contact" | "add_tag" | "remove_tag" | "add_note" | "opt_out_contact" | "list_conversations" | "read_messages" | "send_message" | "send_template" | "list_templates" | "set_conversation_status" | "assign_conversation" | "hand_off" | "ask_human" | "search_deals" | "create_deal" | "update_deal" | "move_deal" | "close_deal" | "delete_deal" | "create_inquiry_note" | "start_broadcast" | "remember" | "recall" | "forget" | "delegate" | "schedule_follow_up"> | null;
  handle_images?: boolean | null;
  handle_voice?: boolean | null;
  /** Defaults to 50; null for the whole history. */
  history_limit?: number | null;
  model?: string | null;
  /** Defaults to always. */
  schedule?: ScheduleInput | null;
  system_prompt?: string | null;
  targets?: string[] | null;
  temperature?: number | null;
  tool_access?: Record<string, boolean> | null;
  transcribe_media?: boolean | null;
  voice_id?: string | null;
  voice_provider?: string | null;
  voice_replies?: boolean | null;
}

/** A new broadcast. */
export interface NewBroadcast {
  name: string;
  template: BroadcastTemplateChoice;
  audience: AudienceInput;
  /** The media of a media header. Defaults to the example that the template was approved with, where WhatsApp shares it. */
  header_media_url?: string | null;
  /** When to start; at once if it is missing or past. */
  schedule_at?: string | null;
  /** How the template's placeholders are filled in, by their keys: `1`, `2`, … or their names. `header_text` fills in a text header, and `button_params.0` the button with that index. */
  variables?: Record<string, Variable> | null;
}

/** A canned reply to be made. */
export interface NewCannedReply {
  /** Unique in the account, regardless of case. */
  shortcut: string;
  /** May hold placeholders such as `{{contact.name}}`. */
  body: string;
  /** Uploads of `POST /media`. They are kept as long as the canned reply has them. */
  media_ids?: string[] | null;
}

/** A new contact. At least one of phone, name or email is required. */
export interface NewContact {
  company?: string | null;
  /** The country of a number without a country code, such as `DE`. With it, a number that cannot exist is refused. */
  country?: string | null;
  /** Values keyed by custom-field id. */
  custom_fields?: Record<string, string | null> | null;
  email?: string | null;
  name?: string | null;
  /** With its country code; spaces, dashes and brackets are ignored. With `country` also as it is dialled there. */
  phone?: string | null;
  /** Tags of this account. */
  tag_ids?: string[] | null;
}

/** A private note to be written about a conversation. */
export interface NewConversationNote {
  body: string;
  /** Members of the account whom the note mentions. The event `note.created` names them. */
  mentioned_user_ids?: string[] | null;
}

/** A new custom field. */
export interface NewCustomField {
  /** Unique in the account, regardless of case. */
  name: string;
  /** The options of a `select`; required for that type, and not allowed for others. */
  options?: string[] | null;
  /** Defaults to `text`. */
  type?: FieldType | null;
}

/** A new deal. */
export interface NewDeal {
  title: string;
  contact_id?: string | null;
  /** Three capital letters; defaults to `USD`. */
  currency?: string | null;
  expected_close_date?: string | null;
  /** A member of the account. Defaults to the member to whom the key's writes are attributed; null for no owner. */
  owner_user_id?: string | null;
  /** Defaults to the pipeline of the stage, else to the account's oldest. */
  pipeline_id?: string | null;
  /** Defaults to the pipeline's first stage. */
  stage_id?: string | null;
  /** Up to twelve digits before the point and four after it, fifteen in all. */
  value?: number | null;
}

/** Everything that an assistant is. What is left out gets its default. */
export interface NewDefinition {
  assistant: NewAssistant;
  /** In order. */
  instructions?: DefinedInstruction[] | null;
  triggers?: DefinedTrigger[] | null;
  /** Tools that reach the whole account also in a confined run. None when left out. */
  unconfined_tools?: Array<"search_contacts" | "get_contact" | "update_contact" | "add_tag" | "remove_tag" | "add_note" | "opt_out_contact" | "list_conversations" | "read_messages" | "send_message" | "send_template" | "set_conversation_status" | "assign_conversation" | "search_deals" | "create_deal" | "update_deal" | "move_deal" | "close_deal" | "delete_deal" | "create_inquiry_note" | "start_broadcast" | "remember" | "recall" | "forget"> | null;
}

/** A new inquiry. At least one of name, email, phone or message is required. */
export interface NewInquiry {
  /** The country of a number without a country code, such as `DE`. With it, a number that cannot exist is refused. */
  country?: string | null;
  email?: string | null;
  /** Further fields, by name. */
  fields?: Record<string, string | null> | null;
  /** The name of the form. */
  form?: string | null;
  message?: string | null;
  name?: string | null;
  /** With its country code; spaces, dashes and brackets are ignored. With `country` also as it is dialled there. */
  phone?: string | null;
  /** The page it was sent from. */
  source_url?: string | null;
}

/** A new instruction for the library. */
export interface NewInstruction {
  title: string;
  body: string;
}

/** An image, a video, a document or a recording. */
export interface NewMedia {
  type: "media";
  to: To;
  media: MediaChoice;
  /** A message of the same conversation, which this one quotes. */
  reply_to_message_id?: string | null;
}

/** A new memory. */
export interface NewMemory {
  content: string;
  /** The assistant that recalls it; all of them by default. */
  assistant_id?: string | null;
  /** The contact it is about; defaults to the whole account. */
  contact_id?: string | null;
}

/** A new message. */
export type NewMessage = NewText | NewTemplate | NewMedia;

/** A new note. */
export interface NewNote {
  body: string;
}

/** A new pipeline. */
export interface NewPipeline {
  name: string;
  /** In order; defaults to four standard stages. */
  stages?: NewStage[] | null;
}

/** Which deliveries to send again. */
export interface NewReplay {
  /** Deliveries created at or after this time. */
  since: string;
  /** Defaults to `failed` and `exhausted` deliveries. */
  status?: ReplayStatus | null;
  /** Deliveries created before this time; defaults to now. */
  until?: string | null;
}

/** A new run. */
export interface NewRun {
  assistant_id: string;
  /** The goal of the run. */
  goal: string;
  /** The contact it is about. */
  contact_id?: string | null;
  /** The conversation it is about. The run gets its contact. */
  conversation_id?: string | null;
}

/** A new segment. */
export interface NewSegment {
  name: string;
  rules: RuleInput[];
  /** Defaults to `all`. */
  match?: Match | null;
}

/** A new stage. */
export interface NewStage {
  name: string;
  /** Its position, counted from 0; defaults to the end. Ignored in a new pipeline, where the order of the list counts. */
  position?: number | null;
  /** The probability of winning a deal in this stage, in percent; defaults to 50. */
  probability?: number | null;
}

/** A new tag. */
export interface NewTag {
  /** Unique in the account, regardless of case. */
  name: string;
  /** A hex colour such as `#2563eb`; defaults to a grey. */
  color?: string | null;
}

/** A template that WhatsApp has approved. */
export interface NewTemplate {
  type: "template";
  to: To;
  template: TemplateChoice;
  /** A message of the same conversation, which this one quotes. */
  reply_to_message_id?: string | null;
}

/** Plain text. */
export interface NewText {
  type: "text";
  to: To;
  text: string;
  /** A message of the same conversation, which this one quotes. */
  reply_to_message_id?: string | null;
}

/** An assistant to try out, and a conversation for it to reply to. */
export interface NewTrial {
  /** The assistant. It need not be stored. */
  assistant: NewAssistant;
  /** The conversation so far, 1 to 40 messages. The last one is the customer's. */
  messages: TrialMessage[];
  /** The stored assistant that the cost counts for. None when left out. */
  assistant_id?: string | null;
  /** The instructions that it follows, in order. */
  instructions?: NewInstruction[] | null;
}

/** A new trigger. A recurring one needs `period` and `send_time`, and `day_of_week` if it is weekly or `day_of_month` if it is monthly; a one-off needs `run_at`; an event trigger needs `event_key`. Fields of other kinds must be left out. */
export interface NewTrigger {
  assistant_id: string;
  name: string;
  kind: TriggerKind;
  /** The goal of the runs. */
  goal: string;
  /** Defaults to `none`. Event and webhook triggers allow no other. */
  audience_type?: AudienceType | null;
  /** Required when the audience is a contact. */
  contact_id?: string | null;
  /** In a shorter month it is the last day. */
  day_of_month?: number | null;
  /** 0 is Sunday. */
  day_of_week?: number | null;
  /** Defaults to false. */
  enabled?: boolean | null;
  event_key?: TriggerEvent | null;
  /** Defaults to 50. */
  max_targets?: number | null;
  period?: TriggerPeriod | null;
  /** Defaults to false. */
  respect_quiet_hours?: boolean | null;
  /** A time that has passed fires at once. */
  run_at?: string | null;
  /** Required when the audience is a segment. */
  segment_id?: string | null;
  /** In the account's timezone. */
  send_time?: string | null;
}

/** A new endpoint. */
export interface NewWebhook {
  /** Must be https, on the public internet. */
  url: string;
  description?: string | null;
  /** Defaults to true. */
  enabled?: boolean | null;
  /** Types such as `contact.created`, or groups such as `contact.*`; defaults to all. */
  event_types?: EventPattern[] | null;
}

/** A note about a contact, an inquiry or a conversation. */
export interface Note {
  id: string;
  body: string;
  /** The member who wrote it, or the member behind the key or assistant that did. */
  author_user_id: string;
  created_at: string;
  updated_at: string;
  /** The contact it is about; left out of other notes. */
  contact_id?: string | null;
  /** The conversation it is about; left out of other notes. */
  conversation_id?: string | null;
  /** The inquiry it is about; left out of other notes. */
  inquiry_id?: string | null;
}

/** The `data` of an event about a note. */
export interface NoteEventData {
  note: Note;
  /** The members whom a note on a conversation mentions; left out when there are none. */
  mentioned_user_ids?: string[];
}

/** The operator of a rule. */
export type Op = "is" | "is_not" | "contains" | "starts_with" | "is_set" | "is_not_set" | "before" | "after" | "within_days";

/** Whether a contact is opted out of broadcasts. */
export interface OptOut {
  contact_id: string;
  opted_out: boolean;
  opted_out_at: string | null;
  /** The source of the opt-out: `api`, or the channel on which the contact opted out. */
  source: string | null;
}

/** The channels that can send to a phone number. */
export type PhoneChannel = "whatsapp" | "personal_whatsapp";

/** Numbers; unknown ones become contacts. */
export interface PhonesAudience {
  type: "phones";
  phones: string[];
  /** The country of numbers without a country code, such as `DE`. With it, a number that cannot exist is refused. */
  country?: string | null;
}

/** A pipeline of deals. */
export interface Pipeline {
  id: string;
  name: string;
  /** In their order. */
  stages: Stage[];
  created_at: string;
  updated_at: string;
}

/** Changes of a pipeline. */
export interface PipelinePatch {
  name?: string;
  /** Every stage of the pipeline, in the new order. */
  stage_ids?: string[];
}

/** The contact that was merged into another and deleted. */
export interface PreviousContact {
  contact_id: string;
}

/** The deal's previous status. */
export interface PreviousDealStatus {
  status: Open<DealStatus>;
}

/** The inquiry's previous status. */
export interface PreviousInquiryStatus {
  status: Open<InquiryStatus>;
}

/** The message's previous status. */
export interface PreviousMessageStatus {
  status: Open<MessageStatus>;
}

/** The deal's previous stage. */
export interface PreviousStage {
  stage_id: string;
}

/** The status of a recipient. */
export type RecipientStatus = "pending" | "sent" | "delivered" | "read" | "replied" | "failed" | "cancelled";

/** An accepted replay. */
export interface Replay {
  /** The number of deliveries that become pending again. */
  count: number;
}

/** The status of the deliveries to replay; `all` means the three others. */
export type ReplayStatus = "failed" | "exhausted" | "succeeded" | "all";

/** Whom to retry. */
export interface RetryBroadcast {
  /** Also retries recipients that failed with `unknown_outcome`, who may then receive the message twice. */
  include_unknown?: boolean | null;
}

/** A member's role in the account. Keys do not inherit it. */
export type Role = "owner" | "admin" | "agent";

/** A webhook trigger and its new address. */
export interface RotatedTrigger {
  trigger: Trigger;
  /** The address that fires the trigger. It is shown once. */
  webhook_url: string;
}

/** A rule of a segment. */
export interface Rule {
  /** The field of a contact, or `custom_field:` and the id of a custom field. */
  field: string;
  op: Open<Op>;
  value: unknown;
}

/** A rule in a request. */
export interface RuleInput {
  /** The field of a contact, or `custom_field:` and the id of a custom field. */
  field: string;
  op: Op;
  /** Text, a tag's id, a channel, a date-time, a number of days or a boolean, depending on field and op; none for `is_set` and `is_not_set`. */
  value?: unknown;
}

/** An assistant's work on a goal. */
export interface Run {
  id: string;
  assistant_id: string;
  /** The trigger that started it. */
  trigger_id: string | null;
  /** The parent run. */
  parent_run_id: string | null;
  /** The contact it is about. */
  contact_id: string | null;
  /** The conversation it is about. */
  conversation_id: string | null;
  goal: string;
  status: Open<RunStatus>;
  /** The assistant's final text. */
  result: string | null;
  /** Why it failed or was cancelled. */
  error: string | null;
  cost_usd: number;
  tokens_in: number;
  tokens_out: number;
  /** Model calls. */
  tick_count: number;
  /** Asks that must be answered before it continues, including those of its sub-runs. */
  pending_asks: Ask[];
  started_at: string | null;
  finished_at: string | null;
  created_at: string;
  updated_at: string;
}

/** A step of a run. */
export interface RunEvent {
  id: string;
  run_id: string;
  type: Open<RunEventType>;
  /** What belongs to the step, such as a tool's arguments or what a call of the model cost. */
  data: unknown;
  created_at: string;
}

/** The `data` of events about a run. */
export interface RunEventData {
  run: Run;
}

/** What happened in a run. */
export type RunEventType = "started" | "model_called" | "tool_called" | "tool_returned" | "ask_raised" | "ask_answered" | "message_sent" | "memory_written" | "delegated" | "handed_off" | "finished" | "failed" | "cancelled";

/** The status of a run. A `waiting` run waits for a person's answer or for a sub-run. */
export type RunStatus = "queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled";

/** When an assistant answers customers, in the account's timezone. */
export interface Schedule {
  mode: Open<ScheduleMode>;
  /** Only for `custom_hours`: a weekday (`mon` to `sun`) and its spans. A day that is missing is closed. */
  hours: Record<string, string[][]> | null;
}

/** When to start a broadcast. */
export interface ScheduleBroadcast {
  /** Defaults to now, also if it is past. */
  schedule_at?: string | null;
}

/** When an assistant answers customers. */
export interface ScheduleInput {
  mode: ScheduleMode;
  /** Required for `custom_hours`, and only for that. */
  hours?: Record<string, string[][]> | null;
}

/** `always` is any hour, `custom_hours` only inside `hours`, `outside_business_hours` only when the business is closed. */
export type ScheduleMode = "always" | "custom_hours" | "outside_business_hours";

/** Contacts described by rules. */
export interface Segment {
  id: string;
  name: string;
  match: Open<Match>;
  rules: Rule[];
  /** The number of matching contacts. A slow count may be some minutes old. */
  contact_count: number;
  created_at: string;
  updated_at: string;
}

/** The contacts of a segment. */
export interface SegmentAudience {
  type: "segment";
  segment_id: string;
  /** Contacts with one of these tags are left out. */
  exclude_tag_ids?: string[] | null;
}

/** Changes of a segment. Rules are replaced as a whole. */
export interface SegmentPatch {
  match?: Match;
  name?: string;
  rules?: RuleInput[];
}

/** The sender of a message: `bot` is an assistant or an API key, `agent` a member in the inbox. */
export type SenderType = "customer" | "agent" | "bot";

/** Until when a conversation is left alone. */
export interface Snooze {
  /** A moment in the future; null ends a snooze and opens the conversation. */
  until: string | null;
}

/** A stage of a pipeline. */
export interface Stage {
  id: string;
  name: string;
  /** Counts from 0. */
  position: number;
  /** The probability of winning a deal in this stage, in percent. */
  probability: number;
}

/** Changes of a stage. */
export interface StagePatch {
  name?: string;
  /** Its position, counted from 0; a larger number means the end. */
  position?: number;
  probability?: number;
}

/** A status that a message has, or has had. */
export interface StatusChange {
  status: Open<MessageStatus>;
  /** The channel's own time, if it reported one. Null for messages from before times were recorded. */
  at: string | null;
  /** Why it failed; null for every other status. */
  error: StatusError | null;
}

/** Why a message failed. */
export interface StatusError {
  /** The channel's own code, or the reason if there is none. */
  code: string;
  /** A stable value for programs, such as `outside_window`. */
  reason: string;
  /** What happened, for a person. */
  message: string;
}

/** A label for contacts. */
export interface Tag {
  id: string;
  name: string;
  /** A hex colour such as `#2563eb`. */
  color: string;
  created_at: string;
  updated_at: string;
}

/** Changes of a tag. */
export interface TagPatch {
  color?: string;
  name?: string;
}

/** Contacts with any of these tags. */
export interface TagsAudience {
  type: "tags";
  tag_ids: string[];
  /** Contacts with one of these tags are left out. */
  exclude_tag_ids?: string[] | null;
}

/** A WhatsApp message template. */
export interface Template {
  id: string;
  name: string;
  language: string;
  /** `MARKETING`, `UTILITY` or `AUTHENTICATION`. */
  category: string;
  status: Open<TemplateStatus>;
  /** Header, body, footer and buttons, in the vendor's own form. */
  components: unknown;
  /** The keys of the body's placeholders, in order. */
  placeholders: string[];
  created_at: string;
  updated_at: string;
}

/** The template and its parameters. */
export interface TemplateChoice {
  name: string;
  /** Values for {{1}}, {{2}}, … in the body. */
  body_params?: string[] | null;
  /** Values for URL-suffix and copy-code buttons, by the button's index. */
  button_params?: Record<string, string> | null;
  /** The media of a media header. Defaults to the example that the template was approved with, where WhatsApp shares it. */
  header_media_url?: string | null;
  /** The value for the placeholder of a text header. */
  header_text?: string | null;
  /** Defaults to `en_US`. */
  language?: string | null;
}

/** The vendor's decision on a template. Only an approved one can be sent. */
export type TemplateStatus = "APPROVED" | "PENDING" | "REJECTED" | "PAUSED" | "DISABLED";

export type To = ToThread | ToPhone;

/** An assistant takes over. */
export interface ToAssistant {
  to: "assistant";
  assistant_id: string;
}

/** A person takes over. */
export interface ToHuman {
  to: "human";
  /** The member to assign. */
  user_id?: string | null;
}

/** A phone number; its contact and conversation are found or created. */
export interface ToPhone {
  phone: string;
  /** Defaults to `whatsapp`. */
  channel?: PhoneChannel | null;
  /** The number to send from; required for `personal_whatsapp`. */
  connection_id?: string | null;
  /** The country of a number without a country code, such as `DE`. With it, a number that cannot exist is refused. */
  country?: string | null;
}

/** An existing conversation, on any channel. */
export interface ToThread {
  conversation_id: string;
  /** The newest message of the conversation that the sender has seen. When somebody else has replied to the customer after it, the message is refused with 422 `newer_reply`. */
  last_seen_message_id?: string | null;
}

/** A tool that assistants can use. */
export interface Tool {
  id: string;
  name: string;
  description: string;
  category: Open<Category>;
  /** A person always approves it. */
  critical: boolean;
  /** Whether assistants have it by default. */
  default_enabled: boolean;
  /** Whether `unconfined_tools` of an assistant may name it. A tool that cannot be unconfined reaches no contact but the run's own. */
  can_be_unconfined: boolean;
  /** JSON Schema of its arguments. */
  parameters: unknown;
}

/** Which tools an assistant has. */
export interface ToolSettings {
  /** Tools that are enabled or disabled, by id. Other tools have their default. */
  tool_access: Record<string, boolean>;
  /** Tools that a person must approve each time. */
  gated_tools: Array<"search_contacts" | "get_contact" | "update_contact" | "add_tag" | "remove_tag" | "add_note" | "opt_out_contact" | "list_conversations" | "read_messages" | "send_message" | "send_template" | "list_templates" | "set_conversation_status" | "assign_conversation" | "hand_off" | "ask_human" | "search_deals" | "create_deal" | "update_deal" | "move_deal" | "close_deal" | "delete_deal" | "create_inquiry_note" | "start_broadcast" | "remember" | "recall" | "forget" | "delegate" | "schedule_follow_up">;
  /** Tools that reach the whole account also in a confined run: one that a customer's message, an event or a webhook started. None when left out. */
  unconfined_tools?: Array<"search_contacts" | "get_contact" | "update_contact" | "add_tag" | "remove_tag" | "add_note" | "opt_out_contact" | "list_conversations" | "read_messages" | "send_message" | "send_template" | "set_conversation_status" | "assign_conversation" | "search_deals" | "create_deal" | "update_deal" | "move_deal" | "close_deal" | "delete_deal" | "create_inquiry_note" | "start_broadcast" | "remember" | "recall" | "forget"> | null;
}

/** A message of a trial. */
export interface TrialMessage {
  from: TrialSide;
  text: string;
}

/** The reply of an assistant that was tried out. */
export interface TrialReply {
  /** What the customer would read; null when the assistant hands off, or came to no reply. */
  reply: string | null;
  /** Why it came to no reply. */
  error: string | null;
  steps: TrialStep[];
  cost_usd: number;
  tokens_in: number;
  tokens_out: number;
}

/** Who wrote a message of a trial. */
export type TrialSide = "customer" | "assistant";

/** A step of a trial. */
export interface TrialStep {
  /** `model_called` or `tool_called`. */
  type: Open<RunEventType>;
  /** A model call as in a run's steps. A tool call has `tool`, `arguments`, `content`, `is_error`, `simulated` (nothing was done) and `gated` (a person would have to approve it). */
  data: unknown;
  duration_ms: number;
}

/** A trigger starts an assistant's runs automatically. */
export interface Trigger {
  id: string;
  /** The assistant it fires. */
  assistant_id: string;
  name: string;
  /** A disabled trigger does not fire. */
  enabled: boolean;
  kind: Open<TriggerKind>;
  /** The goal of the runs. */
  goal: string;
  /** Recurring triggers only. */
  period: Open<TriggerPeriod> | null;
  /** Recurring triggers only: the time of day, in the account's timezone. */
  send_time: string | null;
  /** Weekly triggers only: 0 is Sunday. */
  day_of_week: number | null;
  /** Monthly triggers only: 1 to 31. In a shorter month it is the last day. */
  day_of_month: number | null;
  /** One-off triggers only. */
  run_at: string | null;
  /** Event triggers only. */
  event_key: Open<TriggerEvent> | null;
  audience_type: Open<AudienceType>;
  /** The contact, when the audience is one. */
  contact_id: string | null;
  /** The segment, when the audience is one. */
  segment_id: string | null;
  /** The most runs that one firing starts. */
  max_targets: number;
  /** Whether a firing outside the account's sending hours waits until they begin. */
  respect_quiet_hours: boolean;
  last_fired_at: string | null;
  /** Why the last firing started no run, as a code: `contact_missing` or `segment_missing` (it was deleted; choose another), `segment_empty`, `assistant_disabled`, `ai_budget_exhausted`, `over_operator_limit` (the operator does not allow the assistant's model), `account_suspended`, `no_sending_hours` (they never open). `events_waiting` means that more events came than runs may work at a time. Null when the last firing started its runs. */
  last_error: string | null;
  created_at: string;
  updated_at: string;
}

/** A call of a webhook trigger's address, or several within a minute that were refused or repeated in the same way. */
export interface TriggerCall {
  id: string;
  outcome: Open<CallOutcome>;
  /** The HTTP status of the response. */
  status_code: number;
  /** The code of what was wrong, as in the response. */
  error: string | null;
  /** The run that was started. */
  run_id: string | null;
  /** How many calls this is. The fields below are those of the last one. */
  count: number;
  last_called_at: string;
  /** The caller's IP address, if it is known. */
  address: string | null;
  /** The size of the body. If the body was not read, the size that the caller declared. */
  body_bytes: number | null;
  /** The first 1 KB of the body, of a firing or if it is no JSON. It is erased with the contact that it named, as the address is. */
  body: string | null;
  /** When the first of these calls was made. */
  created_at: string;
}

/** The event that fires an event trigger. */
export type TriggerEvent = "contact.created" | "deal.stage_changed" | "booking.completed";

/** The kind of trigger: a schedule, a point in time, an event of the account, or a call from another system. */
export type TriggerKind = "recurring" | "once" | "event" | "webhook";

/** Changes of a trigger. Null clears a field that may be empty. The fields must be consistent after the change. */
export interface TriggerPatch {
  assistant_id?: string;
  audience_type?: AudienceType;
  contact_id?: string | null;
  day_of_month?: number | null;
  day_of_week?: number | null;
  enabled?: boolean;
  event_key?: TriggerEvent | null;
  goal?: string;
  kind?: TriggerKind;
  max_targets?: number;
  name?: string;
  period?: TriggerPeriod | null;
  respect_quiet_hours?: boolean;
  run_at?: string | null;
  segment_id?: string | null;
  send_time?: string | null;
}

/** How often a recurring trigger fires. */
export type TriggerPeriod = "daily" | "weekly" | "monthly";

/** A preview of a firing. */
export interface TriggerPreview {
  /** When the trigger fires next if it is enabled, sending hours included. Null for event and webhook triggers, and for a one-off that has fired. */
  next_fire_at: string | null;
  /** Whether it would start a run if its time came now. */
  would_fire: boolean;
  /** Why it would not. */
  reason: Open<TriggerRefusal> | null;
  /** The contacts that a firing would act on, at most `max_targets`. */
  target_count: number;
  /** The first 20 of them. */
  targets: TriggerTarget[];
}

/** Why a firing starts no run. `last_error` of a trigger holds the same codes. */
export type TriggerRefusal = "trigger_disabled" | "account_suspended" | "assistant_disabled" | "ai_budget_exhausted" | "over_operator_limit" | "contact_missing" | "segment_missing" | "segment_empty" | "no_sending_hours" | "already_fired" | "keeps_failing";

/** A contact that a firing would act on. */
export interface TriggerTarget {
  contact_id: string;
  name: string | null;
}

export interface UploadMediaResult {
  content_type: string;
  id: string;
  size: number;
  url: string;
}

/** The value of a placeholder. */
export interface Variable {
  /** `static` is literal text, `field` a field of the contact, `custom_field` one of the account's custom fields. */
  type: VariableType;
  /** The text itself; `name`, `phone`, `email` or `company`; or the id of a custom field. */
  value: string;
  /** The text for contacts whose value is blank. Without it, such a recipient fails. */
  fallback?: string | null;
}

/** The source of a variable's value. */
export type VariableType = "static" | "field" | "custom_field";

/** A webhook endpoint. */
export interface WebhookEndpoint {
  id: string;
  url: string;
  description: string | null;
  /** Types, or groups such as `contact.*`; empty means all. */
  event_types: string[];
  enabled: boolean;
  /** Why the service disabled it, if it did. */
  disabled_reason: string | null;
  created_at: string;
  updated_at: string;
  /** The signing secret; only in the response that creates or rotates it. */
  secret?: string | null;
}

/** The `data` of a test event. */
export interface WebhookEventData {
  webhook: WebhookEndpoint;
}

/** Changes of an endpoint. */
export interface WebhookPatch {
  description?: string | null;
  /** Enabling it again clears the reason and the failure count. */
  enabled?: boolean;
  /** Replaces the list; null or an empty list means all. */
  event_types?: EventPattern[] | null;
  url?: string;
}

/** A definition that was stored, and the addresses of its new webhook triggers. */
export interface WrittenDefinition {
  definition: Definition;
  /** The addresses of webhook triggers that did not have one. They are shown once. */
  webhook_urls: IssuedAddress[];
}
