"""An argument that was left out, which is something other than `None`: `None` clears a field."""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal


class NotGiven(Enum):
    """The type of `NOT_GIVEN`."""

    NOT_GIVEN = "NOT_GIVEN"

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN: Final = NotGiven.NOT_GIVEN
"""The default of every optional field of a request: the field is not sent."""
