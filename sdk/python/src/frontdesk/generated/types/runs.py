"""Types of runs.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..._runtime.model import Model
from .shared import RunEventType


@dataclass(frozen=True, kw_only=True)
class RunEvent(Model):
    """A step of a run."""

    id: str
    run_id: str
    type: RunEventType | str
    data: Any
    """What belongs to the step, such as a tool's arguments or what a call of the model cost."""
    created_at: datetime
