"""What a response says besides its object."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import unquote

# A date as HTTP writes it: Sun, 06 Nov 1994 08:49:37 GMT.
HTTP_DATE = re.compile(r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT")


@dataclass(frozen=True)
class RateLimit:
    """The budget of the key, as the last response told it."""

    limit: int
    """Units per minute."""
    remaining: int
    """Units that are left in this minute."""
    reset_at: datetime
    """When the budget is full again."""


@dataclass(frozen=True)
class Response:
    """A response of the server, unparsed."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    """Names are found in any case."""
    body: bytes = field(repr=False)
    attempts: int = 1
    """How many times the request was sent, with this one."""

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def request_id(self) -> str | None:
        """Names this request in the server's log."""
        return self.headers.get("x-request-id")

    @property
    def replayed(self) -> bool:
        """Whether an earlier request with the same idempotency key had this result already."""
        return self.headers.get("idempotent-replayed") == "true"

    @property
    def ignored_fields(self) -> list[str]:
        """Fields of the body that the server does not know, and has ignored."""
        names = self.headers.get("frontdesk-ignored-fields", "")
        return [unquote(name.strip()) for name in names.split(",") if name.strip()]

    @property
    def rate_limit(self) -> RateLimit | None:
        """The key's budget; none if the response did not tell it."""
        numbers = [_integer(self.headers.get(f"x-ratelimit-{name}")) for name in ("limit", "remaining", "reset")]
        limit, remaining, reset = numbers
        if limit is None or remaining is None or reset is None:
            return None
        try:
            return RateLimit(limit, remaining, datetime.fromtimestamp(reset, timezone.utc))
        except (OverflowError, ValueError, OSError):
            return None

    @property
    def retry_after(self) -> float | None:
        """How many seconds the server asks to wait."""
        text = self.headers.get("retry-after", "").strip()
        if text.isascii() and text.isdigit():
            return float(text)
        if not HTTP_DATE.fullmatch(text):
            return None
        try:
            moment = parsedate_to_datetime(text)
        except ValueError:
            return None
        return max((moment - datetime.now(timezone.utc)).total_seconds(), 0.0)


def _integer(text: str | None) -> int | None:
    try:
        return None if text is None else int(text)
    except ValueError:
        return None
