"""Types of asks.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Decision: TypeAlias = Literal["approve", "decline"]
"""A person's decision."""
