"""Calls: what is sent, what comes back, what is sent again, and when it ends."""

from __future__ import annotations

import io
import logging
import os
import pickle
import threading
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import httpx
import pytest
from examples import CONTACT
from stand_in import BROKEN, KEY, Asked, Reply, StandIn, data, error, free_port, page

from frontdesk import (
    ApiError,
    ConflictError,
    ConnectionFailed,
    DeadlineExceeded,
    Frontdesk,
    InternalError,
    NotFoundError,
    PlanLimitError,
    RateLimitedError,
    UnprocessableError,
    ValidationError,
    response_of,
)
from frontdesk._runtime.call import Call
from frontdesk._runtime.files import Upload

CREATED = data(CONTACT, 201)


def client_of(server: StandIn, timeout: float = 20, max_retries: int = 3) -> Frontdesk:
    return Frontdesk(KEY, server.url, timeout=timeout, max_retries=max_retries)


def test_a_call_sends_what_is_given_and_leaves_out_the_rest() -> None:
    with StandIn(CREATED) as server, client_of(server) as client:
        contact = client.contacts.create(name="Ann Lee", email=None, tag_ids=["t1"])
        assert contact.name == "Ann Lee" and contact.tags[0].name == "vip"
        asked = server.last
        assert (asked.method, asked.path) == ("POST", "/api/v1/contacts")
        assert asked.json() == {"name": "Ann Lee", "email": None, "tag_ids": ["t1"]}
        assert asked.headers["authorization"] == f"Bearer {KEY}"
        assert asked.headers["user-agent"].startswith("frontdesk-python/")
        assert len(asked.headers["idempotency-key"]) == 36


def test_filters_that_are_left_out_are_not_sent() -> None:
    berlin = timezone(timedelta(hours=1))
    with StandIn(page([])) as server, client_of(server) as client:
        client.conversations.list(unread=True, updated_since=datetime(2026, 1, 31, 10, tzinfo=berlin), limit=5).page()
        assert server.last.query == {"unread": "true", "updated_since": "2026-01-31T09:00:00.000Z", "limit": "5"}


def test_a_moment_without_a_timezone_is_refused_before_it_is_sent() -> None:
    with StandIn(page([])) as server, client_of(server) as client:
        with pytest.raises(ValueError, match="no timezone"):
            client.contacts.list(updated_since=datetime(2026, 1, 31)).page()
        assert server.asked == []


@pytest.mark.parametrize("text", ["", ".", ".."])
def test_what_is_no_id_does_not_lead_to_another_path(text: str) -> None:
    with StandIn(CREATED) as server, client_of(server) as client:
        with pytest.raises(ValueError, match="not an id"):
            client.contacts.delete(text)
        assert server.asked == []


def test_an_id_is_one_segment_of_the_path() -> None:
    paths: list[str] = []

    def answer(asked: Asked) -> Reply:
        paths.append(asked.path)
        return CREATED

    with StandIn(answer) as server, client_of(server) as client:
        client.contacts.get("a/../../b?c#d")
    assert paths == ["/api/v1/contacts/a%2F..%2F..%2Fb%3Fc%23d"]


def test_a_broken_connection_is_tried_again_with_the_same_key() -> None:
    with StandIn(BROKEN, Reply(201, CREATED.body, breaks_inside=True), CREATED) as server, client_of(server) as client:
        contact = client.contacts.create(name="Ann Lee")
        assert response_of(contact).attempts == 3
        assert len({asked.headers["idempotency-key"] for asked in server.asked}) == 1
        assert len({asked.body for asked in server.asked}) == 1


def test_two_calls_have_two_keys_and_a_given_key_is_sent() -> None:
    with StandIn(CREATED) as server, client_of(server) as client:
        client.contacts.create(name="Ann")
        client.contacts.create(name="Ann")
        client.contacts.create(name="Ann", idempotency_key="order-7")
        first, second, third = (asked.headers["idempotency-key"] for asked in server.asked)
        assert first != second and third == "order-7"
        for wrong in ["", "a\r\nX-Evil: 1", "ä", "a" * 256]:
            with pytest.raises(ValueError, match="visible ASCII"):
                client.contacts.create(name="Ann", idempotency_key=wrong)
        assert len(server.asked) == 3


