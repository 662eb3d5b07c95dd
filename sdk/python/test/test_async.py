"""The asynchronous client does what the other one does, and ends when it is cancelled."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import httpx
import pytest
from examples import CONTACT
from stand_in import BROKEN, KEY, Reply, StandIn, data, error, page

from frontdesk import (
    AsyncFrontdesk,
    ConnectionFailed,
    DeadlineExceeded,
    Frontdesk,
    RateLimitedError,
    ValidationError,
    response_of,
)

CREATED = data(CONTACT, 201)
Job = Callable[[AsyncFrontdesk], Awaitable[Any]]


def run(server: StandIn, job: Job, **options: Any) -> Any:
    async def main() -> Any:
        async with AsyncFrontdesk(KEY, server.url, **options) as client:
            return await job(client)

    return anyio.run(main)


def test_a_call_is_repeated_with_its_key() -> None:
    limited = error(429, "rate_limited", headers={"Retry-After": "0"})
    with StandIn(BROKEN, limited, error(503, "internal"), CREATED) as server:
        contact = run(server, lambda client: client.contacts.create(name="Ann Lee"))
        assert contact.name == "Ann Lee" and response_of(contact).attempts == 4
        assert len({asked.headers["idempotency-key"] for asked in server.asked}) == 1


def test_errors_are_the_same() -> None:
    with StandIn(error(400, "validation_error")) as server, pytest.raises(ValidationError):
        run(server, lambda client: client.contacts.create())
    with StandIn(error(429, "rate_limited", headers={"Retry-After": "99"})) as server:
        with pytest.raises(RateLimitedError):
            run(server, lambda client: client.me.get())
    with StandIn(BROKEN) as server, pytest.raises(ConnectionFailed):
        run(server, lambda client: client.tags.create(name="vip"))


def test_lists_are_asynchronous_iterators() -> None:
    async def job(client: AsyncFrontdesk) -> list[str]:
        listed = client.contacts.list(limit=1)
        ids = [contact.id async for contact in listed]
        first = await listed.page()
        assert first.has_more and [len(each) async for each in listed.pages()] == [1, 1]
        row = await client.contacts.list(cursor="c").first()
        assert row is not None and row.id == "2"
        return ids

    def answer(asked: Any) -> Reply:
        begun = "cursor" in asked.query
        return page([{**CONTACT, "id": "2" if begun else "1"}], None if begun else "c", 1)

    with StandIn(answer) as server:
        assert run(server, job) == ["1", "2"]


def test_the_deadline_holds() -> None:
    for reply in [Reply(waits=3), Reply(parts=[b'{"data"', *[b" "] * 100], gap=0.05)]:
        with StandIn(reply) as server:
            began = time.monotonic()
            with pytest.raises(DeadlineExceeded):
                run(server, lambda client: client.me.get(), timeout=0.3)
            assert time.monotonic() - began < 1.5


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_cancelled_call_ends_at_once_and_is_not_repeated(backend: str) -> None:
    async def main(url: str) -> float:
        async with AsyncFrontdesk(KEY, url) as client:
            began = time.monotonic()
            with anyio.move_on_after(0.3) as scope:
                await client.contacts.create(name="Ann")
            assert scope.cancelled_caught
            taken = time.monotonic() - began
            await client.contacts.get("c1")
            return taken

    # Once while it waits for the response, and once while it waits before an attempt.
    for reply in [Reply(waits=3), error(429, "rate_limited", headers={"Retry-After": "9"})]:
        with StandIn(reply, CREATED) as server:
            assert anyio.run(main, server.url, backend=backend) < 1.5
            assert [asked.method for asked in server.asked] == ["POST", "GET"]


def test_many_calls_at_a_time_share_a_client() -> None:
    async def job(client: AsyncFrontdesk) -> int:
        names: list[str | None] = []

        async def create() -> None:
            names.append((await client.contacts.create(name="Ann")).name)

        async with anyio.create_task_group() as group:
            for _ in range(50):
                group.start_soon(create)
        return len(names)

    with StandIn(CREATED) as server:
        assert run(server, job) == 50
        assert len({asked.headers["idempotency-key"] for asked in server.asked}) == 50


def test_files_any_path_and_an_own_client() -> None:
    async def job(client: AsyncFrontdesk) -> None:
        assert (await client.media.upload(b"Hello", filename="a.txt")).size == 5
        assert (await client.request("GET", "/api/v1/me")).status == 200

    stored = data({"id": "m1", "url": "https://x", "content_type": "text/plain", "size": 5})
    with StandIn(stored) as server:
        run(server, job)
        assert b"\r\n\r\nHello\r\n" in server.asked[0].body

    async def own(url: str) -> None:
        async with httpx.AsyncClient() as http:
            async with AsyncFrontdesk(KEY, url, http_client=http) as client:
                await client.with_options(max_retries=0).contacts.get("c1")
            assert not http.is_closed

    with StandIn(CREATED) as server:
        anyio.run(own, server.url)


def test_both_clients_have_the_same_methods_with_the_same_arguments() -> None:
    blocking, other = Frontdesk(KEY, "http://127.0.0.1:1"), AsyncFrontdesk(KEY, "http://127.0.0.1:1")
    groups = [name for name, each in inspect.getmembers(type(blocking), lambda each: isinstance(each, property))]
    compared = 0
    for group in groups:
        one, two = getattr(blocking, group), getattr(other, group)
        if not hasattr(one, "_client"):
            continue
        for name, method in inspect.getmembers(one, callable):
            if name.startswith("_"):
                continue
            assert inspect.signature(method).parameters == inspect.signature(getattr(two, name)).parameters, name
            compared += 1
    assert compared > 110
