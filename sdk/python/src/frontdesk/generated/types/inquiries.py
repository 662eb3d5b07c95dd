"""Types of inquiries.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from ..._runtime.model import Model


@dataclass(frozen=True, kw_only=True)
class Inquiry(Model):
    """A submission of a website's form or of the API."""

    id: str
    form: str | None
    """The name of the form."""
    name: str | None
    email: str | None
    phone: str | None
    """E.164."""
    message: str | None
    fields: dict[str, str]
    """Further fields."""
    source_url: str | None
    """The page it was sent from."""
    contact_id: str | None
    """The inquiry's contact; null if it has no name, phone or email, or if the contact limit was reached."""
    status: InquiryStatus | str
    created_at: datetime
    updated_at: datetime


InquiryStatus: TypeAlias = Literal["new", "in_progress", "resolved", "spam"]
"""The status of an inquiry."""
