"""Operations of contacts.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.encode import path_to
from ..._runtime.given import NOT_GIVEN, NotGiven
from ..._runtime.pages import AsyncPager, Pager
from ..types.contacts import Contact, ContactChoice, OptOut
from ..types.shared import BulkJob, Deleted, Note


class ContactsResource(Resource):
    """Operations of contacts: `client.contacts`."""

    def list(
        self,
        *,
        q: str | None = None,
        tag_id: str | None = None,
        segment_id: str | None = None,
        phone: str | None = None,
        email: str | None = None,
        updated_since: datetime | str | None = None,
        created_since: datetime | str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pager[Contact]:
        """List contacts.

        A `segment_id` that is not the account's is a 404.

        Args:
            q: Any part of the name, phone, email or company, ignoring case. One or two characters match only the
                beginnings of words.
            tag_id: Only contacts with this tag.
            segment_id: Only contacts in this segment.
            phone: Only the contact with this number, however it is written, or the one that a contact with this number
                was merged into.
            email: Only contacts with this address, ignoring case.
            updated_since: Only contacts changed at or after this time.
            created_since: Only contacts created at or after this time.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `contacts:read`.
        """
        return self._pager(
            Contact,
            "/api/v1/contacts",
            cursor=cursor,
            query={
                "q": q,
                "tag_id": tag_id,
                "segment_id": segment_id,
                "phone": phone,
                "email": email,
                "updated_since": updated_since,
                "created_since": created_since,
                "limit": limit,
            },
        )

    def create(
        self,
        *,
        company: str | None | NotGiven = NOT_GIVEN,
        country: str | None | NotGiven = NOT_GIVEN,
        custom_fields: Mapping[str, str | None] | None | NotGiven = NOT_GIVEN,
        email: str | None | NotGiven = NOT_GIVEN,
        name: str | None | NotGiven = NOT_GIVEN,
        phone: str | None | NotGiven = NOT_GIVEN,
        tag_ids: Sequence[str] | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Contact:
        """Create a contact.

        A phone number that already belongs to a contact is a 409 with that contact's id in `details`, however the
        number is formatted.

        Args:
            country: The country of a number without a country code, such as `DE`. With it, a number that cannot exist
                is refused.
            custom_fields: Values keyed by custom-field id.
            phone: With its country code; spaces, dashes and brackets are ignored. With `country` also as it is dialled
                there.
            tag_ids: Tags of this account.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `contacts:write`.
        """
        return self._call(
            Contact,
            "POST",
            "/api/v1/contacts",
            body={
                "company": company,
                "country": country,
                "custom_fields": custom_fields,
                "email": email,
                "name": name,
                "phone": phone,
                "tag_ids": tag_ids,
            },
            idempotency_key=idempotency_key,
        )

    def change(
        self,
        *,
        add_tag_ids: Sequence[str] | None | NotGiven = NOT_GIVEN,
        filter: ContactChoice | None | NotGiven = NOT_GIVEN,
        ids: Sequence[str] | None | NotGiven = NOT_GIVEN,
        remove_tag_ids: Sequence[str] | None | NotGiven = NOT_GIVEN,
    ) -> BulkJob:
        """Change the tags of many contacts.

        Carried out in the background; `GET /contacts/bulk/{id}` shows its progress.

        Args:
            ids: At most 1,000 contacts.

        Needs the scope `contacts:write`.
        """
        return self._call(
            BulkJob,
            "POST",
            "/api/v1/contacts/bulk",
            body={"add_tag_ids": add_tag_ids, "filter": filter, "ids": ids, "remove_tag_ids": remove_tag_ids},
        )

    def get_change(self, bulk_id: str) -> BulkJob:
        """Get the progress of a change of many contacts.

        Needs the scope `contacts:read`.
        """
        return self._call(BulkJob, "GET", path_to("/api/v1/contacts/bulk/{id}", bulk_id))

    def delete(self, contact_id: str) -> Deleted:
        """Erase a contact.

        Permanently erases the contact with its conversations, messages, notes and media. Queued messages are not sent.
        Deals, inquiries and bookings stay, without a contact. Earlier events stay until their retention ends.

        Needs the scope `contacts:write`.
        """
        return self._call(Deleted, "DELETE", path_to("/api/v1/contacts/{id}", contact_id))

    def get(self, contact_id: str) -> Contact:
        """Get a contact.

        Needs the scope `contacts:read`.
        """
        return self._call(Contact, "GET", path_to("/api/v1/contacts/{id}", contact_id))

    def update(
        self,
        contact_id: str,
        *,
        company: str | None | NotGiven = NOT_GIVEN,
        country: str | None | NotGiven = NOT_GIVEN,
        custom_fields: Mapping[str, str | None] | None | NotGiven = NOT_GIVEN,
        email: str | None | NotGiven = NOT_GIVEN,
        name: str | None | NotGiven = NOT_GIVEN,
        phone: str | None | NotGiven = NOT_GIVEN,
        tag_ids: Sequence[str] | None | NotGiven = NOT_GIVEN,
    ) -> Contact:
        """Update a contact.

        Args:
            country: The country of a number without a country code, such as `DE`. With it, a number that cannot exist
                is refused.
            custom_fields: Merged by key; null clears a value.
            phone: With its country code. With `country` also as it is dialled there.
            tag_ids: Replaces the contact's tags.

        Needs the scope `contacts:write`.
        """
        return self._call(
            Contact,
            "PATCH",
            path_to("/api/v1/contacts/{id}", contact_id),
            body={
                "company": company,
                "country": country,
                "custom_fields": custom_fields,
                "email": email,
                "name": name,
                "phone": phone,
                "tag_ids": tag_ids,
            },
        )

    def merge(self, id: str, *, contact_id: str) -> Contact:
        """Merge another contact into this one.

        Moves everything of the other contact into this one, which keeps its own fields and takes over the other's where
        its own are empty. Tags and identities are combined, it is opted out if either was, and the other's number
        belongs to it from now on. Of two conversations on one connection the more recent one stays open and the other
        is closed. The other contact is deleted, without a `contact.deleted` event. Merging a contact into itself is a
        422 with the reason `same_contact`.

        Args:
            contact_id: The other contact, which is deleted.

        Needs the scope `contacts:write`.
        """
        return self._call(Contact, "POST", path_to("/api/v1/contacts/{id}/merge", id), body={"contact_id": contact_id})

    def list_notes(self, contact_id: str, *, cursor: str | None = None, limit: int | None = None) -> Pager[Note]:
        """List a contact's notes.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `contacts:read`.
        """
        return self._pager(
            Note,
            path_to("/api/v1/contacts/{id}/notes", contact_id),
            cursor=cursor,
            query={"limit": limit},
        )

    def create_note(self, contact_id: str, *, body: str, idempotency_key: str | None = None) -> Note:
        """Write a note about a contact.

        Args:
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `contacts:write`.
        """
        return self._call(
            Note,
            "POST",
            path_to("/api/v1/contacts/{id}/notes", contact_id),
            body={"body": body},
            idempotency_key=idempotency_key,
        )

    def opt_in(self, contact_id: str) -> OptOut:
        """Opt a contact in to broadcasts again.

        Needs the scope `contacts:write`.
        """
        return self._call(OptOut, "DELETE", path_to("/api/v1/contacts/{id}/opt-out", contact_id))

    def get_opt_out(self, contact_id: str) -> OptOut:
        """Get a contact's opt-out.

        Needs the scope `contacts:read`.
        """
        return self._call(OptOut, "GET", path_to("/api/v1/contacts/{id}/opt-out", contact_id))

    def opt_out(self, contact_id: str) -> OptOut:
        """Opt a contact out of broadcasts.

        Needs the scope `contacts:write`.
        """
        return self._call(OptOut, "PUT", path_to("/api/v1/contacts/{id}/opt-out", contact_id))

    def add_tags(self, contact_id: str, *, tag_ids: Sequence[str]) -> Contact:
        """Add tags to a contact.

        Args:
            tag_ids: Tags of this account.

        Needs the scope `contacts:write`.
        """
        return self._call(Contact, "POST", path_to("/api/v1/contacts/{id}/tags", contact_id), body={"tag_ids": tag_ids})

    def remove_tag(self, contact_id: str, tag_id: str) -> Contact:
        """Remove a tag from a contact.

        Needs the scope `contacts:write`.
        """
        return self._call(Contact, "DELETE", path_to("/api/v1/contacts/{id}/tags/{tag_id}", contact_id, tag_id))


class AsyncContactsResource(AsyncResource):
    """Operations of contacts: `client.contacts`."""

    def list(
        self,
        *,
        q: str | None = None,
        tag_id: str | None = None,
        segment_id: str | None = None,
        phone: str | None = None,
        email: str | None = None,
        updated_since: datetime | str | None = None,
        created_since: datetime | str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPager[Contact]:
        """List contacts.

        A `segment_id` that is not the account's is a 404.

        Args:
            q: Any part of the name, phone, email or company, ignoring case. One or two characters match only the
                beginnings of words.
            tag_id: Only contacts with this tag.
            segment_id: Only contacts in this segment.
            phone: Only the contact with this number, however it is written, or the one that a contact with this number
                was merged into.
            email: Only contacts with this address, ignoring case.
            updated_since: Only contacts changed at or after this time.
            created_since: Only contacts created at or after this time.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `contacts:read`.
        """
        return self._pager(
            Contact,
            "/api/v1/contacts",
            cursor=cursor,
            query={
                "q": q,
                "tag_id": tag_id,
                "segment_id": segment_id,
                "phone": phone,
                "email": email,
                "updated_since": updated_since,
                "created_since": created_since,
                "limit": limit,
            },
        )

    async def create(
        self,
        *,
        company: str | None | NotGiven = NOT_GIVEN,
        country: str | None | NotGiven = NOT_GIVEN,
        custom_fields: Mapping[str, str | None] | None | NotGiven = NOT_GIVEN,
        email: str | None | NotGiven = NOT_GIVEN,
        name: str | None | NotGiven = NOT_GIVEN,
        phone: str | None | NotGiven = NOT_GIVEN,
        tag_ids: Sequence[str] | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Contact:
        """Create a contact.

        A phone number that already belongs to a contact is a 409 with that contact's id in `details`, however the
        number is formatted.

        Args:
            country: The country of a number without a country code, such as `DE`. With it, a number that cannot exist
                is refused.
            custom_fields: Values keyed by custom-field id.
            phone: With its country code; spaces, dashes and brackets are ignored. With `country` also as it is dialled
                there.
            tag_ids: Tags of this account.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `contacts:write`.
        """
        return await self._call(
            Contact,
            "POST",
            "/api/v1/contacts",
            body={
                "company": company,
                "country": country,
                "custom_fields": custom_fields,
                "email": email,
                "name": name,
                "phone": phone,
                "tag_ids": tag_ids,
            },
            idempotency_key=idempotency_key,
        )

    async def change(
        self,
        *,
        add_tag_ids: Sequence[str] | None | NotGiven = NOT_GIVEN,
        filter: ContactChoice | None | NotGiven = NOT_GIVEN,
        ids: Sequence[str] | None | NotGiven = NOT_GIVEN,
        remove_tag_ids: Sequence[str] | None | NotGiven = NOT_GIVEN,
    ) -> BulkJob:
        """Change the tags of many contacts.

        Carried out in the background; `GET /contacts/bulk/{id}` shows its progress.

        Args:
            ids: At most 1,000 contacts.

        Needs the scope `contacts:write`.
        """
        return await self._call(
            BulkJob,
            "POST",
            "/api/v1/contacts/bulk",
            body={"add_tag_ids": add_tag_ids, "filter": filter, "ids": ids, "remove_tag_ids": remove_tag_ids},
        )

    async def get_change(self, bulk_id: str) -> BulkJob:
        """Get the progress of a change of many contacts.

        Needs the scope `contacts:read`.
        """
        return await self._call(BulkJob, "GET", path_to("/api/v1/contacts/bulk/{id}", bulk_id))

    async def delete(self, contact_id: str) -> Deleted:
        """Erase a contact.

        Permanently erases the contact with its conversations, messages, notes and media. Queued messages are not sent.
        Deals, inquiries and bookings stay, without a contact. Earlier events stay until their retention ends.

        Needs the scope `contacts:write`.
        """
        return await self._call(Deleted, "DELETE", path_to("/api/v1/contacts/{id}", contact_id))

    async def get(self, contact_id: str) -> Contact:
        """Get a contact.

        Needs the scope `contacts:read`.
        """
        return await self._call(Contact, "GET", path_to("/api/v1/contacts/{id}", contact_id))

    async def update(
        self,
        contact_id: str,
        *,
        company: str | None | NotGiven = NOT_GIVEN,
        country: str | None | NotGiven = NOT_GIVEN,
        custom_fields: Mapping[str, str | None] | None | NotGiven = NOT_GIVEN,
        email: str | None | NotGiven = NOT_GIVEN,
        name: str | None | NotGiven = NOT_GIVEN,
        phone: str | None | NotGiven = NOT_GIVEN,
        tag_ids: Sequence[str] | None | NotGiven = NOT_GIVEN,
    ) -> Contact:
        """Update a contact.

        Args:
            country: The country of a number without a country code, such as `DE`. With it, a number that cannot exist
                is refused.
            custom_fields: Merged by key; null clears a value.
            phone: With its country code. With `country` also as it is dialled there.
            tag_ids: Replaces the contact's tags.

        Needs the scope `contacts:write`.
        """
        return await self._call(
            Contact,
            "PATCH",
            path_to("/api/v1/contacts/{id}", contact_id),
            body={
                "company": company,
                "country": country,
                "custom_fields": custom_fields,
                "email": email,
                "name": name,
                "phone": phone,
                "tag_ids": tag_ids,
            },
        )

    async def merge(self, id: str, *, contact_id: str) -> Contact:
        """Merge another contact into this one.

        Moves everything of the other contact into this one, which keeps its own fields and takes over the other's where
        its own are empty. Tags and identities are combined, it is opted out if either was, and the other's number
        belongs to it from now on. Of two conversations on one connection the more recent one stays open and the other
        is closed. The other contact is deleted, without a `contact.deleted` event. Merging a contact into itself is a
        422 with the reason `same_contact`.

        Args:
            contact_id: The other contact, which is deleted.

        Needs the scope `contacts:write`.
        """
        return await self._call(
            Contact,
            "POST",
            path_to("/api/v1/contacts/{id}/merge", id),
            body={"contact_id": contact_id},
        )

    def list_notes(self, contact_id: str, *, cursor: str | None = None, limit: int | None = None) -> AsyncPager[Note]:
        """List a contact's notes.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `contacts:read`.
        """
        return self._pager(
            Note,
            path_to("/api/v1/contacts/{id}/notes", contact_id),
            cursor=cursor,
            query={"limit": limit},
        )

    async def create_note(self, contact_id: str, *, body: str, idempotency_key: str | None = None) -> Note:
        """Write a note about a contact.

        Args:
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `contacts:write`.
        """
        return await self._call(
            Note,
            "POST",
            path_to("/api/v1/contacts/{id}/notes", contact_id),
            body={"body": body},
            idempotency_key=idempotency_key,
        )

    async def opt_in(self, contact_id: str) -> OptOut:
        """Opt a contact in to broadcasts again.

        Needs the scope `contacts:write`.
        """
        return await self._call(OptOut, "DELETE", path_to("/api/v1/contacts/{id}/opt-out", contact_id))

    async def get_opt_out(self, contact_id: str) -> OptOut:
        """Get a contact's opt-out.

        Needs the scope `contacts:read`.
        """
        return await self._call(OptOut, "GET", path_to("/api/v1/contacts/{id}/opt-out", contact_id))

    async def opt_out(self, contact_id: str) -> OptOut:
        """Opt a contact out of broadcasts.

        Needs the scope `contacts:write`.
        """
        return await self._call(OptOut, "PUT", path_to("/api/v1/contacts/{id}/opt-out", contact_id))

    async def add_tags(self, contact_id: str, *, tag_ids: Sequence[str]) -> Contact:
        """Add tags to a contact.

        Args:
            tag_ids: Tags of this account.

        Needs the scope `contacts:write`.
        """
        return await self._call(
            Contact,
            "POST",
            path_to("/api/v1/contacts/{id}/tags", contact_id),
            body={"tag_ids": tag_ids},
        )

    async def remove_tag(self, contact_id: str, tag_id: str) -> Contact:
        """Remove a tag from a contact.

        Needs the scope `contacts:write`.
        """
        return await self._call(Contact, "DELETE", path_to("/api/v1/contacts/{id}/tags/{tag_id}", contact_id, tag_id))
