"""Types of webhooks.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from ..._runtime.model import Model


@dataclass(frozen=True, kw_only=True)
class Delivery(Model):
    """One event on its way to one endpoint."""

    id: str
    event_id: str
    """The `evt_…` id of the envelope carried."""
    event_type: str
    status: DeliveryStatus | str
    attempts: int
    next_attempt_at: datetime | None
    """When a pending delivery is next due."""
    last_status_code: int | None
    """HTTP status of the last attempt."""
    last_error: str | None
    response_snippet: str | None
    """The first 1 KB of the last response body."""
    duration_ms: int | None
    delivered_at: datetime | None
    created_at: datetime
    payload: Any
    """The `data` that was or will be sent."""


@dataclass(frozen=True, kw_only=True)
class DeliveryAttempt(Model):
    """One call of an endpoint with a delivery."""

    number: int
    """Counts from 1."""
    started_at: datetime | None
    """Null if an earlier version of the server made it."""
    status_code: int | None
    """HTTP status of the response. Null if there was none."""
    error: str | None
    """Why it failed."""
    duration_ms: int | None
    response_snippet: str | None
    """The first 1 KB of the response body."""


DeliveryStatus: TypeAlias = Literal["pending", "claimed", "succeeded", "failed", "exhausted"]
"""The status of a delivery: waiting for its next attempt, in flight, done, permanently failed, or out of attempts."""

EventPattern: TypeAlias = Literal[
    "*",
    "contact.*",
    "contact.created",
    "contact.updated",
    "contact.deleted",
    "contact.merged",
    "contact.opted_out",
    "contact.opted_in",
    "note.*",
    "note.created",
    "deal.*",
    "deal.created",
    "deal.updated",
    "deal.stage_changed",
    "deal.closed",
    "deal.reopened",
    "deal.deleted",
    "inquiry.*",
    "inquiry.created",
    "inquiry.status_changed",
    "booking.*",
    "booking.created",
    "booking.completed",
    "booking.cancelled",
    "channel.*",
    "channel.connected",
    "channel.disconnected",
    "conversation.*",
    "conversation.created",
    "conversation.updated",
    "conversation.handed_over",
    "message.*",
    "message.received",
    "message.sent",
    "message.status_changed",
    "broadcast.*",
    "broadcast.started",
    "broadcast.completed",
    "broadcast.failed",
    "broadcast.cancelled",
    "run.*",
    "run.started",
    "run.finished",
    "ask.*",
    "ask.created",
    "ask.answered",
    "ai.*",
    "ai.budget_warning",
    "webhook.*",
    "webhook.test",
]
"""An event type, a group such as `contact.*`, or `*`."""


@dataclass(frozen=True, kw_only=True)
class Replay(Model):
    """An accepted replay."""

    count: int
    """The number of deliveries that become pending again."""


ReplayStatus: TypeAlias = Literal["failed", "exhausted", "succeeded", "all"]
"""The status of the deliveries to replay; `all` means the three others."""


@dataclass(frozen=True, kw_only=True)
class WebhookEndpoint(Model):
    """A webhook endpoint."""

    id: str
    url: str
    description: str | None
    event_types: list[str]
    """Types, or groups such as `contact.*`; empty means all."""
    enabled: bool
    disabled_reason: str | None
    """Why the service disabled it, if it did."""
    created_at: datetime
    updated_at: datetime
    secret: str | None = None
    """The signing secret; only in the response that creates or rotates it."""
