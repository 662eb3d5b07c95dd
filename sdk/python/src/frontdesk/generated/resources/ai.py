"""Operations of ai.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from datetime import date

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..types.ai import AiUsage


class AiResource(Resource):
    """Operations of ai: `client.ai`."""

    def get_usage(self, *, from_: date | str | None = None, to: date | str | None = None) -> AiUsage:
        """Get the cost of models.

        From `from` to `to`, both included; this month when they are left out. Days are in the account's timezone.

        Args:
            from_: The first day; the first of this month when left out.
            to: The last day; today when left out.

        Needs the scope `ai:usage`. Costs 2 units.
        """
        return self._call(AiUsage, "GET", "/api/v1/ai/usage", query={"from": from_, "to": to})


class AsyncAiResource(AsyncResource):
    """Operations of ai: `client.ai`."""

    async def get_usage(self, *, from_: date | str | None = None, to: date | str | None = None) -> AiUsage:
        """Get the cost of models.

        From `from` to `to`, both included; this month when they are left out. Days are in the account's timezone.

        Args:
            from_: The first day; the first of this month when left out.
            to: The last day; today when left out.

        Needs the scope `ai:usage`. Costs 2 units.
        """
        return await self._call(AiUsage, "GET", "/api/v1/ai/usage", query={"from": from_, "to": to})
