"""Operations of canned replies.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.encode import path_to
from ..._runtime.given import NOT_GIVEN, NotGiven
from ..._runtime.pages import AsyncPager, Pager
from ..types.canned_replies import CannedReply
from ..types.shared import Deleted


class CannedRepliesResource(Resource):
    """Operations of canned replies: `client.canned_replies`."""

    def list(self) -> Pager[CannedReply]:
        """List canned replies.

        Needs the scope `conversations:read`.
        """
        return self._pager(CannedReply, "/api/v1/canned-replies")

    def create(
        self,
        *,
        shortcut: str,
        body: str,
        media_ids: Sequence[str] | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> CannedReply:
        """Create a canned reply.

        Args:
            shortcut: Unique in the account, regardless of case.
            body: May hold placeholders such as `{{contact.name}}`.
            media_ids: Uploads of `POST /media`. They are kept as long as the canned reply has them.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `conversations:write`.
        """
        return self._call(
            CannedReply,
            "POST",
            "/api/v1/canned-replies",
            body={"shortcut": shortcut, "body": body, "media_ids": media_ids},
            idempotency_key=idempotency_key,
        )

    def delete(self, canned_reply_id: str) -> Deleted:
        """Delete a canned reply.

        Needs the scope `conversations:write`.
        """
        return self._call(Deleted, "DELETE", path_to("/api/v1/canned-replies/{id}", canned_reply_id))

    def update(
        self,
        canned_reply_id: str,
        *,
        body: str | NotGiven = NOT_GIVEN,
        media_ids: Sequence[str] | NotGiven = NOT_GIVEN,
        shortcut: str | NotGiven = NOT_GIVEN,
    ) -> CannedReply:
        """Update a canned reply.

        `media_ids` replaces all files. A file that no canned reply and no message has is deleted after 7 days.

        Args:
            media_ids: Replaces all files.

        Needs the scope `conversations:write`.
        """
        return self._call(
            CannedReply,
            "PATCH",
            path_to("/api/v1/canned-replies/{id}", canned_reply_id),
            body={"body": body, "media_ids": media_ids, "shortcut": shortcut},
        )


class AsyncCannedRepliesResource(AsyncResource):
    """Operations of canned replies: `client.canned_replies`."""

    def list(self) -> AsyncPager[CannedReply]:
        """List canned replies.

        Needs the scope `conversations:read`.
        """
        return self._pager(CannedReply, "/api/v1/canned-replies")

    async def create(
        self,
        *,
        shortcut: str,
        body: str,
        media_ids: Sequence[str] | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> CannedReply:
        """Create a canned reply.

        Args:
            shortcut: Unique in the account, regardless of case.
            body: May hold placeholders such as `{{contact.name}}`.
            media_ids: Uploads of `POST /media`. They are kept as long as the canned reply has them.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `conversations:write`.
        """
        return await self._call(
            CannedReply,
            "POST",
            "/api/v1/canned-replies",
            body={"shortcut": shortcut, "body": body, "media_ids": media_ids},
            idempotency_key=idempotency_key,
        )

    async def delete(self, canned_reply_id: str) -> Deleted:
        """Delete a canned reply.

        Needs the scope `conversations:write`.
        """
        return await self._call(Deleted, "DELETE", path_to("/api/v1/canned-replies/{id}", canned_reply_id))

    async def update(
        self,
        canned_reply_id: str,
        *,
        body: str | NotGiven = NOT_GIVEN,
        media_ids: Sequence[str] | NotGiven = NOT_GIVEN,
        shortcut: str | NotGiven = NOT_GIVEN,
    ) -> CannedReply:
        """Update a canned reply.

        `media_ids` replaces all files. A file that no canned reply and no message has is deleted after 7 days.

        Args:
            media_ids: Replaces all files.

        Needs the scope `conversations:write`.
        """
        return await self._call(
            CannedReply,
            "PATCH",
            path_to("/api/v1/canned-replies/{id}", canned_reply_id),
            body={"body": body, "media_ids": media_ids, "shortcut": shortcut},
        )
