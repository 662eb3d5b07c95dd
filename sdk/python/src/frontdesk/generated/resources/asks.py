"""Operations of asks.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.encode import path_to
from ..._runtime.given import NOT_GIVEN, NotGiven
from ..._runtime.pages import AsyncPager, Pager
from ..types.asks import Decision
from ..types.shared import Ask, AskKind, AskStatus


class AsksResource(Resource):
    """Operations of asks: `client.asks`."""

    def list(
        self,
        *,
        status: AskStatus | None = None,
        kind: AskKind | None = None,
        run_id: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pager[Ask]:
        """List asks.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `asks:read`.
        """
        return self._pager(
            Ask,
            "/api/v1/asks",
            cursor=cursor,
            query={"status": status, "kind": kind, "run_id": run_id, "limit": limit},
        )

    def get(self, ask_id: str) -> Ask:
        """Get an ask.

        Needs the scope `asks:read`.
        """
        return self._call(Ask, "GET", path_to("/api/v1/asks/{id}", ask_id))

    def answer(
        self,
        ask_id: str,
        *,
        answer: str | None | NotGiven = NOT_GIVEN,
        decision: Decision | None | NotGiven = NOT_GIVEN,
        note: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Ask:
        """Answer an ask.

        An approval takes a `decision` and optionally a `note` to the assistant. A question takes an `answer`, or the
        decision `decline`. The run continues at once. An ask that is no longer pending is a 409. Approving needs the
        scope of the operation that the tool calls: without it, the response is a 403 with the reason `scope`. The
        approval of a program's ask carries out what it asked for, as its key: if that is refused, the response is that
        refusal, and the ask still waits.

        Args:
            answer: For a question.
            decision: For an approval.
            note: A note to the assistant about the decision.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `asks:answer`. Costs 2 units.
        """
        return self._call(
            Ask,
            "POST",
            path_to("/api/v1/asks/{id}/answer", ask_id),
            body={"answer": answer, "decision": decision, "note": note},
            idempotency_key=idempotency_key,
        )


class AsyncAsksResource(AsyncResource):
    """Operations of asks: `client.asks`."""

    def list(
        self,
        *,
        status: AskStatus | None = None,
        kind: AskKind | None = None,
        run_id: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPager[Ask]:
        """List asks.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `asks:read`.
        """
        return self._pager(
            Ask,
            "/api/v1/asks",
            cursor=cursor,
            query={"status": status, "kind": kind, "run_id": run_id, "limit": limit},
        )

    async def get(self, ask_id: str) -> Ask:
        """Get an ask.

        Needs the scope `asks:read`.
        """
        return await self._call(Ask, "GET", path_to("/api/v1/asks/{id}", ask_id))

    async def answer(
        self,
        ask_id: str,
        *,
        answer: str | None | NotGiven = NOT_GIVEN,
        decision: Decision | None | NotGiven = NOT_GIVEN,
        note: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Ask:
        """Answer an ask.

        An approval takes a `decision` and optionally a `note` to the assistant. A question takes an `answer`, or the
        decision `decline`. The run continues at once. An ask that is no longer pending is a 409. Approving needs the
        scope of the operation that the tool calls: without it, the response is a 403 with the reason `scope`. The
        approval of a program's ask carries out what it asked for, as its key: if that is refused, the response is that
        refusal, and the ask still waits.

        Args:
            answer: For a question.
            decision: For an approval.
            note: A note to the assistant about the decision.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `asks:answer`. Costs 2 units.
        """
        return await self._call(
            Ask,
            "POST",
            path_to("/api/v1/asks/{id}/answer", ask_id),
            body={"answer": answer, "decision": decision, "note": note},
            idempotency_key=idempotency_key,
        )
