"""How arguments become JSON, queries and paths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timezone
from decimal import Decimal
from enum import Enum
from typing import Any
from urllib.parse import quote
from uuid import UUID

from .given import NOT_GIVEN


def encode(value: Any) -> Any:
    """A value as JSON. What was not given is left out of its object."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, datetime):
        return _instant(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, Mapping):
        return {str(key): encode(one) for key, one in value.items() if one is not NOT_GIVEN}
    to_dict = getattr(value, "to_dict", None)
    if callable(to_dict):
        return to_dict()
    if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray)):
        return [encode(one) for one in value]
    raise TypeError(f"A {type(value).__name__} cannot be sent. Send text, numbers, dates, lists and dicts.")


def encode_query(values: Mapping[str, Any]) -> dict[str, str]:
    """The parameters of a query. Those that are `None` or not given are left out."""
    return {name: _text(value) for name, value in values.items() if value is not None and value is not NOT_GIVEN}


def path_to(template: str, *ids: str | UUID) -> str:
    """The path with its placeholders filled in. An id cannot lead to another path."""
    segments = iter(ids)
    parts: list[str] = []
    for part in template.split("/"):
        parts.append(_segment(next(segments)) if part.startswith("{") else part)
    return "/".join(parts)


def _segment(given: str | UUID) -> str:
    text = str(given)
    # An empty id would call the list, and a dot another resource.
    if text in ("", ".", ".."):
        raise ValueError(f"{text!r} is not an id. Pass the `id` of an object.")
    return quote(text, safe="")


def _text(value: Any) -> str:
    encoded = encode(value)
    if isinstance(encoded, bool):
        return "true" if encoded else "false"
    return str(encoded)


def _instant(value: datetime) -> str:
    if value.tzinfo is None:
        raise ValueError(f"{value!r} has no timezone. Use datetime.now(timezone.utc), for example.")
    return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
