"""Types of bookings.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from ..._runtime.model import Model


@dataclass(frozen=True, kw_only=True)
class Booking(Model):
    """An appointment."""

    id: str
    uid: str
    """The calendar's current id of the booking."""
    contact_id: str | None
    title: str
    start_at: datetime
    end_at: datetime
    status: BookingStatus | str
    created_at: datetime
    updated_at: datetime


BookingStatus: TypeAlias = Literal["scheduled", "completed", "cancelled"]
"""The status of a booking."""
