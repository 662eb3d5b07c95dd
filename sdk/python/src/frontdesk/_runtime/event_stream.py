"""Reads a stream of events, in a thread or as an asynchronous iterator."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Generator
from typing import Any, Generic, TypeVar

import anyio

from ..errors import ApiError, ConnectionFailed, error_of
from .async_client import AsyncClient
from .client import Client
from .model import decoder
from .prepare import SECONDS_MIN, page_of
from .response import Response
from .retry import BROKEN
from .server_sent import Reader
from .streams import Position, timeout_of_stream

T = TypeVar("T")


class EventStream(Generic[T]):
    """Events as they happen, without end, gaps or repetitions.

    Use it in a `for` statement, and in a `with` statement if you leave the loop early.
    """

    def __init__(self, client: Client, event: Any, path: str, after: str | None) -> None:
        self._client = client
        self._position = Position(path, decoder(event) or _as_is, after)
        self._events = self._run()

    @property
    def last_event_id(self) -> str | None:
        """The id of the last event. Store it, and pass it as `after` to continue in another process."""
        return self._position.after

    def __iter__(self) -> EventStream[T]:
        return self

    def __next__(self) -> T:
        return next(self._events)

    def __enter__(self) -> EventStream[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the stream."""
        self._events.close()

    def _run(self) -> Generator[T, None, None]:
        position = self._position
        if position.after is None:
            position.begin(_rows_of(self._client._send(position.newest())))
        while True:
            error: Exception | None = None
            try:
                yield from self._connection()
            except (*BROKEN, ConnectionFailed, ApiError) as failed:
                error = failed
            time.sleep(position.wait_after(error))

    def _connection(self) -> Generator[T, None, None]:
        position, client = self._position, self._client
        call = position.call()
        timeout = client.options.timeout_of(call)
        parts = client._parts(call, timeout)
        parts["headers"] |= position.headers()
        parts["timeout"] = timeout_of_stream(max(timeout, SECONDS_MIN))
        received = client._http.send(client._http.build_request(**parts), stream=True, follow_redirects=False)
        try:
            if received.status_code != 200:
                raise error_of(Response(received.status_code, received.headers, received.read()))
            if position.after is None:
                for row in reversed(self._all_listed()):
                    yield position.listed(row)
            reader = Reader()
            for part in received.iter_bytes():
                for message in reader.feed(part):
                    event = position.message(message)
                    if event is not None:
                        yield event
        finally:
            received.close()

    def _all_listed(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            response = self._client.request("GET", self._position.list_path, query={"limit": 100, "cursor": cursor})
            page = page_of(Any, response)
            rows += page.data
            cursor = page.next_cursor
            if not cursor:
                return rows


class AsyncEventStream(Generic[T]):
    """Events as they happen, without end, gaps or repetitions.

    Use it in an `async for` statement, and in an `async with` statement if you leave the loop early.
    """

    def __init__(self, client: AsyncClient, event: Any, path: str, after: str | None) -> None:
        self._client = client
        self._position = Position(path, decoder(event) or _as_is, after)
        self._events = self._run()

    @property
    def last_event_id(self) -> str | None:
        """The id of the last event. Store it, and pass it as `after` to continue in another process."""
        return self._position.after

    def __aiter__(self) -> AsyncEventStream[T]:
        return self

    async def __anext__(self) -> T:
        return await self._events.__anext__()

    async def __aenter__(self) -> AsyncEventStream[T]:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the stream."""
        await self._events.aclose()

    async def _run(self) -> AsyncGenerator[T, None]:
        position = self._position
        if position.after is None:
            position.begin(_rows_of(await self._client._send(position.newest())))
        while True:
            error: Exception | None = None
            connection = self._connection()
            try:
                async for event in connection:
                    yield event
            except (*BROKEN, ConnectionFailed, ApiError) as failed:
                error = failed
            finally:
                await connection.aclose()
            await anyio.sleep(position.wait_after(error))

    async def _connection(self) -> AsyncGenerator[T, None]:
        position, client = self._position, self._client
        call = position.call()
        timeout = client.options.timeout_of(call)
        parts = client._parts(call, timeout)
        parts["headers"] |= position.headers()
        parts["timeout"] = timeout_of_stream(max(timeout, SECONDS_MIN))
        received = await client._http.send(client._http.build_request(**parts), stream=True, follow_redirects=False)
        try:
            if received.status_code != 200:
                raise error_of(Response(received.status_code, received.headers, await received.aread()))
            if position.after is None:
                for row in reversed(await self._all_listed()):
                    yield position.listed(row)
            reader = Reader()
            async for part in received.aiter_bytes():
                for message in reader.feed(part):
                    event = position.message(message)
                    if event is not None:
                        yield event
        finally:
            await received.aclose()

    async def _all_listed(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            query = {"limit": 100, "cursor": cursor}
            response = await self._client.request("GET", self._position.list_path, query=query)
            page = page_of(Any, response)
            rows += page.data
            cursor = page.next_cursor
            if not cursor:
                return rows


def _rows_of(response: Response) -> list[dict[str, Any]]:
    return page_of(Any, response).data


def _as_is(json: Any) -> Any:
    return json
