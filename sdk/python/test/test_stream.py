"""The stream of events: no gap, no repetition, whatever happens to the connection."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from examples import event
from stand_in import BROKEN, KEY, Asked, Reply, StandIn, error, page

from frontdesk import AsyncFrontdesk, ForbiddenError, Frontdesk, StreamReset
from frontdesk._runtime import streams
from frontdesk._runtime.server_sent import Message, Reader
from frontdesk.types import ContactCreatedEvent, Event, UnknownEvent

STREAM = "/api/v1/events/stream"


def sent(*numbers: int, event_type: str = "contact.created", **data: Any) -> bytes:
    """Events as the server sends them."""
    lines = ""
    for number in numbers:
        envelope = event(number, event_type, **data)
        text = json.dumps(envelope, ensure_ascii=False)
        lines += f"id: {envelope['event_id']}\nevent: {event_type}\ndata: {text}\n\n"
    return lines.encode()


def stream(*parts: bytes, gap: float = 0) -> Reply:
    return Reply(200, headers={"content-type": "text/event-stream"}, parts=list(parts), gap=gap)


def number(of: Event) -> int:
    return int(of.event_id.removeprefix("evt_"), 16)


class Both:
    """The stream of either client, as a plain iterator of the numbers of its events."""

    def __init__(self, is_async: bool) -> None:
        self.is_async = is_async

    def take(self, server: StandIn, count: int, after: str | None = None) -> list[Event]:
        if self.is_async:
            return anyio.run(self._take, server.url, count, after)
        with Frontdesk(KEY, server.url) as client, client.events.stream(after=after) as events:
            return [next(events) for _ in range(count)]

    async def _take(self, url: str, count: int, after: str | None) -> list[Event]:
        async with AsyncFrontdesk(KEY, url) as client, client.events.stream(after=after) as events:
            return [await events.__anext__() for _ in range(count)]


@pytest.fixture(params=[False, True], ids=["blocking", "async"])
def both(request: pytest.FixtureRequest) -> Both:
    return Both(request.param)


def test_a_stream_continues_after_the_last_event(both: Both) -> None:
    first = stream(b"retry: 1000\n\n: ping\n\n", sent(2), sent(3)[:-10])
    with StandIn(first, BROKEN, error(503, "internal"), stream(sent(3), sent(4))) as server:
        assert [number(each) for each in both.take(server, 3, "evt_" + "0" * 31 + "1")] == [2, 3, 4]
        # The third event was cut off, so it is asked for again.
        after = [asked.headers.get("last-event-id", "")[-1:] for asked in server.asked]
        assert after == ["1", "2", "2", "2"]
        assert all(asked.path == STREAM and asked.headers["authorization"] for asked in server.asked)


def test_a_stream_that_begins_now_has_an_event_to_continue_after(both: Both) -> None:
    with StandIn(page([event(7)]), BROKEN, stream(sent(8))) as server:
        assert [number(each) for each in both.take(server, 1)] == [8]
        assert server.asked[0].query == {"limit": "1"}
        assert [asked.headers["last-event-id"][-1] for asked in server.asked[1:]] == ["7", "7"]


def test_nothing_is_missed_while_there_is_no_event_to_continue_after(both: Both) -> None:
    # The first two events are made between the calls, and the stream sends the second one as well.
    replies = [page([]), stream(sent(2), sent(3)), page([event(2), event(1)])]
    with StandIn(*replies) as server:
        assert [number(each) for each in both.take(server, 3)] == [1, 2, 3]
        assert "last-event-id" not in server.asked[1].headers


def test_an_unknown_position_is_an_error_with_the_way_on(both: Both) -> None:
    newest = "evt_" + "0" * 31 + "9"
    with StandIn(stream(f"retry: 1000\n\nid: {newest}\nevent: reset\ndata: {{}}\n\n".encode())) as server:
        with pytest.raises(StreamReset) as raised:
            both.take(server, 1, "evt_" + "f" * 32)
        assert raised.value.last_event_id == newest


def test_what_does_not_pass_ends_the_stream(both: Both) -> None:
    with StandIn(error(403, "forbidden", reason="scope")) as server:
        with pytest.raises(ForbiddenError):
            both.take(server, 1, "evt_1")
        assert len(server.asked) == 1


def test_a_full_server_is_tried_again_after_the_time_that_it_names(both: Both) -> None:
    with StandIn(error(429, "rate_limited", headers={"Retry-After": "1"}), stream(sent(1))) as server:
        assert [number(each) for each in both.take(server, 1, "evt_0")] == [1]
        assert server.asked[1].at - server.asked[0].at >= 1


def test_a_silent_connection_is_given_up(both: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SILENCE_SECONDS_MAX", 0.3)
    with StandIn(stream(sent(1), b"", gap=2), stream(sent(2))) as server:
        assert [number(each) for each in both.take(server, 2, "evt_0")] == [1, 2]
        assert server.asked[1].at - server.asked[0].at < 1.5


def test_unknown_events_and_odd_texts_come_through(both: Both) -> None:
    odd = "line\u2028separator \u0085 \U0001f642 end"
    whole = sent(1, event_type="tag.faded", tag={"name": odd}) + sent(2)
    # In pieces that cut characters in two.
    with StandIn(stream(*[whole[at : at + 7] for at in range(0, len(whole), 7)])) as server:
        first, second = both.take(server, 2, "evt_0")
        assert isinstance(first, UnknownEvent) and first.data == {"tag": {"name": odd}}
        assert isinstance(second, ContactCreatedEvent)


def test_what_is_no_event_is_passed_over(both: Both) -> None:
    notices = [b'event: notice\ndata: {"a": 1}\n\n', b"data: no json\n\n", b"data\n\n", b"data: 7\n\n"]
    with StandIn(stream(*notices, sent(1))) as server:
        assert [number(each) for each in both.take(server, 1, "evt_0")] == [1]


def test_the_position_is_at_hand_and_a_closed_stream_ends() -> None:
    with StandIn(stream(sent(1), sent(2))) as server, Frontdesk(KEY, server.url) as client:
        events = client.events.stream(after="evt_0")
        assert events.last_event_id == "evt_0"
        assert number(next(events)) == 1
        assert events.last_event_id == "evt_" + "0" * 31 + "1"
        events.close()
        assert list(events) == []


def test_a_cancelled_stream_ends_at_once_and_lets_the_connection_go() -> None:
    async def run(url: str) -> list[int]:
        seen: list[int] = []
        async with AsyncFrontdesk(KEY, url) as client:
            with anyio.move_on_after(0.5):
                async for each in client.events.stream(after="evt_0"):
                    seen.append(number(each))
            # The pool has room, so the connection was given back.
            pool: Any = client._http._transport
            assert all(connection.is_idle() or connection.is_closed() for connection in pool._pool.connections)
        return seen

    with StandIn(stream(sent(1), *[b": ping\n\n"] * 100, gap=0.1)) as server:
        assert anyio.run(run, server.url) == [1]


def messages(*parts: bytes) -> Iterator[Message]:
    reader = Reader()
    for part in parts:
        yield from reader.feed(part)


def test_lines_end_in_three_ways_and_anywhere_between_two_reads() -> None:
    text = b"id: 1\r\nevent: a\r\ndata: x\r\ndata:y\r\n\r\ndata\n\n:c\n\rid: 2\rdata: \xe2\x80\xa8z\r\r\n"
    wanted = [Message("1", "a", "x\ny"), Message("1", "message", ""), Message("2", "message", "\u2028z")]
    assert list(messages(text)) == wanted
    for size in (1, 2, 3):
        assert list(messages(*[text[at : at + size] for at in range(0, len(text), size)])) == wanted


def test_two_streams_do_not_disturb_each_other() -> None:
    def answer(asked: Asked) -> Reply:
        last = int(asked.headers["last-event-id"].removeprefix("evt_"), 16)
        return stream(sent(last + 1))

    with StandIn(answer) as server, Frontdesk(KEY, server.url) as client:
        seen: dict[int, list[int]] = {}

        def read(begin: int) -> None:
            with client.events.stream(after=f"evt_{begin:032x}") as events:
                seen[begin] = [number(next(events)) for _ in range(4)]

        threads = [threading.Thread(target=read, args=(begin,)) for begin in (0, 100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen == {0: [1, 2, 3, 4], 100: [101, 102, 103, 104]}
