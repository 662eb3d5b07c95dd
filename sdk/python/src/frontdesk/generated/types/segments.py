"""Types of segments.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias, TypedDict

from ..._runtime.model import Model
from ..._runtime.typing import NotRequired

Match: TypeAlias = Literal["all", "any"]
"""Whether all rules must hold, or any one."""

Op: TypeAlias = Literal[
    "is",
    "is_not",
    "contains",
    "starts_with",
    "is_set",
    "is_not_set",
    "before",
    "after",
    "within_days",
]
"""The operator of a rule."""


@dataclass(frozen=True, kw_only=True)
class Rule(Model):
    """A rule of a segment."""

    field: str
    """The field of a contact, or `custom_field:` and the id of a custom field."""
    op: Op | str
    value: Any


class RuleInput(TypedDict):
    """A rule in a request."""

    field: str
    """The field of a contact, or `custom_field:` and the id of a custom field."""
    op: Op
    value: NotRequired[Any]
    """Text, a tag's id, a channel, a date-time, a number of days or a boolean, depending on field and op; none for
    `is_set` and `is_not_set`.
    """


@dataclass(frozen=True, kw_only=True)
class Segment(Model):
    """Contacts described by rules."""

    id: str
    name: str
    match: Match | str
    rules: list[Rule]
    contact_count: int
    """The number of matching contacts. A slow count may be some minutes old."""
    created_at: datetime
    updated_at: datetime
