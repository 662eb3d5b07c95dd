"""Operations of tools.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.pages import AsyncPager, Pager
from ..types.tools import Tool


class ToolsResource(Resource):
    """Operations of tools: `client.tools`."""

    def list(self) -> Pager[Tool]:
        """List the tool catalogue.

        Every tool that assistants can be given, with its default.

        Needs the scope `assistants:read`.
        """
        return self._pager(Tool, "/api/v1/tools")


class AsyncToolsResource(AsyncResource):
    """Operations of tools: `client.tools`."""

    def list(self) -> AsyncPager[Tool]:
        """List the tool catalogue.

        Every tool that assistants can be given, with its default.

        Needs the scope `assistants:read`.
        """
        return self._pager(Tool, "/api/v1/tools")