def test_a_write_without_a_key_is_not_repeated_once_it_was_sent() -> None:
    for reply in [BROKEN, error(503, "internal")]:
        with StandIn(reply) as server, client_of(server) as client:
            with pytest.raises((ConnectionFailed, InternalError)):
                client.tags.create(name="vip")
            assert len(server.asked) == 1
            assert "idempotency-key" not in server.last.headers


def test_a_connection_that_was_never_made_is_tried_again_for_every_call() -> None:
    client = Frontdesk(KEY, f"http://127.0.0.1:{free_port()}", max_retries=2)
    with pytest.raises(ConnectionFailed, match="3 times"):
        client.tags.create(name="vip")


def test_a_429_is_tried_again_after_the_time_that_it_names() -> None:
    limited = error(429, "rate_limited", headers={"Retry-After": "1"})
    with StandIn(limited, data({"id": "t1"}, 201)) as server, client_of(server) as client:
        client.tags.create(name="vip")
        first, second = server.asked
        assert 1 <= second.at - first.at < 2


def test_a_429_beyond_the_deadline_is_raised_at_once() -> None:
    with StandIn(error(429, "rate_limited", headers={"Retry-After": "30"})) as server:
        began = time.monotonic()
        with pytest.raises(RateLimitedError) as raised:
            client_of(server, timeout=5).me.get()
        assert raised.value.retry_after == 30
        assert time.monotonic() - began < 1 and len(server.asked) == 1


def test_a_503_is_tried_again_if_that_is_safe_and_as_often_as_allowed() -> None:
    with StandIn(error(503, "internal")) as server, client_of(server, max_retries=2) as client:
        with pytest.raises(InternalError):
            client.contacts.create(name="Ann")
        assert len(server.asked) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 500])
def test_other_errors_are_not_tried_again(status: int) -> None:
    with StandIn(error(status, "whatever")) as server, client_of(server) as client:
        with pytest.raises(ApiError):
            client.contacts.create(name="Ann")
        assert len(server.asked) == 1


def test_waiting_for_an_own_attempt_in_flight_ends_with_its_result() -> None:
    in_flight = error(409, "conflict", reason="idempotency_key_in_flight")
    with StandIn(BROKEN, in_flight, in_flight, CREATED) as server, client_of(server) as client:
        assert client.contacts.create(name="Ann Lee").name == "Ann Lee"
        assert len(server.asked) == 4


def test_a_conflict_for_another_reason_is_raised() -> None:
    for broken in (0, 1):
        replies = [*[BROKEN] * broken, error(409, "conflict", reason="duplicate")]
        with StandIn(*replies) as server, client_of(server) as client:
            with pytest.raises(ConflictError):
                client.contacts.create(name="Ann")
            assert len(server.asked) == broken + 1


def test_the_deadline_holds_for_silence_and_for_a_trickle() -> None:
    slow = [Reply(waits=3), Reply(body=None, parts=[b'{"data": {', *[b" "] * 100], gap=0.05)]
    for reply in slow:
        with StandIn(reply) as server, client_of(server, timeout=0.3) as client:
            began = time.monotonic()
            with pytest.raises(DeadlineExceeded):
                client.me.get()
            assert time.monotonic() - began < 1.5


def test_errors_say_what_the_server_says() -> None:
    details = [{"path": "tag_ids.0", "message": "must be a tag of this account"}]
    replies = [
        error(400, "validation_error", "One value is wrong.", details=details),
        error(402, "plan_limit_reached", details=[{"limit": 10, "resource": "contacts"}]),
        error(422, "unprocessable", reason="outside_window"),
        error(404, "not_found"),
    ]
    with StandIn(*replies) as server, client_of(server) as client:
        with pytest.raises(ValidationError) as invalid:
            client.contacts.create()
        assert invalid.value.details == details and invalid.value.request_id == "req_1"
        assert "tag_ids.0: must be a tag" in str(invalid.value)
        with pytest.raises(PlanLimitError) as limit:
            client.contacts.create()
        assert limit.value.limit == 10
        with pytest.raises(UnprocessableError) as outside:
            client.messages.send(type="text", to={"phone": "+14155550123"}, text="Hello")
        assert (outside.value.status, outside.value.reason) == (422, "outside_window")
        with pytest.raises(NotFoundError) as missing:
            client.contacts.get("c1")
        again = pickle.loads(pickle.dumps(missing.value))
        assert isinstance(again, NotFoundError) and again.code == "not_found"


