"""The two clients."""

from __future__ import annotations

from .generated.client import AsyncGroups, Groups


class Frontdesk(Groups):
    """A client of a Frontdesk server. It may be used by several threads at a time.

    Close it with `close()`, or use it in a `with` statement.

    Args:
        api_key: The key; without it, the environment variable `FRONTDESK_API_KEY`.
        base_url: The server, such as `https://desk.example.com`; without it, `FRONTDESK_BASE_URL`.
        timeout: Seconds that a call may take, with its retries and the pauses between them: 60, and 600 for a file.
        max_retries: Attempts after the first one.
        headers: Sent with every request.
        http_client: Your own, for proxies and certificates. You close it.
    """


class AsyncFrontdesk(AsyncGroups):
    """A client of a Frontdesk server for `async` code, on asyncio and trio.

    Close it with `await close()`, or use it in an `async with` statement.

    Args:
        api_key: The key; without it, the environment variable `FRONTDESK_API_KEY`.
        base_url: The server, such as `https://desk.example.com`; without it, `FRONTDESK_BASE_URL`.
        timeout: Seconds that a call may take, with its retries and the pauses between them: 60, and 600 for a file.
        max_retries: Attempts after the first one.
        headers: Sent with every request.
        http_client: Your own, for proxies and certificates. You close it.
    """
