"""Types that several resources have.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from ..._runtime.model import Model


@dataclass(frozen=True, kw_only=True)
class Ask(Model):
    """Something that an assistant, or a program, waits for a person to approve or to answer."""

    id: str
    run_id: str | None
    """The run that waits; for an ask of a sub-run, the run at the root. Null if a program asks through MCP."""
    assistant_id: str | None
    """Null if a program asks."""
    kind: AskKind | str
    prompt: str
    """The question, for people."""
    tool: str | None
    """The tool that the assistant wants to use."""
    arguments: Any
    """The tool's arguments."""
    status: AskStatus | str
    answer: str | None
    """The answer to a question, or the note of a decision."""
    answered_by: str | None
    """The member who answered."""
    expires_at: datetime
    answered_at: datetime | None
    created_at: datetime


AskKind: TypeAlias = Literal["approval", "question"]
"""The kind of ask: to approve the use of a tool, or to answer a question."""

AskStatus: TypeAlias = Literal["pending", "approved", "declined", "answered", "expired", "cancelled"]
"""The status of an ask."""

AudienceType: TypeAlias = Literal["none", "contact", "segment"]
"""The audience of a firing: none, one contact, or the contacts of a segment."""


@dataclass(frozen=True, kw_only=True)
class BulkJob(Model):
    """A change of many rows."""

    id: str
    total: int
    """Rows that are to be changed."""
    done: int
    """Rows that were changed, or were already as wanted."""
    failed: int
    """Rows that could not be changed: they were deleted meanwhile, or what the change names was."""
    status: BulkStatus | str


BulkStatus: TypeAlias = Literal["running", "done", "failed"]
"""Where a job stands; `failed` when no row could be changed, or when the job kept failing."""

Category: TypeAlias = Literal[
    "contacts",
    "conversations",
    "deals",
    "inquiries",
    "broadcasts",
    "memory",
    "people",
    "runs",
]
"""The category of a tool."""

Channel: TypeAlias = Literal["whatsapp", "personal_whatsapp", "messenger", "instagram", "web_chat"]
"""The channels."""


@dataclass(frozen=True, kw_only=True)
class Deleted(Model):
    """A deleted resource."""

    id: str
    """The id of the deleted resource."""
    deleted: bool
    """Always true."""


Direction: TypeAlias = Literal["inbound", "outbound"]
"""The direction of a message; `inbound` is from the customer."""

EventType: TypeAlias = Literal[
    "contact.created",
    "contact.updated",
    "contact.deleted",
    "contact.merged",
    "contact.opted_out",
    "contact.opted_in",
    "note.created",
    "deal.created",
    "deal.updated",
    "deal.stage_changed",
    "deal.closed",
    "deal.reopened",
    "deal.deleted",
    "inquiry.created",
    "inquiry.status_changed",
    "booking.created",
    "booking.completed",
    "booking.cancelled",
    "channel.connected",
    "channel.disconnected",
    "conversation.created",
    "conversation.updated",
    "conversation.handed_over",
    "message.received",
    "message.sent",
    "message.status_changed",
    "broadcast.started",
    "broadcast.completed",
    "broadcast.failed",
    "broadcast.cancelled",
    "run.started",
    "run.finished",
    "ask.created",
    "ask.answered",
    "ai.budget_warning",
    "webhook.test",
]
"""A kind of event. `GET /event-types` describes them."""


@dataclass(frozen=True, kw_only=True)
class Instruction(Model):
    """A text that assistants follow."""

    id: str
    title: str
    body: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class Message(Model):
    """A message of a conversation."""

    id: str
    conversation_id: str
    direction: Direction | str
    sender_type: SenderType | str
    type: MessageType | str
    text: str | None
    """Body text, or the caption of a media message."""
    media_url: str | None
    """URL of the attached image, video, document or audio. One that a customer sent is a link that expires; get the
    message again for a new one.
    """
    template_name: str | None
    """The name of the template that was sent."""
    status: MessageStatus | str
    channel_message_id: str | None
    """The channel's own id."""
    reply_to_message_id: str | None
    """The message that this one quotes, if it does."""
    created_at: datetime


MessageStatus: TypeAlias = Literal["sending", "sent", "delivered", "read", "failed"]
"""The status of a message."""

MessageType: TypeAlias = Literal["text", "image", "document", "audio", "video", "location", "template", "interactive"]
"""The kind of content."""


