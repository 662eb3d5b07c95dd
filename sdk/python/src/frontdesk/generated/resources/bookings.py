"""Operations of bookings.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from datetime import datetime

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.pages import AsyncPager, Pager
from ..types.bookings import Booking, BookingStatus


class BookingsResource(Resource):
    """Operations of bookings: `client.bookings`."""

    def list(
        self,
        *,
        status: BookingStatus | None = None,
        contact_id: str | None = None,
        from_: datetime | str | None = None,
        to: datetime | str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pager[Booking]:
        """List bookings.

        Appointments from connected calendars, newest first. `from` and `to` are compared with `start_at`; `to` is
        excluded.

        Args:
            contact_id: Only bookings of this contact.
            from_: Only bookings that start at this time or later.
            to: Only bookings that start before this time.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `contacts:read`.
        """
        return self._pager(
            Booking,
            "/api/v1/bookings",
            cursor=cursor,
            query={"status": status, "contact_id": contact_id, "from": from_, "to": to, "limit": limit},
        )


class AsyncBookingsResource(AsyncResource):
    """Operations of bookings: `client.bookings`."""

    def list(
        self,
        *,
        status: BookingStatus | None = None,
        contact_id: str | None = None,
        from_: datetime | str | None = None,
        to: datetime | str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPager[Booking]:
        """List bookings.

        Appointments from connected calendars, newest first. `from` and `to` are compared with `start_at`; `to` is
        excluded.

        Args:
            contact_id: Only bookings of this contact.
            from_: Only bookings that start at this time or later.
            to: Only bookings that start before this time.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `contacts:read`.
        """
        return self._pager(
            Booking,
            "/api/v1/bookings",
            cursor=cursor,
            query={"status": status, "contact_id": contact_id, "from": from_, "to": to, "limit": limit},
        )
