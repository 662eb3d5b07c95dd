"""Types of channels.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from ..._runtime.model import Model
from .shared import Channel


@dataclass(frozen=True, kw_only=True)
class Connection(Model):
    """A connected number, page or widget of the account."""

    id: str
    channel: Channel | str
    name: str
    address: str | None
    """The address that customers see: a phone number, a page's id."""
    status: ConnectionStatus | str
    disconnected_reason: str | None
    """Why it is disconnected, if it is."""
    created_at: datetime


ConnectionStatus: TypeAlias = Literal["connected", "disconnected"]
"""Whether a connection can send and receive messages."""
