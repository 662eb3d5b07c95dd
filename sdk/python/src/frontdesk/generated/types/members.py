"""Types of members.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..._runtime.model import Model


@dataclass(frozen=True, kw_only=True)
class Member(Model):
    """A member of the account."""

    id: str
    name: str
    email: str | None
    role: Role | str
    status: MemberStatus | str


MemberStatus: TypeAlias = Literal["active", "removed"]
"""Whether a member is active."""

Role: TypeAlias = Literal["owner", "admin", "agent"]
"""A member's role in the account. Keys do not inherit it."""
