"""Every operation's sample, against a server that knows the document: what is sent is what the document allows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from generated.samples import SAMPLES
from stand_in import KEY, Asked, Reply, StandIn

from frontdesk import AsyncFrontdesk, Frontdesk

DOCUMENT = Path(__file__).parents[3] / "openapi.json"
PREFIX = "/api/v1/"


def operations() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    document = json.loads(DOCUMENT.read_text("utf-8"))
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if path.startswith(PREFIX):
                yield operation["operationId"], method.upper(), path, operation


OPERATIONS = {name: (method, path, operation) for name, method, path, operation in operations()}


class Documented:
    """Responds with the examples of the document, and remembers which operations were called."""

    def __init__(self) -> None:
        self.called: list[str] = []

    def __call__(self, asked: Asked) -> Reply:
        matching = [
            (name, operation)
            for name, (method, path, operation) in OPERATIONS.items()
            if method == asked.method and re.fullmatch(re.sub(r"{\w+}", "[^/]+", path), asked.path)
        ]
        # A path without placeholders comes before one with them.
        name, operation = min(matching, key=lambda each: OPERATIONS[each[0]][1].count("{"))
        self.called.append(name)
        status, response = next((code, each) for code, each in operation["responses"].items() if code[0] == "2")
        kind, content = next(iter(response["content"].items()))
        if kind == "text/event-stream":
            example = OPERATIONS["listEvents"][2]["responses"]["200"]["content"]["application/json"]["example"]
            event = example["data"][0]
            return Reply(200, parts=[f"id: {event['event_id']}\ndata: {json.dumps(event)}\n\n".encode()])
        return Reply(int(status), content["example"])


class Awaited:
    """Makes the asynchronous client look like the other one, so that the same samples run with both."""

    def __init__(self, made: Any, portal: Any) -> None:
        self._made, self._portal = made, portal

    def __getattr__(self, name: str) -> Any:
        return Awaited(getattr(self._made, name), self._portal)

    def __call__(self, *args: Any, **named: Any) -> Any:
        result = self._made(*args, **named)
        return self._portal.call(wait, result) if hasattr(result, "__await__") else Awaited(result, self._portal)

    def __iter__(self) -> Iterator[Any]:
        rows: list[Any] = self._portal.call(all_of, self._made)
        return iter(rows)

    def __enter__(self) -> Awaited:
        self._portal.call(self._made.__aenter__)
        return self

    def __exit__(self, *error: object) -> None:
        self._portal.call(self._made.__aexit__, *error)

    def __next__(self) -> Any:
        return self._portal.call(self._made.__anext__)


async def wait(result: Any) -> Any:
    return await result


async def all_of(rows: Any) -> list[Any]:
    return [row async for row in rows]


def placeholders(name: str) -> dict[str, str]:
    code = SAMPLES[name].__code__
    return {argument: f"id-{argument}" for argument in code.co_varnames[1 : code.co_argcount]}


def test_every_operation_has_a_sample() -> None:
    assert set(SAMPLES) == set(OPERATIONS)


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_both_clients_send_what_the_document_says(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = Documented(), Documented()
    with StandIn(first) as server, Frontdesk(KEY, server.url) as client:
        SAMPLES[name](client, **placeholders(name))
        blocking = server.asked
    with StandIn(second) as server, anyio.from_thread.start_blocking_portal() as portal:
        client_of_portal: Any = Awaited(AsyncFrontdesk(KEY, server.url), portal)
        SAMPLES[name](client_of_portal, **placeholders(name))
        other = server.asked
    assert first.called == second.called == [name]
    for one, two in zip(blocking, other, strict=True):
        if name != "uploadMedia":
            assert (one.path, one.query, one.body) == (two.path, two.query, two.body)
        parameters = OPERATIONS[name][2].get("parameters", [])
        takes_key = any("IdempotencyKey" in str(each) for each in parameters)
        assert takes_key == ("idempotency-key" in one.headers) == ("idempotency-key" in two.headers)
