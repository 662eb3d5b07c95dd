"""How JSON becomes objects.

Decoding never fails. A field that this version does not know is kept in `extra`, an unknown value of a closed list is
the string that came, an unknown variant is the union's `Unknown…` class, and a value of an unexpected shape stays as it
is in the JSON.
"""

from __future__ import annotations

import dataclasses
import functools
import keyword
import types
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from .encode import encode
from .typing import Self

if TYPE_CHECKING:
    from .response import Response

T = TypeVar("T")
Decode = Callable[[Any], Any]


@dataclasses.dataclass(frozen=True)
class Model:
    """An object of the API. It is immutable, and compares by its fields."""

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> Self:
        """Makes the object from its JSON."""
        made = cls.__new__(cls)
        values = made.__dict__
        for field in _fields(cls):
            value = json.get(field.key, field.default)
            values[field.name] = field.decode(value) if field.decode and value is not None else value
        values["_json"] = json
        return made

    def to_dict(self) -> dict[str, Any]:
        """The object as JSON: as it came, with unknown fields, or from the fields of an object that you made."""
        json = self.__dict__.get("_json")
        if json is not None:
            return dict(json)
        return {field.key: encode(getattr(self, field.name)) for field in _fields(type(self))}

    @property
    def extra(self) -> dict[str, Any]:
        """The fields that this version of the package does not know."""
        known = {field.key for field in _fields(type(self))}
        return {key: value for key, value in self.__dict__.get("_json", {}).items() if key not in known}


def response_of(made: Model) -> Response:
    """The response that carried an object: status, headers, request id, rate limit, raw body.

    Only what a call returned has one, not the objects inside it or the rows of a page (`Page.response` has theirs).
    """
    response = made.__dict__.get("_response")
    if response is None:
        raise ValueError(f"This {type(made).__name__} was not returned by a call. Ask for the object that was.")
    return cast("Response", response)


def remember_response(made: object, response: Response) -> None:
    """Lets `response_of` find the response."""
    if isinstance(made, Model):
        made.__dict__["_response"] = response


def decode(as_type: type[T], json: object) -> T:
    """Makes a value of this type from JSON."""
    found = decoder(as_type)
    return cast("T", found(json) if found else json)


@dataclasses.dataclass(frozen=True)
class _Field:
    name: str
    key: str
    default: Any
    decode: Decode | None


_FIELDS: dict[type[Model], tuple[_Field, ...]] = {}


def _fields(model: type[Model]) -> tuple[_Field, ...]:
    # Two threads may both find nothing; they make the same.
    known = _FIELDS.get(model)
    if known is None:
        known = _FIELDS[model] = _read_fields(model)
    return known


def _read_fields(model: type[Model]) -> tuple[_Field, ...]:
    hints = get_type_hints(model)
    return tuple(
        _Field(
            name=field.name,
            key=json_name(field.name),
            default=None if field.default is dataclasses.MISSING else field.default,
            decode=decoder(hints[field.name]),
        )
        for field in dataclasses.fields(model)
    )


def json_name(name: str) -> str:
    """A field's name in JSON: `from_` is `from`, because a keyword cannot be a name in Python."""
    bare = name.removesuffix("_")
    return bare if keyword.iskeyword(bare) else name


def decoder(hint: Any) -> Decode | None:
    """What makes a value of this type from JSON that is not null; none if the JSON is the value."""
    if hint is datetime:
        return _instant
    if hint is date:
        return _date
    if isinstance(hint, type) and issubclass(hint, Model):
        return functools.partial(_model, hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is list:
        item = decoder(arguments[0])
        return functools.partial(_list, item) if item else None
    if origin is dict:
        value = decoder(arguments[1])
        return functools.partial(_dict, value) if value else None
    if origin in (Union, types.UnionType):
        return _union(tuple(one for one in arguments if one is not types.NoneType))
    return None


def _union(options: tuple[Any, ...]) -> Decode | None:
    models = [one for one in options if isinstance(one, type) and issubclass(one, Model)]
    if len(models) > 1:
        return _tagged(tuple(models))
    decoders = [found for found in map(decoder, options) if found]
    return decoders[0] if len(decoders) == 1 else None


def _tagged(models: tuple[type[Model], ...]) -> Decode:
    """Chooses the class by the field that is another literal in each; the class without one is the unknown variant."""
    variants: dict[str, type[Model]] = {}
    tag = ""
    unknown: type[Model] | None = None
    for model in models:
        literals = {name: get_args(hint)[0] for name, hint in get_type_hints(model).items() if _is_one_literal(hint)}
        if not literals:
            unknown = model
        for name, value in literals.items():
            tag = name
            variants[value] = model
    key = json_name(tag)

    def choose(json: Any) -> Any:
        if not isinstance(json, dict):
            return json
        value = json.get(key)
        model = variants.get(value, unknown) if isinstance(value, str) else unknown
        return json if model is None else model.from_dict(json)

    return choose


def _is_one_literal(hint: Any) -> bool:
    return get_origin(hint) is Literal and len(get_args(hint)) == 1


def _instant(json: Any) -> Any:
    if not isinstance(json, str):
        return json
    try:
        # Python 3.10 does not read a Z.
        return datetime.fromisoformat(json.removesuffix("Z") + "+00:00" if json.endswith("Z") else json)
    except ValueError:
        return json


def _date(json: Any) -> Any:
    if not isinstance(json, str):
        return json
    try:
        return date.fromisoformat(json)
    except ValueError:
        return json


def _model(model: type[Model], json: Any) -> Any:
    return model.from_dict(json) if isinstance(json, dict) else json


def _list(item: Decode, json: Any) -> Any:
    return [one if one is None else item(one) for one in json] if isinstance(json, list) else json


def _dict(value: Decode, json: Any) -> Any:
    if not isinstance(json, dict):
        return json
    return {key: one if one is None else value(one) for key, one in json.items()}
