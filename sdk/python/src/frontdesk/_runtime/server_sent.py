"""Server-sent events: from the bytes of a stream to its messages. No input or output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Only these end a line. Text may contain others that Python counts as ends, such as U+2028.
LINE_END = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True)
class Message:
    """A message of a stream."""

    id: str | None
    """The last id that the stream has named."""
    event: str
    data: str


class Reader:
    """Puts bytes together to messages. A message that is cut off is none."""

    def __init__(self) -> None:
        self._rest = b""
        self._id: str | None = None
        self._event = ""
        self._data: list[str] = []

    def feed(self, part: bytes) -> Iterator[Message]:
        """Takes the next bytes, and returns the messages that they end."""
        text = self._rest + part
        # A line feed may follow.
        held = b"\r" if text.endswith(b"\r") else b""
        *lines, rest = LINE_END.split(text[: len(text) - len(held)])
        self._rest = rest + held
        for line in lines:
            message = self._line(line.decode("utf-8", "replace"))
            if message:
                yield message

    def _line(self, line: str) -> Message | None:
        if not line:
            return self._end()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value or None
        return None

    def _end(self) -> Message | None:
        event, data = self._event or "message", self._data
        self._event, self._data = "", []
        return Message(self._id, event, "\n".join(data)) if data else None
