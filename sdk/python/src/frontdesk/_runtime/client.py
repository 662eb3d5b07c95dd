"""The client: sends calls, waits, and sends them again."""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping
from typing import Any, TypeVar

import httpx

from .call import Call, Options
from .files import Upload
from .given import NOT_GIVEN, NotGiven
from .pages import Page, Pager
from .prepare import POOL, Core, call_of, data_of, page_of
from .response import Response
from .retry import BROKEN, Attempts
from .typing import Self

T = TypeVar("T")


class Client(Core):
    """The base of `Frontdesk`. It may be used by several threads at a time."""

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout: float | NotGiven = NOT_GIVEN,
        max_retries: int = Options.max_retries,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.Client | None = None,
    ) -> None:
        super().__init__(api_key, base_url, Options(timeout, max_retries, dict(headers or {})))
        self._owns_http = http_client is None
        self._http = http_client or httpx.Client(limits=POOL)

    def with_options(
        self,
        *,
        timeout: float | NotGiven = NOT_GIVEN,
        max_retries: int | NotGiven = NOT_GIVEN,
        headers: Mapping[str, str] | NotGiven = NOT_GIVEN,
    ) -> Self:
        """The same client with other options. It shares the connections, and needs not be closed."""
        made = copy.copy(self)
        made.options = self.options.changed(timeout, max_retries, headers)
        made._owns_http = False
        return made

    def close(self) -> None:
        """Closes the connections, unless they belong to the caller or to another client."""
        if self._owns_http:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = NOT_GIVEN,
        idempotency_key: str | None | NotGiven = NOT_GIVEN,
    ) -> Response:
        """Calls any path, such as `/api/v1/me`, with the same key, retries and errors, and returns the raw response.

        Pass `idempotency_key=None` to send a new key.
        """
        return self._send(call_of(method, path, query, body, idempotency_key))

    def _send(self, call: Call) -> Response:
        attempts = Attempts(call, self.options, time.monotonic)
        while True:
            attempts.made += 1
            try:
                response = self._attempt(call, attempts.end, attempts.made)
            except BROKEN as error:
                wait = attempts.broke(error)
            else:
                again = attempts.responded(response)
                if again is None:
                    return response
                wait = again
            time.sleep(wait)

    def _attempt(self, call: Call, end: float, number: int) -> Response:
        parts = self._parts(call, end - time.monotonic())
        if call.upload is None:
            return self._exchange(call, self._http.build_request(**parts), end, number)
        with call.upload.opened() as content:
            parts["files"] = {"file": (call.upload.filename, content, call.upload.content_type)}
            return self._exchange(call, self._http.build_request(**parts), end, number)

    def _exchange(self, call: Call, request: httpx.Request, end: float, number: int) -> Response:
        received = self._http.send(request, stream=True, follow_redirects=False)
        try:
            body = bytearray()
            for part in received.iter_bytes():
                body += part
                if time.monotonic() > end:
                    raise httpx.ReadTimeout("the response came too slowly", request=request)
        finally:
            received.close()
        return self._response(call, received, bytes(body), number)


class Resource:
    """A group of operations."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def _call(self, returns: type[T], method: str, path: str, **parts: Any) -> T:
        return data_of(returns, self._client._send(call_of(method, path, **parts)))

    def _call_for_page(self, item: type[T], method: str, path: str, **parts: Any) -> Page[T]:
        return page_of(item, self._client._send(call_of(method, path, **parts)))

    def _pager(
        self, item: Any, path: str, *, query: Mapping[str, Any] | None = None, cursor: str | None = None
    ) -> Pager[Any]:
        def fetch(cursor: str | None) -> Page[Any]:
            return page_of(item, self._client._send(call_of("GET", path, {**(query or {}), "cursor": cursor})))

        return Pager(fetch, cursor)

    def _upload(self, returns: type[T], method: str, path: str, upload: Upload) -> T:
        return data_of(returns, self._client._send(Call(method, path, upload=upload)))
