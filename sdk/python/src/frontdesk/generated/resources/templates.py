"""Operations of templates.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.pages import AsyncPager, Pager
from ..types.templates import Template, TemplateStatus


class TemplatesResource(Resource):
    """Operations of templates: `client.templates`."""

    def list(
        self,
        *,
        status: TemplateStatus | None = None,
        language: str | None = None,
        q: str | None = None,
    ) -> Pager[Template]:
        """List message templates.

        Templates are synced when a channel is connected, when the vendor reports a change, before the vendor's links to
        example media expire, and by `frontdesk channel sync`.

        Args:
            language: A language such as `en_US`.
            q: Any part of the name, ignoring case.

        Needs the scope `templates:read`.
        """
        return self._pager(Template, "/api/v1/templates", query={"status": status, "language": language, "q": q})


class AsyncTemplatesResource(AsyncResource):
    """Operations of templates: `client.templates`."""

    def list(
        self,
        *,
        status: TemplateStatus | None = None,
        language: str | None = None,
        q: str | None = None,
    ) -> AsyncPager[Template]:
        """List message templates.

        Templates are synced when a channel is connected, when the vendor reports a change, before the vendor's links to
        example media expire, and by `frontdesk channel sync`.

        Args:
            language: A language such as `en_US`.
            q: Any part of the name, ignoring case.

        Needs the scope `templates:read`.
        """
        return self._pager(Template, "/api/v1/templates", query={"status": status, "language": language, "q": q})
