"""The Python client of Frontdesk.

    from frontdesk import Frontdesk

    client = Frontdesk(api_key="frontdesk_live_…", base_url="https://desk.example.com")
    contact = client.contacts.create(name="Ann Lee", phone="+14155550123")

`AsyncFrontdesk` has the same methods for `async` code. Types are in `frontdesk.types`, errors in `frontdesk.errors`,
and what receives webhooks in `frontdesk.webhooks`.
"""

from . import errors
from ._client import AsyncFrontdesk, Frontdesk
from ._runtime.event_stream import AsyncEventStream, EventStream
from ._runtime.given import NOT_GIVEN, NotGiven
from ._runtime.model import Model, response_of
from ._runtime.pages import AsyncPager, Page, Pager
from ._runtime.response import RateLimit, Response
from ._version import VERSION as __version__
from .errors import *

__all__ = [
    "NOT_GIVEN",
    "AsyncEventStream",
    "AsyncFrontdesk",
    "AsyncPager",
    "EventStream",
    "Frontdesk",
    "Model",
    "NotGiven",
    "Page",
    "Pager",
    "RateLimit",
    "Response",
    "__version__",
    "errors",
    "response_of",
]
__all__ += errors.__all__
