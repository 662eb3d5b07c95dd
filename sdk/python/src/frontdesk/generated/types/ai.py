"""Types of ai.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..._runtime.model import Model


@dataclass(frozen=True, kw_only=True)
class AiUsage(Model):
    """The cost of models. Days and months are in the account's timezone."""

    from_: str
    to: str
    spent_usd: float
    """The cost from `from` to `to`."""
    budget_usd: float | None
    """The monthly budget; null for none."""
    remaining_usd: float | None
    """The rest of this month's budget; null without a budget."""
    calls: int
    tokens_in: int
    tokens_out: int
    by_day: list[DayUsage]
    by_model: list[ModelUsage]
    by_assistant: list[AssistantUsage]


@dataclass(frozen=True, kw_only=True)
class AssistantUsage(Model):
    """The cost of an assistant."""

    assistant_id: str
    spent_usd: float
    calls: int
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, kw_only=True)
class DayUsage(Model):
    """The cost of a day."""

    date: str
    spent_usd: float
    calls: int
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, kw_only=True)
class ModelUsage(Model):
    """The cost of a model."""

    model: str
    spent_usd: float
    calls: int
    tokens_in: int
    tokens_out: int
