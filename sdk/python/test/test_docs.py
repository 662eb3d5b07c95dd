"""The examples of README.md and GUIDE.md run, one after the other, and what the package says of itself is true."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import anyio
import pytest
from stand_in import KEY, StandIn
from test_samples import Documented

import frontdesk
from frontdesk import Frontdesk
from frontdesk.webhooks import sign

PACKAGE = Path(__file__).parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(name: str) -> list[str]:
    return BLOCK.findall((PACKAGE / name).read_text("utf-8"))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with StandIn(Documented()) as server:
        monkeypatch.setenv("FRONTDESK_API_KEY", KEY)
        monkeypatch.setenv("FRONTDESK_BASE_URL", server.url)
        yield server


@pytest.mark.parametrize("name", ["README.md", "GUIDE.md"])
def test_every_example_runs(name: str, server: StandIn) -> None:
    names: dict[str, Any] = {}
    found = blocks(name)
    assert found
    for code in found:
        code = code.replace('api_key="frontdesk_live_…", base_url="https://desk.example.com"', "")
        exec(compile(code, name, "exec"), names)
        if "client" in names and names["client"]._http.is_closed:
            names["client"] = Frontdesk()
    if "main" in names:
        anyio.run(names["main"])
        secret, body = "whsec_" + "a" * 32, b'{"event_type": "tag.faded", "data": {}}'
        headers = sign(body, secret, "evt_1", int(time.time()))
        assert names["receive"](body, headers, secret) == 204
        assert names["receive"](body + b" ", headers, secret) == 400
    assert len(server.asked) > len(found) // 2


def test_the_version_is_the_same_everywhere() -> None:
    found = re.search(r'^version = "(.+)"$', (PACKAGE / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert found is not None and found[1] == frontdesk.__version__


def test_every_public_name_is_there() -> None:
    for module in ["frontdesk", "frontdesk.types", "frontdesk.errors", "frontdesk.webhooks"]:
        made = import_module(module)
        assert len(set(made.__all__)) == len(made.__all__)
        assert all(hasattr(made, name) for name in made.__all__)
        assert made.__doc__
