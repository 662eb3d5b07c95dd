"""Operations of assistants.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.encode import path_to
from ..._runtime.given import NOT_GIVEN, NotGiven
from ..._runtime.pages import AsyncPager, Page, Pager
from ..types.assistants import (
    Assistant,
    AssistantTool,
    DefinedInstruction,
    DefinedTrigger,
    Definition,
    DelegationInput,
    NewAssistant,
    NewDefinition,
    NewInstruction,
    ScheduleInput,
    TrialMessage,
    TrialReply,
    WrittenDefinition,
)
from ..types.shared import Deleted, Instruction

GatedTool: TypeAlias = Literal[
    "search_contacts",
    "get_contact",
    "update_contact",
    "add_tag",
    "remove_tag",
    "add_note",
    "opt_out_contact",
    "list_conversations",
    "read_messages",
    "send_message",
    "send_template",
    "list_templates",
    "set_conversation_status",
    "assign_conversation",
    "hand_off",
    "ask_human",
    "search_deals",
    "create_deal",
    "update_deal",
    "move_deal",
    "close_deal",
    "delete_deal",
    "create_inquiry_note",
    "start_broadcast",
    "remember",
    "recall",
    "forget",
    "delegate",
    "schedule_follow_up",
]

UnconfinedTool: TypeAlias = Literal[
    "search_contacts",
    "get_contact",
    "update_contact",
    "add_tag",
    "remove_tag",
    "add_note",
    "opt_out_contact",
    "list_conversations",
    "read_messages",
    "send_message",
    "send_template",
    "set_conversation_status",
    "assign_conversation",
    "search_deals",
    "create_deal",
    "update_deal",
    "move_deal",
    "close_deal",
    "delete_deal",
    "create_inquiry_note",
    "start_broadcast",
    "remember",
    "recall",
    "forget",
]


class AssistantsResource(Resource):
    """Operations of assistants: `client.assistants`."""

    def list(self, *, cursor: str | None = None, limit: int | None = None) -> Pager[Assistant]:
        """List assistants.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `assistants:read`.
        """
        return self._pager(Assistant, "/api/v1/assistants", cursor=cursor, query={"limit": limit})

    def create(
        self,
        *,
        name: str,
        color: str | None | NotGiven = NOT_GIVEN,
        default_handoff_user_id: str | None | NotGiven = NOT_GIVEN,
        delegation: DelegationInput | None | NotGiven = NOT_GIVEN,
        enabled: bool | None | NotGiven = NOT_GIVEN,
        gated_tools: Sequence[GatedTool] | None | NotGiven = NOT_GIVEN,
        handle_images: bool | None | NotGiven = NOT_GIVEN,
        handle_voice: bool | None | NotGiven = NOT_GIVEN,
        history_limit: int | None | NotGiven = NOT_GIVEN,
        model: str | None | NotGiven = NOT_GIVEN,
        schedule: ScheduleInput | None | NotGiven = NOT_GIVEN,
        system_prompt: str | None | NotGiven = NOT_GIVEN,
        targets: Sequence[str] | None | NotGiven = NOT_GIVEN,
        temperature: float | None | NotGiven = NOT_GIVEN,
        tool_access: Mapping[str, bool] | None | NotGiven = NOT_GIVEN,
        transcribe_media: bool | None | NotGiven = NOT_GIVEN,
        voice_id: str | None | NotGiven = NOT_GIVEN,
        voice_provider: str | None | NotGiven = NOT_GIVEN,
        voice_replies: bool | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Assistant:
        """Create an assistant.

        Every field but the name has a default.

        Args:
            enabled: Defaults to true.
            history_limit: Defaults to 50; null for the whole history.
            schedule: Defaults to always.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `assistants:write`.
        """
        return self._call(
            Assistant,
            "POST",
            "/api/v1/assistants",
            body={
                "name": name,
                "color": color,
                "default_handoff_user_id": default_handoff_user_id,
                "delegation": delegation,
                "enabled": enabled,
                "gated_tools": gated_tools,
                "handle_images": handle_images,
                "handle_voice": handle_voice,
                "history_limit": history_limit,
                "model": model,
                "schedule": schedule,
                "system_prompt": system_prompt,
                "targets": targets,
                "temperature": temperature,
                "tool_access": tool_access,
                "transcribe_media": transcribe_media,
                "voice_id": voice_id,
                "voice_provider": voice_provider,
                "voice_replies": voice_replies,
            },
            idempotency_key=idempotency_key,
        )

    def create_definition(
        self,
        *,
        assistant: NewAssistant,
        instructions: Sequence[DefinedInstruction] | None | NotGiven = NOT_GIVEN,
        triggers: Sequence[DefinedTrigger] | None | NotGiven = NOT_GIVEN,
        unconfined_tools: Sequence[UnconfinedTool] | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> WrittenDefinition:
        """Create an assistant with everything that it is.

        Its settings, the texts that it follows and its triggers, in one transaction.

        Args:
            instructions: In order.
            unconfined_tools: Tools that reach the whole account also in a confined run. None when left out.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `assistants:write`.
        """
        return self._call(
            WrittenDefinition,
            "POST",
            "/api/v1/assistants/definition",
            body={
                "assistant": assistant,
                "instructions": instructions,
                "triggers": triggers,
                "unconfined_tools": unconfined_tools,
            },
            idempotency_key=idempotency_key,
        )

    def try_new(
        self,
        *,
        assistant: NewAssistant,
        messages: Sequence[TrialMessage],
        assistant_id: str | None | NotGiven = NOT_GIVEN,
        instructions: Sequence[NewInstruction] | None | NotGiven = NOT_GIVEN,
    ) -> TrialReply:
        """Try out an assistant that is not stored.

        Replies to the conversation as this assistant would. Stores nothing but the cost. Tools that only read are used,
        with the scopes of this key; all others are simulated.

        Args:
            assistant: The assistant. It need not be stored.
            messages: The conversation so far, 1 to 40 messages. The last one is the customer's.
            assistant_id: The stored assistant that the cost counts for. None when left out.
            instructions: The instructions that it follows, in order.

        Needs the scope `assistants:write`. Costs 2 units.
        """
        return self._call(
            TrialReply,
            "POST",
            "/api/v1/assistants/trial",
            body={
                "assistant": assistant,
                "messages": messages,
                "assistant_id": assistant_id,
                "instructions": instructions,
            },
        )

    def delete(self, assistant_id: str) -> Deleted:
        """Delete an assistant.

        Its triggers are deleted, its runs are cancelled, and its conversations go to people.

        Needs the scope `assistants:write`.
        """
        return self._call(Deleted, "DELETE", path_to("/api/v1/assistants/{id}", assistant_id))

    def get(self, assistant_id: str) -> Assistant:
        """Get an assistant.

        Needs the scope `assistants:read`.
        """
        return self._call(Assistant, "GET", path_to("/api/v1/assistants/{id}", assistant_id))

    def update(
        self,
        assistant_id: str,
        *,
        color: str | None | NotGiven = NOT_GIVEN,
        default_handoff_user_id: str | None | NotGiven = NOT_GIVEN,
        delegation: DelegationInput | NotGiven = NOT_GIVEN,
        enabled: bool | NotGiven = NOT_GIVEN,
        gated_tools: Sequence[GatedTool] | NotGiven = NOT_GIVEN,
        handle_images: bool | NotGiven = NOT_GIVEN,
        handle_voice: bool | NotGiven = NOT_GIVEN,
        history_limit: int | None | NotGiven = NOT_GIVEN,
        model: str | None | NotGiven = NOT_GIVEN,
        name: str | NotGiven = NOT_GIVEN,
        schedule: ScheduleInput | NotGiven = NOT_GIVEN,
        system_prompt: str | None | NotGiven = NOT_GIVEN,
        targets: Sequence[str] | NotGiven = NOT_GIVEN,
        temperature: float | None | NotGiven = NOT_GIVEN,
        tool_access: Mapping[str, bool] | NotGiven = NOT_GIVEN,
        transcribe_media: bool | NotGiven = NOT_GIVEN,
        voice_id: str | None | NotGiven = NOT_GIVEN,
        voice_provider: str | None | NotGiven = NOT_GIVEN,
        voice_replies: bool | NotGiven = NOT_GIVEN,
    ) -> Assistant:
        """Update an assistant.

        Needs the scope `assistants:write`.
        """
        return self._call(
            Assistant,
            "PATCH",
            path_to("/api/v1/assistants/{id}", assistant_id),
            body={
                "color": color,
                "default_handoff_user_id": default_handoff_user_id,
                "delegation": delegation,
                "enabled": enabled,
                "gated_tools": gated_tools,
                "handle_images": handle_images,
                "handle_voice": handle_voice,
                "history_limit": history_limit,
                "model": model,
                "name": name,
                "schedule": schedule,
                "system_prompt": system_prompt,
                "targets": targets,
                "temperature": temperature,
                "tool_access": tool_access,
                "transcribe_media": transcribe_media,
                "voice_id": voice_id,
                "voice_provider": voice_provider,
                "voice_replies": voice_replies,
            },
        )

    def get_definition(self, assistant_id: str) -> Definition:
        """Get everything that an assistant is.

        Its settings, the texts that it follows and its triggers, with a revision.

        Needs the scope `assistants:read`.
        """
        return self._call(Definition, "GET", path_to("/api/v1/assistants/{id}/definition", assistant_id))

    def replace_definition(
        self,
        assistant_id: str,
        *,
        definition: NewDefinition,
        expected_revision: str | None | NotGiven = NOT_GIVEN,
    ) -> WrittenDefinition:
        """Replace everything that an assistant is.

        In one transaction. An assistant that was changed since `expected_revision` is a 409 with the reason
        `changed_meanwhile`. Triggers that are not named are deleted. Instructions that are not named stay in the
        library, and the assistant does not follow them any more.

        Args:
            expected_revision: The revision that is replaced. If the assistant has another one by now, nothing is
                changed. When left out, the definition is replaced whatever it is.

        Needs the scope `assistants:write`.
        """
        return self._call(
            WrittenDefinition,
            "PUT",
            path_to("/api/v1/assistants/{id}/definition", assistant_id),
            body={"definition": definition, "expected_revision": expected_revision},
        )

    def list_instructions(self, assistant_id: str) -> Pager[Instruction]:
        """List an assistant's instructions.

        In the order in which the assistant follows them.

        Needs the scope `assistants:read`.
        """
        return self._pager(Instruction, path_to("/api/v1/assistants/{id}/instructions", assistant_id))

    def set_instructions(self, assistant_id: str, *, instruction_ids: Sequence[str]) -> Page[Instruction]:
        """Set an assistant's instructions.

        Replaces them. The order is kept.

        Needs the scope `assistants:write`.
        """
        return self._call_for_page(
            Instruction,
            "PUT",
            path_to("/api/v1/assistants/{id}/instructions", assistant_id),
            body={"instruction_ids": instruction_ids},
        )

    def list_tools(self, assistant_id: str) -> Pager[AssistantTool]:
        """List an assistant's tools.

        Every tool of the catalogue, with whether this assistant has it, whether a person must approve it, and whether
        it is unconfined.

        Needs the scope `assistants:read`.
        """
        return self._pager(AssistantTool, path_to("/api/v1/assistants/{id}/tools", assistant_id))

    def set_tools(
        self,
        assistant_id: str,
        *,
        tool_access: Mapping[str, bool],
        gated_tools: Sequence[GatedTool],
        unconfined_tools: Sequence[UnconfinedTool] | None | NotGiven = NOT_GIVEN,
    ) -> Page[AssistantTool]:
        """Set an assistant's tools.

        Replaces them. A run that a customer's message, an event or a webhook started is confined: its tools reach only
        the contact that it is about. `tool_access` switches a tool on or off and never changes that. A tool in
        `unconfined_tools` reaches the whole account in such a run too.

        Args:
            tool_access: Tools that are enabled or disabled, by id. Other tools have their default.
            gated_tools: Tools that a person must approve each time.
            unconfined_tools: Tools that reach the whole account also in a confined run: one that a customer's message,
                an event or a webhook started. None when left out.

        Needs the scope `assistants:write`.
        """
        return self._call_for_page(
            AssistantTool,
            "PUT",
            path_to("/api/v1/assistants/{id}/tools", assistant_id),
            body={"tool_access": tool_access, "gated_tools": gated_tools, "unconfined_tools": unconfined_tools},
        )


class AsyncAssistantsResource(AsyncResource):
    """Operations of assistants: `client.assistants`."""

    def list(self, *, cursor: str | None = None, limit: int | None = None) -> AsyncPager[Assistant]:
        """List assistants.

        Args:
            cursor: Where to begin: `next_cursor` of a page.
            limit: How many rows a page has.

        Needs the scope `assistants:read`.
        """
        return self._pager(Assistant, "/api/v1/assistants", cursor=cursor, query={"limit": limit})

    async def create(
        self,
        *,
        name: str,
        color: str | None | NotGiven = NOT_GIVEN,
        default_handoff_user_id: str | None | NotGiven = NOT_GIVEN,
        delegation: DelegationInput | None | NotGiven = NOT_GIVEN,
        enabled: bool | None | NotGiven = NOT_GIVEN,
        gated_tools: Sequence[GatedTool] | None | NotGiven = NOT_GIVEN,
        handle_images: bool | None | NotGiven = NOT_GIVEN,
        handle_voice: bool | None | NotGiven = NOT_GIVEN,
        history_limit: int | None | NotGiven = NOT_GIVEN,
        model: str | None | NotGiven = NOT_GIVEN,
        schedule: ScheduleInput | None | NotGiven = NOT_GIVEN,
        system_prompt: str | None | NotGiven = NOT_GIVEN,
        targets: Sequence[str] | None | NotGiven = NOT_GIVEN,
        temperature: float | None | NotGiven = NOT_GIVEN,
        tool_access: Mapping[str, bool] | None | NotGiven = NOT_GIVEN,
        transcribe_media: bool | None | NotGiven = NOT_GIVEN,
        voice_id: str | None | NotGiven = NOT_GIVEN,
        voice_provider: str | None | NotGiven = NOT_GIVEN,
        voice_replies: bool | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> Assistant:
        """Create an assistant.

        Every field but the name has a default.

        Args:
            enabled: Defaults to true.
            history_limit: Defaults to 50; null for the whole history.
            schedule: Defaults to always.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `assistants:write`.
        """
        return await self._call(
            Assistant,
            "POST",
            "/api/v1/assistants",
            body={
                "name": name,
                "color": color,
                "default_handoff_user_id": default_handoff_user_id,
                "delegation": delegation,
                "enabled": enabled,
                "gated_tools": gated_tools,
                "handle_images": handle_images,
                "handle_voice": handle_voice,
                "history_limit": history_limit,
                "model": model,
                "schedule": schedule,
                "system_prompt": system_prompt,
                "targets": targets,
                "temperature": temperature,
                "tool_access": tool_access,
                "transcribe_media": transcribe_media,
                "voice_id": voice_id,
                "voice_provider": voice_provider,
                "voice_replies": voice_replies,
            },
            idempotency_key=idempotency_key,
        )

    async def create_definition(
        self,
        *,
        assistant: NewAssistant,
        instructions: Sequence[DefinedInstruction] | None | NotGiven = NOT_GIVEN,
        triggers: Sequence[DefinedTrigger] | None | NotGiven = NOT_GIVEN,
        unconfined_tools: Sequence[UnconfinedTool] | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> WrittenDefinition:
        """Create an assistant with everything that it is.

        Its settings, the texts that it follows and its triggers, in one transaction.

        Args:
            instructions: In order.
            unconfined_tools: Tools that reach the whole account also in a confined run. None when left out.
            idempotency_key: Makes calls with the same key one. Each call makes its own if it is left out.

        Needs the scope `assistants:write`.
        """
        return await self._call(
            WrittenDefinition,
            "POST",
            "/api/v1/assistants/definition",
            body={
                "assistant": assistant,
                "instructions": instructions,
                "triggers": triggers,
                "unconfined_tools": unconfined_tools,
            },
            idempotency_key=idempotency_key,
        )

    async def try_new(
        self,
        *,
        assistant: NewAssistant,
        messages: Sequence[TrialMessage],
        assistant_id: str | None | NotGiven = NOT_GIVEN,
        instructions: Sequence[NewInstruction] | None | NotGiven = NOT_GIVEN,
    ) -> TrialReply:
        """Try out an assistant that is not stored.

        Replies to the conversation as this assistant would. Stores nothing but the cost. Tools that only read are used,
        with the scopes of this key; all others are simulated.

        Args:
            assistant: The assistant. It need not be stored.
            messages: The conversation so far, 1 to 40 messages. The last one is the customer's.
            assistant_id: The stored assistant that the cost counts for. None when left out.
            instructions: The instructions that it follows, in order.

        Needs the scope `assistants:write`. Costs 2 units.
        """
        return await self._call(
            TrialReply,
            "POST",
            "/api/v1/assistants/trial",
            body={
                "assistant": assistant,
                "messages": messages,
                "assistant_id": assistant_id,
                "instructions": instructions,
            },
        )

    async def delete(self, assistant_id: str) -> Deleted:
        """Delete an assistant.

        Its triggers are deleted, its runs are cancelled, and its conversations go to people.

        Needs the scope `assistants:write`.
        """
        return await self._call(Deleted, "DELETE", path_to("/api/v1/assistants/{id}", assistant_id))

    async def get(self, assistant_id: str) -> Assistant:
        """Get an assistant.

        Needs the scope `assistants:read`.
        """
        return await self._call(Assistant, "GET", path_to("/api/v1/assistants/{id}", assistant_id))

    async def update(
        self,
        assistant_id: str,
        *,
        color: str | None | NotGiven = NOT_GIVEN,
        default_handoff_user_id: str | None | NotGiven = NOT_GIVEN,
        delegation: DelegationInput | NotGiven = NOT_GIVEN,
        enabled: bool | NotGiven = NOT_GIVEN,
        gated_tools: Sequence[GatedTool] | NotGiven = NOT_GIVEN,
        handle_images: bool | NotGiven = NOT_GIVEN,
        handle_voice: bool | NotGiven = NOT_GIVEN,
        history_limit: int | None | NotGiven = NOT_GIVEN,
        model: str | None | NotGiven = NOT_GIVEN,
        name: str | NotGiven = NOT_GIVEN,
        schedule: ScheduleInput | NotGiven = NOT_GIVEN,
        system_prompt: str | None | NotGiven = NOT_GIVEN,
        targets: Sequence[str] | NotGiven = NOT_GIVEN,
        temperature: float | None | NotGiven = NOT_GIVEN,
        tool_access: Mapping[str, bool] | NotGiven = NOT_GIVEN,
        transcribe_media: bool | NotGiven = NOT_GIVEN,
        voice_id: str | None | NotGiven = NOT_GIVEN,
        voice_provider: str | None | NotGiven = NOT_GIVEN,
        voice_replies: bool | NotGiven = NOT_GIVEN,
    ) -> Assistant:
        """Update an assistant.

        Needs the scope `assistants:write`.
        """
        return await self._call(
            Assistant,
            "PATCH",
            path_to("/api/v1/assistants/{id}", assistant_id),
            body={
                "color": color,
                "default_handoff_user_id": default_handoff_user_id,
                "delegation": delegation,
                "enabled": enabled,
                "gated_tools": gated_tools,
                "handle_images": handle_images,
                "handle_voice": handle_voice,
                "history_limit": history_limit,
                "model": model,
                "name": name,
                "schedule": schedule,
                "system_prompt": system_prompt,
                "targets": targets,
                "temperature": temperature,
                "tool_access": tool_access,
                "transcribe_media": transcribe_media,
                "voice_id": voice_id,
                "voice_provider": voice_provider,
                "voice_replies": voice_replies,
            },
        )

    async def get_definition(self, assistant_id: str) -> Definition:
        """Get everything that an assistant is.

        Its settings, the texts that it follows and its triggers, with a revision.

        Needs the scope `assistants:read`.
        """
        return await self._call(Definition, "GET", path_to("/api/v1/assistants/{id}/definition", assistant_id))

    async def replace_definition(
        self,
        assistant_id: str,
        *,
        definition: NewDefinition,
        expected_revision: str | None | NotGiven = NOT_GIVEN,
    ) -> WrittenDefinition:
        """Replace everything that an assistant is.

        In one transaction. An assistant that was changed since `expected_revision` is a 409 with the reason
        `changed_meanwhile`. Triggers that are not named are deleted. Instructions that are not named stay in the
        library, and the assistant does not follow them any more.

        Args:
            expected_revision: The revision that is replaced. If the assistant has another one by now, nothing is
                changed. When left out, the definition is replaced whatever it is.

        Needs the scope `assistants:write`.
        """
        return await self._call(
            WrittenDefinition,
            "PUT",
            path_to("/api/v1/assistants/{id}/definition", assistant_id),
            body={"definition": definition, "expected_revision": expected_revision},
        )

    def list_instructions(self, assistant_id: str) -> AsyncPager[Instruction]:
        """List an assistant's instructions.

        In the order in which the assistant follows them.

        Needs the scope `assistants:read`.
        """
        return self._pager(Instruction, path_to("/api/v1/assistants/{id}/instructions", assistant_id))

    async def set_instructions(self, assistant_id: str, *, instruction_ids: Sequence[str]) -> Page[Instruction]:
        """Set an assistant's instructions.

        Replaces them. The order is kept.

        Needs the scope `assistants:write`.
        """
        return await self._call_for_page(
            Instruction,
            "PUT",
            path_to("/api/v1/assistants/{id}/instructions", assistant_id),
            body={"instruction_ids": instruction_ids},
        )

    def list_tools(self, assistant_id: str) -> AsyncPager[AssistantTool]:
        """List an assistant's tools.

        Every tool of the catalogue, with whether this assistant has it, whether a person must approve it, and whether
        it is unconfined.

        Needs the scope `assistants:read`.
        """
        return self._pager(AssistantTool, path_to("/api/v1/assistants/{id}/tools", assistant_id))

    async def set_tools(
        self,
        assistant_id: str,
        *,
        tool_access: Mapping[str, bool],
        gated_tools: Sequence[GatedTool],
        unconfined_tools: Sequence[UnconfinedTool] | None | NotGiven = NOT_GIVEN,
    ) -> Page[AssistantTool]:
        """Set an assistant's tools.

        Replaces them. A run that a customer's message, an event or a webhook started is confined: its tools reach only
        the contact that it is about. `tool_access` switches a tool on or off and never changes that. A tool in
        `unconfined_tools` reaches the whole account in such a run too.

        Args:
            tool_access: Tools that are enabled or disabled, by id. Other tools have their default.
            gated_tools: Tools that a person must approve each time.
            unconfined_tools: Tools that reach the whole account also in a confined run: one that a customer's message,
                an event or a webhook started. None when left out.

        Needs the scope `assistants:write`.
        """
        return await self._call_for_page(
            AssistantTool,
            "PUT",
            path_to("/api/v1/assistants/{id}/tools", assistant_id),
            body={"tool_access": tool_access, "gated_tools": gated_tools, "unconfined_tools": unconfined_tools},
        )