@pytest.mark.parametrize("body", [b"<html>Bad gateway</html>", b"[]", b'{"error": "no"}', b"\xff", b""])
def test_a_page_of_a_proxy_is_an_error_with_its_status(body: bytes) -> None:
    with StandIn(Reply(502, body)) as server, client_of(server) as client:
        with pytest.raises(InternalError) as raised:
            client.contacts.create(name="Ann")
        assert (raised.value.status, raised.value.code) == (502, "unknown")
        assert raised.value.response.body == body


@pytest.mark.parametrize("body", [b"<html>Sign in</html>", b"[]", b"{}", b""])
def test_a_success_that_is_none_of_ours_is_an_error(body: bytes) -> None:
    with StandIn(Reply(200, body)) as server, client_of(server) as client:
        for call in [client.me.get, client.tags.list().page]:
            with pytest.raises(ApiError) as raised:
                call()
            assert (raised.value.status, raised.value.code) == (200, "unknown")


def test_an_unknown_code_is_an_error_of_its_status() -> None:
    with StandIn(error(404, "gone_fishing")) as server, client_of(server) as client:
        with pytest.raises(NotFoundError) as raised:
            client.me.get()
        assert raised.value.code == "gone_fishing"


def test_the_raw_response_and_the_rate_limit_are_at_hand() -> None:
    reply = data(CONTACT, X_RateLimit_Limit="60", X_RateLimit_Remaining="41", X_RateLimit_Reset="1767225600")
    reply.headers |= {"X-Request-Id": "req_9", "Idempotent-Replayed": "true"}
    with StandIn(reply) as server, client_of(server) as client:
        assert client.rate_limit is None
        contact = client.contacts.get("c1")
        response = response_of(contact)
        assert response.request_id == "req_9" and response.replayed and response.json()["data"] == CONTACT
        assert client.rate_limit is not None
        assert (client.rate_limit.limit, client.rate_limit.remaining) == (60, 41)
        assert client.rate_limit.reset_at == datetime(2026, 1, 1, tzinfo=timezone.utc)
        assert client.with_options(timeout=5).rate_limit == client.rate_limit
        with pytest.raises(ValueError, match="not returned by a call"):
            response_of(contact.tags[0])


