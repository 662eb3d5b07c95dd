"""Operations of events.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.event_stream import AsyncEventStream, EventStream
from ..._runtime.pages import AsyncPager, Pager
from ..types.events import Event
from ..types.shared import EventType


class EventsResource(Resource):
    """Operations of events: `client.events`."""

    def list(
        self,
        *,
        event_type: EventType | None = None,
        after: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pager[Event]:
        """List events.

        Every event of the account, newest first. To catch up after an outage, pass the last event you received as
        `after`: the list then continues from that event, oldest first. An event is listed as soon as every earlier
        transaction has ended, usually at once.

        Args:
            event_type: Only events of this type, such as `contact.created`.
            after: Only events after this one, oldest first. No event is skipped, however late its transaction commits.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `webhooks:manage`.
        """
        return self._pager(
            Event,
            "/api/v1/events",
            cursor=cursor,
            query={"event_type": event_type, "after": after, "limit": limit},
        )

    def stream(self, *, after: str | None = None) -> EventStream[Event]:
        """Stream events.

        Server-sent events of the account, as they happen: `id` is the event's id, `event` its type, and `data` the
        envelope that GET /events lists. Send the last `id` as `Last-Event-ID` to continue after it, without gaps or
        repetitions. For an unknown id the stream begins with the event `reset`: read everything again, and continue
        from its id. Needs the scope webhooks:manage.

        Args:
            after: The last event that was received; without it, the stream begins now.

        Needs the scope `webhooks:manage`.
        """
        return EventStream(self._client, Event, "/api/v1/events/stream", after)


class AsyncEventsResource(AsyncResource):
    """Operations of events: `client.events`."""

    def list(
        self,
        *,
        event_type: EventType | None = None,
        after: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPager[Event]:
        """List events.

        Every event of the account, newest first. To catch up after an outage, pass the last event you received as
        `after`: the list then continues from that event, oldest first. An event is listed as soon as every earlier
        transaction has ended, usually at once.

        Args:
            event_type: Only events of this type, such as `contact.created`.
            after: Only events after this one, oldest first. No event is skipped, however late its transaction commits.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `webhooks:manage`.
        """
        return self._pager(
            Event,
            "/api/v1/events",
            cursor=cursor,
            query={"event_type": event_type, "after": after, "limit": limit},
        )

    def stream(self, *, after: str | None = None) -> AsyncEventStream[Event]:
        """Stream events.

        Server-sent events of the account, as they happen: `id` is the event's id, `event` its type, and `data` the
        envelope that GET /events lists. Send the last `id` as `Last-Event-ID` to continue after it, without gaps or
        repetitions. For an unknown id the stream begins with the event `reset`: read everything again, and continue
        from its id. Needs the scope webhooks:manage.

        Args:
            after: The last event that was received; without it, the stream begins now.

        Needs the scope `webhooks:manage`.
        """
        return AsyncEventStream(self._client, Event, "/api/v1/events/stream", after)
