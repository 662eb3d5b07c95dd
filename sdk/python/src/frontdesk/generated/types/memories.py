"""Types of memories.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from ..._runtime.model import Model


@dataclass(frozen=True, kw_only=True)
class Memory(Model):
    """A fact that assistants remember."""

    id: str
    assistant_id: str | None
    """The assistant that recalls it; null for all of them."""
    contact_id: str | None
    """The contact it is about; null for the whole account."""
    content: str
    source: MemorySource | str
    created_at: datetime


MemorySource: TypeAlias = Literal["api", "assistant", "member"]
"""Who wrote a memory: a program, an assistant, or a member."""
