"""Types of templates.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from ..._runtime.model import Model


@dataclass(frozen=True, kw_only=True)
class Template(Model):
    """A WhatsApp message template."""

    id: str
    name: str
    language: str
    category: str
    """`MARKETING`, `UTILITY` or `AUTHENTICATION`."""
    status: TemplateStatus | str
    components: Any
    """Header, body, footer and buttons, in the vendor's own form."""
    placeholders: list[str]
    """The keys of the body's placeholders, in order."""
    created_at: datetime
    updated_at: datetime


TemplateStatus: TypeAlias = Literal["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"]
"""The vendor's decision on a template. Only an approved one can be sent."""
