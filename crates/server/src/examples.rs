//! Examples of responses, by the name of the schema, for the OpenAPI document.
//!
//! Each crate has examples of its events' `data`, built from its own types. The others are here. Fields that
//! an example leaves out are filled in from the schema, and so is a resource without an example.

use frontdesk_crm::contacts;
use frontdesk_platform::events::{self, EventTypeInfo};
use frontdesk_web::example;
use serde_json::{Value, json};

const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
const MOMENT: &str = "2026-01-31T09:30:00.000Z";

pub(crate) fn all() -> Vec<(&'static str, Value)> {
    let event = events::example_of(&contacts::event_types::CREATED.declaration());
    let mut examples = [
        frontdesk_platform::examples(),
        frontdesk_crm::examples(),
        frontdesk_inbox::examples(),
        frontdesk_broadcasts::examples(),
        frontdesk_agent::examples(),
        frontdesk_triggers::examples(),
    ]
    .concat();
    examples.extend([("Delivery", delivery(&event)), ("Event", event)]);
    examples.extend(people());
    examples.extend(crm());
    examples.extend(inbox());
    examples
}

fn delivery(event: &Value) -> Value {
    json!({
        "id": ID, "event_id": event["event_id"], "event_type": event["event_type"], "status": "succeeded", "attempts": 1,
        "last_status_code": 200, "last_error": null, "next_attempt_at": null, "delivered_at": MOMENT, "duration_ms": 84,
        "response_snippet": "ok", "payload": event["data"], "created_at": MOMENT,
    })
}

fn people() -> [(&'static str, Value); 4] {
    let contact_created = EventTypeInfo::of(&contacts::event_types::CREATED.declaration());
    [
        (
            "Me",
            json!({
                "account": { "id": ID, "name": "Acme", "timezone": "Europe/Berlin" },
                "key": { "id": ID, "name": "Website", "created_at": MOMENT },
                "member": { "id": ID, "name": "Ann Lee", "email": "ann@example.com" },
                "scopes": ["contacts:write"], "effective_scopes": ["contacts:read", "contacts:write"],
                "expires_at": "2027-01-31T09:30:00.000Z", "rate_limit_per_minute": 120, "ip_allowlist": [],
            }),
        ),
        (
            "Member",
            json!({ "id": ID, "name": "Ann Lee", "email": "ann@example.com", "role": "agent", "status": "active" }),
        ),
        ("ListMeta", json!({ "next_cursor": null, "has_more": false, "limit": 20 })),
        ("EventTypeInfo", example::json(&contact_created)),
    ]
}

fn crm() -> [(&'static str, Value); 6] {
    [
        (
            "Tag",
            json!({ "id": ID, "name": "vip", "color": "#2563eb", "created_at": MOMENT, "updated_at": MOMENT }),
        ),
        (
            "CustomField",
            json!({
                "id": ID, "name": "Plan", "type": "select", "options": ["silver", "gold"],
                "created_at": MOMENT, "updated_at": MOMENT,
            }),
        ),
        (
            "Segment",
            json!({
                "id": ID, "name": "Gold customers", "match": "all",
                "rules": [{ "field": "company", "op": "is", "value": "Acme" }], "contact_count": 42,
                "created_at": MOMENT, "updated_at": MOMENT,
            }),
        ),
        ("Stage", json!({ "id": ID, "name": "Qualified", "position": 0, "probability": 25 })),
        (
            "Pipeline",
            json!({
                "id": ID, "name": "Sales",
                "stages": [{ "id": ID, "name": "Qualified", "position": 0, "probability": 25 }],
                "created_at": MOMENT, "updated_at": MOMENT,
            }),
        ),
        ("OptOut", json!({ "contact_id": ID, "opted_out": true, "opted_out_at": MOMENT, "source": "api" })),
    ]
}

fn inbox() -> [(&'static str, Value); 1] {
    [(
        "Template",
        json!({
            "id": ID, "name": "order_ready", "language": "en_US", "category": "UTILITY", "status": "APPROVED",
            "components": [{ "type": "BODY", "text": "Hello {{1}}, your order is ready." }], "placeholders": ["1"],
            "created_at": MOMENT, "updated_at": MOMENT,
        }),
    )]
}
