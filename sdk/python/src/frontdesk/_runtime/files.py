"""Files that are uploaded."""

from __future__ import annotations

import mimetypes
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Union

# A Union, because Python 3.10 cannot join a name in quotes with `|`.
FileContent = Union[bytes, IO[bytes], str, "os.PathLike[str]"]
"""A file: its bytes, a path, or an open file, which is read from its beginning."""

TYPE_UNKNOWN = "application/octet-stream"


@dataclass(frozen=True)
class Upload:
    """A file with its name and type."""

    content: bytes | IO[bytes] | Path
    filename: str
    content_type: str

    @contextmanager
    def opened(self) -> Generator[bytes | IO[bytes], None, None]:
        """What one attempt sends."""
        if isinstance(self.content, Path):
            with self.content.open("rb") as file:
                yield file
            return
        # The library seeks to the beginning of a file that is open.
        yield self.content


def upload_of(file: FileContent, filename: str | None, content_type: str | None) -> Upload:
    """The file with its name and type, which are guessed where they are not given."""
    content: bytes | IO[bytes] | Path
    if isinstance(file, bytes):
        content, name = file, "file"
    elif isinstance(file, (str, os.PathLike)):
        content = Path(file)
        name = content.name
    else:
        # What can be read only once is kept for a second attempt.
        content = file if file.seekable() else file.read()
        given = getattr(file, "name", None)
        name = Path(given).name if isinstance(given, str) else "file"
    name = filename or name
    kind = content_type or mimetypes.guess_type(name)[0] or TYPE_UNKNOWN
    return Upload(content, name, kind)
