"""Operations of channels.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.pages import AsyncPager, Pager
from ..types.channels import Connection


class ChannelsResource(Resource):
    """Operations of channels: `client.channels`."""

    def list(self) -> Pager[Connection]:
        """List the account's channels.

        Every number, page and widget that is or was connected. `frontdesk channel connect` creates them.
        """
        return self._pager(Connection, "/api/v1/channels")


class AsyncChannelsResource(AsyncResource):
    """Operations of channels: `client.channels`."""

    def list(self) -> AsyncPager[Connection]:
        """List the account's channels.

        Every number, page and widget that is or was connected. `frontdesk channel connect` creates them.
        """
        return self._pager(Connection, "/api/v1/channels")
