"""What the client and its asynchronous twin do alike: check settings, build requests, read results."""

from __future__ import annotations

import json
import logging
import os
import platform
import threading
from collections.abc import Mapping
from typing import Any, TypeVar

import httpx

from .._version import VERSION
from ..errors import error_of
from .call import Call, Options, key_for
from .encode import encode, encode_query
from .given import NOT_GIVEN, NotGiven
from .model import decode, decoder, remember_response
from .pages import Page
from .response import RateLimit, Response

T = TypeVar("T")
JSON = "application/json"
KEY_PREFIX = "frontdesk_live_"
# An attempt in which nothing is sent or received for so long is given up, and another one made.
SILENCE_SECONDS_MAX = 30.0
# A time that has passed is no timeout to httpx.
SECONDS_MIN = 0.001
POOL = httpx.Limits(max_connections=100, max_keepalive_connections=20)

log = logging.getLogger("frontdesk")


class Core:
    """The settings of a client, and what it has seen last."""

    def __init__(self, api_key: str | None, base_url: str | None, options: Options) -> None:
        self._api_key = _setting(api_key, "api_key", "FRONTDESK_API_KEY")
        if not self._api_key.isascii() or not self._api_key.isprintable():
            raise ValueError("The API key has characters that no key has. Copy it again.")
        self._base_url = _checked_url(_setting(base_url, "base_url", "FRONTDESK_BASE_URL"))
        self.options = options
        self._seen = Seen()

    @property
    def base_url(self) -> str:
        """The address of the server."""
        return self._base_url

    @property
    def rate_limit(self) -> RateLimit | None:
        """The key's budget as the last response of any call told it; none before the first."""
        return self._seen.rate_limit

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._base_url!r})"

    def _parts(self, call: Call, timeout: float) -> dict[str, Any]:
        """The arguments with which httpx builds the request."""
        headers = {
            "authorization": f"Bearer {self._api_key}",
            "accept": JSON,
            "user-agent": f"frontdesk-python/{VERSION} python/{platform.python_version()}",
            **self.options.headers,
        }
        if call.content is not None:
            headers["content-type"] = JSON
        if call.idempotency_key is not None:
            headers["idempotency-key"] = call.idempotency_key
        return {
            "method": call.method,
            "url": self._base_url + call.path,
            "params": dict(call.query) or None,
            "content": call.content,
            "headers": headers,
            "timeout": httpx.Timeout(min(max(timeout, SECONDS_MIN), SILENCE_SECONDS_MAX)),
        }

    def _response(self, call: Call, received: httpx.Response, body: bytes, attempts: int) -> Response:
        response = Response(received.status_code, received.headers, body, attempts)
        self._seen.rate_limit = response.rate_limit or self._seen.rate_limit
        if response.ignored_fields:
            log.warning("%s: the server does not know and ignored %s", call.name, ", ".join(response.ignored_fields))
        return response


class Seen:
    """The last state that a client and its copies share."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rate_limit: RateLimit | None = None

    @property
    def rate_limit(self) -> RateLimit | None:
        with self._lock:
            return self._rate_limit

    @rate_limit.setter
    def rate_limit(self, seen: RateLimit | None) -> None:
        with self._lock:
            self._rate_limit = seen


def call_of(
    method: str,
    path: str,
    query: Mapping[str, Any] | None = None,
    body: Any = NOT_GIVEN,
    idempotency_key: str | None | NotGiven = NOT_GIVEN,
) -> Call:
    """The call with these arguments. A key that was left out by the caller is `None`, and made here."""
    content = None if body is NOT_GIVEN else json.dumps(encode(body), allow_nan=False).encode()
    key = None if isinstance(idempotency_key, NotGiven) else key_for(idempotency_key)
    return Call(method, path, encode_query(query or {}), content, idempotency_key=key)


def data_of(returns: type[T], response: Response) -> T:
    """The object that a response carries."""
    made = decode(returns, _body_of(response)["data"])
    remember_response(made, response)
    return made


def page_of(item: Any, response: Response) -> Page[Any]:
    """The page that a response carries."""
    body = _body_of(response)
    rows, meta = body["data"], body.get("meta") or {}
    make = decoder(item)
    items = [make(row) for row in rows] if make else rows
    return Page(
        data=items,
        next_cursor=meta.get("next_cursor"),
        has_more=bool(meta.get("has_more")),
        limit=meta.get("limit", len(items)),
        response=response,
    )


def _body_of(response: Response) -> dict[str, Any]:
    """The envelope of a result. What something between the server and here has written is an error."""
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict) or "data" not in body:
        raise error_of(response)
    return body


def _setting(given: str | None, name: str, variable: str) -> str:
    value = os.environ.get(variable) if given is None else given
    if not value:
        raise ValueError(f"Pass {name}, or set the environment variable {variable}.")
    return value.strip()


def _checked_url(text: str) -> str:
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL as error:
        raise ValueError(f"{text!r} is not an address: {error}. Use https://desk.example.com, for example.") from None
    if url.scheme not in ("http", "https") or not url.host or url.query or url.fragment:
        raise ValueError(f"{text!r} is not the address of a server. Use https://desk.example.com, for example.")
    return text.rstrip("/").removesuffix("/api/v1")
