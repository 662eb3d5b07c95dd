"""Types of conversations.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, TypedDict

from ..._runtime.model import Model
from ..._runtime.typing import NotRequired
from .shared import Channel


@dataclass(frozen=True, kw_only=True)
class Conversation(Model):
    """The messages of one contact on one connection."""

    id: str
    contact_id: str
    channel: Channel | str
    connection_id: str
    status: ConversationStatus | str
    handler: Handler | str
    assistant_id: str | None
    assigned_user_id: str | None
    """The assigned member."""
    unread_count: int
    """Messages of the customer since it was last marked as read."""
    last_message_at: datetime | None
    last_message_text: str | None
    window_expires_at: datetime | None
    """When the window for free text closes; null if the channel has no window, or the customer has not written yet."""
    snoozed_until: datetime | None
    """When a snoozed conversation opens again; null unless it is snoozed."""
    created_at: datetime
    updated_at: datetime


class ConversationChoice(TypedDict):
    """Which conversations, by the filters of GET /conversations."""

    assigned_user_id: NotRequired[str | None]
    channel: NotRequired[Channel | None]
    contact_id: NotRequired[str | None]
    handler: NotRequired[Handler | None]
    status: NotRequired[ConversationStatus | None]
    unread: NotRequired[bool | None]
    updated_since: NotRequired[datetime | str | None]


ConversationStatus: TypeAlias = Literal["open", "pending", "closed"]
"""The status of a conversation. A message from the customer opens it again."""

Handler: TypeAlias = Literal["human", "assistant"]
"""Who handles the conversation."""
