"""Events, as webhooks, streams and lists have them.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from ..._runtime.model import Model
from .bookings import Booking
from .broadcasts import Broadcast
from .channels import Connection
from .contacts import Contact
from .conversations import Conversation
from .deals import Deal, DealStatus
from .inquiries import Inquiry, InquiryStatus
from .shared import Ask, Message, MessageStatus, Note, Run, StatusError
from .webhooks import WebhookEndpoint


@dataclass(frozen=True, kw_only=True)
class AskEventData(Model):
    """The `data` of events about an ask."""

    ask: Ask


@dataclass(frozen=True, kw_only=True)
class BookingEventData(Model):
    """The `data` of events about a booking."""

    booking: Booking


@dataclass(frozen=True, kw_only=True)
class BroadcastEventData(Model):
    """The `data` of events about a broadcast."""

    broadcast: Broadcast
    error: StatusError | None = None
    """Why the service ended it before all messages were sent, if it did."""
    reason: str | None = None
    """The reason of `error`."""


@dataclass(frozen=True, kw_only=True)
class BudgetWarning(Model):
    """The spent part of a month's budget."""

    month: str
    """Such as `2026-01`, in the account's timezone."""
    spent_usd: float
    budget_usd: float


@dataclass(frozen=True, kw_only=True)
class BudgetWarningEventData(Model):
    """The `data` of a budget warning."""

    budget: BudgetWarning


@dataclass(frozen=True, kw_only=True)
class ChannelDisconnectedEventData(Model):
    """The `data` of an event about a disconnected channel."""

    channel: Connection
    reason: str
    """Why it was disconnected."""


@dataclass(frozen=True, kw_only=True)
class ChannelEventData(Model):
    """The `data` of an event about a connected channel."""

    channel: Connection


@dataclass(frozen=True, kw_only=True)
class ContactEventData(Model):
    """The `data` of events about a contact."""

    contact: Contact


@dataclass(frozen=True, kw_only=True)
class ContactMergedEventData(Model):
    """The `data` of an event about a merge."""

    contact: Contact
    previous: PreviousContact


@dataclass(frozen=True, kw_only=True)
class ConversationEventData(Model):
    """The `data` of events about a conversation."""

    conversation: Conversation


@dataclass(frozen=True, kw_only=True)
class DealEventData(Model):
    """The `data` of events about a deal."""

    deal: Deal


@dataclass(frozen=True, kw_only=True)
class DealStageEventData(Model):
    """The `data` of an event about a move."""

    deal: Deal
    previous: PreviousStage


@dataclass(frozen=True, kw_only=True)
class DealStatusEventData(Model):
    """The `data` of an event about a deal's status."""

    deal: Deal
    previous: PreviousDealStatus


@dataclass(frozen=True, kw_only=True)
class InquiryEventData(Model):
    """The `data` of an event about a new inquiry."""

    inquiry: Inquiry


@dataclass(frozen=True, kw_only=True)
class InquiryStatusEventData(Model):
    """The `data` of an event about an inquiry's status."""

    inquiry: Inquiry
    previous: PreviousInquiryStatus


@dataclass(frozen=True, kw_only=True)
class MessageEventData(Model):
    """The `data` of events about a message."""

    message: Message


@dataclass(frozen=True, kw_only=True)
class MessageStatusEventData(Model):
    """The `data` of an event about a message's status."""

    message: Message
    previous: PreviousMessageStatus
    error: StatusError | None = None
    """Why it failed, if it did."""


@dataclass(frozen=True, kw_only=True)
class NoteEventData(Model):
    """The `data` of an event about a note."""

    note: Note
    mentioned_user_ids: list[str] | None = None
    """The members whom a note on a conversation mentions; left out when there are none."""


@dataclass(frozen=True, kw_only=True)
class PreviousContact(Model):
    """The contact that was merged into another and deleted."""

    contact_id: str


@dataclass(frozen=True, kw_only=True)
class PreviousDealStatus(Model):
    """The deal's previous status."""

    status: DealStatus | str


@dataclass(frozen=True, kw_only=True)
class PreviousInquiryStatus(Model):
    """The inquiry's previous status."""

    status: InquiryStatus | str


@dataclass(frozen=True, kw_only=True)
class PreviousMessageStatus(Model):
    """The message's previous status."""

    status: MessageStatus | str


@dataclass(frozen=True, kw_only=True)
class PreviousStage(Model):
    """The deal's previous stage."""

    stage_id: str


