from __future__ import annotations

import pytest

from frontdesk._runtime import retry, streams


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits that are long for a person are short for a test. What the server asks for stays as it is."""
    monkeypatch.setattr(retry, "WAIT_SECONDS_FIRST", 0.02)
    monkeypatch.setattr(retry, "JITTER_AFTER_TOLD_SECONDS", 0.01)
    monkeypatch.setattr(streams, "WAIT_SECONDS_FIRST", 0.02)
