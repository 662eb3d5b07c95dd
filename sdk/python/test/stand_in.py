"""A server for tests that responds as it is told, and remembers what it was asked."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, urlsplit

KEY = "frontdesk_live_" + "k" * 43


@dataclass
class Asked:
    """A request that came."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    at: float = field(default_factory=time.monotonic)

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Reply:
    """What to respond."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    breaks: bool = False
    """Closes the connection instead."""
    breaks_inside: bool = False
    """Closes the connection in the middle of the body."""
    waits: float = 0
    """Seconds before the response."""
    parts: list[bytes] | None = None
    """The body in parts, without a length."""
    gap: float = 0
    """Seconds between the parts."""

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


def data(value: Any, status: int = 200, **headers: str) -> Reply:
    return Reply(status, {"data": value}, {name.replace("_", "-"): each for name, each in headers.items()})


def page(rows: list[Any], next_cursor: str | None = None, limit: int = 20) -> Reply:
    return Reply(
        200, {"data": rows, "meta": {"next_cursor": next_cursor, "has_more": bool(next_cursor), "limit": limit}}
    )


def error(status: int, code: str, message: str = "No.", headers: dict[str, str] | None = None, **more: Any) -> Reply:
    body = {"error": {"code": code, "message": message, "request_id": "req_1", **more}}
    return Reply(status, body, headers or {})


BROKEN = Reply(breaks=True)

Answer = Callable[[Asked], Reply]


class StandIn:
    """The server. Replies come in turn; the last one is repeated."""

    def __init__(self, *replies: Reply | Answer) -> None:
        self.replies: list[Reply | Answer] = list(replies)
        self.asked: list[Asked] = []
        self._lock = threading.Lock()
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self) -> None:
                try:
                    super().handle_one_request()
                except OSError:
                    self.close_connection = True

            def answer(self) -> None:
                stand_in._answer(self)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def last(self) -> Asked:
        return self.asked[-1]

    def __enter__(self) -> StandIn:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        address = urlsplit(handler.path)
        body = read_body(handler)
        headers = {name.lower(): value for name, value in handler.headers.items()}
        asked = Asked(handler.command, address.path, dict(parse_qsl(address.query, True)), headers, body)
        with self._lock:
            self.asked.append(asked)
            reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        send(handler, reply if isinstance(reply, Reply) else reply(asked))


def read_body(handler: BaseHTTPRequestHandler) -> bytes:
    if handler.headers.get("transfer-encoding") != "chunked":
        return handler.rfile.read(int(handler.headers.get("content-length") or 0))
    body = b""
    while size := int(handler.rfile.readline(), 16):
        body += handler.rfile.read(size)
        handler.rfile.readline()
    handler.rfile.readline()
    return body


def send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    time.sleep(reply.waits)
    if reply.breaks:
        return cut(handler)
    content = reply.content
    handler.send_response(reply.status)
    if "content-type" not in reply.headers:
        handler.send_header("content-type", "application/json")
    for name, value in reply.headers.items():
        handler.send_header(name, value)
    if reply.parts is None:
        handler.send_header("content-length", str(len(content)))
    handler.end_headers()
    if reply.breaks_inside:
        handler.wfile.write(content[: len(content) // 2])
        handler.wfile.flush()
        return cut(handler)
    for part in reply.parts or [content]:
        handler.wfile.write(part)
        handler.wfile.flush()
        time.sleep(reply.gap)
    if reply.parts is not None:
        cut(handler)


def cut(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
