"""Operations of tags.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.encode import path_to
from ..._runtime.given import NOT_GIVEN, NotGiven
from ..._runtime.pages import AsyncPager, Pager
from ..types.shared import Deleted
from ..types.tags import Tag


class TagsResource(Resource):
    """Operations of tags: `client.tags`."""

    def list(self) -> Pager[Tag]:
        """List tags.

        Needs the scope `contacts:read`.
        """
        return self._pager(Tag, "/api/v1/tags")

    def create(self, *, name: str, color: str | None | NotGiven = NOT_GIVEN) -> Tag:
        """Create a tag.

        Args:
            name: Unique in the account, regardless of case.
            color: A hex colour such as `#2563eb`; defaults to a grey.

        Needs the scope `contacts:write`.
        """
        return self._call(Tag, "POST", "/api/v1/tags", body={"name": name, "color": color})

    def delete(self, tag_id: str) -> Deleted:
        """Delete a tag.

        Removes it from every contact.

        Needs the scope `contacts:write`.
        """
        return self._call(Deleted, "DELETE", path_to("/api/v1/tags/{id}", tag_id))

    def update(self, tag_id: str, *, color: str | NotGiven = NOT_GIVEN, name: str | NotGiven = NOT_GIVEN) -> Tag:
        """Update a tag.

        Needs the scope `contacts:write`.
        """
        return self._call(Tag, "PATCH", path_to("/api/v1/tags/{id}", tag_id), body={"color": color, "name": name})


class AsyncTagsResource(AsyncResource):
    """Operations of tags: `client.tags`."""

    def list(self) -> AsyncPager[Tag]:
        """List tags.

        Needs the scope `contacts:read`.
        """
        return self._pager(Tag, "/api/v1/tags")

    async def create(self, *, name: str, color: str | None | NotGiven = NOT_GIVEN) -> Tag:
        """Create a tag.

        Args:
            name: Unique in the account, regardless of case.
            color: A hex colour such as `#2563eb`; defaults to a grey.

        Needs the scope `contacts:write`.
        """
        return await self._call(Tag, "POST", "/api/v1/tags", body={"name": name, "color": color})

    async def delete(self, tag_id: str) -> Deleted:
        """Delete a tag.

        Removes it from every contact.

        Needs the scope `contacts:write`.
        """
        return await self._call(Deleted, "DELETE", path_to("/api/v1/tags/{id}", tag_id))

    async def update(self, tag_id: str, *, color: str | NotGiven = NOT_GIVEN, name: str | NotGiven = NOT_GIVEN) -> Tag:
        """Update a tag.

        Needs the scope `contacts:write`.
        """
        return await self._call(Tag, "PATCH", path_to("/api/v1/tags/{id}", tag_id), body={"color": color, "name": name})
