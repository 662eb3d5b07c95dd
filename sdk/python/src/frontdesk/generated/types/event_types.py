"""Types of event types.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..._runtime.model import Model


@dataclass(frozen=True, kw_only=True)
class EventTypeInfo(Model):
    """A kind of event that the service writes."""

    event_type: str
    description: str
    example: Any
    """An example of `data`."""
