"""Receives webhooks: verifies that a request was signed with your secret, and returns its event.

    event = unwrap(request.body, request.headers, secret)

The signature is that of Standard Webhooks. Pass the body exactly as it came, not parsed and not formatted again.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Mapping

from ._runtime.model import decoder
from .errors import WebhookVerificationError
from .generated.types.events import Event, UnknownEvent

__all__ = ["TOLERANCE_SECONDS", "sign", "unwrap", "verify"]

TOLERANCE_SECONDS = 300
"""How far the time of a request may be from the clock, so that nobody can send an old request again."""

SECRET_PREFIX = "whsec_"
SCHEME = "v1"


def unwrap(
    body: bytes | str,
    headers: Mapping[str, str] | Iterable[tuple[str, str]],
    secret: str | Iterable[str],
    *,
    now: float | None = None,
) -> Event:
    """Verifies a request and returns its event.

    An event of a type that this version does not know is an `UnknownEvent`.

    Args:
        body: The body as it came.
        headers: All headers of the request, in any case.
        secret: The secret of the endpoint, or several while you rotate it.
        now: The time in Unix seconds, for tests.

    Raises:
        WebhookVerificationError: The request was not signed with the secret, or long ago.
    """
    verify(body, headers, secret, now=now)
    try:
        json_body = json.loads(body)
    except ValueError:
        raise WebhookVerificationError("The request is signed, but its body is no JSON.") from None
    if not isinstance(json_body, dict):
        raise WebhookVerificationError("The request is signed, but its body is no event.")
    decode = decoder(Event)
    event: Event = decode(json_body) if decode else UnknownEvent.from_dict(json_body)
    return event


def verify(
    body: bytes | str,
    headers: Mapping[str, str] | Iterable[tuple[str, str]],
    secret: str | Iterable[str],
    *,
    now: float | None = None,
) -> None:
    """Verifies a request as `unwrap` does, and returns nothing."""
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    found = {str(name).lower(): str(value) for name, value in pairs}
    message_id, timestamp, signatures = (_header(found, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    _check_time(timestamp, time.time() if now is None else now)
    content = body.encode() if isinstance(body, str) else bytes(body)
    secrets = [secret] if isinstance(secret, str) else list(secret)
    # All are compared, so that the time tells nothing.
    given = [one.partition(",")[2].encode() for one in signatures.split(" ") if one.startswith(f"{SCHEME},")]
    made = [_signature(one, message_id, timestamp, content) for one in secrets]
    matches = [hmac.compare_digest(one, other) for one in given for other in made]
    if not any(matches):
        raise WebhookVerificationError("No signature of the request was made with the secret.")


def sign(body: bytes | str, secret: str, message_id: str, timestamp: int) -> dict[str, str]:
    """The headers with which the server would send this body, for tests of your endpoint."""
    content = body.encode() if isinstance(body, str) else body
    signature = _signature(secret, message_id, str(timestamp), content).decode()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": f"{SCHEME},{signature}",
    }


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if not value:
        raise WebhookVerificationError(f"The request has no header {name}.")
    return value


def _check_time(timestamp: str, now: float) -> None:
    if not (timestamp.isascii() and timestamp.isdigit()):
        raise WebhookVerificationError("The header webhook-timestamp is no number.")
    if abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        raise WebhookVerificationError("The request was signed too long ago, or one of the clocks is wrong.")


def _signature(secret: str, message_id: str, timestamp: str, body: bytes) -> bytes:
    signed = b".".join([message_id.encode(), timestamp.encode(), body])
    return base64.b64encode(hmac.new(_key(secret), signed, hashlib.sha256).digest())


def _key(secret: str) -> bytes:
    text = secret.strip().removeprefix(SECRET_PREFIX)
    try:
        key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    # An empty key signs as well as any other, so a setting that is missing must not pass for one.
    if not key:
        raise ValueError("The secret is not one of a webhook endpoint: it begins with whsec_ and was shown once.")
    return key
