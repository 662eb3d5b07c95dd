"""Operations of me.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..types.me import Me


class MeResource(Resource):
    """Operations of me: `client.me`."""

    def get(self) -> Me:
        """Get the current key.

        Returns the account, the granted and effective scopes, the expiry and the budget per minute.
        """
        return self._call(Me, "GET", "/api/v1/me")


class AsyncMeResource(AsyncResource):
    """Operations of me: `client.me`."""

    async def get(self) -> Me:
        """Get the current key.

        Returns the account, the granted and effective scopes, the expiry and the budget per minute.
        """
        return await self._call(Me, "GET", "/api/v1/me")
