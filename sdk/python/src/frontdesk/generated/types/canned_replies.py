"""Types of canned replies.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ..._runtime.model import Model


@dataclass(frozen=True, kw_only=True)
class CannedReply(Model):
    """A text with files that members insert by its shortcut."""

    id: str
    shortcut: str
    """What members type to find it."""
    body: str
    """The text. Placeholders such as `{{contact.name}}` are filled in by the client."""
    media: list[CannedReplyFile]
    """Files that the client sends with the text, in this order."""
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class CannedReplyFile(Model):
    """A file of a canned reply. `media.url` of a message may name its `url`."""

    id: str
    """The id of the upload."""
    url: str
    """A signed link that works for about a day. Get the canned reply again for a new one."""
    content_type: str
    filename: str | None
    size: int
    """Bytes."""