@dataclass(frozen=True, kw_only=True)
class RunEventData(Model):
    """The `data` of events about a run."""

    run: Run


@dataclass(frozen=True, kw_only=True)
class WebhookEventData(Model):
    """The `data` of a test event."""

    webhook: WebhookEndpoint


@dataclass(frozen=True, kw_only=True)
class EventEnvelope(Model):
    """What all events have."""

    event_id: str
    """The same on every attempt and for every endpoint."""
    created_at: datetime
    account_id: str
    api_version: str


@dataclass(frozen=True, kw_only=True)
class AiBudgetWarningEvent(EventEnvelope):
    """The month's AI cost has reached 80 % of the budget. Sent once a month."""

    event_type: Literal["ai.budget_warning"]
    data: BudgetWarningEventData


@dataclass(frozen=True, kw_only=True)
class AskAnsweredEvent(EventEnvelope):
    """An ask was approved, declined or answered, has expired, or was cancelled with its run."""

    event_type: Literal["ask.answered"]
    data: AskEventData


@dataclass(frozen=True, kw_only=True)
class AskCreatedEvent(EventEnvelope):
    """An assistant waits for a person to approve or to answer."""

    event_type: Literal["ask.created"]
    data: AskEventData


@dataclass(frozen=True, kw_only=True)
class BookingCancelledEvent(EventEnvelope):
    """A booking was cancelled."""

    event_type: Literal["booking.cancelled"]
    data: BookingEventData


@dataclass(frozen=True, kw_only=True)
class BookingCompletedEvent(EventEnvelope):
    """A booking's end has passed."""

    event_type: Literal["booking.completed"]
    data: BookingEventData


@dataclass(frozen=True, kw_only=True)
class BookingCreatedEvent(EventEnvelope):
    """A calendar has reported a new booking."""

    event_type: Literal["booking.created"]
    data: BookingEventData


@dataclass(frozen=True, kw_only=True)
class BroadcastCancelledEvent(EventEnvelope):
    """A broadcast was cancelled."""

    event_type: Literal["broadcast.cancelled"]
    data: BroadcastEventData


@dataclass(frozen=True, kw_only=True)
class BroadcastCompletedEvent(EventEnvelope):
    """The channel has accepted the last recipient's message; `error` gives the reason if the broadcast ended early."""

    event_type: Literal["broadcast.completed"]
    data: BroadcastEventData


@dataclass(frozen=True, kw_only=True)
class BroadcastFailedEvent(EventEnvelope):
    """No message of a broadcast could be sent; `error` gives the reason if it was stopped."""

    event_type: Literal["broadcast.failed"]
    data: BroadcastEventData


@dataclass(frozen=True, kw_only=True)
class BroadcastStartedEvent(EventEnvelope):
    """A broadcast has started, or some of its recipients are retried."""

    event_type: Literal["broadcast.started"]
    data: BroadcastEventData


@dataclass(frozen=True, kw_only=True)
class ChannelConnectedEvent(EventEnvelope):
    """A channel was connected, for the first time or again."""

    event_type: Literal["channel.connected"]
    data: ChannelEventData


@dataclass(frozen=True, kw_only=True)
class ChannelDisconnectedEvent(EventEnvelope):
    """A channel was disconnected: nothing is sent over it until it is connected again; `reason` says why."""

    event_type: Literal["channel.disconnected"]
    data: ChannelDisconnectedEventData


@dataclass(frozen=True, kw_only=True)
class ContactCreatedEvent(EventEnvelope):
    """A contact was created."""

    event_type: Literal["contact.created"]
    data: ContactEventData


@dataclass(frozen=True, kw_only=True)
class ContactDeletedEvent(EventEnvelope):
    """A contact was permanently erased; `data` has only its id and timestamps."""

    event_type: Literal["contact.deleted"]
    data: ContactEventData


@dataclass(frozen=True, kw_only=True)
class ContactMergedEvent(EventEnvelope):
    """Another contact was merged into this one; `previous` has the id of the deleted contact."""

    event_type: Literal["contact.merged"]
    data: ContactMergedEventData


@dataclass(frozen=True, kw_only=True)
class ContactOptedInEvent(EventEnvelope):
    """A contact has opted in to broadcasts again."""

    event_type: Literal["contact.opted_in"]
    data: ContactEventData


@dataclass(frozen=True, kw_only=True)
class ContactOptedOutEvent(EventEnvelope):
    """A contact has opted out of broadcasts."""

    event_type: Literal["contact.opted_out"]
    data: ContactEventData


