"""JSON as the server sends it."""

from __future__ import annotations

from typing import Any

MOMENT = "2026-01-31T09:30:00.125Z"
CONTACT: dict[str, Any] = {
    "id": "01890a5d-ac96-774b-bcce-b302099a8057",
    "name": "Ann Lee",
    "phone": "+14155550123",
    "email": None,
    "company": None,
    "avatar_url": None,
    "tags": [{"id": "t1", "name": "vip", "color": "#2563eb"}],
    "custom_fields": [],
    "created_at": MOMENT,
    "updated_at": MOMENT,
}
DEAL: dict[str, Any] = {
    "id": "d1",
    "title": "Chairs",
    "value": 1200.5,
    "currency": "EUR",
    "pipeline_id": "p1",
    "stage_id": "s1",
    "contact_id": None,
    "owner_user_id": None,
    "status": "open",
    "lost_reason": None,
    "expected_close_date": "2026-02-28",
    "closed_at": None,
    "created_at": MOMENT,
    "updated_at": MOMENT,
}


def event(number: int = 1, event_type: str = "contact.created", **data: Any) -> dict[str, Any]:
    """An envelope."""
    return {
        "event_id": f"evt_{number:032x}",
        "event_type": event_type,
        "created_at": MOMENT,
        "account_id": "a1",
        "api_version": "v1",
        "data": data or {"contact": CONTACT},
    }
