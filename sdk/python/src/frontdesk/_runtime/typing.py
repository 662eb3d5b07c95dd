"""What later versions of Python have in `typing`."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 11):
    from typing import NotRequired, Self
else:
    from typing_extensions import NotRequired, Self

__all__ = ["NotRequired", "Self"]