@dataclass(frozen=True, kw_only=True)
class ContactUpdatedEvent(EventEnvelope):
    """A contact, its tags or its custom fields changed."""

    event_type: Literal["contact.updated"]
    data: ContactEventData


@dataclass(frozen=True, kw_only=True)
class ConversationCreatedEvent(EventEnvelope):
    """A conversation was created."""

    event_type: Literal["conversation.created"]
    data: ConversationEventData


@dataclass(frozen=True, kw_only=True)
class ConversationHandedOverEvent(EventEnvelope):
    """A conversation was handed over to an assistant or to a person."""

    event_type: Literal["conversation.handed_over"]
    data: ConversationEventData


@dataclass(frozen=True, kw_only=True)
class ConversationUpdatedEvent(EventEnvelope):
    """A conversation's status or assignment changed, or it was marked as read or unread, or snoozed."""

    event_type: Literal["conversation.updated"]
    data: ConversationEventData


@dataclass(frozen=True, kw_only=True)
class DealClosedEvent(EventEnvelope):
    """A deal was won or lost."""

    event_type: Literal["deal.closed"]
    data: DealStatusEventData


@dataclass(frozen=True, kw_only=True)
class DealCreatedEvent(EventEnvelope):
    """A deal was created."""

    event_type: Literal["deal.created"]
    data: DealEventData


@dataclass(frozen=True, kw_only=True)
class DealDeletedEvent(EventEnvelope):
    """A deal was deleted; `data` has its last state."""

    event_type: Literal["deal.deleted"]
    data: DealEventData


@dataclass(frozen=True, kw_only=True)
class DealReopenedEvent(EventEnvelope):
    """A closed deal is open again."""

    event_type: Literal["deal.reopened"]
    data: DealStatusEventData


@dataclass(frozen=True, kw_only=True)
class DealStageChangedEvent(EventEnvelope):
    """A deal moved to another stage; `previous` has the stage before."""

    event_type: Literal["deal.stage_changed"]
    data: DealStageEventData


@dataclass(frozen=True, kw_only=True)
class DealUpdatedEvent(EventEnvelope):
    """A deal's title, value, contact, owner or expected date changed."""

    event_type: Literal["deal.updated"]
    data: DealEventData


@dataclass(frozen=True, kw_only=True)
class InquiryCreatedEvent(EventEnvelope):
    """An inquiry was submitted through a website's form or the API."""

    event_type: Literal["inquiry.created"]
    data: InquiryEventData


@dataclass(frozen=True, kw_only=True)
class InquiryStatusChangedEvent(EventEnvelope):
    """An inquiry's status changed."""

    event_type: Literal["inquiry.status_changed"]
    data: InquiryStatusEventData


@dataclass(frozen=True, kw_only=True)
class MessageReceivedEvent(EventEnvelope):
    """A customer sent a message."""

    event_type: Literal["message.received"]
    data: MessageEventData


@dataclass(frozen=True, kw_only=True)
class MessageSentEvent(EventEnvelope):
    """The channel has accepted a message."""

    event_type: Literal["message.sent"]
    data: MessageEventData


@dataclass(frozen=True, kw_only=True)
class MessageStatusChangedEvent(EventEnvelope):
    """A message was sent, delivered, read, or failed; `error` says why it failed."""

    event_type: Literal["message.status_changed"]
    data: MessageStatusEventData


@dataclass(frozen=True, kw_only=True)
class NoteCreatedEvent(EventEnvelope):
    """A note was written."""

    event_type: Literal["note.created"]
    data: NoteEventData


@dataclass(frozen=True, kw_only=True)
class RunFinishedEvent(EventEnvelope):
    """A run succeeded, failed or was cancelled."""

    event_type: Literal["run.finished"]
    data: RunEventData


@dataclass(frozen=True, kw_only=True)
class RunStartedEvent(EventEnvelope):
    """A run has started."""

    event_type: Literal["run.started"]
    data: RunEventData


@dataclass(frozen=True, kw_only=True)
class WebhookTestEvent(EventEnvelope):
    """Sent to one endpoint as a test."""

    event_type: Literal["webhook.test"]
    data: WebhookEventData


@dataclass(frozen=True, kw_only=True)
class UnknownEvent(EventEnvelope):
    """An event of a type that this version of the package does not know."""

    event_type: str
    data: dict[str, Any]


Event: TypeAlias = (
    AiBudgetWarningEvent
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
    | WebhookTestEvent
    | UnknownEvent
)
"""An event. Tell events apart by their classes: `isinstance(event, ContactCreatedEvent)`."""
