"""Types of tags.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ..._runtime.model import Model


@dataclass(frozen=True, kw_only=True)
class Tag(Model):
    """A label for contacts."""

    id: str
    name: str
    color: str
    """A hex colour such as `#2563eb`."""
    created_at: datetime
    updated_at: datetime
