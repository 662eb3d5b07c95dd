"""Operations of webhooks.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.encode import path_to
from ..._runtime.given import NOT_GIVEN, NotGiven
from ..._runtime.pages import AsyncPager, Pager
from ...webhooks import unwrap
from ..types.shared import Deleted, EventType
from ..types.webhooks import (
    Delivery,
    DeliveryAttempt,
    DeliveryStatus,
    EventPattern,
    Replay,
    ReplayStatus,
    WebhookEndpoint,
)


class WebhooksResource(Resource):
    """Operations of webhooks: `client.webhooks`."""

    unwrap = staticmethod(unwrap)

    def list(self) -> Pager[WebhookEndpoint]:
        """List webhook endpoints.

        Needs the scope `webhooks:manage`.
        """
        return self._pager(WebhookEndpoint, "/api/v1/webhooks")

    def create(
        self,
        *,
        url: str,
        description: str | None | NotGiven = NOT_GIVEN,
        enabled: bool | None | NotGiven = NOT_GIVEN,
        event_types: Sequence[EventPattern] | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> WebhookEndpoint:
        """Create a webhook endpoint.

        The signing `secret` is shown once. Deliveries are signed by the Standard Webhooks scheme.

        Args:
            url: Must be https, on the public internet.
            enabled: Defaults to true.
            event_types: Types such as `contact.created`, or groups such as `contact.*`; defaults to all.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `webhooks:manage`.
        """
        return self._call(
            WebhookEndpoint,
            "POST",
            "/api/v1/webhooks",
            body={"url": url, "description": description, "enabled": enabled, "event_types": event_types},
            idempotency_key=idempotency_key,
        )

    def delete(self, webhook_id: str) -> Deleted:
        """Delete a webhook endpoint.

        Needs the scope `webhooks:manage`.
        """
        return self._call(Deleted, "DELETE", path_to("/api/v1/webhooks/{id}", webhook_id))

    def get(self, webhook_id: str) -> WebhookEndpoint:
        """Get a webhook endpoint.

        Needs the scope `webhooks:manage`.
        """
        return self._call(WebhookEndpoint, "GET", path_to("/api/v1/webhooks/{id}", webhook_id))

    def update(
        self,
        webhook_id: str,
        *,
        description: str | None | NotGiven = NOT_GIVEN,
        enabled: bool | NotGiven = NOT_GIVEN,
        event_types: Sequence[EventPattern] | None | NotGiven = NOT_GIVEN,
        url: str | NotGiven = NOT_GIVEN,
    ) -> WebhookEndpoint:
        """Update a webhook endpoint.

        Args:
            enabled: Enabling it again clears the reason and the failure count.
            event_types: Replaces the list; null or an empty list means all.

        Needs the scope `webhooks:manage`.
        """
        return self._call(
            WebhookEndpoint,
            "PATCH",
            path_to("/api/v1/webhooks/{id}", webhook_id),
            body={"description": description, "enabled": enabled, "event_types": event_types, "url": url},
        )

    def list_deliveries(
        self,
        webhook_id: str,
        *,
        status: DeliveryStatus | None = None,
        event_type: EventType | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pager[Delivery]:
        """List deliveries.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `webhooks:manage`.
        """
        return self._pager(
            Delivery,
            path_to("/api/v1/webhooks/{id}/deliveries", webhook_id),
            cursor=cursor,
            query={"status": status, "event_type": event_type, "limit": limit},
        )

    def get_delivery(self, webhook_id: str, delivery_id: str) -> Delivery:
        """Get a delivery.

        Needs the scope `webhooks:manage`.
        """
        return self._call(
            Delivery,
            "GET",
            path_to("/api/v1/webhooks/{id}/deliveries/{delivery_id}", webhook_id, delivery_id),
        )

    def list_delivery_attempts(self, webhook_id: str, delivery_id: str) -> Pager[DeliveryAttempt]:
        """List the attempts of a delivery.

        Newest first, the newest 50. They are deleted with their delivery.

        Needs the scope `webhooks:manage`.
        """
        return self._pager(
            DeliveryAttempt,
            path_to("/api/v1/webhooks/{id}/deliveries/{delivery_id}/attempts", webhook_id, delivery_id),
        )

    def retry_delivery(self, webhook_id: str, delivery_id: str) -> Delivery:
        """Retry a delivery.

        The delivery becomes pending again, due now, with a new schedule; its attempts keep counting. A pending delivery
        becomes due now. A delivery in flight is a 409.

        Needs the scope `webhooks:manage`.
        """
        return self._call(
            Delivery,
            "POST",
            path_to("/api/v1/webhooks/{id}/deliveries/{delivery_id}/retry", webhook_id, delivery_id),
        )

    def replay_deliveries(
        self,
        webhook_id: str,
        *,
        since: datetime | str,
        status: ReplayStatus | None | NotGiven = NOT_GIVEN,
        until: datetime | str | None | NotGiven = NOT_GIVEN,
    ) -> Replay:
        """Replay deliveries.

        Deliveries created from `since` until before `until` with one of the given statuses become pending again, due
        now. Large replays run in the background, oldest first.

        Args:
            since: Deliveries created at or after this time.
            status: Defaults to `failed` and `exhausted` deliveries.
            until: Deliveries created before this time; defaults to now.

        Needs the scope `webhooks:manage`.
        """
        return self._call(
            Replay,
            "POST",
            path_to("/api/v1/webhooks/{id}/replay", webhook_id),
            body={"since": since, "status": status, "until": until},
        )

    def rotate_secret(self, webhook_id: str) -> WebhookEndpoint:
        """Rotate the signing secret.

        The new secret is shown once; the old one also signs for 24 hours.

        Needs the scope `webhooks:manage`.
        """
        return self._call(WebhookEndpoint, "POST", path_to("/api/v1/webhooks/{id}/secret", webhook_id))

    def test(self, webhook_id: str) -> Delivery:
        """Send a test event.

        Sends a `webhook.test` event to this endpoint now, regardless of its event types.

        Needs the scope `webhooks:manage`.
        """
        return self._call(Delivery, "POST", path_to("/api/v1/webhooks/{id}/test", webhook_id))


class AsyncWebhooksResource(AsyncResource):
    """Operations of webhooks: `client.webhooks`."""

    unwrap = staticmethod(unwrap)

    def list(self) -> AsyncPager[WebhookEndpoint]:
        """List webhook endpoints.

        Needs the scope `webhooks:manage`.
        """
        return self._pager(WebhookEndpoint, "/api/v1/webhooks")

    async def create(
        self,
        *,
        url: str,
        description: str | None | NotGiven = NOT_GIVEN,
        enabled: bool | None | NotGiven = NOT_GIVEN,
        event_types: Sequence[EventPattern] | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> WebhookEndpoint:
        """Create a webhook endpoint.

        The signing `secret` is shown once. Deliveries are signed by the Standard Webhooks scheme.

        Args:
            url: Must be https, on the public internet.
            enabled: Defaults to true.
            event_types: Types such as `contact.created`, or groups such as `contact.*`; defaults to all.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `webhooks:manage`.
        """
        return await self._call(
            WebhookEndpoint,
            "POST",
            "/api/v1/webhooks",
            body={"url": url, "description": description, "enabled": enabled, "event_types": event_types},
            idempotency_key=idempotency_key,
        )

    async def delete(self, webhook_id: str) -> Deleted:
        """Delete a webhook endpoint.

        Needs the scope `webhooks:manage`.
        """
        return await self._call(Deleted, "DELETE", path_to("/api/v1/webhooks/{id}", webhook_id))

    async def get(self, webhook_id: str) -> WebhookEndpoint:
        """Get a webhook endpoint.

        Needs the scope `webhooks:manage`.
        """
        return await self._call(WebhookEndpoint, "GET", path_to("/api/v1/webhooks/{id}", webhook_id))

    async def update(
        self,
        webhook_id: str,
        *,
        description: str | None | NotGiven = NOT_GIVEN,
        enabled: bool | NotGiven = NOT_GIVEN,
        event_types: Sequence[EventPattern] | None | NotGiven = NOT_GIVEN,
        url: str | NotGiven = NOT_GIVEN,
    ) -> WebhookEndpoint:
        """Update a webhook endpoint.

        Args:
            enabled: Enabling it again clears the reason and the failure count.
            event_types: Replaces the list; null or an empty list means all.

        Needs the scope `webhooks:manage`.
        """
        return await self._call(
            WebhookEndpoint,
            "PATCH",
            path_to("/api/v1/webhooks/{id}", webhook_id),
            body={"description": description, "enabled": enabled, "event_types": event_types, "url": url},
        )

    def list_deliveries(
        self,
        webhook_id: str,
        *,
        status: DeliveryStatus | None = None,
        event_type: EventType | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPager[Delivery]:
        """List deliveries.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `webhooks:manage`.
        """
        return self._pager(
            Delivery,
            path_to("/api/v1/webhooks/{id}/deliveries", webhook_id),
            cursor=cursor,
            query={"status": status, "event_type": event_type, "limit": limit},
        )

    async def get_delivery(self, webhook_id: str, delivery_id: str) -> Delivery:
        """Get a delivery.

        Needs the scope `webhooks:manage`.
        """
        return await self._call(
            Delivery,
            "GET",
            path_to("/api/v1/webhooks/{id}/deliveries/{delivery_id}", webhook_id, delivery_id),
        )

    def list_delivery_attempts(self, webhook_id: str, delivery_id: str) -> AsyncPager[DeliveryAttempt]:
        """List the attempts of a delivery.

        Newest first, the newest 50. They are deleted with their delivery.

        Needs the scope `webhooks:manage`.
        """
        return self._pager(
            DeliveryAttempt,
            path_to("/api/v1/webhooks/{id}/deliveries/{delivery_id}/attempts", webhook_id, delivery_id),
        )

    async def retry_delivery(self, webhook_id: str, delivery_id: str) -> Delivery:
        """Retry a delivery.

        The delivery becomes pending again, due now, with a new schedule; its attempts keep counting. A pending delivery
        becomes due now. A delivery in flight is a 409.

        Needs the scope `webhooks:manage`.
        """
        return await self._call(
            Delivery,
            "POST",
            path_to("/api/v1/webhooks/{id}/deliveries/{delivery_id}/retry", webhook_id, delivery_id),
        )

    async def replay_deliveries(
        self,
        webhook_id: str,
        *,
        since: datetime | str,
        status: ReplayStatus | None | NotGiven = NOT_GIVEN,
        until: datetime | str | None | NotGiven = NOT_GIVEN,
    ) -> Replay:
        """Replay deliveries.

        Deliveries created from `since` until before `until` with one of the given statuses become pending again, due
        now. Large replays run in the background, oldest first.

        Args:
            since: Deliveries created at or after this time.
            status: Defaults to `failed` and `exhausted` deliveries.
            until: Deliveries created before this time; defaults to now.

        Needs the scope `webhooks:manage`.
        """
        return await self._call(
            Replay,
            "POST",
            path_to("/api/v1/webhooks/{id}/replay", webhook_id),
            body={"since": since, "status": status, "until": until},
        )

    async def rotate_secret(self, webhook_id: str) -> WebhookEndpoint:
        """Rotate the signing secret.

        The new secret is shown once; the old one also signs for 24 hours.

        Needs the scope `webhooks:manage`.
        """
        return await self._call(WebhookEndpoint, "POST", path_to("/api/v1/webhooks/{id}/secret", webhook_id))

    async def test(self, webhook_id: str) -> Delivery:
        """Send a test event.

        Sends a `webhook.test` event to this endpoint now, regardless of its event types.

        Needs the scope `webhooks:manage`.
        """
        return await self._call(Delivery, "POST", path_to("/api/v1/webhooks/{id}/test", webhook_id))
