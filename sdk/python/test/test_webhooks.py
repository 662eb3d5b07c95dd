"""Webhooks: what is signed is returned, and nothing else is."""

from __future__ import annotations

import base64
import json
import time
from datetime import datetime, timezone
from typing import Any

import pytest
import standardwebhooks
from examples import CONTACT, event

from frontdesk import Frontdesk, WebhookVerificationError
from frontdesk.types import ContactCreatedEvent, UnknownEvent
from frontdesk.webhooks import TOLERANCE_SECONDS, sign, unwrap

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
OTHER = "whsec_" + base64.b64encode(bytes(32)).decode()
BODY = json.dumps(event(name="Zoë \U0001f642", contact=CONTACT), ensure_ascii=False).encode()
NOW = int(time.time())


def test_a_signed_request_is_its_event() -> None:
    made = unwrap(BODY, sign(BODY, SECRET, "evt_1", NOW), SECRET)
    assert isinstance(made, ContactCreatedEvent) and made.data.contact.name == "Ann Lee"
    assert unwrap(BODY.decode(), sign(BODY, SECRET, "evt_1", NOW), SECRET) == made
    client = Frontdesk("frontdesk_live_x", "http://127.0.0.1:1")
    assert client.webhooks.unwrap(BODY, sign(BODY, SECRET, "evt_1", NOW), SECRET) == made


def test_an_unknown_event_is_verified_as_well() -> None:
    body = json.dumps(event(1, "tag.faded", tag={})).encode()
    assert isinstance(unwrap(body, sign(body, SECRET, "evt_1", NOW), SECRET), UnknownEvent)


def test_the_library_of_the_scheme_agrees_in_both_directions() -> None:
    library = standardwebhooks.Webhook(SECRET)
    headers = sign(BODY, SECRET, "evt_1", NOW)
    assert library.verify(BODY.decode(), headers) == json.loads(BODY)
    moment = datetime.fromtimestamp(NOW, timezone.utc)
    signature = library.sign("evt_1", moment, BODY.decode())
    assert signature == headers["webhook-signature"]
    unwrap(BODY, {**headers, "webhook-signature": signature}, SECRET)


def test_headers_are_found_in_any_case_and_in_pairs() -> None:
    headers = sign(BODY, SECRET, "evt_1", NOW)
    unwrap(BODY, {name.title(): value for name, value in headers.items()}, SECRET)
    unwrap(BODY, [(name.upper(), value) for name, value in headers.items()], SECRET)


def test_one_of_several_secrets_and_one_of_several_signatures_suffice() -> None:
    headers = sign(BODY, SECRET, "evt_1", NOW)
    unwrap(BODY, headers, [OTHER, SECRET])
    wrong = sign(BODY, OTHER, "evt_1", NOW)["webhook-signature"]
    both = {**headers, "webhook-signature": f"v2,abc {wrong} {headers['webhook-signature']}"}
    unwrap(BODY, both, SECRET)


def tampered() -> list[tuple[str, bytes, dict[str, str], Any]]:
    headers = sign(BODY, SECRET, "evt_1", NOW)
    signature = headers["webhook-signature"]

    def but(**changes: str) -> dict[str, str]:
        return {**headers, **{f"webhook-{name}": value for name, value in changes.items()}}

    return [
        ("the body", BODY.replace(b"Ann", b"Eve"), headers, SECRET),
        ("a space more", BODY + b" ", headers, SECRET),
        ("the id", BODY, but(id="evt_2"), SECRET),
        ("the time", BODY, but(timestamp=str(NOW + 1)), SECRET),
        ("no number", BODY, but(timestamp="now"), SECRET),
        ("another script's digits", BODY, but(timestamp="٣"), SECRET),
        ("no signature", BODY, but(signature=""), SECRET),
        ("an empty signature", BODY, but(signature="v1,"), SECRET),
        ("another scheme", BODY, but(signature=signature.replace("v1,", "v1a,")), SECRET),
        ("no scheme", BODY, but(signature=signature.removeprefix("v1,")), SECRET),
        ("not of ASCII", BODY, but(signature="v1,é"), SECRET),
        ("no headers", BODY, {}, SECRET),
        ("another secret", BODY, headers, OTHER),
        ("no secret", BODY, headers, []),
        ("too old", BODY, sign(BODY, SECRET, "evt_1", NOW - TOLERANCE_SECONDS - 5), SECRET),
        ("too new", BODY, sign(BODY, SECRET, "evt_1", NOW + TOLERANCE_SECONDS + 3600), SECRET),
    ]


@pytest.mark.parametrize("case", tampered(), ids=lambda case: case[0])
def test_what_is_not_signed_is_refused(case: tuple[str, bytes, dict[str, str], Any]) -> None:
    _, body, headers, secret = case
    with pytest.raises(WebhookVerificationError):
        unwrap(body, headers, secret)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_***", "   "])
def test_a_secret_that_is_none_is_a_mistake_of_the_program(secret: str) -> None:
    # An empty key would verify what anybody signs with an empty key.
    with pytest.raises(ValueError, match="begins with whsec_"):
        unwrap(BODY, sign(BODY, SECRET, "evt_1", NOW), secret)


@pytest.mark.parametrize("body", [b"", b"[]", b"no json", b"7"])
def test_a_signed_body_that_is_no_event_is_refused(body: bytes) -> None:
    with pytest.raises(WebhookVerificationError, match="signed, but"):
        unwrap(body, sign(body, SECRET, "evt_1", NOW), SECRET)


def test_the_clock_can_be_given() -> None:
    unwrap(BODY, sign(BODY, SECRET, "evt_1", 1000), SECRET, now=1000 + TOLERANCE_SECONDS)
