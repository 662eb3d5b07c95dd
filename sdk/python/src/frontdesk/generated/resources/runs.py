"""Operations of runs.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.encode import path_to
from ..._runtime.given import NOT_GIVEN, NotGiven
from ..._runtime.pages import AsyncPager, Pager
from ..types.runs import RunEvent
from ..types.shared import Run, RunEventType, RunStatus


class RunsResource(Resource):
    """Operations of runs: `client.runs`."""

    def list(
        self,
        *,
        status: RunStatus | None = None,
        assistant_id: str | None = None,
        trigger_id: str | None = None,
        contact_id: str | None = None,
        conversation_id: str | None = None,
        parent_run_id: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pager[Run]:
        """List runs.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `runs:read`.
        """
        return self._pager(
            Run,
            "/api/v1/runs",
            cursor=cursor,
            query={
                "status": status,
                "assistant_id": assistant_id,
                "trigger_id": trigger_id,
                "contact_id": contact_id,
                "conversation_id": conversation_id,
                "parent_run_id": parent_run_id,
                "limit": limit,
            },
        )

    def start(
        self,
        *,
        assistant_id: str,
        goal: str,
        contact_id: str | None | NotGiven = NOT_GIVEN,
        conversation_id: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Run:
        """Start a run.

        The assistant works on the goal in the background; follow it with GET /runs/{id} or `run.finished`. A run about
        a contact or a conversation can send messages on the account's channels. A disabled assistant is a 422 with the
        reason `assistant_disabled`, a spent budget one with `ai_budget_exhausted`.

        Args:
            goal: The goal of the run.
            contact_id: The contact it is about.
            conversation_id: The conversation it is about. The run gets its contact.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `runs:start`. Costs 10 units.
        """
        return self._call(
            Run,
            "POST",
            "/api/v1/runs",
            body={
                "assistant_id": assistant_id,
                "goal": goal,
                "contact_id": contact_id,
                "conversation_id": conversation_id,
            },
            idempotency_key=idempotency_key,
        )

    def get(self, run_id: str) -> Run:
        """Get a run.

        Needs the scope `runs:read`.
        """
        return self._call(Run, "GET", path_to("/api/v1/runs/{id}", run_id))

    def cancel(self, run_id: str) -> Run:
        """Cancel a run.

        Cancels its sub-runs and pending asks too. A run that has ended is a 409.

        Needs the scope `runs:start`.
        """
        return self._call(Run, "POST", path_to("/api/v1/runs/{id}/cancel", run_id))

    def list_events(
        self,
        run_id: str,
        *,
        type: RunEventType | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pager[RunEvent]:
        """List a run's steps.

        Every step, newest first: model calls with their cost, tools with their arguments and results, asks.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `runs:read`.
        """
        return self._pager(
            RunEvent,
            path_to("/api/v1/runs/{id}/events", run_id),
            cursor=cursor,
            query={"type": type, "limit": limit},
        )


class AsyncRunsResource(AsyncResource):
    """Operations of runs: `client.runs`."""

    def list(
        self,
        *,
        status: RunStatus | None = None,
        assistant_id: str | None = None,
        trigger_id: str | None = None,
        contact_id: str | None = None,
        conversation_id: str | None = None,
        parent_run_id: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPager[Run]:
        """List runs.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `runs:read`.
        """
        return self._pager(
            Run,
            "/api/v1/runs",
            cursor=cursor,
            query={
                "status": status,
                "assistant_id": assistant_id,
                "trigger_id": trigger_id,
                "contact_id": contact_id,
                "conversation_id": conversation_id,
                "parent_run_id": parent_run_id,
                "limit": limit,
            },
        )

    async def start(
        self,
        *,
        assistant_id: str,
        goal: str,
        contact_id: str | None | NotGiven = NOT_GIVEN,
        conversation_id: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Run:
        """Start a run.

        The assistant works on the goal in the background; follow it with GET /runs/{id} or `run.finished`. A run about
        a contact or a conversation can send messages on the account's channels. A disabled assistant is a 422 with the
        reason `assistant_disabled`, a spent budget one with `ai_budget_exhausted`.

        Args:
            goal: The goal of the run.
            contact_id: The contact it is about.
            conversation_id: The conversation it is about. The run gets its contact.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `runs:start`. Costs 10 units.
        """
        return await self._call(
            Run,
            "POST",
            "/api/v1/runs",
            body={
                "assistant_id": assistant_id,
                "goal": goal,
                "contact_id": contact_id,
                "conversation_id": conversation_id,
            },
            idempotency_key=idempotency_key,
        )

    async def get(self, run_id: str) -> Run:
        """Get a run.

        Needs the scope `runs:read`.
        """
        return await self._call(Run, "GET", path_to("/api/v1/runs/{id}", run_id))

    async def cancel(self, run_id: str) -> Run:
        """Cancel a run.

        Cancels its sub-runs and pending asks too. A run that has ended is a 409.

        Needs the scope `runs:start`.
        """
        return await self._call(Run, "POST", path_to("/api/v1/runs/{id}/cancel", run_id))

    def list_events(
        self,
        run_id: str,
        *,
        type: RunEventType | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPager[RunEvent]:
        """List a run's steps.

        Every step, newest first: model calls with their cost, tools with their arguments and results, asks.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `runs:read`.
        """
        return self._pager(
            RunEvent,
            path_to("/api/v1/runs/{id}/events", run_id),
            cursor=cursor,
            query={"type": type, "limit": limit},
        )
