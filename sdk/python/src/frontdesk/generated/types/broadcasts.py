"""Types of broadcasts.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, TypedDict

from ..._runtime.model import Model
from ..._runtime.typing import NotRequired
from .shared import Channel, StatusError


class AllAudience(TypedDict):
    """Every contact."""

    type: Literal["all"]
    exclude_tag_ids: NotRequired[Sequence[str] | None]
    """Contacts with one of these tags are left out."""


@dataclass(frozen=True, kw_only=True)
class Broadcast(Model):
    """One message to many people."""

    id: str
    name: str
    kind: BroadcastKind | str
    channel: Channel | str
    """`whatsapp` or `personal_whatsapp`."""
    template: BroadcastTemplate | None
    """The template that is sent; null for free text."""
    status: BroadcastStatus | str
    scheduled_at: datetime | None
    """When it was or will be started."""
    counts: BroadcastCounts
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class BroadcastCounts(Model):
    """The recipients of a broadcast by status. A recipient who has read the message also counts as delivered and
    sent.
    """

    total: int
    """Recipients added so far."""
    sent: int
    """Accepted by the channel."""
    delivered: int
    read: int
    replied: int
    """Replied within 72 hours."""
    failed: int
    """Rejected by the channel, or without a value that the template needs."""


BroadcastKind: TypeAlias = Literal["template", "free_text"]
"""The kind of message: an approved WhatsApp template, or free text over a personal WhatsApp number."""


@dataclass(frozen=True, kw_only=True)
class BroadcastRecipient(Model):
    """A recipient of a broadcast."""

    id: str
    contact_id: str | None
    """Null once the contact was erased."""
    phone: str | None
    """The recipient's number; null once the contact was erased."""
    message_id: str | None
    """The message, once it exists."""
    status: RecipientStatus | str
    error: StatusError | None
    """Why it failed or was cancelled."""
    created_at: datetime
    updated_at: datetime


BroadcastStatus: TypeAlias = Literal["draft", "scheduled", "sending", "sent", "failed"]
"""The status of a broadcast."""


@dataclass(frozen=True, kw_only=True)
class BroadcastTemplate(Model):
    """The template of a broadcast."""

    name: str
    language: str


class BroadcastTemplateChoice(TypedDict):
    """The template to send."""

    name: str
    """An approved template of the account."""
    language: NotRequired[str | None]
    """Defaults to `en_US`."""


class ContactsAudience(TypedDict):
    """Contacts of this account."""

    type: Literal["contacts"]
    contact_ids: Sequence[str]


class PhonesAudience(TypedDict):
    """Numbers; unknown ones become contacts."""

    type: Literal["phones"]
    phones: Sequence[str]
    country: NotRequired[str | None]
    """The country of numbers without a country code, such as `DE`. With it, a number that cannot exist is refused."""


RecipientStatus: TypeAlias = Literal["pending", "sent", "delivered", "read", "replied", "failed", "cancelled"]
"""The status of a recipient."""


class SegmentAudience(TypedDict):
    """The contacts of a segment."""

    type: Literal["segment"]
    segment_id: str
    exclude_tag_ids: NotRequired[Sequence[str] | None]
    """Contacts with one of these tags are left out."""


class TagsAudience(TypedDict):
    """Contacts with any of these tags."""

    type: Literal["tags"]
    tag_ids: Sequence[str]
    exclude_tag_ids: NotRequired[Sequence[str] | None]
    """Contacts with one of these tags are left out."""


class Variable(TypedDict):
    """The value of a placeholder."""

    type: VariableType
    """`static` is literal text, `field` a field of the contact, `custom_field` one of the account's custom fields."""
    value: str
    """The text itself; `name`, `phone`, `email` or `company`; or the id of a custom field."""
    fallback: NotRequired[str | None]
    """The text for contacts whose value is blank. Without it, such a recipient fails."""


VariableType: TypeAlias = Literal["static", "field", "custom_field"]
"""The source of a variable's value."""

AudienceInput: TypeAlias = PhonesAudience | ContactsAudience | TagsAudience | AllAudience | SegmentAudience
"""The audience of a broadcast. Opted-out contacts and contacts without a phone are always skipped."""
