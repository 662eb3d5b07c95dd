"""How JSON becomes objects: nothing that a later server may send is an error, and nothing is lost."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from examples import CONTACT, DEAL, event

from frontdesk import types
from frontdesk._runtime.encode import encode
from frontdesk._runtime.model import Model, decoder


def decode_event(json: dict[str, Any]) -> types.Event:
    decode = decoder(types.Event)
    assert decode is not None
    made: types.Event = decode(json)
    return made


def test_fields_have_the_types_that_are_declared() -> None:
    deal = types.Deal.from_dict(DEAL)
    assert deal.expected_close_date == date(2026, 2, 28)
    assert deal.created_at == datetime(2026, 1, 31, 9, 30, 0, 125_000, tzinfo=timezone.utc)
    assert deal.closed_at is None and deal.value == 1200.5
    contact = types.Contact.from_dict(CONTACT)
    assert isinstance(contact.tags[0], types.ContactTag)


def test_an_object_gives_back_its_json_with_what_is_unknown() -> None:
    json = {**CONTACT, "mood": {"is": "good"}, "tags": [{**CONTACT["tags"][0], "weight": 3}]}
    contact = types.Contact.from_dict(json)
    assert contact.to_dict() == json
    assert contact.extra == {"mood": {"is": "good"}}
    assert contact.tags[0].extra == {"weight": 3}
    assert types.Contact.from_dict(CONTACT).extra == {}


def test_an_object_that_you_make_has_the_same_json() -> None:
    made = types.Contact.from_dict(CONTACT)
    fields = {field.name: getattr(made, field.name) for field in dataclasses.fields(made)}
    by_hand = types.Contact(**fields)
    assert by_hand == made and by_hand.to_dict() == CONTACT
    changed = dataclasses.replace(made, name="Eve")
    assert changed != made and changed.to_dict() == {**CONTACT, "name": "Eve"}


def test_objects_are_immutable_and_can_be_copied_and_pickled() -> None:
    contact = types.Contact.from_dict({**CONTACT, "mood": "good"})
    with pytest.raises(dataclasses.FrozenInstanceError):
        contact.name = "Eve"  # type: ignore[misc]
    for again in [copy.deepcopy(contact), pickle.loads(pickle.dumps(contact))]:
        assert again == contact and again.extra == {"mood": "good"}


def test_an_unknown_word_is_the_word() -> None:
    assert types.Deal.from_dict({**DEAL, "status": "paused"}).status == "paused"


ODD: list[Any] = [None, 7, 1.5, "text", True, [], {}, [[]], {"a": 1}, [None], "2026-99-99T99:99:99Z", "0000"]


@pytest.mark.parametrize("name", sorted(name for name in types.__all__))
def test_no_shape_of_json_is_an_error(name: str) -> None:
    made = getattr(types, name)
    if not (isinstance(made, type) and issubclass(made, Model)):
        return
    made.from_dict({})
    for odd in ODD:
        json = {field.name: odd for field in dataclasses.fields(made)}
        decoded = made.from_dict(json)
        repr(decoded)
        assert decoded.to_dict() == json


def test_a_field_that_is_missing_is_none() -> None:
    assert types.Contact.from_dict({"id": "c1"}).name is None


def test_events_have_classes() -> None:
    created = decode_event(event())
    assert isinstance(created, types.ContactCreatedEvent)
    assert created.data.contact.name == "Ann Lee" and created.event_id.startswith("evt_")
    moved = decode_event(event(1, "deal.stage_changed", deal=DEAL, previous={"stage_id": "s0"}))
    assert isinstance(moved, types.DealStageChangedEvent)
    assert moved.data.previous.stage_id == "s0"


def test_an_unknown_event_is_an_unknown_event() -> None:
    for event_type in ["tag.faded", "", None, 7, ["contact.created"]]:
        json = {**event(1, "x", tag={"id": "t1"}), "event_type": event_type}
        unknown = decode_event(json)
        assert isinstance(unknown, types.UnknownEvent)
        assert unknown.event_type == event_type and unknown.data == {"tag": {"id": "t1"}}
        assert unknown.created_at.year == 2026 and unknown.to_dict() == json


def test_every_event_type_of_the_catalogue_has_a_class() -> None:
    literals = types.EventType.__args__  # type: ignore[attr-defined]
    assert len(literals) > 30
    for event_type in literals:
        assert not isinstance(decode_event(event(1, event_type)), types.UnknownEvent), event_type


def test_a_keyword_of_python_is_a_field_with_an_underscore() -> None:
    usage = types.AiUsage.from_dict({"from": "2026-01-01", "to": "2026-01-31"})
    assert usage.from_ == "2026-01-01" and usage.extra == {}
    assert usage.to_dict() == {"from": "2026-01-01", "to": "2026-01-31"}


def test_arguments_are_sent_as_people_have_them() -> None:
    uuid = UUID(int=1)
    value = {"id": uuid, "n": Decimal("1.5"), "day": date(2026, 1, 2), "rows": (1, "a", {"b": None}), "set": {1}}
    assert encode(value) == {
        "id": str(uuid),
        "n": 1.5,
        "day": "2026-01-02",
        "rows": [1, "a", {"b": None}],
        "set": [1],
    }
    for wrong in [object(), b"bytes"]:
        with pytest.raises(TypeError, match="cannot be sent"):
            encode(wrong)
