"""Types of contacts.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from ..._runtime.model import Model
from ..._runtime.typing import NotRequired


@dataclass(frozen=True, kw_only=True)
class Contact(Model):
    """A person the business talks to."""

    id: str
    name: str | None
    """Display name."""
    phone: str | None
    """E.164; null for a contact reached only on Messenger, Instagram or web chat."""
    email: str | None
    """Email address, when known."""
    company: str | None
    """Organisation."""
    avatar_url: str | None
    """Profile picture URL, when a channel supplied one."""
    tags: list[ContactTag]
    custom_fields: list[ContactField]
    """Every custom field of the account, with a null value where it is unset."""
    created_at: datetime
    updated_at: datetime


class ContactChoice(TypedDict):
    """Which contacts, by the filters of GET /contacts."""

    created_since: NotRequired[datetime | str | None]
    email: NotRequired[str | None]
    phone: NotRequired[str | None]
    q: NotRequired[str | None]
    segment_id: NotRequired[str | None]
    tag_id: NotRequired[str | None]
    updated_since: NotRequired[datetime | str | None]


@dataclass(frozen=True, kw_only=True)
class ContactField(Model):
    """A contact's value of a custom field."""

    field_id: str
    name: str
    value: str | None


@dataclass(frozen=True, kw_only=True)
class ContactTag(Model):
    """A tag of a contact."""

    id: str
    name: str
    color: str


@dataclass(frozen=True, kw_only=True)
class OptOut(Model):
    """Whether a contact is opted out of broadcasts."""

    contact_id: str
    opted_out: bool
    opted_out_at: datetime | None
    source: str | None
    """The source of the opt-out: `api`, or the channel on which the contact opted out."""
