"""The groups of operations of a client.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from .._runtime.async_client import AsyncClient
from .._runtime.client import Client
from .resources.ai import AiResource, AsyncAiResource
from .resources.asks import AsksResource, AsyncAsksResource
from .resources.assistants import AssistantsResource, AsyncAssistantsResource
from .resources.bookings import AsyncBookingsResource, BookingsResource
from .resources.broadcasts import AsyncBroadcastsResource, BroadcastsResource
from .resources.canned_replies import AsyncCannedRepliesResource, CannedRepliesResource
from .resources.channels import AsyncChannelsResource, ChannelsResource
from .resources.contacts import AsyncContactsResource, ContactsResource
from .resources.conversations import AsyncConversationsResource, ConversationsResource
from .resources.custom_fields import AsyncCustomFieldsResource, CustomFieldsResource
from .resources.deals import AsyncDealsResource, DealsResource
from .resources.event_types import AsyncEventTypesResource, EventTypesResource
from .resources.events import AsyncEventsResource, EventsResource
from .resources.inquiries import AsyncInquiriesResource, InquiriesResource
from .resources.instructions import AsyncInstructionsResource, InstructionsResource
from .resources.me import AsyncMeResource, MeResource
from .resources.media import AsyncMediaResource, MediaResource
from .resources.members import AsyncMembersResource, MembersResource
from .resources.memories import AsyncMemoriesResource, MemoriesResource
from .resources.messages import AsyncMessagesResource, MessagesResource
from .resources.pipelines import AsyncPipelinesResource, PipelinesResource
from .resources.runs import AsyncRunsResource, RunsResource
from .resources.segments import AsyncSegmentsResource, SegmentsResource
from .resources.tags import AsyncTagsResource, TagsResource
from .resources.templates import AsyncTemplatesResource, TemplatesResource
from .resources.tools import AsyncToolsResource, ToolsResource
from .resources.triggers import AsyncTriggersResource, TriggersResource
from .resources.webhooks import AsyncWebhooksResource, WebhooksResource


class Groups(Client):
    """The groups of operations."""

    @property
    def ai(self) -> AiResource:
        return AiResource(self)

    @property
    def asks(self) -> AsksResource:
        return AsksResource(self)

    @property
    def assistants(self) -> AssistantsResource:
        return AssistantsResource(self)

    @property
    def bookings(self) -> BookingsResource:
        return BookingsResource(self)

    @property
    def broadcasts(self) -> BroadcastsResource:
        return BroadcastsResource(self)

    @property
    def canned_replies(self) -> CannedRepliesResource:
        return CannedRepliesResource(self)

    @property
    def channels(self) -> ChannelsResource:
        return ChannelsResource(self)

    @property
    def contacts(self) -> ContactsResource:
        return ContactsResource(self)

    @property
    def conversations(self) -> ConversationsResource:
        return ConversationsResource(self)

    @property
    def custom_fields(self) -> CustomFieldsResource:
        return CustomFieldsResource(self)

    @property
    def deals(self) -> DealsResource:
        return DealsResource(self)

    @property
    def event_types(self) -> EventTypesResource:
        return EventTypesResource(self)

    @property
    def events(self) -> EventsResource:
        return EventsResource(self)

    @property
    def inquiries(self) -> InquiriesResource:
        return InquiriesResource(self)

    @property
    def instructions(self) -> InstructionsResource:
        return InstructionsResource(self)

    @property
    def me(self) -> MeResource:
        return MeResource(self)

    @property
    def media(self) -> MediaResource:
        return MediaResource(self)

    @property
    def members(self) -> MembersResource:
        return MembersResource(self)

    @property
    def memories(self) -> MemoriesResource:
        return MemoriesResource(self)

    @property
    def messages(self) -> MessagesResource:
        return MessagesResource(self)

    @property
    def pipelines(self) -> PipelinesResource:
        return PipelinesResource(self)

    @property
    def runs(self) -> RunsResource:
        return RunsResource(self)

    @property
    def segments(self) -> SegmentsResource:
        return SegmentsResource(self)

    @property
    def tags(self) -> TagsResource:
        return TagsResource(self)

    @property
    def templates(self) -> TemplatesResource:
        return TemplatesResource(self)

    @property
    def tools(self) -> ToolsResource:
        return ToolsResource(self)

    @property
    def triggers(self) -> TriggersResource:
        return TriggersResource(self)

    @property
    def webhooks(self) -> WebhooksResource:
        return WebhooksResource(self)


class AsyncGroups(AsyncClient):
    """The groups of operations."""

    @property
    def ai(self) -> AsyncAiResource:
        return AsyncAiResource(self)

    @property
    def asks(self) -> AsyncAsksResource:
        return AsyncAsksResource(self)

    @property
    def assistants(self) -> AsyncAssistantsResource:
        return AsyncAssistantsResource(self)

    @property
    def bookings(self) -> AsyncBookingsResource:
        return AsyncBookingsResource(self)

    @property
    def broadcasts(self) -> AsyncBroadcastsResource:
        return AsyncBroadcastsResource(self)

    @property
    def canned_replies(self) -> AsyncCannedRepliesResource:
        return AsyncCannedRepliesResource(self)

    @property
    def channels(self) -> AsyncChannelsResource:
        return AsyncChannelsResource(self)

    @property
    def contacts(self) -> AsyncContactsResource:
        return AsyncContactsResource(self)

    @property
    def conversations(self) -> AsyncConversationsResource:
        return AsyncConversationsResource(self)

    @property
    def custom_fields(self) -> AsyncCustomFieldsResource:
        return AsyncCustomFieldsResource(self)

    @property
    def deals(self) -> AsyncDealsResource:
        return AsyncDealsResource(self)

    @property
    def event_types(self) -> AsyncEventTypesResource:
        return AsyncEventTypesResource(self)

    @property
    def events(self) -> AsyncEventsResource:
        return AsyncEventsResource(self)

    @property
    def inquiries(self) -> AsyncInquiriesResource:
        return AsyncInquiriesResource(self)

    @property
    def instructions(self) -> AsyncInstructionsResource:
        return AsyncInstructionsResource(self)

    @property
    def me(self) -> AsyncMeResource:
        return AsyncMeResource(self)

    @property
    def media(self) -> AsyncMediaResource:
        return AsyncMediaResource(self)

    @property
    def members(self) -> AsyncMembersResource:
        return AsyncMembersResource(self)

    @property
    def memories(self) -> AsyncMemoriesResource:
        return AsyncMemoriesResource(self)

    @property
    def messages(self) -> AsyncMessagesResource:
        return AsyncMessagesResource(self)

    @property
    def pipelines(self) -> AsyncPipelinesResource:
        return AsyncPipelinesResource(self)

    @property
    def runs(self) -> AsyncRunsResource:
        return AsyncRunsResource(self)

    @property
    def segments(self) -> AsyncSegmentsResource:
        return AsyncSegmentsResource(self)

    @property
    def tags(self) -> AsyncTagsResource:
        return AsyncTagsResource(self)

    @property
    def templates(self) -> AsyncTemplatesResource:
        return AsyncTemplatesResource(self)

    @property
    def tools(self) -> AsyncToolsResource:
        return AsyncToolsResource(self)

    @property
    def triggers(self) -> AsyncTriggersResource:
        return AsyncTriggersResource(self)

    @property
    def webhooks(self) -> AsyncWebhooksResource:
        return AsyncWebhooksResource(self)
