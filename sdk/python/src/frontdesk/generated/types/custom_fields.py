"""Types of custom fields.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from ..._runtime.model import Model


@dataclass(frozen=True, kw_only=True)
class CustomField(Model):
    """The definition of a custom field."""

    id: str
    name: str
    type: FieldType | str
    options: list[str]
    """The options of a `select`; empty for every other type."""
    created_at: datetime
    updated_at: datetime


FieldType: TypeAlias = Literal["text", "number", "date", "boolean", "select"]
"""The type of a field's values. They are always strings: `12.5`, `2026-01-31`, `true`."""
