"""Types of assistants.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias, TypedDict

from ..._runtime.model import Model
from ..._runtime.typing import NotRequired
from .shared import Category

AllowedTool: TypeAlias = Literal[
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


@dataclass(frozen=True, kw_only=True)
class Assistant(Model):
    """An assistant answers customers and works on goals for the account."""

    id: str
    name: str
    color: str | None
    """Accent colour in the activity feed."""
    enabled: bool
    """A disabled assistant refuses every run start."""
    system_prompt: str
    """Persona and standing instructions, sent to the model on every tick."""
    model: str | None
    """Null for the account's default."""
    temperature: float | None
    """Null for the model's default."""
    tool_access: dict[str, bool]
    """Tools that are enabled or disabled. Other tools have the default of `GET /tools`."""
    gated_tools: list[str]
    """Tools that a person must approve each time, in addition to the critical ones."""
    delegation: Delegation
    schedule: Schedule
    default_handoff_user_id: str | None
    """The member who receives conversations that the assistant hands off."""
    history_limit: int | None
    """Recent messages sent to the model: null for all of them, 0 for none."""
    transcribe_media: bool
    """Transcribe inbound voice notes and describe photos for the inbox."""
    handle_voice: bool
    """Send inbound voice notes to the model."""
    handle_images: bool
    """Send inbound photos to the model."""
    voice_replies: bool
    """May reply with a synthesised voice note."""
    voice_provider: str | None
    """Text-to-speech provider; null for none."""
    voice_id: str | None
    """The provider's voice; null for its default."""
    targets: list[str]
    """The channels on which it takes new conversations: a channel's name, or `pwa:<connection_id>` for one personal
    number.
    """
    instruction_count: int
    """Instructions bound to it."""
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class AssistantTool(Model):
    """A tool of one assistant."""

    id: str
    name: str
    description: str
    category: Category | str
    critical: bool
    """A person always approves it."""
    default_enabled: bool
    can_be_unconfined: bool
    """Whether `unconfined_tools` may name it."""
    parameters: Any
    """JSON Schema of its arguments."""
    enabled: bool
    """Whether this assistant has it."""
    gated: bool
    """Whether a person must approve each use by this assistant."""
    unconfined: bool
    """Whether it reaches the whole account in a confined run, such as one that a customer's message started."""


@dataclass(frozen=True, kw_only=True)
class Delegation(Model):
    """An assistant's limits for sub-runs."""

    enabled: bool
    allowed_tools: list[str] | None
    """Tools that a sub-run may be given: null for any that the parent has, an empty list for none."""
    max_children_per_run: int
    """Sub-runs that one run may start."""
    max_cost_usd: float | None
    """The maximum cost of the whole tree of runs, in US dollars; null for the server's default."""


class DelegationInput(TypedDict):
    """An assistant's limits for sub-runs."""

    allowed_tools: NotRequired[Sequence[AllowedTool] | None]
    """Null for any tool that the parent has."""
    enabled: NotRequired[bool | None]
    """Defaults to false."""
    max_children_per_run: NotRequired[int | None]
    """Defaults to 3."""
    max_cost_usd: NotRequired[float | None]


@dataclass(frozen=True, kw_only=True)
class Schedule(Model):
    """When an assistant answers customers, in the account's timezone."""

    mode: ScheduleMode | str
    hours: dict[str, list[list[str]]] | None
    """Only for `custom_hours`: a weekday (`mon` to `sun`) and its spans. A day that is missing is closed."""


class ScheduleInput(TypedDict):
    """When an assistant answers customers."""

    mode: ScheduleMode
    hours: NotRequired[Mapping[str, Sequence[Sequence[str]]] | None]
    """Required for `custom_hours`, and only for that."""


ScheduleMode: TypeAlias = Literal["always", "custom_hours", "outside_business_hours"]
"""`always` is any hour, `custom_hours` only inside `hours`, `outside_business_hours` only when the business is
closed.
"""
