"""Types of tools.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..._runtime.model import Model
from .shared import Category


@dataclass(frozen=True, kw_only=True)
class Tool(Model):
    """A tool that assistants can use."""

    id: str
    name: str
    description: str
    category: Category | str
    critical: bool
    """A person always approves it."""
    default_enabled: bool
    """Whether assistants have it by default."""
    can_be_unconfined: bool
    """Whether `unconfined_tools` of an assistant may name it. A tool that cannot be unconfined reaches no contact
    but the run's own.
    """
    parameters: Any
    """JSON Schema of its arguments."""
