"""Operations of segments.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.encode import path_to
from ..._runtime.given import NOT_GIVEN, NotGiven
from ..._runtime.pages import AsyncPager, Pager
from ..types.segments import Match, RuleInput, Segment
from ..types.shared import Deleted


class SegmentsResource(Resource):
    """Operations of segments: `client.segments`."""

    def list(self) -> Pager[Segment]:
        """List segments.

        Needs the scope `contacts:read`.
        """
        return self._pager(Segment, "/api/v1/segments")

    def create(self, *, name: str, rules: Sequence[RuleInput], match: Match | None | NotGiven = NOT_GIVEN) -> Segment:
        """Create a segment.

        Args:
            match: Defaults to `all`.

        Needs the scope `contacts:write`.
        """
        return self._call(Segment, "POST", "/api/v1/segments", body={"name": name, "rules": rules, "match": match})

    def delete(self, segment_id: str) -> Deleted:
        """Delete a segment.

        Needs the scope `contacts:write`.
        """
        return self._call(Deleted, "DELETE", path_to("/api/v1/segments/{id}", segment_id))

    def get(self, segment_id: str) -> Segment:
        """Get a segment.

        Needs the scope `contacts:read`.
        """
        return self._call(Segment, "GET", path_to("/api/v1/segments/{id}", segment_id))

    def update(
        self,
        segment_id: str,
        *,
        match: Match | NotGiven = NOT_GIVEN,
        name: str | NotGiven = NOT_GIVEN,
        rules: Sequence[RuleInput] | NotGiven = NOT_GIVEN,
    ) -> Segment:
        """Update a segment.

        Needs the scope `contacts:write`.
        """
        return self._call(
            Segment,
            "PATCH",
            path_to("/api/v1/segments/{id}", segment_id),
            body={"match": match, "name": name, "rules": rules},
        )


class AsyncSegmentsResource(AsyncResource):
    """Operations of segments: `client.segments`."""

    def list(self) -> AsyncPager[Segment]:
        """List segments.

        Needs the scope `contacts:read`.
        """
        return self._pager(Segment, "/api/v1/segments")

    async def create(
        self,
        *,
        name: str,
        rules: Sequence[RuleInput],
        match: Match | None | NotGiven = NOT_GIVEN,
    ) -> Segment:
        """Create a segment.

        Args:
            match: Defaults to `all`.

        Needs the scope `contacts:write`.
        """
        return await self._call(
            Segment,
            "POST",
            "/api/v1/segments",
            body={"name": name, "rules": rules, "match": match},
        )

    async def delete(self, segment_id: str) -> Deleted:
        """Delete a segment.

        Needs the scope `contacts:write`.
        """
        return await self._call(Deleted, "DELETE", path_to("/api/v1/segments/{id}", segment_id))

    async def get(self, segment_id: str) -> Segment:
        """Get a segment.

        Needs the scope `contacts:read`.
        """
        return await self._call(Segment, "GET", path_to("/api/v1/segments/{id}", segment_id))

    async def update(
        self,
        segment_id: str,
        *,
        match: Match | NotGiven = NOT_GIVEN,
        name: str | NotGiven = NOT_GIVEN,
        rules: Sequence[RuleInput] | NotGiven = NOT_GIVEN,
    ) -> Segment:
        """Update a segment.

        Needs the scope `contacts:write`.
        """
        return await self._call(
            Segment,
            "PATCH",
            path_to("/api/v1/segments/{id}", segment_id),
            body={"match": match, "name": name, "rules": rules},
        )
