"""Operations of triggers.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from datetime import datetime

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.encode import path_to
from ..._runtime.given import NOT_GIVEN, NotGiven
from ..._runtime.pages import AsyncPager, Pager
from ..types.shared import AudienceType, Deleted, Trigger, TriggerEvent, TriggerKind, TriggerPeriod
from ..types.triggers import FiredTrigger, IssuedTrigger, RotatedTrigger, TriggerCall, TriggerPreview


class TriggersResource(Resource):
    """Operations of triggers: `client.triggers`."""

    def list(
        self,
        *,
        assistant_id: str | None = None,
        kind: TriggerKind | None = None,
        enabled: bool | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pager[Trigger]:
        """List triggers.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `assistants:read`.
        """
        return self._pager(
            Trigger,
            "/api/v1/triggers",
            cursor=cursor,
            query={"assistant_id": assistant_id, "kind": kind, "enabled": enabled, "limit": limit},
        )

    def create(
        self,
        *,
        assistant_id: str,
        name: str,
        kind: TriggerKind,
        goal: str,
        audience_type: AudienceType | None | NotGiven = NOT_GIVEN,
        contact_id: str | None | NotGiven = NOT_GIVEN,
        day_of_month: int | None | NotGiven = NOT_GIVEN,
        day_of_week: int | None | NotGiven = NOT_GIVEN,
        enabled: bool | None | NotGiven = NOT_GIVEN,
        event_key: TriggerEvent | None | NotGiven = NOT_GIVEN,
        max_targets: int | None | NotGiven = NOT_GIVEN,
        period: TriggerPeriod | None | NotGiven = NOT_GIVEN,
        respect_quiet_hours: bool | None | NotGiven = NOT_GIVEN,
        run_at: datetime | str | None | NotGiven = NOT_GIVEN,
        segment_id: str | None | NotGiven = NOT_GIVEN,
        send_time: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> IssuedTrigger:
        """Create a trigger.

        It is disabled unless `enabled` is true. For the kind `webhook`, `webhook_url` is the address that fires it; it
        is shown once.

        Args:
            goal: The goal of the runs.
            audience_type: Defaults to `none`. Event and webhook triggers allow no other.
            contact_id: Required when the audience is a contact.
            day_of_month: In a shorter month it is the last day.
            day_of_week: 0 is Sunday.
            enabled: Defaults to false.
            max_targets: Defaults to 50.
            respect_quiet_hours: Defaults to false.
            run_at: A time that has passed fires at once.
            segment_id: Required when the audience is a segment.
            send_time: In the account's timezone.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `assistants:write`.
        """
        return self._call(
            IssuedTrigger,
            "POST",
            "/api/v1/triggers",
            body={
                "assistant_id": assistant_id,
                "name": name,
                "kind": kind,
                "goal": goal,
                "audience_type": audience_type,
                "contact_id": contact_id,
                "day_of_month": day_of_month,
                "day_of_week": day_of_week,
                "enabled": enabled,
                "event_key": event_key,
                "max_targets": max_targets,
                "period": period,
                "respect_quiet_hours": respect_quiet_hours,
                "run_at": run_at,
                "segment_id": segment_id,
                "send_time": send_time,
            },
            idempotency_key=idempotency_key,
        )

    def delete(self, trigger_id: str) -> Deleted:
        """Delete a trigger.

        Its running runs continue.

        Needs the scope `assistants:write`.
        """
        return self._call(Deleted, "DELETE", path_to("/api/v1/triggers/{id}", trigger_id))

    def get(self, trigger_id: str) -> Trigger:
        """Get a trigger.

        Needs the scope `assistants:read`.
        """
        return self._call(Trigger, "GET", path_to("/api/v1/triggers/{id}", trigger_id))

    def update(
        self,
        trigger_id: str,
        *,
        assistant_id: str | NotGiven = NOT_GIVEN,
        audience_type: AudienceType | NotGiven = NOT_GIVEN,
        contact_id: str | None | NotGiven = NOT_GIVEN,
        day_of_month: int | None | NotGiven = NOT_GIVEN,
        day_of_week: int | None | NotGiven = NOT_GIVEN,
        enabled: bool | NotGiven = NOT_GIVEN,
        event_key: TriggerEvent | None | NotGiven = NOT_GIVEN,
        goal: str | NotGiven = NOT_GIVEN,
        kind: TriggerKind | NotGiven = NOT_GIVEN,
        max_targets: int | NotGiven = NOT_GIVEN,
        name: str | NotGiven = NOT_GIVEN,
        period: TriggerPeriod | None | NotGiven = NOT_GIVEN,
        respect_quiet_hours: bool | NotGiven = NOT_GIVEN,
        run_at: datetime | str | None | NotGiven = NOT_GIVEN,
        segment_id: str | None | NotGiven = NOT_GIVEN,
        send_time: str | None | NotGiven = NOT_GIVEN,
    ) -> Trigger:
        """Update a trigger.

        A change of the schedule applies to the next firing at once. A trigger whose kind becomes `webhook` gets its
        address from `POST /triggers/{id}/token`.

        Needs the scope `assistants:write`.
        """
        return self._call(
            Trigger,
            "PATCH",
            path_to("/api/v1/triggers/{id}", trigger_id),
            body={
                "assistant_id": assistant_id,
                "audience_type": audience_type,
                "contact_id": contact_id,
                "day_of_month": day_of_month,
                "day_of_week": day_of_week,
                "enabled": enabled,
                "event_key": event_key,
                "goal": goal,
                "kind": kind,
                "max_targets": max_targets,
                "name": name,
                "period": period,
                "respect_quiet_hours": respect_quiet_hours,
                "run_at": run_at,
                "segment_id": segment_id,
                "send_time": send_time,
            },
        )

    def list_calls(self, trigger_id: str) -> Pager[TriggerCall]:
        """List the last calls of a webhook trigger's address.

        Newest first, the newest 50 of the last 30 days. Calls that are refused or repeated in the same way within a
        minute are one row of each server, whose `count` says how many they are; they appear after a few seconds.

        Needs the scope `assistants:read`.
        """
        return self._pager(TriggerCall, path_to("/api/v1/triggers/{id}/calls", trigger_id))

    def preview(self, trigger_id: str) -> TriggerPreview:
        """Preview a firing.

        Returns what a firing would do now, without firing.

        Needs the scope `assistants:read`. Costs 2 units.
        """
        return self._call(TriggerPreview, "POST", path_to("/api/v1/triggers/{id}/preview", trigger_id))

    def run(self, trigger_id: str, *, idempotency_key: str | None = None) -> FiredTrigger:
        """Fire a trigger now.

        Fires whether or not the trigger is enabled, at any hour. Its schedule does not change. A disabled assistant is
        a 422 with the reason `assistant_disabled`, a spent budget one with `ai_budget_exhausted`, a model that the
        operator does not allow one with `over_operator_limit`. If the audience is empty, `runs` is empty and
        `last_error` says why.

        Args:
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `runs:start`. Costs 10 units.
        """
        return self._call(
            FiredTrigger,
            "POST",
            path_to("/api/v1/triggers/{id}/run", trigger_id),
            idempotency_key=idempotency_key,
        )

    def rotate_token(self, trigger_id: str) -> RotatedTrigger:
        """Issue a new address for a webhook trigger.

        The old address is invalid at once. The new one is shown once.

        Needs the scope `assistants:write`.
        """
        return self._call(RotatedTrigger, "POST", path_to("/api/v1/triggers/{id}/token", trigger_id))


class AsyncTriggersResource(AsyncResource):
    """Operations of triggers: `client.triggers`."""

    def list(
        self,
        *,
        assistant_id: str | None = None,
        kind: TriggerKind | None = None,
        enabled: bool | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPager[Trigger]:
        """List triggers.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `assistants:read`.
        """
        return self._pager(
            Trigger,
            "/api/v1/triggers",
            cursor=cursor,
            query={"assistant_id": assistant_id, "kind": kind, "enabled": enabled, "limit": limit},
        )

    async def create(
        self,
        *,
        assistant_id: str,
        name: str,
        kind: TriggerKind,
        goal: str,
        audience_type: AudienceType | None | NotGiven = NOT_GIVEN,
        contact_id: str | None | NotGiven = NOT_GIVEN,
        day_of_month: int | None | NotGiven = NOT_GIVEN,
        day_of_week: int | None | NotGiven = NOT_GIVEN,
        enabled: bool | None | NotGiven = NOT_GIVEN,
        event_key: TriggerEvent | None | NotGiven = NOT_GIVEN,
        max_targets: int | None | NotGiven = NOT_GIVEN,
        period: TriggerPeriod | None | NotGiven = NOT_GIVEN,
        respect_quiet_hours: bool | None | NotGiven = NOT_GIVEN,
        run_at: datetime | str | None | NotGiven = NOT_GIVEN,
        segment_id: str | None | NotGiven = NOT_GIVEN,
        send_time: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> IssuedTrigger:
        """Create a trigger.

        It is disabled unless `enabled` is true. For the kind `webhook`, `webhook_url` is the address that fires it; it
        is shown once.

        Args:
            goal: The goal of the runs.
            audience_type: Defaults to `none`. Event and webhook triggers allow no other.
            contact_id: Required when the audience is a contact.
            day_of_month: In a shorter month it is the last day.
            day_of_week: 0 is Sunday.
            enabled: Defaults to false.
            max_targets: Defaults to 50.
            respect_quiet_hours: Defaults to false.
            run_at: A time that has passed fires at once.
            segment_id: Required when the audience is a segment.
            send_time: In the account's timezone.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `assistants:write`.
        """
        return await self._call(
            IssuedTrigger,
            "POST",
            "/api/v1/triggers",
            body={
                "assistant_id": assistant_id,
                "name": name,
                "kind": kind,
                "goal": goal,
                "audience_type": audience_type,
                "contact_id": contact_id,
                "day_of_month": day_of_month,
                "day_of_week": day_of_week,
                "enabled": enabled,
                "event_key": event_key,
                "max_targets": max_targets,
                "period": period,
                "respect_quiet_hours": respect_quiet_hours,
                "run_at": run_at,
                "segment_id": segment_id,
                "send_time": send_time,
            },
            idempotency_key=idempotency_key,
        )

    async def delete(self, trigger_id: str) -> Deleted:
        """Delete a trigger.

        Its running runs continue.

        Needs the scope `assistants:write`.
        """
        return await self._call(Deleted, "DELETE", path_to("/api/v1/triggers/{id}", trigger_id))

    async def get(self, trigger_id: str) -> Trigger:
        """Get a trigger.

        Needs the scope `assistants:read`.
        """
        return await self._call(Trigger, "GET", path_to("/api/v1/triggers/{id}", trigger_id))

    async def update(
        self,
        trigger_id: str,
        *,
        assistant_id: str | NotGiven = NOT_GIVEN,
        audience_type: AudienceType | NotGiven = NOT_GIVEN,
        contact_id: str | None | NotGiven = NOT_GIVEN,
        day_of_month: int | None | NotGiven = NOT_GIVEN,
        day_of_week: int | None | NotGiven = NOT_GIVEN,
        enabled: bool | NotGiven = NOT_GIVEN,
        event_key: TriggerEvent | None | NotGiven = NOT_GIVEN,
        goal: str | NotGiven = NOT_GIVEN,
        kind: TriggerKind | NotGiven = NOT_GIVEN,
        max_targets: int | NotGiven = NOT_GIVEN,
        name: str | NotGiven = NOT_GIVEN,
        period: TriggerPeriod | None | NotGiven = NOT_GIVEN,
        respect_quiet_hours: bool | NotGiven = NOT_GIVEN,
        run_at: datetime | str | None | NotGiven = NOT_GIVEN,
        segment_id: str | None | NotGiven = NOT_GIVEN,
        send_time: str | None | NotGiven = NOT_GIVEN,
    ) -> Trigger:
        """Update a trigger.

        A change of the schedule applies to the next firing at once. A trigger whose kind becomes `webhook` gets its
        address from `POST /triggers/{id}/token`.

        Needs the scope `assistants:write`.
        """
        return await self._call(
            Trigger,
            "PATCH",
            path_to("/api/v1/triggers/{id}", trigger_id),
            body={
                "assistant_id": assistant_id,
                "audience_type": audience_type,
                "contact_id": contact_id,
                "day_of_month": day_of_month,
                "day_of_week": day_of_week,
                "enabled": enabled,
                "event_key": event_key,
                "goal": goal,
                "kind": kind,
                "max_targets": max_targets,
                "name": name,
                "period": period,
                "respect_quiet_hours": respect_quiet_hours,
                "run_at": run_at,
                "segment_id": segment_id,
                "send_time": send_time,
            },
        )

    def list_calls(self, trigger_id: str) -> AsyncPager[TriggerCall]:
        """List the last calls of a webhook trigger's address.

        Newest first, the newest 50 of the last 30 days. Calls that are refused or repeated in the same way within a
        minute are one row of each server, whose `count` says how many they are; they appear after a few seconds.

        Needs the scope `assistants:read`.
        """
        return self._pager(TriggerCall, path_to("/api/v1/triggers/{id}/calls", trigger_id))

    async def preview(self, trigger_id: str) -> TriggerPreview:
        """Preview a firing.

        Returns what a firing would do now, without firing.

        Needs the scope `assistants:read`. Costs 2 units.
        """
        return await self._call(TriggerPreview, "POST", path_to("/api/v1/triggers/{id}/preview", trigger_id))

    async def run(self, trigger_id: str, *, idempotency_key: str | None = None) -> FiredTrigger:
        """Fire a trigger now.

        Fires whether or not the trigger is enabled, at any hour. Its schedule does not change. A disabled assistant is
        a 422 with the reason `assistant_disabled`, a spent budget one with `ai_budget_exhausted`, a model that the
        operator does not allow one with `over_operator_limit`. If the audience is empty, `runs` is empty and
        `last_error` says why.

        Args:
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `runs:start`. Costs 10 units.
        """
        return await self._call(
            FiredTrigger,
            "POST",
            path_to("/api/v1/triggers/{id}/run", trigger_id),
            idempotency_key=idempotency_key,
        )

    async def rotate_token(self, trigger_id: str) -> RotatedTrigger:
        """Issue a new address for a webhook trigger.

        The old address is invalid at once. The new one is shown once.

        Needs the scope `assistants:write`.
        """
        return await self._call(RotatedTrigger, "POST", path_to("/api/v1/triggers/{id}/token", trigger_id))
