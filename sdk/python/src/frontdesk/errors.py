"""The errors of this package. All of them are a `FrontdeskError`.

An `ApiError` is a response of the server: decide by its class, or by `code` and `reason`, which are stable. `message`
is for people. A `ConnectionFailed` is a request that got no response.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._runtime.response import Response

__all__ = [
    "AccountSuspendedError",
    "ApiError",
    "BadRequestError",
    "ChannelNotConnectedError",
    "ConflictError",
    "ConnectionFailed",
    "DeadlineExceeded",
    "ForbiddenError",
    "FrontdeskError",
    "InternalError",
    "NotFoundError",
    "PlanLimitError",
    "RateLimitedError",
    "StreamReset",
    "UnauthorizedError",
    "UnprocessableError",
    "ValidationError",
    "WebhookVerificationError",
]


class FrontdeskError(Exception):
    """The base of all errors."""


class ApiError(FrontdeskError):
    """The server refused the request, or failed."""

    def __init__(self, response: Response) -> None:
        error = _error_of(response)
        self.response = response
        self.status = response.status
        self.code: str = _text(error.get("code")) or "unknown"
        self.message: str = _text(error.get("message")) or f"The server responded with status {response.status}."
        self.reason: str | None = _text(error.get("reason"))
        """Says why, where a code has several causes."""
        details = error.get("details")
        self.details: list[dict[str, Any]] = (
            [one for one in details if isinstance(one, dict)] if isinstance(details, list) else []
        )
        self.request_id: str | None = _text(error.get("request_id")) or response.request_id
        super().__init__(self.message)

    def __str__(self) -> str:
        because = f", {self.reason}" if self.reason else ""
        problems = "".join(
            f"\n  {detail['path']}: {detail.get('message', '')}" for detail in self.details if detail.get("path")
        )
        return f"{self.message} ({self.status} {self.code}{because}; {self.request_id or 'no request id'}){problems}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.response,))


class BadRequestError(ApiError):
    """The request cannot be read: a cursor, a filter, or JSON is malformed."""


class ValidationError(ApiError):
    """The body or the query breaks rules. `details` has a `path` and a `message` for each."""


class UnauthorizedError(ApiError):
    """The key is missing, unknown, revoked or expired."""


class PlanLimitError(ApiError):
    """The account has reached a limit of its plan."""

    @property
    def limit(self) -> int | None:
        """The limit."""
        limit = self.details[0].get("limit") if self.details else None
        return limit if isinstance(limit, int) else None


class ForbiddenError(ApiError):
    """The key lacks the scope (`reason` is `scope`), or must not be used from here (`ip_not_allowed`)."""


class AccountSuspendedError(ApiError):
    """The account is suspended."""


class NotFoundError(ApiError):
    """The account has no such object."""


class ConflictError(ApiError):
    """A duplicate, a transition that is not possible now, or a request with the same idempotency key in flight."""


class UnprocessableError(ApiError):
    """The request cannot be carried out; `reason` says why."""


class ChannelNotConnectedError(ApiError):
    """The channel that the request needs is not connected."""


class RateLimitedError(ApiError):
    """The key's budget is used up, and waiting for the next minute would exceed the deadline or the retries."""

    @property
    def retry_after(self) -> float | None:
        """Seconds to wait."""
        return self.response.retry_after


class InternalError(ApiError):
    """The server failed (500), or cannot do this now (503). A retry with the same idempotency key is safe."""


class ConnectionFailed(FrontdeskError):
    """No response came. Whether the server carried the request out is unknown, unless it was never connected.

    To repeat a write safely, call again with `idempotency_key`.
    """

    def __init__(self, message: str, idempotency_key: str | None = None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key
        """The key of the request, if it had one."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.args[0], self.idempotency_key))


class DeadlineExceeded(ConnectionFailed):
    """The deadline passed before a response came."""


class StreamReset(FrontdeskError):
    """The server no longer knows the event that a stream was to continue after.

    Read what you need again, then open a stream with `last_event_id=error.last_event_id`.
    """

    def __init__(self, last_event_id: str | None) -> None:
        super().__init__("The event to continue after is no longer known. Read everything again, and go on from there.")
        self.last_event_id = last_event_id
        """The newest event at the moment of the reset."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.last_event_id,))


class WebhookVerificationError(FrontdeskError):
    """The request was not signed with the secret, or long ago. Respond with 400 and do nothing else."""


_BY_CODE: dict[str, type[ApiError]] = {
    "bad_request": BadRequestError,
    "validation_error": ValidationError,
    "unauthorized": UnauthorizedError,
    "plan_limit_reached": PlanLimitError,
    "forbidden": ForbiddenError,
    "account_suspended": AccountSuspendedError,
    "not_found": NotFoundError,
    "conflict": ConflictError,
    "unprocessable": UnprocessableError,
    "channel_not_connected": ChannelNotConnectedError,
    "rate_limited": RateLimitedError,
    "internal": InternalError,
}

# For a response that something between the server and here has written.
_BY_STATUS: dict[int, type[ApiError]] = {
    400: BadRequestError,
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    422: UnprocessableError,
    429: RateLimitedError,
}


def error_of(response: Response) -> ApiError:
    """The error that a response is."""
    by_status = InternalError if response.status >= 500 else _BY_STATUS.get(response.status, ApiError)
    return _BY_CODE.get(_text(_error_of(response).get("code")) or "", by_status)(response)


def _error_of(response: Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError:
        return {}
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
