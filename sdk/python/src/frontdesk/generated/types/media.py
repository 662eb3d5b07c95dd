"""Types of media.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..._runtime.model import Model


@dataclass(frozen=True, kw_only=True)
class UploadMediaResult(Model):
    content_type: str
    id: str
    size: int
    url: str
