"""Operations of memories.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.encode import path_to
from ..._runtime.given import NOT_GIVEN, NotGiven
from ..._runtime.pages import AsyncPager, Pager
from ..types.memories import Memory
from ..types.shared import Deleted


class MemoriesResource(Resource):
    """Operations of memories: `client.memories`."""

    def list(
        self,
        *,
        assistant_id: str | None = None,
        contact_id: str | None = None,
        q: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pager[Memory]:
        """List memories.

        `q` matches the beginnings of words.

        Args:
            assistant_id: Memories of this assistant. Those that belong to all assistants are not among them.
            q: Beginnings of words, in any order and ignoring case. All of them must match.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `assistants:read`.
        """
        return self._pager(
            Memory,
            "/api/v1/memories",
            cursor=cursor,
            query={"assistant_id": assistant_id, "contact_id": contact_id, "q": q, "limit": limit},
        )

    def create(
        self,
        *,
        content: str,
        assistant_id: str | None | NotGiven = NOT_GIVEN,
        contact_id: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Memory:
        """Write a memory.

        Args:
            assistant_id: The assistant that recalls it; all of them by default.
            contact_id: The contact it is about; defaults to the whole account.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `assistants:write`.
        """
        return self._call(
            Memory,
            "POST",
            "/api/v1/memories",
            body={"content": content, "assistant_id": assistant_id, "contact_id": contact_id},
            idempotency_key=idempotency_key,
        )

    def delete(self, memory_id: str) -> Deleted:
        """Delete a memory.

        Needs the scope `assistants:write`.
        """
        return self._call(Deleted, "DELETE", path_to("/api/v1/memories/{id}", memory_id))


class AsyncMemoriesResource(AsyncResource):
    """Operations of memories: `client.memories`."""

    def list(
        self,
        *,
        assistant_id: str | None = None,
        contact_id: str | None = None,
        q: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPager[Memory]:
        """List memories.

        `q` matches the beginnings of words.

        Args:
            assistant_id: Memories of this assistant. Those that belong to all assistants are not among them.
            q: Beginnings of words, in any order and ignoring case. All of them must match.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `assistants:read`.
        """
        return self._pager(
            Memory,
            "/api/v1/memories",
            cursor=cursor,
            query={"assistant_id": assistant_id, "contact_id": contact_id, "q": q, "limit": limit},
        )

    async def create(
        self,
        *,
        content: str,
        assistant_id: str | None | NotGiven = NOT_GIVEN,
        contact_id: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Memory:
        """Write a memory.

        Args:
            assistant_id: The assistant that recalls it; all of them by default.
            contact_id: The contact it is about; defaults to the whole account.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `assistants:write`.
        """
        return await self._call(
            Memory,
            "POST",
            "/api/v1/memories",
            body={"content": content, "assistant_id": assistant_id, "contact_id": contact_id},
            idempotency_key=idempotency_key,
        )

    async def delete(self, memory_id: str) -> Deleted:
        """Delete a memory.

        Needs the scope `assistants:write`.
        """
        return await self._call(Deleted, "DELETE", path_to("/api/v1/memories/{id}", memory_id))
