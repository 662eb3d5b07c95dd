"""Types of deals.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, TypeAlias

from ..._runtime.model import Model


@dataclass(frozen=True, kw_only=True)
class Deal(Model):
    """A potential sale."""

    id: str
    title: str
    value: float | None
    """The deal's value, exactly as it was given."""
    currency: str
    """The value's currency, an ISO 4217 code."""
    pipeline_id: str
    stage_id: str
    contact_id: str | None
    owner_user_id: str | None
    """The member who owns the deal."""
    status: DealStatus | str
    lost_reason: str | None
    """Why it was lost, if a reason was given."""
    expected_close_date: date | None
    closed_at: datetime | None
    """When it was won or lost."""
    created_at: datetime
    updated_at: datetime


DealOutcome: TypeAlias = Literal["won", "lost"]
"""The outcome of a deal."""

DealStatus: TypeAlias = Literal["open", "won", "lost"]
"""The status of a deal."""
