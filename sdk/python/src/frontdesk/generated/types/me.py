"""Types of me.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ..._runtime.model import Model


@dataclass(frozen=True, kw_only=True)
class Me(Model):
    """The key of the request."""

    account: MeAccount
    key: MeKey
    member: MeMember | None
    """The member to whom the key's writes are attributed: its creator, or the account's owner once the creator has
    left.
    """
    scopes: list[str]
    """The scopes granted to the key."""
    effective_scopes: list[str]
    """The granted scopes and the reads they include."""
    expires_at: datetime | None
    """When the key stops working; null for never."""
    rate_limit_per_minute: int
    """Units the key may spend in a minute."""
    ip_allowlist: list[str]
    """Addresses and ranges the key may be used from; empty for anywhere."""


@dataclass(frozen=True, kw_only=True)
class MeAccount(Model):
    """The account a key belongs to."""

    id: str
    name: str
    timezone: str


@dataclass(frozen=True, kw_only=True)
class MeKey(Model):
    """The key itself, without its secret."""

    id: str
    name: str
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class MeMember(Model):
    """The member behind a key."""

    id: str
    name: str
    email: str | None
