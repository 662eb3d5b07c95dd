"""Operations of members.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.pages import AsyncPager, Pager
from ..types.members import Member


class MembersResource(Resource):
    """Operations of members: `client.members`."""

    def list(self) -> Pager[Member]:
        """List members.

        Every member of the account, newest first; those who have left are `removed`.

        Needs the scope `conversations:read`.
        """
        return self._pager(Member, "/api/v1/members")


class AsyncMembersResource(AsyncResource):
    """Operations of members: `client.members`."""

    def list(self) -> AsyncPager[Member]:
        """List members.

        Every member of the account, newest first; those who have left are `removed`.

        Needs the scope `conversations:read`.
        """
        return self._pager(Member, "/api/v1/members")
