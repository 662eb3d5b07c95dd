"""Operations of broadcasts.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.encode import path_to
from ..._runtime.given import NOT_GIVEN, NotGiven
from ..._runtime.pages import AsyncPager, Pager
from ..types.broadcasts import (
    AudienceInput,
    Broadcast,
    BroadcastRecipient,
    BroadcastStatus,
    BroadcastTemplateChoice,
    RecipientStatus,
    Variable,
)


class BroadcastsResource(Resource):
    """Operations of broadcasts: `client.broadcasts`."""

    def list(
        self,
        *,
        status: BroadcastStatus | None = None,
        q: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pager[Broadcast]:
        """List broadcasts.

        Args:
            q: Any part of the name, ignoring case.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `broadcasts:read`.
        """
        return self._pager(
            Broadcast,
            "/api/v1/broadcasts",
            cursor=cursor,
            query={"status": status, "q": q, "limit": limit},
        )

    def create(
        self,
        *,
        name: str,
        template: BroadcastTemplateChoice,
        audience: AudienceInput,
        header_media_url: str | None | NotGiven = NOT_GIVEN,
        schedule_at: datetime | str | None | NotGiven = NOT_GIVEN,
        variables: Mapping[str, Variable] | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Broadcast:
        """Send a template to many people.

        Creates the broadcast with its recipients and starts it, or waits for `schedule_at`. Each person receives it
        once, however often they are listed; opted-out contacts and contacts without a phone are skipped. `counts.total`
        is complete at once for audiences of up to 5,000 and grows for larger ones. It counts toward the month's limit
        of broadcasts. New numbers become contacts and count toward the limit of contacts: if they exceed it, the whole
        broadcast is refused with 402. Templates are checked as by `POST /messages`.

        Args:
            header_media_url: The media of a media header. Defaults to the example that the template was approved with,
                where WhatsApp shares it.
            schedule_at: When to start; at once if it is missing or past.
            variables: How the template's placeholders are filled in, by their keys: `1`, `2`, … or their names.
                `header_text` fills in a text header, and `button_params.0` the button with that index.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `broadcasts:send`. Costs 5 units.
        """
        return self._call(
            Broadcast,
            "POST",
            "/api/v1/broadcasts",
            body={
                "name": name,
                "template": template,
                "audience": audience,
                "header_media_url": header_media_url,
                "schedule_at": schedule_at,
                "variables": variables,
            },
            idempotency_key=idempotency_key,
        )

    def get(self, broadcast_id: str) -> Broadcast:
        """Get a broadcast.

        Needs the scope `broadcasts:read`.
        """
        return self._call(Broadcast, "GET", path_to("/api/v1/broadcasts/{id}", broadcast_id))

    def cancel(self, broadcast_id: str) -> Broadcast:
        """Cancel a broadcast.

        A scheduled broadcast becomes a draft. A broadcast that is being sent ends as `sent`, or as `failed` if no
        message was sent; the remaining recipients are cancelled. No message is sent after the response, which waits for
        running calls.

        Needs the scope `broadcasts:send`.
        """
        return self._call(Broadcast, "POST", path_to("/api/v1/broadcasts/{id}/cancel", broadcast_id))

    def list_recipients(
        self,
        broadcast_id: str,
        *,
        status: RecipientStatus | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pager[BroadcastRecipient]:
        """List the recipients of a broadcast.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `broadcasts:read`.
        """
        return self._pager(
            BroadcastRecipient,
            path_to("/api/v1/broadcasts/{id}/recipients", broadcast_id),
            cursor=cursor,
            query={"status": status, "limit": limit},
        )

    def retry(self, broadcast_id: str, *, include_unknown: bool | None | NotGiven = NOT_GIVEN) -> Broadcast:
        """Retry failed recipients.

        Sends again to recipients that failed for a temporary reason (a rate limit, a failure of the channel, an
        unreachable channel), at once or after the channel had accepted the message, except those who have opted out.
        With `include_unknown`, also to recipients that failed with `unknown_outcome`: they may have received the
        message already. If there are none, the response is 409.

        Args:
            include_unknown: Also retries recipients that failed with `unknown_outcome`, who may then receive the
                message twice.

        Needs the scope `broadcasts:send`. Costs 5 units.
        """
        return self._call(
            Broadcast,
            "POST",
            path_to("/api/v1/broadcasts/{id}/retry", broadcast_id),
            body={"include_unknown": include_unknown},
        )

    def schedule(self, broadcast_id: str, *, schedule_at: datetime | str | None | NotGiven = NOT_GIVEN) -> Broadcast:
        """Start a draft, now or later.

        A scheduled broadcast gets the new time.

        Args:
            schedule_at: Defaults to now, also if it is past.

        Needs the scope `broadcasts:send`.
        """
        return self._call(
            Broadcast,
            "POST",
            path_to("/api/v1/broadcasts/{id}/schedule", broadcast_id),
            body={"schedule_at": schedule_at},
        )


class AsyncBroadcastsResource(AsyncResource):
    """Operations of broadcasts: `client.broadcasts`."""

    def list(
        self,
        *,
        status: BroadcastStatus | None = None,
        q: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPager[Broadcast]:
        """List broadcasts.

        Args:
            q: Any part of the name, ignoring case.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `broadcasts:read`.
        """
        return self._pager(
            Broadcast,
            "/api/v1/broadcasts",
            cursor=cursor,
            query={"status": status, "q": q, "limit": limit},
        )

    async def create(
        self,
        *,
        name: str,
        template: BroadcastTemplateChoice,
        audience: AudienceInput,
        header_media_url: str | None | NotGiven = NOT_GIVEN,
        schedule_at: datetime | str | None | NotGiven = NOT_GIVEN,
        variables: Mapping[str, Variable] | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Broadcast:
        """Send a template to many people.

        Creates the broadcast with its recipients and starts it, or waits for `schedule_at`. Each person receives it
        once, however often they are listed; opted-out contacts and contacts without a phone are skipped. `counts.total`
        is complete at once for audiences of up to 5,000 and grows for larger ones. It counts toward the month's limit
        of broadcasts. New numbers become contacts and count toward the limit of contacts: if they exceed it, the whole
        broadcast is refused with 402. Templates are checked as by `POST /messages`.

        Args:
            header_media_url: The media of a media header. Defaults to the example that the template was approved with,
                where WhatsApp shares it.
            schedule_at: When to start; at once if it is missing or past.
            variables: How the template's placeholders are filled in, by their keys: `1`, `2`, … or their names.
                `header_text` fills in a text header, and `button_params.0` the button with that index.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `broadcasts:send`. Costs 5 units.
        """
        return await self._call(
            Broadcast,
            "POST",
            "/api/v1/broadcasts",
            body={
                "name": name,
                "template": template,
                "audience": audience,
                "header_media_url": header_media_url,
                "schedule_at": schedule_at,
                "variables": variables,
            },
            idempotency_key=idempotency_key,
        )

    async def get(self, broadcast_id: str) -> Broadcast:
        """Get a broadcast.

        Needs the scope `broadcasts:read`.
        """
        return await self._call(Broadcast, "GET", path_to("/api/v1/broadcasts/{id}", broadcast_id))

    async def cancel(self, broadcast_id: str) -> Broadcast:
        """Cancel a broadcast.

        A scheduled broadcast becomes a draft. A broadcast that is being sent ends as `sent`, or as `failed` if no
        message was sent; the remaining recipients are cancelled. No message is sent after the response, which waits for
        running calls.

        Needs the scope `broadcasts:send`.
        """
        return await self._call(Broadcast, "POST", path_to("/api/v1/broadcasts/{id}/cancel", broadcast_id))

    def list_recipients(
        self,
        broadcast_id: str,
        *,
        status: RecipientStatus | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPager[BroadcastRecipient]:
        """List the recipients of a broadcast.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `broadcasts:read`.
        """
        return self._pager(
            BroadcastRecipient,
            path_to("/api/v1/broadcasts/{id}/recipients", broadcast_id),
            cursor=cursor,
            query={"status": status, "limit": limit},
        )

    async def retry(self, broadcast_id: str, *, include_unknown: bool | None | NotGiven = NOT_GIVEN) -> Broadcast:
        """Retry failed recipients.

        Sends again to recipients that failed for a temporary reason (a rate limit, a failure of the channel, an
        unreachable channel), at once or after the channel had accepted the message, except those who have opted out.
        With `include_unknown`, also to recipients that failed with `unknown_outcome`: they may have received the
        message already. If there are none, the response is 409.

        Args:
            include_unknown: Also retries recipients that failed with `unknown_outcome`, who may then receive the
                message twice.

        Needs the scope `broadcasts:send`. Costs 5 units.
        """
        return await self._call(
            Broadcast,
            "POST",
            path_to("/api/v1/broadcasts/{id}/retry", broadcast_id),
            body={"include_unknown": include_unknown},
        )

    async def schedule(
        self,
        broadcast_id: str,
        *,
        schedule_at: datetime | str | None | NotGiven = NOT_GIVEN,
    ) -> Broadcast:
        """Start a draft, now or later.

        A scheduled broadcast gets the new time.

        Args:
            schedule_at: Defaults to now, also if it is past.

        Needs the scope `broadcasts:send`.
        """
        return await self._call(
            Broadcast,
            "POST",
            path_to("/api/v1/broadcasts/{id}/schedule", broadcast_id),
            body={"schedule_at": schedule_at},
        )
