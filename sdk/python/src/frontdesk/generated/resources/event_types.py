"""Operations of event types.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.pages import AsyncPager, Pager
from ..types.event_types import EventTypeInfo


class EventTypesResource(Resource):
    """Operations of event types: `client.event_types`."""

    def list(self) -> Pager[EventTypeInfo]:
        """List event types.

        The catalogue, with an example of each type's `data`.
        """
        return self._pager(EventTypeInfo, "/api/v1/event-types")


class AsyncEventTypesResource(AsyncResource):
    """Operations of event types: `client.event_types`."""

    def list(self) -> AsyncPager[EventTypeInfo]:
        """List event types.

        The catalogue, with an example of each type's `data`.
        """
        return self._pager(EventTypeInfo, "/api/v1/event-types")
