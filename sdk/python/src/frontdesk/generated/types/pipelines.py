"""Types of pipelines.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from ..._runtime.model import Model
from ..._runtime.typing import NotRequired


class NewStage(TypedDict):
    """A new stage."""

    name: str
    position: NotRequired[int | None]
    """Its position, counted from 0; defaults to the end. Ignored in a new pipeline, where the order of the list
    counts.
    """
    probability: NotRequired[int | None]
    """The probability of winning a deal in this stage, in percent; defaults to 50."""


@dataclass(frozen=True, kw_only=True)
class Pipeline(Model):
    """A pipeline of deals."""

    id: str
    name: str
    stages: list[Stage]
    """In their order."""
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class Stage(Model):
    """A stage of a pipeline."""

    id: str
    name: str
    position: int
    """Counts from 0."""
    probability: int
    """The probability of winning a deal in this stage, in percent."""
