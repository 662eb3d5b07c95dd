"""Operations of instructions.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.encode import path_to
from ..._runtime.given import NOT_GIVEN, NotGiven
from ..._runtime.pages import AsyncPager, Pager
from ..types.shared import Deleted, Instruction


class InstructionsResource(Resource):
    """Operations of instructions: `client.instructions`."""

    def list(self, *, q: str | None = None, cursor: str | None = None, limit: int | None = None) -> Pager[Instruction]:
        """List the instruction library.

        Args:
            q: Any part of the title or the body, ignoring case.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `assistants:read`.
        """
        return self._pager(Instruction, "/api/v1/instructions", cursor=cursor, query={"q": q, "limit": limit})

    def create(self, *, title: str, body: str, idempotency_key: str | None = None) -> Instruction:
        """Add an instruction to the library.

        Args:
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `assistants:write`.
        """
        return self._call(
            Instruction,
            "POST",
            "/api/v1/instructions",
            body={"title": title, "body": body},
            idempotency_key=idempotency_key,
        )

    def delete(self, instruction_id: str) -> Deleted:
        """Delete an instruction.

        It is removed from all assistants.

        Needs the scope `assistants:write`.
        """
        return self._call(Deleted, "DELETE", path_to("/api/v1/instructions/{id}", instruction_id))

    def get(self, instruction_id: str) -> Instruction:
        """Get an instruction.

        Needs the scope `assistants:read`.
        """
        return self._call(Instruction, "GET", path_to("/api/v1/instructions/{id}", instruction_id))

    def update(
        self,
        instruction_id: str,
        *,
        body: str | NotGiven = NOT_GIVEN,
        title: str | NotGiven = NOT_GIVEN,
    ) -> Instruction:
        """Update an instruction.

        Needs the scope `assistants:write`.
        """
        return self._call(
            Instruction,
            "PATCH",
            path_to("/api/v1/instructions/{id}", instruction_id),
            body={"body": body, "title": title},
        )


class AsyncInstructionsResource(AsyncResource):
    """Operations of instructions: `client.instructions`."""

    def list(
        self,
        *,
        q: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPager[Instruction]:
        """List the instruction library.

        Args:
            q: Any part of the title or the body, ignoring case.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `assistants:read`.
        """
        return self._pager(Instruction, "/api/v1/instructions", cursor=cursor, query={"q": q, "limit": limit})

    async def create(self, *, title: str, body: str, idempotency_key: str | None = None) -> Instruction:
        """Add an instruction to the library.

        Args:
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `assistants:write`.
        """
        return await self._call(
            Instruction,
            "POST",
            "/api/v1/instructions",
            body={"title": title, "body": body},
            idempotency_key=idempotency_key,
        )

    async def delete(self, instruction_id: str) -> Deleted:
        """Delete an instruction.

        It is removed from all assistants.

        Needs the scope `assistants:write`.
        """
        return await self._call(Deleted, "DELETE", path_to("/api/v1/instructions/{id}", instruction_id))

    async def get(self, instruction_id: str) -> Instruction:
        """Get an instruction.

        Needs the scope `assistants:read`.
        """
        return await self._call(Instruction, "GET", path_to("/api/v1/instructions/{id}", instruction_id))

    async def update(
        self,
        instruction_id: str,
        *,
        body: str | NotGiven = NOT_GIVEN,
        title: str | NotGiven = NOT_GIVEN,
    ) -> Instruction:
        """Update an instruction.

        Needs the scope `assistants:write`.
        """
        return await self._call(
            Instruction,
            "PATCH",
            path_to("/api/v1/instructions/{id}", instruction_id),
            body={"body": body, "title": title},
        )
