"""Types of messages.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, TypedDict

from ..._runtime.model import Model
from ..._runtime.typing import NotRequired
from .shared import MessageStatus, StatusError


class MediaChoice(TypedDict):
    """The media of a message."""

    kind: MediaKind
    url: str
    """A public address; the channel fetches it when the message is sent."""
    caption: NotRequired[str | None]
    """Where media has no caption, such as a recording, it follows as a text."""
    filename: NotRequired[str | None]
    """Shown for documents."""


MediaKind: TypeAlias = Literal["image", "video", "document", "audio"]
"""The kind of media."""

PhoneChannel: TypeAlias = Literal["whatsapp", "personal_whatsapp"]
"""The channels that can send to a phone number."""


@dataclass(frozen=True, kw_only=True)
class StatusChange(Model):
    """A status that a message has, or has had."""

    status: MessageStatus | str
    at: datetime | None
    """The channel's own time, if it reported one. Null for messages from before times were recorded."""
    error: StatusError | None
    """Why it failed; null for every other status."""


class TemplateChoice(TypedDict):
    """The template and its parameters."""

    name: str
    body_params: NotRequired[Sequence[str] | None]
    """Values for {{1}}, {{2}}, … in the body."""
    button_params: NotRequired[Mapping[str, str] | None]
    """Values for URL-suffix and copy-code buttons, by the button's index."""
    header_media_url: NotRequired[str | None]
    """The media of a media header. Defaults to the example that the template was approved with, where WhatsApp
    shares it.
    """
    header_text: NotRequired[str | None]
    """The value for the placeholder of a text header."""
    language: NotRequired[str | None]
    """Defaults to `en_US`."""


class ToPhone(TypedDict):
    """A phone number; its contact and conversation are found or created."""

    phone: str
    channel: NotRequired[PhoneChannel | None]
    """Defaults to `whatsapp`."""
    connection_id: NotRequired[str | None]
    """The number to send from; required for `personal_whatsapp`."""
    country: NotRequired[str | None]
    """The country of a number without a country code, such as `DE`. With it, a number that cannot exist is refused."""


class ToThread(TypedDict):
    """An existing conversation, on any channel."""

    conversation_id: str
    last_seen_message_id: NotRequired[str | None]
    """The newest message of the conversation that the sender has seen. When somebody else has replied to the
    customer after it, the message is refused with 422 `newer_reply`.
    """


To: TypeAlias = ToThread | ToPhone
