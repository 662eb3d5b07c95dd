"""Operations of deals.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from datetime import date, datetime

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.encode import path_to
from ..._runtime.given import NOT_GIVEN, NotGiven
from ..._runtime.pages import AsyncPager, Pager
from ..types.deals import Deal, DealOutcome, DealStatus
from ..types.shared import Deleted


class DealsResource(Resource):
    """Operations of deals: `client.deals`."""

    def list(
        self,
        *,
        pipeline_id: str | None = None,
        stage_id: str | None = None,
        status: DealStatus | None = None,
        contact_id: str | None = None,
        owner_user_id: str | None = None,
        q: str | None = None,
        updated_since: datetime | str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pager[Deal]:
        """List deals.

        Args:
            q: Any part of the title, ignoring case.
            updated_since: Only deals changed at or after this time.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `deals:read`.
        """
        return self._pager(
            Deal,
            "/api/v1/deals",
            cursor=cursor,
            query={
                "pipeline_id": pipeline_id,
                "stage_id": stage_id,
                "status": status,
                "contact_id": contact_id,
                "owner_user_id": owner_user_id,
                "q": q,
                "updated_since": updated_since,
                "limit": limit,
            },
        )

    def create(
        self,
        *,
        title: str,
        contact_id: str | None | NotGiven = NOT_GIVEN,
        currency: str | None | NotGiven = NOT_GIVEN,
        expected_close_date: date | str | None | NotGiven = NOT_GIVEN,
        owner_user_id: str | None | NotGiven = NOT_GIVEN,
        pipeline_id: str | None | NotGiven = NOT_GIVEN,
        stage_id: str | None | NotGiven = NOT_GIVEN,
        value: float | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Deal:
        """Create a deal.

        A stage that is not in the given pipeline is a 422 with the reason `stage_not_in_pipeline`.

        Args:
            currency: Three capital letters; defaults to `USD`.
            owner_user_id: A member of the account. Defaults to the member to whom the key's writes are attributed; null
                for no owner.
            pipeline_id: Defaults to the pipeline of the stage, else to the account's oldest.
            stage_id: Defaults to the pipeline's first stage.
            value: Up to twelve digits before the point and four after it, fifteen in all.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `deals:write`.
        """
        return self._call(
            Deal,
            "POST",
            "/api/v1/deals",
            body={
                "title": title,
                "contact_id": contact_id,
                "currency": currency,
                "expected_close_date": expected_close_date,
                "owner_user_id": owner_user_id,
                "pipeline_id": pipeline_id,
                "stage_id": stage_id,
                "value": value,
            },
            idempotency_key=idempotency_key,
        )

    def delete(self, deal_id: str) -> Deleted:
        """Delete a deal.

        Needs the scope `deals:write`.
        """
        return self._call(Deleted, "DELETE", path_to("/api/v1/deals/{id}", deal_id))

    def get(self, deal_id: str) -> Deal:
        """Get a deal.

        Needs the scope `deals:read`.
        """
        return self._call(Deal, "GET", path_to("/api/v1/deals/{id}", deal_id))

    def update(
        self,
        deal_id: str,
        *,
        contact_id: str | None | NotGiven = NOT_GIVEN,
        currency: str | NotGiven = NOT_GIVEN,
        expected_close_date: date | str | None | NotGiven = NOT_GIVEN,
        owner_user_id: str | None | NotGiven = NOT_GIVEN,
        pipeline_id: str | NotGiven = NOT_GIVEN,
        stage_id: str | NotGiven = NOT_GIVEN,
        title: str | NotGiven = NOT_GIVEN,
        value: float | None | NotGiven = NOT_GIVEN,
    ) -> Deal:
        """Update a deal.

        A `stage_id` moves the deal under the rules of `POST /deals/{id}/move`, and sends `deal.stage_changed`.

        Args:
            pipeline_id: Moves the deal to another pipeline: to its first stage, unless `stage_id` is another stage of
                it.
            stage_id: Moves the deal, as `POST /deals/{id}/move` does.

        Needs the scope `deals:write`.
        """
        return self._call(
            Deal,
            "PATCH",
            path_to("/api/v1/deals/{id}", deal_id),
            body={
                "contact_id": contact_id,
                "currency": currency,
                "expected_close_date": expected_close_date,
                "owner_user_id": owner_user_id,
                "pipeline_id": pipeline_id,
                "stage_id": stage_id,
                "title": title,
                "value": value,
            },
        )

    def close(self, deal_id: str, *, outcome: DealOutcome, reason: str | None | NotGiven = NOT_GIVEN) -> Deal:
        """Close a deal as won or lost.

        Args:
            reason: Why it was lost; only for lost deals.

        Needs the scope `deals:write`.
        """
        return self._call(
            Deal,
            "POST",
            path_to("/api/v1/deals/{id}/close", deal_id),
            body={"outcome": outcome, "reason": reason},
        )

    def move(self, deal_id: str, *, stage_id: str) -> Deal:
        """Move a deal to another stage.

        A closed deal cannot be moved (409). A stage of another pipeline is a 422 with the reason
        `stage_not_in_pipeline`. A move to the current stage changes nothing and sends no event.

        Args:
            stage_id: A stage of the deal's pipeline.

        Needs the scope `deals:write`.
        """
        return self._call(Deal, "POST", path_to("/api/v1/deals/{id}/move", deal_id), body={"stage_id": stage_id})

    def reopen(self, deal_id: str) -> Deal:
        """Reopen a closed deal.

        Reopens it in the stage in which it was closed.

        Needs the scope `deals:write`.
        """
        return self._call(Deal, "POST", path_to("/api/v1/deals/{id}/reopen", deal_id))


class AsyncDealsResource(AsyncResource):
    """Operations of deals: `client.deals`."""

    def list(
        self,
        *,
        pipeline_id: str | None = None,
        stage_id: str | None = None,
        status: DealStatus | None = None,
        contact_id: str | None = None,
        owner_user_id: str | None = None,
        q: str | None = None,
        updated_since: datetime | str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPager[Deal]:
        """List deals.

        Args:
            q: Any part of the title, ignoring case.
            updated_since: Only deals changed at or after this time.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `deals:read`.
        """
        return self._pager(
            Deal,
            "/api/v1/deals",
            cursor=cursor,
            query={
                "pipeline_id": pipeline_id,
                "stage_id": stage_id,
                "status": status,
                "contact_id": contact_id,
                "owner_user_id": owner_user_id,
                "q": q,
                "updated_since": updated_since,
                "limit": limit,
            },
        )

    async def create(
        self,
        *,
        title: str,
        contact_id: str | None | NotGiven = NOT_GIVEN,
        currency: str | None | NotGiven = NOT_GIVEN,
        expected_close_date: date | str | None | NotGiven = NOT_GIVEN,
        owner_user_id: str | None | NotGiven = NOT_GIVEN,
        pipeline_id: str | None | NotGiven = NOT_GIVEN,
        stage_id: str | None | NotGiven = NOT_GIVEN,
        value: float | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Deal:
        """Create a deal.

        A stage that is not in the given pipeline is a 422 with the reason `stage_not_in_pipeline`.

        Args:
            currency: Three capital letters; defaults to `USD`.
            owner_user_id: A member of the account. Defaults to the member to whom the key's writes are attributed; null
                for no owner.
            pipeline_id: Defaults to the pipeline of the stage, else to the account's oldest.
            stage_id: Defaults to the pipeline's first stage.
            value: Up to twelve digits before the point and four after it, fifteen in all.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `deals:write`.
        """
        return await self._call(
            Deal,
            "POST",
            "/api/v1/deals",
            body={
                "title": title,
                "contact_id": contact_id,
                "currency": currency,
                "expected_close_date": expected_close_date,
                "owner_user_id": owner_user_id,
                "pipeline_id": pipeline_id,
                "stage_id": stage_id,
                "value": value,
            },
            idempotency_key=idempotency_key,
        )

    async def delete(self, deal_id: str) -> Deleted:
        """Delete a deal.

        Needs the scope `deals:write`.
        """
        return await self._call(Deleted, "DELETE", path_to("/api/v1/deals/{id}", deal_id))

    async def get(self, deal_id: str) -> Deal:
        """Get a deal.

        Needs the scope `deals:read`.
        """
        return await self._call(Deal, "GET", path_to("/api/v1/deals/{id}", deal_id))

    async def update(
        self,
        deal_id: str,
        *,
        contact_id: str | None | NotGiven = NOT_GIVEN,
        currency: str | NotGiven = NOT_GIVEN,
        expected_close_date: date | str | None | NotGiven = NOT_GIVEN,
        owner_user_id: str | None | NotGiven = NOT_GIVEN,
        pipeline_id: str | NotGiven = NOT_GIVEN,
        stage_id: str | NotGiven = NOT_GIVEN,
        title: str | NotGiven = NOT_GIVEN,
        value: float | None | NotGiven = NOT_GIVEN,
    ) -> Deal:
        """Update a deal.

        A `stage_id` moves the deal under the rules of `POST /deals/{id}/move`, and sends `deal.stage_changed`.

        Args:
            pipeline_id: Moves the deal to another pipeline: to its first stage, unless `stage_id` is another stage of
                it.
            stage_id: Moves the deal, as `POST /deals/{id}/move` does.

        Needs the scope `deals:write`.
        """
        return await self._call(
            Deal,
            "PATCH",
            path_to("/api/v1/deals/{id}", deal_id),
            body={
                "contact_id": contact_id,
                "currency": currency,
                "expected_close_date": expected_close_date,
                "owner_user_id": owner_user_id,
                "pipeline_id": pipeline_id,
                "stage_id": stage_id,
                "title": title,
                "value": value,
            },
        )

    async def close(self, deal_id: str, *, outcome: DealOutcome, reason: str | None | NotGiven = NOT_GIVEN) -> Deal:
        """Close a deal as won or lost.

        Args:
            reason: Why it was lost; only for lost deals.

        Needs the scope `deals:write`.
        """
        return await self._call(
            Deal,
            "POST",
            path_to("/api/v1/deals/{id}/close", deal_id),
            body={"outcome": outcome, "reason": reason},
        )

    async def move(self, deal_id: str, *, stage_id: str) -> Deal:
        """Move a deal to another stage.

        A closed deal cannot be moved (409). A stage of another pipeline is a 422 with the reason
        `stage_not_in_pipeline`. A move to the current stage changes nothing and sends no event.

        Args:
            stage_id: A stage of the deal's pipeline.

        Needs the scope `deals:write`.
        """
        return await self._call(Deal, "POST", path_to("/api/v1/deals/{id}/move", deal_id), body={"stage_id": stage_id})

    async def reopen(self, deal_id: str) -> Deal:
        """Reopen a closed deal.

        Reopens it in the stage in which it was closed.

        Needs the scope `deals:write`.
        """
        return await self._call(Deal, "POST", path_to("/api/v1/deals/{id}/reopen", deal_id))
