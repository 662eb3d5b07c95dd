"""Types of triggers.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from ..._runtime.model import Model
from .shared import Run, Trigger

CallOutcome: TypeAlias = Literal[
    "started",
    "not_started",
    "repeated",
    "disabled",
    "rate_limited",
    "invalid",
    "too_large",
    "failed",
]
"""What a call of a trigger's address came to: a run was started; none was, and `error` says why; the call repeats
one that was made before; the trigger was disabled; the address was called too often; the body is no JSON, or the call's
id is invalid or was used for another body; the body is too large; the server failed.
"""


@dataclass(frozen=True, kw_only=True)
class FiredTrigger(Model):
    """The runs of a manual firing."""

    trigger: Trigger
    runs: list[Run]


@dataclass(frozen=True, kw_only=True)
class IssuedTrigger(Model):
    """A trigger and its address, which is shown once."""

    trigger: Trigger
    webhook_url: str | None
    """The address that fires a webhook trigger. Null for other kinds. It is shown once."""


@dataclass(frozen=True, kw_only=True)
class RotatedTrigger(Model):
    """A webhook trigger and its new address."""

    trigger: Trigger
    webhook_url: str
    """The address that fires the trigger. It is shown once."""


@dataclass(frozen=True, kw_only=True)
class TriggerCall(Model):
    """A call of a webhook trigger's address, or several within a minute that were refused or repeated in the same
    way.
    """

    id: str
    outcome: CallOutcome | str
    status_code: int
    """The HTTP status of the response."""
    error: str | None
    """The code of what was wrong, as in the response."""
    run_id: str | None
    """The run that was started."""
    count: int
    """How many calls this is. The fields below are those of the last one."""
    last_called_at: datetime
    address: str | None
    """The caller's IP address, if it is known."""
    body_bytes: int | None
    """The size of the body. If the body was not read, the size that the caller declared."""
    body: str | None
    """The first 1 KB of the body, of a firing or if it is no JSON. It is erased with the contact that it named, as
    the address is.
    """
    created_at: datetime
    """When the first of these calls was made."""


@dataclass(frozen=True, kw_only=True)
class TriggerPreview(Model):
    """A preview of a firing."""

    next_fire_at: datetime | None
    """When the trigger fires next if it is enabled, sending hours included. Null for event and webhook triggers, and
    for a one-off that has fired.
    """
    would_fire: bool
    """Whether it would start a run if its time came now."""
    reason: TriggerRefusal | str | None
    """Why it would not."""
    target_count: int
    """The contacts that a firing would act on, at most `max_targets`."""
    targets: list[TriggerTarget]
    """The first 20 of them."""


TriggerRefusal: TypeAlias = Literal[
    "trigger_disabled",
    "account_suspended",
    "assistant_disabled",
    "ai_budget_exhausted",
    "over_operator_limit",
    "contact_missing",
    "segment_missing",
    "segment_empty",
    "no_sending_hours",
    "already_fired",
    "keeps_failing",
]
"""Why a firing starts no run. `last_error` of a trigger holds the same codes."""


@dataclass(frozen=True, kw_only=True)
class TriggerTarget(Model):
    """A contact that a firing would act on."""

    contact_id: str
    name: str | None
