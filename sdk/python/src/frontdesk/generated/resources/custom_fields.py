"""Operations of custom fields.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.encode import path_to
from ..._runtime.given import NOT_GIVEN, NotGiven
from ..._runtime.pages import AsyncPager, Pager
from ..types.custom_fields import CustomField, FieldType
from ..types.shared import Deleted


class CustomFieldsResource(Resource):
    """Operations of custom fields: `client.custom_fields`."""

    def list(self) -> Pager[CustomField]:
        """List custom fields.

        Needs the scope `contacts:read`.
        """
        return self._pager(CustomField, "/api/v1/custom-fields")

    def create(
        self,
        *,
        name: str,
        options: Sequence[str] | None | NotGiven = NOT_GIVEN,
        type: FieldType | None | NotGiven = NOT_GIVEN,
    ) -> CustomField:
        """Define a custom field.

        Args:
            name: Unique in the account, regardless of case.
            options: The options of a `select`; required for that type, and not allowed for others.
            type: Defaults to `text`.

        Needs the scope `contacts:write`.
        """
        return self._call(
            CustomField,
            "POST",
            "/api/v1/custom-fields",
            body={"name": name, "options": options, "type": type},
        )

    def delete(self, custom_field_id: str) -> Deleted:
        """Delete a custom field.

        Deletes its values too.

        Needs the scope `contacts:write`.
        """
        return self._call(Deleted, "DELETE", path_to("/api/v1/custom-fields/{id}", custom_field_id))

    def update(
        self,
        custom_field_id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        options: Sequence[str] | NotGiven = NOT_GIVEN,
    ) -> CustomField:
        """Update a custom field.

        Needs the scope `contacts:write`.
        """
        return self._call(
            CustomField,
            "PATCH",
            path_to("/api/v1/custom-fields/{id}", custom_field_id),
            body={"name": name, "options": options},
        )


class AsyncCustomFieldsResource(AsyncResource):
    """Operations of custom fields: `client.custom_fields`."""

    def list(self) -> AsyncPager[CustomField]:
        """List custom fields.

        Needs the scope `contacts:read`.
        """
        return self._pager(CustomField, "/api/v1/custom-fields")

    async def create(
        self,
        *,
        name: str,
        options: Sequence[str] | None | NotGiven = NOT_GIVEN,
        type: FieldType | None | NotGiven = NOT_GIVEN,
    ) -> CustomField:
        """Define a custom field.

        Args:
            name: Unique in the account, regardless of case.
            options: The options of a `select`; required for that type, and not allowed for others.
            type: Defaults to `text`.

        Needs the scope `contacts:write`.
        """
        return await self._call(
            CustomField,
            "POST",
            "/api/v1/custom-fields",
            body={"name": name, "options": options, "type": type},
        )

    async def delete(self, custom_field_id: str) -> Deleted:
        """Delete a custom field.

        Deletes its values too.

        Needs the scope `contacts:write`.
        """
        return await self._call(Deleted, "DELETE", path_to("/api/v1/custom-fields/{id}", custom_field_id))

    async def update(
        self,
        custom_field_id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        options: Sequence[str] | NotGiven = NOT_GIVEN,
    ) -> CustomField:
        """Update a custom field.

        Needs the scope `contacts:write`.
        """
        return await self._call(
            CustomField,
            "PATCH",
            path_to("/api/v1/custom-fields/{id}", custom_field_id),
            body={"name": name, "options": options},
        )
