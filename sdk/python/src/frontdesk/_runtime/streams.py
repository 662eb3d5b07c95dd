"""A stream of events that resumes by itself: when the connection breaks, it continues after the last event.

A stream that begins now asks first for the newest event, so that it has something to continue after. If there is no
event yet, whatever is listed once the stream is open has happened since.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import Any

import httpx

from ..errors import ApiError, RateLimitedError, StreamReset
from .call import Call
from .model import Decode
from .prepare import call_of
from .retry import TOLD_SECONDS_MAX
from .server_sent import Message

# The server sends a comment every three seconds.
SILENCE_SECONDS_MAX = 12.0
WAIT_SECONDS_FIRST = 0.5
WAIT_SECONDS_MAX = 30.0
RESET = "reset"


@dataclass
class Position:
    """Where a stream is. No input or output."""

    stream_path: str
    decode: Decode
    after: str | None
    seen: set[str] = field(default_factory=set)
    """Events that were listed, and that the stream may send as well."""
    failures: int = 0
    """Failed connections since the last event."""

    @property
    def list_path(self) -> str:
        """The path of the list of the same events."""
        return self.stream_path.removesuffix("/stream")

    def newest(self) -> Call:
        """Asks for the newest event."""
        return call_of("GET", self.list_path, {"limit": 1})

    def begin(self, rows: list[dict[str, Any]]) -> None:
        """Begins after the newest event."""
        self.after = rows[0]["event_id"] if rows else None

    def call(self) -> Call:
        """Opens the stream."""
        return Call("GET", self.stream_path)

    def headers(self) -> dict[str, str]:
        """What opens the stream at this position."""
        headers = {"accept": "text/event-stream", "cache-control": "no-store"}
        return {**headers, "last-event-id": self.after} if self.after else headers

    def listed(self, row: dict[str, Any]) -> Any:
        """An event that was listed because there was nothing to continue after."""
        self.after = row["event_id"]
        self.seen.add(row["event_id"])
        return self.decode(row)

    def message(self, message: Message) -> Any:
        """The event of a message; none if it was listed before, or is something else than an event."""
        self.failures = 0
        if message.event == RESET:
            raise StreamReset(message.id)
        try:
            envelope = json.loads(message.data)
        except ValueError:
            return None
        if not isinstance(envelope, dict) or "event_id" not in envelope:
            return None
        self.after = message.id or self.after
        return None if message.id in self.seen else self.decode(envelope)

    def wait_after(self, error: Exception | None) -> float:
        """The seconds to wait before the next connection. Raises what a new connection does not change."""
        told = 0.0
        if isinstance(error, ApiError):
            if error.status < 500 and not isinstance(error, RateLimitedError):
                raise error
            told = min(error.response.retry_after or 0.0, TOLD_SECONDS_MAX)
        self.failures += 1
        longest = min(WAIT_SECONDS_FIRST * float(2 ** min(self.failures - 1, 10)), WAIT_SECONDS_MAX)
        return told + random.uniform(longest / 2, longest)


def timeout_of_stream(connect: float) -> httpx.Timeout:
    """A stream has no end, but it is never silent for long."""
    return httpx.Timeout(min(connect, SILENCE_SECONDS_MAX), read=SILENCE_SECONDS_MAX)