@dataclass(frozen=True, kw_only=True)
class Note(Model):
    """A note about a contact, an inquiry or a conversation."""

    id: str
    body: str
    author_user_id: str
    """The member who wrote it, or the member behind the key or assistant that did."""
    created_at: datetime
    updated_at: datetime
    contact_id: str | None = None
    """The contact it is about; left out of other notes."""
    conversation_id: str | None = None
    """The conversation it is about; left out of other notes."""
    inquiry_id: str | None = None
    """The inquiry it is about; left out of other notes."""


@dataclass(frozen=True, kw_only=True)
class Run(Model):
    """An assistant's work on a goal."""

    id: str
    assistant_id: str
    trigger_id: str | None
    """The trigger that started it."""
    parent_run_id: str | None
    """The parent run."""
    contact_id: str | None
    """The contact it is about."""
    conversation_id: str | None
    """The conversation it is about."""
    goal: str
    status: RunStatus | str
    result: str | None
    """The assistant's final text."""
    error: str | None
    """Why it failed or was cancelled."""
    cost_usd: float
    tokens_in: int
    tokens_out: int
    tick_count: int
    """Model calls."""
    pending_asks: list[Ask]
    """Asks that must be answered before it continues, including those of its sub-runs."""
    started_at: datetime | None
    finished_at: datetime | None
    created_at: datetime
    updated_at: datetime


RunEventType: TypeAlias = Literal[
    "started",
    "model_called",
    "tool_called",
    "tool_returned",
    "ask_raised",
    "ask_answered",
    "message_sent",
    "memory_written",
    "delegated",
    "handed_off",
    "finished",
    "failed",
    "cancelled",
]
"""What happened in a run."""

RunStatus: TypeAlias = Literal["queued", "running", "waiting", "succeeded", "failed", "cancelled"]
"""The status of a run. A `waiting` run waits for a person's answer or for a sub-run."""

SenderType: TypeAlias = Literal["customer", "agent", "bot"]
"""The sender of a message: `bot` is an assistant or an API key, `agent` a member in the inbox."""


@dataclass(frozen=True, kw_only=True)
class StatusError(Model):
    """Why a message failed."""

    code: str
    """The channel's own code, or the reason if there is none."""
    reason: str
    """A stable value for programs, such as `outside_window`."""
    message: str
    """What happened, for a person."""


@dataclass(frozen=True, kw_only=True)
class Trigger(Model):
    """A trigger starts an assistant's runs automatically."""

    id: str
    assistant_id: str
    """The assistant it fires."""
    name: str
    enabled: bool
    """A disabled trigger does not fire."""
    kind: TriggerKind | str
    goal: str
    """The goal of the runs."""
    period: TriggerPeriod | str | None
    """Recurring triggers only."""
    send_time: str | None
    """Recurring triggers only: the time of day, in the account's timezone."""
    day_of_week: int | None
    """Weekly triggers only: 0 is Sunday."""
    day_of_month: int | None
    """Monthly triggers only: 1 to 31. In a shorter month it is the last day."""
    run_at: datetime | None
    """One-off triggers only."""
    event_key: TriggerEvent | str | None
    """Event triggers only."""
    audience_type: AudienceType | str
    contact_id: str | None
    """The contact, when the audience is one."""
    segment_id: str | None
    """The segment, when the audience is one."""
    max_targets: int
    """The most runs that one firing starts."""
    respect_quiet_hours: bool
    """Whether a firing outside the account's sending hours waits until they begin."""
    last_fired_at: datetime | None
    last_error: str | None
    """Why the last firing started no run, as a code: `contact_missing` or `segment_missing` (it was deleted; choose
    another), `segment_empty`, `assistant_disabled`, `ai_budget_exhausted`, `over_operator_limit` (the operator does not
    allow the assistant's model), `account_suspended`, `no_sending_hours` (they never open). `events_waiting` means that
    more events came than runs may work at a time. Null when the last firing started its runs.
    """
    created_at: datetime
    updated_at: datetime


TriggerEvent: TypeAlias = Literal["contact.created", "deal.stage_changed", "booking.completed"]
"""The event that fires an event trigger."""

TriggerKind: TypeAlias = Literal["recurring", "once", "event", "webhook"]
"""The kind of trigger: a schedule, a point in time, an event of the account, or a call from another system."""

TriggerPeriod: TypeAlias = Literal["daily", "weekly", "monthly"]
"""How often a recurring trigger fires."""
