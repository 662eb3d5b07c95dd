"""Every type of the API: what calls return (dataclasses), what they take (`TypedDict`), and closed lists of words."""

from .generated import types as _types
from .generated.types import *

__all__: list[str] = []
__all__ += _types.__all__
