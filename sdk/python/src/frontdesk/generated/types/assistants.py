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
from .shared import AudienceType, Category, Instruction, RunEventType, Trigger, TriggerEvent, TriggerKind, TriggerPeriod

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


class DefinedInstruction(TypedDict):
    """An instruction of a definition."""

    title: str
    body: str
    id: NotRequired[str | None]
    """The instruction of the library that gets this text. Without an id, one with the same text is used if there is
    one, and otherwise a new one.
    """


class DefinedTrigger(TypedDict):
    """A trigger of a definition. Its fields are those of a trigger."""

    name: str
    kind: TriggerKind
    goal: str
    """The goal of the runs."""
    audience_type: NotRequired[AudienceType | None]
    """Defaults to `none`. Event and webhook triggers allow no other."""
    contact_id: NotRequired[str | None]
    """Required when the audience is a contact."""
    day_of_month: NotRequired[int | None]
    """In a shorter month it is the last day."""
    day_of_week: NotRequired[int | None]
    """0 is Sunday."""
    enabled: NotRequired[bool | None]
    """Defaults to false."""
    event_key: NotRequired[TriggerEvent | None]
    id: NotRequired[str | None]
    """The trigger of this assistant that is changed. Without an id, it is a new one."""
    max_targets: NotRequired[int | None]
    """Defaults to 50."""
    period: NotRequired[TriggerPeriod | None]
    respect_quiet_hours: NotRequired[bool | None]
    """Defaults to false."""
    run_at: NotRequired[datetime | str | None]
    """A time that has passed fires at once."""
    segment_id: NotRequired[str | None]
    """Required when the audience is a segment."""
    send_time: NotRequired[str | None]
    """In the account's timezone."""


@dataclass(frozen=True, kw_only=True)
class Definition(Model):
    """Everything that an assistant is: its settings, the instructions that it follows, and its triggers."""

    revision: str
    """Changes whenever something else in the definition does."""
    assistant: Assistant
    unconfined_tools: list[str]
    """Tools that reach the whole account in a confined run."""
    instructions: list[Instruction]
    """In order."""
    shared_instruction_ids: list[str]
    """Those of the instructions that other assistants follow too."""
    triggers: list[Trigger]
    """Oldest first."""


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
class IssuedAddress(Model):
    """The address of a webhook trigger."""

    trigger_id: str
    webhook_url: str
    """The address that fires the trigger. It is shown once."""


class NewAssistant(TypedDict):
    """A new assistant. Every field but the name has a default."""

    name: str
    color: NotRequired[str | None]
    default_handoff_user_id: NotRequired[str | None]
    delegation: NotRequired[DelegationInput | None]
    enabled: NotRequired[bool | None]
    """Defaults to true."""
    gated_tools: NotRequired[Sequence[GatedTool] | None]
    handle_images: NotRequired[bool | None]
    handle_voice: NotRequired[bool | None]
    history_limit: NotRequired[int | None]
    """Defaults to 50; null for the whole history."""
    model: NotRequired[str | None]
    schedule: NotRequired[ScheduleInput | None]
    """Defaults to always."""
    system_prompt: NotRequired[str | None]
    targets: NotRequired[Sequence[str] | None]
    temperature: NotRequired[float | None]
    tool_access: NotRequired[Mapping[str, bool] | None]
    transcribe_media: NotRequired[bool | None]
    voice_id: NotRequired[str | None]
    voice_provider: NotRequired[str | None]
    voice_replies: NotRequired[bool | None]


class NewDefinition(TypedDict):
    """Everything that an assistant is. What is left out gets its default."""

    assistant: NewAssistant
    instructions: NotRequired[Sequence[DefinedInstruction] | None]
    """In order."""
    triggers: NotRequired[Sequence[DefinedTrigger] | None]
    unconfined_tools: NotRequired[Sequence[UnconfinedTool] | None]
    """Tools that reach the whole account also in a confined run. None when left out."""


class NewInstruction(TypedDict):
    """A new instruction for the library."""

    title: str
    body: str


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

TrialMessage = TypedDict(
    "TrialMessage",
    {
        "from": "TrialSide",
        "text": "str",
    },
)
"""A message of a trial."""


@dataclass(frozen=True, kw_only=True)
class TrialReply(Model):
    """The reply of an assistant that was tried out."""

    reply: str | None
    """What the customer would read; null when the assistant hands off, or came to no reply."""
    error: str | None
    """Why it came to no reply."""
    steps: list[TrialStep]
    cost_usd: float
    tokens_in: int
    tokens_out: int


TrialSide: TypeAlias = Literal["customer", "assistant"]
"""Who wrote a message of a trial."""


@dataclass(frozen=True, kw_only=True)
class TrialStep(Model):
    """A step of a trial."""

    type: RunEventType | str
    """`model_called` or `tool_called`."""
    data: Any
    """A model call as in a run's steps. A tool call has `tool`, `arguments`, `content`, `is_error`, `simulated`
    (nothing was done) and `gated` (a person would have to approve it).
    """
    duration_ms: int


@dataclass(frozen=True, kw_only=True)
class WrittenDefinition(Model):
    """A definition that was stored, and the addresses of its new webhook triggers."""

    definition: Definition
    webhook_urls: list[IssuedAddress]
    """The addresses of webhook triggers that did not have one. They are shown once."""
