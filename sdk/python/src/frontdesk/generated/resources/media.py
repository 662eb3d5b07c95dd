"""Operations of media.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.files import FileContent, upload_of
from ..types.media import UploadMediaResult


class MediaResource(Resource):
    """Operations of media: `client.media`."""

    def upload(
        self,
        file: FileContent,
        *,
        filename: str | None = None,
        content_type: str | None = None,
    ) -> UploadMediaResult:
        """Upload a file.

        A file of at most 100 MiB, in the part `file` of a form. `media.url` of POST /messages may then be its `url`:
        the file reaches the channel through the channel's own upload. It is deleted after 7 days unless it was sent;
        its `url` works until it is deleted. Needs the scope messages:send.

        Args:
            file: Its bytes, a path, or an open file, which is read from its beginning.
            filename: Its name; guessed if it is left out.
            content_type: Its type; guessed from the name if it is left out.

        Needs the scope `messages:send`.
        """
        return self._upload(UploadMediaResult, "POST", "/api/v1/media", upload_of(file, filename, content_type))


class AsyncMediaResource(AsyncResource):
    """Operations of media: `client.media`."""

    async def upload(
        self,
        file: FileContent,
        *,
        filename: str | None = None,
        content_type: str | None = None,
    ) -> UploadMediaResult:
        """Upload a file.

        A file of at most 100 MiB, in the part `file` of a form. `media.url` of POST /messages may then be its `url`:
        the file reaches the channel through the channel's own upload. It is deleted after 7 days unless it was sent;
        its `url` works until it is deleted. Needs the scope messages:send.

        Args:
            file: Its bytes, a path, or an open file, which is read from its beginning.
            filename: Its name; guessed if it is left out.
            content_type: Its type; guessed from the name if it is left out.

        Needs the scope `messages:send`.
        """
        return await self._upload(UploadMediaResult, "POST", "/api/v1/media", upload_of(file, filename, content_type))
