"""When a request is sent again. No input or output: the clients send and wait.

A request is sent again after 429, because the server has not begun it, and after a connection that was never made.
After 502, 503 and 504, after a broken connection, and while an earlier attempt is in flight, it is sent again if a
second time cannot have a second effect. A response with any other status ends the call. The waits grow and have
jitter, `Retry-After` is honoured, and no wait goes beyond the deadline.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable

import httpx

from ..errors import ConnectionFailed, DeadlineExceeded, error_of
from .call import Call, Options
from .response import Response

WAIT_SECONDS_FIRST = 0.5
WAIT_SECONDS_MAX = 8.0
# Clients that are told the same moment do not all come back at it.
JITTER_AFTER_TOLD_SECONDS = 0.5
# The longest time that is waited because the server asks for it. Windows of the rate limit last a minute.
TOLD_SECONDS_MAX = 120.0
# The reason of a 409 while an earlier request with the same idempotency key is carried out.
IN_FLIGHT = "idempotency_key_in_flight"

log = logging.getLogger("frontdesk")

NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
# Mistakes of the caller, which no repetition corrects.
UNSENDABLE = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)
BROKEN = (httpx.TransportError, httpx.DecodingError)


class Attempts:
    """The attempts of one call."""

    def __init__(self, call: Call, options: Options, clock: Callable[[], float]) -> None:
        self._call = call
        self._options = options
        self._clock = clock
        self.end = clock() + options.timeout_of(call)
        """The moment at which the call must have ended."""
        self.made = 0
        """Attempts that were begun."""

    def broke(self, error: httpx.TransportError | httpx.DecodingError) -> float:
        """The seconds to wait after an attempt without a response. Raises if there is no further attempt."""
        never_sent = isinstance(error, NEVER_SENT)
        may_repeat = (never_sent or self._call.is_repeatable) and not isinstance(error, UNSENDABLE)
        wait = self._backoff()
        if may_repeat and self._has_another(wait):
            log.info("%s got no response (%s); again in %.1f s", self._call.name, type(error).__name__, wait)
            return wait
        raise self._failure(error) from error

    def responded(self, response: Response) -> float | None:
        """The seconds to wait before the next attempt; none if this response is the result. Raises an error."""
        # A redirect is not followed, because the key would go along.
        if 200 <= response.status < 300:
            return None
        wait = self._wait_for(response)
        if wait is not None and self._has_another(wait):
            log.info("%s got %d; again in %.1f s", self._call.name, response.status, wait)
            return wait
        raise error_of(response)

    def _wait_for(self, response: Response) -> float | None:
        """How long to wait before the request may be sent again; none if it may not."""
        may_repeat = response.status == 429 or (self._call.is_repeatable and _has_unknown_effect(response))
        if not may_repeat:
            return None
        told = response.retry_after
        if told is None:
            return self._backoff()
        return None if told > TOLD_SECONDS_MAX else told + random.uniform(0, JITTER_AFTER_TOLD_SECONDS)

    def _backoff(self) -> float:
        longest = min(WAIT_SECONDS_FIRST * float(2 ** min(self.made - 1, 10)), WAIT_SECONDS_MAX)
        return random.uniform(longest / 2, longest)

    def _has_another(self, wait: float) -> bool:
        return self.made <= self._options.max_retries and self._clock() + wait < self.end

    def _failure(self, error: Exception) -> ConnectionFailed:
        key = self._call.idempotency_key
        times = "once" if self.made == 1 else f"{self.made} times"
        if isinstance(error, httpx.TimeoutException):
            kind = type(error).__name__
            return DeadlineExceeded(f"{self._call.name} was sent {times} and took too long ({kind}).", key)
        cause = str(error) or type(error).__name__
        return ConnectionFailed(f"{self._call.name} was tried {times} and got no response: {cause}", key)


def _has_unknown_effect(response: Response) -> bool:
    """Whether the server may have carried the request out, or may do so yet."""
    in_flight = response.status == 409 and error_of(response).reason == IN_FLIGHT
    return in_flight or response.status in (502, 503, 504)
