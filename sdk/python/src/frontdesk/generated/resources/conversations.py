"""Operations of conversations.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, overload

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.encode import path_to
from ..._runtime.given import NOT_GIVEN, NotGiven
from ..._runtime.pages import AsyncPager, Pager
from ..types.conversations import Conversation, ConversationChoice, ConversationStatus, Handler
from ..types.shared import BulkJob, Channel, Direction, Message, MessageStatus, MessageType, Note


class ConversationsResource(Resource):
    """Operations of conversations: `client.conversations`."""

    def list(
        self,
        *,
        status: ConversationStatus | None = None,
        channel: Channel | None = None,
        assigned_user_id: str | None = None,
        contact_id: str | None = None,
        handler: Handler | None = None,
        unread: bool | None = None,
        updated_since: datetime | str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pager[Conversation]:
        """List conversations.

        Newest first by creation; use `updated_since` to find recent activity.

        Args:
            unread: Only conversations with unread messages, or only those without.
            updated_since: Only conversations with activity at or after this time.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `conversations:read`.
        """
        return self._pager(
            Conversation,
            "/api/v1/conversations",
            cursor=cursor,
            query={
                "status": status,
                "channel": channel,
                "assigned_user_id": assigned_user_id,
                "contact_id": contact_id,
                "handler": handler,
                "unread": unread,
                "updated_since": updated_since,
                "limit": limit,
            },
        )

    def change(
        self,
        *,
        assigned_user_id: str | None | NotGiven = NOT_GIVEN,
        filter: ConversationChoice | None | NotGiven = NOT_GIVEN,
        ids: Sequence[str] | None | NotGiven = NOT_GIVEN,
        status: ConversationStatus | NotGiven = NOT_GIVEN,
    ) -> BulkJob:
        """Change many conversations.

        Carried out in the background; `GET /conversations/bulk/{id}` shows its progress.

        Args:
            assigned_user_id: A member of the account; null leaves them to nobody.
            ids: At most 1,000 conversations.

        Needs the scope `conversations:write`.
        """
        return self._call(
            BulkJob,
            "POST",
            "/api/v1/conversations/bulk",
            body={"assigned_user_id": assigned_user_id, "filter": filter, "ids": ids, "status": status},
        )

    def get_change(self, bulk_id: str) -> BulkJob:
        """Get the progress of a change of many conversations.

        Needs the scope `conversations:read`.
        """
        return self._call(BulkJob, "GET", path_to("/api/v1/conversations/bulk/{id}", bulk_id))

    def get(self, conversation_id: str) -> Conversation:
        """Get a conversation.

        Needs the scope `conversations:read`.
        """
        return self._call(Conversation, "GET", path_to("/api/v1/conversations/{id}", conversation_id))

    def update(
        self,
        conversation_id: str,
        *,
        assigned_user_id: str | None | NotGiven = NOT_GIVEN,
        status: ConversationStatus | NotGiven = NOT_GIVEN,
    ) -> Conversation:
        """Change a conversation's status or assignment.

        Args:
            assigned_user_id: A member of the account; null removes the assignment.

        Needs the scope `conversations:write`.
        """
        return self._call(
            Conversation,
            "PATCH",
            path_to("/api/v1/conversations/{id}", conversation_id),
            body={"assigned_user_id": assigned_user_id, "status": status},
        )

    @overload
    def hand_over(self, conversation_id: str, *, to: Literal["assistant"], assistant_id: str) -> Conversation:
        """Hand a conversation over.

        To an assistant, or to a person.

        Needs the scope `conversations:write`.
        """

    @overload
    def hand_over(
        self,
        conversation_id: str,
        *,
        to: Literal["human"],
        user_id: str | None | NotGiven = NOT_GIVEN,
    ) -> Conversation:
        """Hand a conversation over.

        To an assistant, or to a person.

        Args:
            user_id: The member to assign.

        Needs the scope `conversations:write`.
        """

    def hand_over(self, conversation_id: str, **body: Any) -> Conversation:
        return self._call(
            Conversation,
            "POST",
            path_to("/api/v1/conversations/{id}/handover", conversation_id),
            body=body,
        )

    def list_messages(
        self,
        conversation_id: str,
        *,
        direction: Direction | None = None,
        type: MessageType | None = None,
        status: MessageStatus | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pager[Message]:
        """List a conversation's messages.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `messages:read`.
        """
        return self._pager(
            Message,
            path_to("/api/v1/conversations/{id}/messages", conversation_id),
            cursor=cursor,
            query={"direction": direction, "type": type, "status": status, "limit": limit},
        )

    def list_notes(self, conversation_id: str, *, cursor: str | None = None, limit: int | None = None) -> Pager[Note]:
        """List a conversation's private notes.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `conversations:read`.
        """
        return self._pager(
            Note,
            path_to("/api/v1/conversations/{id}/notes", conversation_id),
            cursor=cursor,
            query={"limit": limit},
        )

    def create_note(
        self,
        conversation_id: str,
        *,
        body: str,
        mentioned_user_ids: Sequence[str] | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Note:
        """Write a private note about a conversation.

        The customer never sees it. `note.created` names the members whom it mentions.

        Args:
            mentioned_user_ids: Members of the account whom the note mentions. The event `note.created` names them.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `conversations:write`.
        """
        return self._call(
            Note,
            "POST",
            path_to("/api/v1/conversations/{id}/notes", conversation_id),
            body={"body": body, "mentioned_user_ids": mentioned_user_ids},
            idempotency_key=idempotency_key,
        )

    def mark_read(self, conversation_id: str) -> Conversation:
        """Mark a conversation as read.

        Clears `unread_count` and sends a read receipt, if the channel has them.

        Needs the scope `conversations:write`.
        """
        return self._call(Conversation, "POST", path_to("/api/v1/conversations/{id}/read", conversation_id))

    def snooze(self, conversation_id: str, *, until: datetime | str | None) -> Conversation:
        """Snooze a conversation.

        The conversation is `pending` until the given time, and opens then, or when the customer writes. Our own
        messages do not end a snooze; another status does, and so does `until: null`, which opens it at once.

        Args:
            until: A moment in the future; null ends a snooze and opens the conversation.

        Needs the scope `conversations:write`.
        """
        return self._call(
            Conversation,
            "POST",
            path_to("/api/v1/conversations/{id}/snooze", conversation_id),
            body={"until": until},
        )

    def mark_unread(self, conversation_id: str) -> Conversation:
        """Mark a conversation as unread.

        `unread_count` becomes 1 where it is 0. The customer is told nothing.

        Needs the scope `conversations:write`.
        """
        return self._call(Conversation, "POST", path_to("/api/v1/conversations/{id}/unread", conversation_id))


class AsyncConversationsResource(AsyncResource):
    """Operations of conversations: `client.conversations`."""

    def list(
        self,
        *,
        status: ConversationStatus | None = None,
        channel: Channel | None = None,
        assigned_user_id: str | None = None,
        contact_id: str | None = None,
        handler: Handler | None = None,
        unread: bool | None = None,
        updated_since: datetime | str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPager[Conversation]:
        """List conversations.

        Newest first by creation; use `updated_since` to find recent activity.

        Args:
            unread: Only conversations with unread messages, or only those without.
            updated_since: Only conversations with activity at or after this time.
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `conversations:read`.
        """
        return self._pager(
            Conversation,
            "/api/v1/conversations",
            cursor=cursor,
            query={
                "status": status,
                "channel": channel,
                "assigned_user_id": assigned_user_id,
                "contact_id": contact_id,
                "handler": handler,
                "unread": unread,
                "updated_since": updated_since,
                "limit": limit,
            },
        )

    async def change(
        self,
        *,
        assigned_user_id: str | None | NotGiven = NOT_GIVEN,
        filter: ConversationChoice | None | NotGiven = NOT_GIVEN,
        ids: Sequence[str] | None | NotGiven = NOT_GIVEN,
        status: ConversationStatus | NotGiven = NOT_GIVEN,
    ) -> BulkJob:
        """Change many conversations.

        Carried out in the background; `GET /conversations/bulk/{id}` shows its progress.

        Args:
            assigned_user_id: A member of the account; null leaves them to nobody.
            ids: At most 1,000 conversations.

        Needs the scope `conversations:write`.
        """
        return await self._call(
            BulkJob,
            "POST",
            "/api/v1/conversations/bulk",
            body={"assigned_user_id": assigned_user_id, "filter": filter, "ids": ids, "status": status},
        )

    async def get_change(self, bulk_id: str) -> BulkJob:
        """Get the progress of a change of many conversations.

        Needs the scope `conversations:read`.
        """
        return await self._call(BulkJob, "GET", path_to("/api/v1/conversations/bulk/{id}", bulk_id))

    async def get(self, conversation_id: str) -> Conversation:
        """Get a conversation.

        Needs the scope `conversations:read`.
        """
        return await self._call(Conversation, "GET", path_to("/api/v1/conversations/{id}", conversation_id))

    async def update(
        self,
        conversation_id: str,
        *,
        assigned_user_id: str | None | NotGiven = NOT_GIVEN,
        status: ConversationStatus | NotGiven = NOT_GIVEN,
    ) -> Conversation:
        """Change a conversation's status or assignment.

        Args:
            assigned_user_id: A member of the account; null removes the assignment.

        Needs the scope `conversations:write`.
        """
        return await self._call(
            Conversation,
            "PATCH",
            path_to("/api/v1/conversations/{id}", conversation_id),
            body={"assigned_user_id": assigned_user_id, "status": status},
        )

    @overload
    async def hand_over(self, conversation_id: str, *, to: Literal["assistant"], assistant_id: str) -> Conversation:
        """Hand a conversation over.

        To an assistant, or to a person.

        Needs the scope `conversations:write`.
        """

    @overload
    async def hand_over(
        self,
        conversation_id: str,
        *,
        to: Literal["human"],
        user_id: str | None | NotGiven = NOT_GIVEN,
    ) -> Conversation:
        """Hand a conversation over.

        To an assistant, or to a person.

        Args:
            user_id: The member to assign.

        Needs the scope `conversations:write`.
        """

    async def hand_over(self, conversation_id: str, **body: Any) -> Conversation:
        return await self._call(
            Conversation,
            "POST",
            path_to("/api/v1/conversations/{id}/handover", conversation_id),
            body=body,
        )

    def list_messages(
        self,
        conversation_id: str,
        *,
        direction: Direction | None = None,
        type: MessageType | None = None,
        status: MessageStatus | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPager[Message]:
        """List a conversation's messages.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `messages:read`.
        """
        return self._pager(
            Message,
            path_to("/api/v1/conversations/{id}/messages", conversation_id),
            cursor=cursor,
            query={"direction": direction, "type": type, "status": status, "limit": limit},
        )

    def list_notes(
        self,
        conversation_id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPager[Note]:
        """List a conversation's private notes.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `conversations:read`.
        """
        return self._pager(
            Note,
            path_to("/api/v1/conversations/{id}/notes", conversation_id),
            cursor=cursor,
            query={"limit": limit},
        )

    async def create_note(
        self,
        conversation_id: str,
        *,
        body: str,
        mentioned_user_ids: Sequence[str] | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Note:
        """Write a private note about a conversation.

        The customer never sees it. `note.created` names the members whom it mentions.

        Args:
            mentioned_user_ids: Members of the account whom the note mentions. The event `note.created` names them.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `conversations:write`.
        """
        return await self._call(
            Note,
            "POST",
            path_to("/api/v1/conversations/{id}/notes", conversation_id),
            body={"body": body, "mentioned_user_ids": mentioned_user_ids},
            idempotency_key=idempotency_key,
        )

    async def mark_read(self, conversation_id: str) -> Conversation:
        """Mark a conversation as read.

        Clears `unread_count` and sends a read receipt, if the channel has them.

        Needs the scope `conversations:write`.
        """
        return await self._call(Conversation, "POST", path_to("/api/v1/conversations/{id}/read", conversation_id))

    async def snooze(self, conversation_id: str, *, until: datetime | str | None) -> Conversation:
        """Snooze a conversation.

        The conversation is `pending` until the given time, and opens then, or when the customer writes. Our own
        messages do not end a snooze; another status does, and so does `until: null`, which opens it at once.

        Args:
            until: A moment in the future; null ends a snooze and opens the conversation.

        Needs the scope `conversations:write`.
        """
        return await self._call(
            Conversation,
            "POST",
            path_to("/api/v1/conversations/{id}/snooze", conversation_id),
            body={"until": until},
        )

    async def mark_unread(self, conversation_id: str) -> Conversation:
        """Mark a conversation as unread.

        `unread_count` becomes 1 where it is 0. The customer is told nothing.

        Needs the scope `conversations:write`.
        """
        return await self._call(Conversation, "POST", path_to("/api/v1/conversations/{id}/unread", conversation_id))
