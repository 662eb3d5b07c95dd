"""Runs one case of the table that all packages pass: `driver.py CASE`, with the input as JSON on the standard input.

The output is JSON, on the last line. It uses the package as it is installed.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
import uuid
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import httpx

import frontdesk
from frontdesk import (
    ApiError,
    AsyncFrontdesk,
    ConnectionFailed,
    DeadlineExceeded,
    Frontdesk,
    FrontdeskError,
    WebhookVerificationError,
)
from frontdesk.types import UnknownEvent
from frontdesk.webhooks import unwrap

Input = dict[str, Any]

# Kinds whose classes are not named after them.
KINDS = {ConnectionFailed: "Connection", DeadlineExceeded: "Timeout", WebhookVerificationError: "Signature"}

NOBODY = "0190f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f"
"""An id that nothing has."""


def kind(error: FrontdeskError) -> str:
    return KINDS.get(type(error)) or type(error).__name__.removesuffix("Error")


def refusal(call: Callable[[], object]) -> dict[str, Any]:
    try:
        call()
    except FrontdeskError as error:
        return told(error)
    return {"kind": "none"}


async def refusal_async(call: Awaitable[object]) -> dict[str, Any]:
    try:
        await call
    except FrontdeskError as error:
        return told(error)
    return {"kind": "none"}


def told(error: FrontdeskError) -> dict[str, Any]:
    if not isinstance(error, ApiError):
        return {"kind": kind(error)}
    return {
        "kind": kind(error),
        "status": error.status,
        "code": error.code,
        "reason": error.reason,
        "request_id": error.request_id,
        "message": error.message,
        "paths": [detail.get("path") for detail in error.details],
        "retry_after": error.response.retry_after,
    }


def client_of(given: Input) -> Frontdesk:
    return Frontdesk(given["api_key"], given["base_url"])


def async_client_of(given: Input) -> AsyncFrontdesk:
    return AsyncFrontdesk(given["api_key"], given["base_url"])


def samples(given: Input) -> object:
    from generated.samples import SAMPLES

    outcomes: dict[str, str] = {}
    with client_of(given) as client:
        for operation, values in given["values"].items():
            try:
                SAMPLES[operation](client, **values)
                outcomes[operation] = "ok"
            except Exception as error:
                outcomes[operation] = f"{type(error).__name__}: {error}"
    return {"outcomes": outcomes}


def pages(given: Input) -> object:
    with client_of(given) as client:
        ids = [contact.id for contact in client.contacts.list(limit=2)]
        first = client.contacts.list(limit=2).page()
        second = client.contacts.list(limit=2, cursor=first.next_cursor).page()
        return {
            "ids": ids,
            "first": [contact.id for contact in first],
            "second": [contact.id for contact in second],
            "has_more": first.has_more,
        }


async def pages_async(given: Input) -> object:
    async with async_client_of(given) as client:
        listed = client.contacts.list(limit=2)
        first = await listed.page()
        second = await client.contacts.list(limit=2, cursor=first.next_cursor).page()
        return {
            "ids": [contact.id async for contact in listed],
            "first": [contact.id for contact in first],
            "second": [contact.id for contact in second],
            "has_more": first.has_more,
        }


def refused(given: Input) -> object:
    with client_of(given) as client:
        calls: list[Callable[[], object]] = [
            lambda: client.messages.send(type="text", to={"phone": given["phone"]}, text="Hello"),
            lambda: client.contacts.create(),
            lambda: client.contacts.get(str(uuid.uuid4())),
        ]
        return {"refusals": [refusal(call) for call in calls]}


async def refused_async(given: Input) -> object:
    async with async_client_of(given) as client:
        calls: list[Awaitable[object]] = [
            client.messages.send(type="text", to={"phone": given["phone"]}, text="Hello"),
            client.contacts.create(),
            client.contacts.get(str(uuid.uuid4())),
        ]
        return {"refusals": [await refusal_async(call) for call in calls]}


def limited(given: Input) -> object:
    with client_of(given) as client:
        first = refusal(client.with_options(max_retries=0).me.get)
        began = time.monotonic()
        me = client.me.get()
        waited = time.monotonic() - began
        limit = client.rate_limit
        assert limit is not None
        return {
            "first": first,
            "account": me.account.id,
            "waited_ms": round(waited * 1000),
            "limit": limit.limit,
            "remaining": limit.remaining,
        }


def killed(given: Input) -> object:
    with client_of(given) as client:
        return {"id": client.with_options(max_retries=20).contacts.create(name=given["name"]).id}


async def killed_async(given: Input) -> object:
    async with async_client_of(given) as client:
        return {"id": (await client.with_options(max_retries=20).contacts.create(name=given["name"])).id}


def attempts(given: Input) -> object:
    """The lines of the table that says what is sent how often, all at the same time."""
    cases: list[Input] = given["cases"]
    with httpx.Client() as http, ThreadPoolExecutor(len(cases)) as threads:
        return {"outcomes": list(threads.map(lambda case: attempted(case, given["api_key"], http), cases))}


def attempted(case: Input, api_key: str, http: httpx.Client) -> object:
    began = time.monotonic()
    try:
        # Only an asynchronous call can be cancelled.
        if "cancel_ms" in case:
            asyncio.run(cancelled(case, api_key))
        else:
            attempt(case, Frontdesk(api_key, case["base_url"], http_client=http))
        ends = "ok"
    except FrontdeskError as error:
        ends = kind(error)
    except asyncio.TimeoutError:
        ends = "Cancelled"
    return {"ends": ends, "elapsed_ms": round((time.monotonic() - began) * 1000)}


def attempt(case: Input, client: Frontdesk) -> None:
    if "timeout_ms" in case:
        client = client.with_options(timeout=case["timeout_ms"] / 1000)
    if "max_retries" in case:
        client = client.with_options(max_retries=case["max_retries"])
    contacts = client.contacts
    calls: dict[str, Callable[[], object]] = {
        "read": lambda: contacts.get(NOBODY),
        "write": lambda: contacts.create(name="Ann", idempotency_key=case.get("key")),
        "change": lambda: contacts.update(NOBODY, name="Ann"),
        "delete": lambda: contacts.delete(NOBODY),
        "unkeyed": lambda: contacts.merge(NOBODY, contact_id=NOBODY),
    }
    calls[case["call"]]()


async def cancelled(case: Input, api_key: str) -> None:
    async with AsyncFrontdesk(api_key, case["base_url"]) as client:
        await asyncio.wait_for(client.contacts.create(name="Ann"), case["cancel_ms"] / 1000)


def slow(given: Input) -> object:
    began = time.monotonic()
    with client_of(given) as client:
        deadline = refusal(client.with_options(timeout=0.3).me.get)

    async def cancel() -> bool:
        async with async_client_of(given) as client:
            call = asyncio.ensure_future(client.me.get())
            await asyncio.sleep(0.3)
            call.cancel()
            try:
                await call
            except asyncio.CancelledError:
                return True
            return False

    cancelled = asyncio.run(cancel())
    elapsed = round((time.monotonic() - began) * 1000)
    return {"deadline": deadline["kind"], "cancelled": cancelled, "elapsed_ms": elapsed}


def webhook(given: Input) -> object:
    events: list[dict[str, Any]] = []
    for delivery in given["deliveries"]:
        try:
            event = unwrap(delivery["body"], delivery["headers"], delivery["secret"])
        except WebhookVerificationError as error:
            events.append({"refused": kind(error)})
        else:
            known = not isinstance(event, UnknownEvent)
            events.append({"event_type": event.event_type, "event_id": event.event_id, "known": known})
    return {"events": events}


def stream(given: Input) -> object:
    with client_of(given) as client, client.events.stream(after=given["after"]) as events:
        return {"ids": [next(events).event_id for _ in range(given["count"])]}


async def stream_async(given: Input) -> object:
    async with async_client_of(given) as client, client.events.stream(after=given["after"]) as events:
        return {"ids": [(await anext(events)).event_id for _ in range(given["count"])]}


def unknown(given: Input) -> object:
    with client_of(given) as client:
        events = client.events.list().page().data
        return {
            "status": client.deals.get(given["deal_id"]).status,
            "event_types": [event.event_type for event in events],
            "known": [not isinstance(event, UnknownEvent) for event in events],
        }


def typed(_given: Input) -> object:
    """What a type checker looks for beside the installed package."""
    place = Path(frontdesk.__file__).parent
    return {"place": str(place), "typed": (place / "py.typed").is_file()}


CASES: dict[str, Callable[[Input], object]] = {
    each.__name__: each
    for each in (samples, pages, refused, limited, killed, attempts, slow, webhook, stream, unknown, typed)
}

# The same cases by the asynchronous client.
ASYNC_CASES: dict[str, Callable[[Input], Awaitable[object]]] = {
    each.__name__: each for each in (pages_async, refused_async, killed_async, stream_async)
}


def outcome(case: str, given: Input) -> object:
    if case in ASYNC_CASES:
        return anyio.run(ASYNC_CASES[case], given)
    return CASES[case](given)


if __name__ == "__main__":
    print(json.dumps(outcome(sys.argv[1], json.load(sys.stdin))))
