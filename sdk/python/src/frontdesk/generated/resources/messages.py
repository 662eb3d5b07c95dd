"""Operations of messages.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, overload

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.encode import path_to
from ..._runtime.given import NOT_GIVEN, NotGiven
from ..._runtime.pages import AsyncPager, Pager
from ..types.messages import MediaChoice, StatusChange, TemplateChoice, To
from ..types.shared import Message


class MessagesResource(Resource):
    """Operations of messages: `client.messages`."""

    def search(
        self,
        *,
        q: str | None = None,
        conversation_id: str | None = None,
        contact_id: str | None = None,
        since: datetime | str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pager[Message]:
        """Search messages.

        Messages whose text holds `q`, whatever its case, newest first. `q` is required.

        Args:
            q: Any part of the text, whatever its case. Required.
            since: Only messages since this moment.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `messages:read`.
        """
        return self._pager(
            Message,
            "/api/v1/messages",
            cursor=cursor,
            query={
                "q": q,
                "conversation_id": conversation_id,
                "contact_id": contact_id,
                "since": since,
                "limit": limit,
            },
        )

    @overload
    def send(
        self,
        *,
        type: Literal["text"],
        to: To,
        text: str,
        reply_to_message_id: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Message:
        """Send a message.

        Sends to a conversation, or to a number, whose contact and conversation are found or created. The response has
        the status `sending`; `message.status_changed` and GET /messages/{id} report later ones. Text and media need an
        open 24-hour window on WhatsApp, Messenger and Instagram (422 `outside_window`); a template does not.

        Args:
            reply_to_message_id: A message of the same conversation, which this one quotes.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `messages:send`.
        """

    @overload
    def send(
        self,
        *,
        type: Literal["template"],
        to: To,
        template: TemplateChoice,
        reply_to_message_id: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Message:
        """Send a message.

        Sends to a conversation, or to a number, whose contact and conversation are found or created. The response has
        the status `sending`; `message.status_changed` and GET /messages/{id} report later ones. Text and media need an
        open 24-hour window on WhatsApp, Messenger and Instagram (422 `outside_window`); a template does not.

        Args:
            reply_to_message_id: A message of the same conversation, which this one quotes.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `messages:send`.
        """

    @overload
    def send(
        self,
        *,
        type: Literal["media"],
        to: To,
        media: MediaChoice,
        reply_to_message_id: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Message:
        """Send a message.

        Sends to a conversation, or to a number, whose contact and conversation are found or created. The response has
        the status `sending`; `message.status_changed` and GET /messages/{id} report later ones. Text and media need an
        open 24-hour window on WhatsApp, Messenger and Instagram (422 `outside_window`); a template does not.

        Args:
            reply_to_message_id: A message of the same conversation, which this one quotes.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `messages:send`.
        """

    def send(self, *, idempotency_key: str | None = None, **body: Any) -> Message:
        return self._call(Message, "POST", "/api/v1/messages", body=body, idempotency_key=idempotency_key)

    def get(self, message_id: str) -> Message:
        """Get a message.

        Needs the scope `messages:read`.
        """
        return self._call(Message, "GET", path_to("/api/v1/messages/{id}", message_id))

    def list_statuses(self, message_id: str) -> Pager[StatusChange]:
        """List a message's statuses.

        Every status of the message, oldest first, each with its time and, if it failed, the error. An outbound message
        begins as `sending`; a customer's message has one status, `delivered`.

        Needs the scope `messages:read`.
        """
        return self._pager(StatusChange, path_to("/api/v1/messages/{id}/statuses", message_id))


class AsyncMessagesResource(AsyncResource):
    """Operations of messages: `client.messages`."""

    def search(
        self,
        *,
        q: str | None = None,
        conversation_id: str | None = None,
        contact_id: str | None = None,
        since: datetime | str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPager[Message]:
        """Search messages.

        Messages whose text holds `q`, whatever its case, newest first. `q` is required.

        Args:
            q: Any part of the text, whatever its case. Required.
            since: Only messages since this moment.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `messages:read`.
        """
        return self._pager(
            Message,
            "/api/v1/messages",
            cursor=cursor,
            query={
                "q": q,
                "conversation_id": conversation_id,
                "contact_id": contact_id,
                "since": since,
                "limit": limit,
            },
        )

    @overload
    async def send(
        self,
        *,
        type: Literal["text"],
        to: To,
        text: str,
        reply_to_message_id: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Message:
        """Send a message.

        Sends to a conversation, or to a number, whose contact and conversation are found or created. The response has
        the status `sending`; `message.status_changed` and GET /messages/{id} report later ones. Text and media need an
        open 24-hour window on WhatsApp, Messenger and Instagram (422 `outside_window`); a template does not.

        Args:
            reply_to_message_id: A message of the same conversation, which this one quotes.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `messages:send`.
        """

    @overload
    async def send(
        self,
        *,
        type: Literal["template"],
        to: To,
        template: TemplateChoice,
        reply_to_message_id: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Message:
        """Send a message.

        Sends to a conversation, or to a number, whose contact and conversation are found or created. The response has
        the status `sending`; `message.status_changed` and GET /messages/{id} report later ones. Text and media need an
        open 24-hour window on WhatsApp, Messenger and Instagram (422 `outside_window`); a template does not.

        Args:
            reply_to_message_id: A message of the same conversation, which this one quotes.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `messages:send`.
        """

    @overload
    async def send(
        self,
        *,
        type: Literal["media"],
        to: To,
        media: MediaChoice,
        reply_to_message_id: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Message:
        """Send a message.

        Sends to a conversation, or to a number, whose contact and conversation are found or created. The response has
        the status `sending`; `message.status_changed` and GET /messages/{id} report later ones. Text and media need an
        open 24-hour window on WhatsApp, Messenger and Instagram (422 `outside_window`); a template does not.

        Args:
            reply_to_message_id: A message of the same conversation, which this one quotes.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `messages:send`.
        """

    async def send(self, *, idempotency_key: str | None = None, **body: Any) -> Message:
        return await self._call(Message, "POST", "/api/v1/messages", body=body, idempotency_key=idempotency_key)

    async def get(self, message_id: str) -> Message:
        """Get a message.

        Needs the scope `messages:read`.
        """
        return await self._call(Message, "GET", path_to("/api/v1/messages/{id}", message_id))

    def list_statuses(self, message_id: str) -> AsyncPager[StatusChange]:
        """List a message's statuses.

        Every status of the message, oldest first, each with its time and, if it failed, the error. An outbound message
        begins as `sending`; a customer's message has one status, `delivered`.

        Needs the scope `messages:read`.
        """
        return self._pager(StatusChange, path_to("/api/v1/messages/{id}/statuses", message_id))
