"""One call of the API, and the settings under which it is made."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .files import Upload
from .given import NOT_GIVEN, NotGiven

# The budget of a key is full again within a minute.
TIMEOUT_SECONDS_DEFAULT = 60.0
# A file may have 100 MiB.
FILE_TIMEOUT_SECONDS_DEFAULT = 600.0
RETRIES_DEFAULT = 3
KEY_CHARS_MAX = 255


@dataclass(frozen=True)
class Options:
    """How calls are made."""

    timeout: float | NotGiven = NOT_GIVEN
    """Seconds that a call may take, with its retries and the pauses between them: 60, and 600 for a file."""
    max_retries: int = RETRIES_DEFAULT
    """Attempts after the first one."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Sent with every request."""

    def __post_init__(self) -> None:
        if not isinstance(self.timeout, NotGiven) and self.timeout <= 0:
            raise ValueError("timeout must be above zero.")
        if self.max_retries < 0:
            raise ValueError("max_retries must not be negative.")

    def timeout_of(self, call: Call) -> float:
        """Seconds that this call may take."""
        usual = TIMEOUT_SECONDS_DEFAULT if call.upload is None else FILE_TIMEOUT_SECONDS_DEFAULT
        return usual if isinstance(self.timeout, NotGiven) else self.timeout

    def changed(
        self,
        timeout: float | NotGiven,
        max_retries: int | NotGiven,
        headers: Mapping[str, str] | NotGiven,
    ) -> Options:
        """The same options but for those that are given; headers are added."""
        given = {"timeout": timeout, "max_retries": max_retries}
        changes: dict[str, Any] = {name: value for name, value in given.items() if value is not NOT_GIVEN}
        if not isinstance(headers, NotGiven):
            changes["headers"] = {**self.headers, **headers}
        return replace(self, **changes)


@dataclass(frozen=True)
class Call:
    """A request that may be sent several times."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    """The body, as JSON."""
    upload: Upload | None = None
    """The body, as a file."""
    idempotency_key: str | None = None

    @property
    def is_repeatable(self) -> bool:
        """Whether it may be sent again although it is unknown whether the first attempt had an effect."""
        return self.idempotency_key is not None or self.method in ("GET", "HEAD", "PUT", "DELETE")

    @property
    def name(self) -> str:
        """For messages and the log."""
        return f"{self.method} {self.path}"


def key_for(given: str | None) -> str:
    """The idempotency key of a call: the caller's, or a new one."""
    if given is None:
        return str(uuid.uuid4())
    if not 1 <= len(given) <= KEY_CHARS_MAX or not all("!" <= char <= "~" for char in given):
        raise ValueError(f"An idempotency key has 1 to {KEY_CHARS_MAX} visible ASCII characters.")
    return given
