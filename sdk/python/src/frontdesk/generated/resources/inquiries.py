"""Operations of inquiries.

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
from ..types.inquiries import Inquiry, InquiryStatus
from ..types.shared import Note


class InquiriesResource(Resource):
    """Operations of inquiries: `client.inquiries`."""

    def list(
        self,
        *,
        status: InquiryStatus | None = None,
        q: str | None = None,
        updated_since: datetime | str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pager[Inquiry]:
        """List inquiries.

        Args:
            q: Any part of the name, email, phone or message, ignoring case.
            updated_since: Only inquiries changed at or after this time.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `inquiries:read`.
        """
        return self._pager(
            Inquiry,
            "/api/v1/inquiries",
            cursor=cursor,
            query={"status": status, "q": q, "updated_since": updated_since, "limit": limit},
        )

    def create(
        self,
        *,
        country: str | None | NotGiven = NOT_GIVEN,
        email: str | None | NotGiven = NOT_GIVEN,
        fields: Mapping[str, str | None] | None | NotGiven = NOT_GIVEN,
        form: str | None | NotGiven = NOT_GIVEN,
        message: str | None | NotGiven = NOT_GIVEN,
        name: str | None | NotGiven = NOT_GIVEN,
        phone: str | None | NotGiven = NOT_GIVEN,
        source_url: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Inquiry:
        """Submit an inquiry.

        Its contact is found by phone, then by email, or created. Existing data of a contact is kept; missing data is
        filled in. If the contact limit is reached, the inquiry is stored without a contact.

        Args:
            country: The country of a number without a country code, such as `DE`. With it, a number that cannot exist
                is refused.
            fields: Further fields, by name.
            form: The name of the form.
            phone: With its country code; spaces, dashes and brackets are ignored. With `country` also as it is dialled
                there.
            source_url: The page it was sent from.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `inquiries:write`.
        """
        return self._call(
            Inquiry,
            "POST",
            "/api/v1/inquiries",
            body={
                "country": country,
                "email": email,
                "fields": fields,
                "form": form,
                "message": message,
                "name": name,
                "phone": phone,
                "source_url": source_url,
            },
            idempotency_key=idempotency_key,
        )

    def get(self, inquiry_id: str) -> Inquiry:
        """Get an inquiry.

        Needs the scope `inquiries:read`.
        """
        return self._call(Inquiry, "GET", path_to("/api/v1/inquiries/{id}", inquiry_id))

    def update(self, inquiry_id: str, *, status: InquiryStatus | NotGiven = NOT_GIVEN) -> Inquiry:
        """Change an inquiry's status.

        Needs the scope `inquiries:write`.
        """
        return self._call(Inquiry, "PATCH", path_to("/api/v1/inquiries/{id}", inquiry_id), body={"status": status})

    def list_notes(self, inquiry_id: str, *, cursor: str | None = None, limit: int | None = None) -> Pager[Note]:
        """List an inquiry's notes.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `inquiries:read`.
        """
        return self._pager(
            Note,
            path_to("/api/v1/inquiries/{id}/notes", inquiry_id),
            cursor=cursor,
            query={"limit": limit},
        )

    def create_note(self, inquiry_id: str, *, body: str, idempotency_key: str | None = None) -> Note:
        """Write a note about an inquiry.

        Args:
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `inquiries:write`.
        """
        return self._call(
            Note,
            "POST",
            path_to("/api/v1/inquiries/{id}/notes", inquiry_id),
            body={"body": body},
            idempotency_key=idempotency_key,
        )


class AsyncInquiriesResource(AsyncResource):
    """Operations of inquiries: `client.inquiries`."""

    def list(
        self,
        *,
        status: InquiryStatus | None = None,
        q: str | None = None,
        updated_since: datetime | str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPager[Inquiry]:
        """List inquiries.

        Args:
            q: Any part of the name, email, phone or message, ignoring case.
            updated_since: Only inquiries changed at or after this time.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `inquiries:read`.
        """
        return self._pager(
            Inquiry,
            "/api/v1/inquiries",
            cursor=cursor,
            query={"status": status, "q": q, "updated_since": updated_since, "limit": limit},
        )

    async def create(
        self,
        *,
        country: str | None | NotGiven = NOT_GIVEN,
        email: str | None | NotGiven = NOT_GIVEN,
        fields: Mapping[str, str | None] | None | NotGiven = NOT_GIVEN,
        form: str | None | NotGiven = NOT_GIVEN,
        message: str | None | NotGiven = NOT_GIVEN,
        name: str | None | NotGiven = NOT_GIVEN,
        phone: str | None | NotGiven = NOT_GIVEN,
        source_url: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Inquiry:
        """Submit an inquiry.

        Its contact is found by phone, then by email, or created. Existing data of a contact is kept; missing data is
        filled in. If the contact limit is reached, the inquiry is stored without a contact.

        Args:
            country: The country of a number without a country code, such as `DE`. With it, a number that cannot exist
                is refused.
            fields: Further fields, by name.
            form: The name of the form.
            phone: With its country code; spaces, dashes and brackets are ignored. With `country` also as it is dialled
                there.
            source_url: The page it was sent from.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `inquiries:write`.
        """
        return await self._call(
            Inquiry,
            "POST",
            "/api/v1/inquiries",
            body={
                "country": country,
                "email": email,
                "fields": fields,
                "form": form,
                "message": message,
                "name": name,
                "phone": phone,
                "source_url": source_url,
            },
            idempotency_key=idempotency_key,
        )

    async def get(self, inquiry_id: str) -> Inquiry:
        """Get an inquiry.

        Needs the scope `inquiries:read`.
        """
        return await self._call(Inquiry, "GET", path_to("/api/v1/inquiries/{id}", inquiry_id))

    async def update(self, inquiry_id: str, *, status: InquiryStatus | NotGiven = NOT_GIVEN) -> Inquiry:
        """Change an inquiry's status.

        Needs the scope `inquiries:write`.
        """
        return await self._call(
            Inquiry,
            "PATCH",
            path_to("/api/v1/inquiries/{id}", inquiry_id),
            body={"status": status},
        )

    def list_notes(self, inquiry_id: str, *, cursor: str | None = None, limit: int | None = None) -> AsyncPager[Note]:
        """List an inquiry's notes.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `inquiries:read`.
        """
        return self._pager(
            Note,
            path_to("/api/v1/inquiries/{id}/notes", inquiry_id),
            cursor=cursor,
            query={"limit": limit},
        )

    async def create_note(self, inquiry_id: str, *, body: str, idempotency_key: str | None = None) -> Note:
        """Write a note about an inquiry.

        Args:
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `inquiries:write`.
        """
        return await self._call(
            Note,
            "POST",
            path_to("/api/v1/inquiries/{id}/notes", inquiry_id),
            body={"body": body},
            idempotency_key=idempotency_key,
        )