@pytest.mark.parametrize("odd", ["", "x", "-1", "9" * 30, "9" * 5000, "1.5"])
def test_odd_headers_do_no_harm(odd: str) -> None:
    headers = {"X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "1", "X-RateLimit-Reset": odd, "Retry-After": odd}
    with StandIn(Reply(200, {"data": CONTACT}, headers)) as server, client_of(server) as client:
        client.contacts.get("c1")
    with StandIn(error(429, "rate_limited", headers=headers)) as server, client_of(server, timeout=1) as client:
        with pytest.raises(RateLimitedError):
            client.me.get()


def test_fields_that_the_server_ignores_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with StandIn(data(CONTACT, Frontdesk_Ignored_Fields="citty, a%2Cb")) as server, client_of(server) as client:
        with caplog.at_level(logging.WARNING, "frontdesk"):
            contact = client.contacts.create(name="Ann")
        assert response_of(contact).ignored_fields == ["citty", "a,b"]
        assert "citty" in caplog.text


def test_nothing_secret_is_shown_or_logged(caplog: pytest.LogCaptureFixture) -> None:
    with StandIn(BROKEN, error(429, "rate_limited", headers={"Retry-After": "0"}), CREATED) as server:
        client = client_of(server)
        with caplog.at_level(logging.DEBUG, "frontdesk"):
            client.contacts.create(name="Ann Lee", phone="+14155550123")
        assert "again in" in caplog.text
        for secret in [KEY, "Ann", "4155550123"]:
            assert secret not in caplog.text and secret not in repr(client)


def test_a_redirect_is_not_followed_and_the_key_stays_here() -> None:
    with StandIn(CREATED) as other:
        with StandIn(Reply(302, b"", {"Location": other.url})) as server, client_of(server) as client:
            with pytest.raises(ApiError) as raised:
                client.me.get()
            assert raised.value.status == 302
        assert other.asked == []


def test_options_of_a_copy_do_not_change_the_client() -> None:
    with StandIn(CREATED) as server, client_of(server) as client:
        copy = client.with_options(max_retries=0, headers={"X-Trace": "7"})
        copy.contacts.get("c1")
        assert server.last.headers["x-trace"] == "7"
        copy.close()
        client.contacts.get("c1")
        assert "x-trace" not in server.last.headers and client.options.max_retries == 3
        with pytest.raises(ValueError, match="above zero"):
            client.with_options(timeout=0)


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with StandIn(CREATED) as server:
        monkeypatch.setenv("FRONTDESK_API_KEY", KEY)
        monkeypatch.setenv("FRONTDESK_BASE_URL", f"{server.url}/api/v1/")
        Frontdesk().contacts.get("c1")
        assert server.last.path == "/api/v1/contacts/c1"
    monkeypatch.delenv("FRONTDESK_API_KEY")
    with pytest.raises(ValueError, match="FRONTDESK_API_KEY"):
        Frontdesk()
    for address in ["desk.example.com", "ftp://desk.example.com", "https://", "https://desk.example.com?a=b"]:
        with pytest.raises(ValueError, match="not the address of a server"):
            Frontdesk(KEY, address)
    with pytest.raises(ValueError, match="characters that no key has"):
        Frontdesk(f"{KEY}\r\nX-Evil: 1", "https://desk.example.com")


def test_any_path_can_be_called() -> None:
    with StandIn(BROKEN, data({"a": 1}, 201)) as server, client_of(server) as client:
        response = client.request("POST", "/api/v1/novelties", body={"a": [1]}, idempotency_key=None)
        assert response.json() == {"data": {"a": 1}} and response.status == 201
        assert server.asked[0].headers["idempotency-key"] == server.asked[1].headers["idempotency-key"]


def test_files_are_uploaded_from_memory_from_a_path_and_from_an_open_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.pdf"
    path.write_bytes(b"content")
    opened = io.BytesIO(b"content")
    opened.seek(3)
    reader, writer = os.pipe()
    os.write(writer, b"content")
    os.close(writer)
    stored = data({"id": "m1", "url": "https://x", "content_type": "application/pdf", "size": 7}, 201)
    limited = error(429, "rate_limited", headers={"Retry-After": "0"})
    with StandIn(*[limited, stored] * 4) as server, client_of(server) as client, open(reader, "rb") as pipe:
        assert client.media.upload(b"content", filename="plan.pdf").size == 7
        client.media.upload(path)
        client.media.upload(opened, filename="plan.pdf")
        client.media.upload(pipe, filename="plan.pdf")
        bodies = [asked.body for asked in server.asked]
        assert len(bodies) == 8
        for body in bodies:
            assert b'name="file"; filename="plan.pdf"' in body
            assert b"Content-Type: application/pdf" in body and b"\r\n\r\ncontent\r\n" in body


def test_a_file_may_take_longer_than_other_calls_unless_a_deadline_is_set() -> None:
    client = Frontdesk(KEY, "http://127.0.0.1:1")
    read = Call("GET", "/api/v1/me")
    file = Call("POST", "/api/v1/media", upload=Upload(b"content", "plan.pdf", "application/pdf"))
    for options, seconds in [(client.options, (60, 600)), (client.with_options(timeout=5).options, (5, 5))]:
        assert (options.timeout_of(read), options.timeout_of(file)) == seconds


def test_a_client_of_httpx_can_be_given_and_stays_open() -> None:
    with StandIn(CREATED) as server, httpx.Client(headers={"X-Mine": "1"}) as http:
        with Frontdesk(KEY, server.url, http_client=http) as client:
            client.contacts.get("c1")
        assert server.last.headers["x-mine"] == "1" and not http.is_closed


def test_threads_share_a_client() -> None:
    with StandIn(CREATED) as server, client_of(server) as client:
        names: list[str | None] = []
        threads = [
            threading.Thread(target=lambda: names.append(client.contacts.create(name="Ann").name)) for _ in range(20)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert names == ["Ann Lee"] * 20
        assert len({asked.headers["idempotency-key"] for asked in server.asked}) == 20
