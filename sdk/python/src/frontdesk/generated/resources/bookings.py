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
    ) -> Pager[Booking]:
        """List bookings.

        Appointments from connected calendars, newest first. `from` and `to` are compared with `start_at`; `to` is
        excluded.

        Args:
            contact_id: Only bookings of this contact.
            from_: Only bookings that start at this time or later.
            to: Only bookings that start before this time.

        Needs the scope `contacts:read`.
        """
        return self._pager(
            Booking,
            "/api/v1/bookings",
            query={"status": status, "contact_id": contact_id, "from": from_, "to": to},
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
    ) -> AsyncPager[Booking]:
        """List bookings.

        Appointments from connected calendars, newest first. `from` and `to` are compared with `start_at`; `to` is
        excluded.

        Args:
            contact_id: Only bookings of this contact.
            from_: Only bookings that start at this time or later.
            to: Only bookings that start before this time.

        Needs the scope `contacts:read`.
        """
        return self._pager(
            Booking,
            "/api/v1/bookings",
            query={"status": status, "contact_id": contact_id, "from": from_, "to": to},
        )
