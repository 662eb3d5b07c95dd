//! The default templates of every account: one of each kind.

use serde_json::{Value, json};

use super::{Template, TemplateStatus};

/// All accounts have the same ids, because accounts are not told apart by them.
const FIRST_ID: u64 = 900_000_000_000_001;

/// The path of the example that `invoice_ready` was approved with. Lists show it under the sandbox's own address.
const SAMPLE_INVOICE: &str = "/sandbox/media/sample.pdf";

pub(super) fn templates() -> Vec<Template> {
    let body = |text: &str| json!({ "type": "BODY", "text": text });
    let buttons = |list: Value| json!({ "type": "BUTTONS", "buttons": list });
    let approved = TemplateStatus::Approved;
    [
        (
            "hello_world",
            "en_US",
            approved,
            json!([
                { "type": "HEADER", "format": "TEXT", "text": "Hello World" },
                body("Welcome and congratulations! This message shows that you can send messages."),
                { "type": "FOOTER", "text": "Frontdesk sandbox" },
            ]),
        ),
        (
            "appointment_reminder",
            "en_US",
            approved,
            json!([
                body("Hi {{1}}, this is a reminder of your appointment on {{2}}."),
                buttons(json!([{ "type": "QUICK_REPLY", "text": "Confirm" }, { "type": "QUICK_REPLY", "text": "Cancel" }])),
            ]),
        ),
        (
            "appointment_reminder",
            "pt_BR",
            approved,
            json!([body("Olá {{1}}, lembramos da sua consulta em {{2}}.")]),
        ),
        (
            "order_update",
            "en_US",
            approved,
            json!([
                { "type": "HEADER", "format": "TEXT", "text": "Order {{1}}" },
                body("Your order has been shipped and is on its way."),
                buttons(json!([{ "type": "URL", "text": "Track it", "url": "https://shop.example/track/{{1}}" }])),
            ]),
        ),
        (
            "invoice_ready",
            "en_US",
            approved,
            json!([
                { "type": "HEADER", "format": "DOCUMENT", "example": { "header_handle": [SAMPLE_INVOICE] } },
                body("Dear {{1}}, your invoice is attached."),
            ]),
        ),
        (
            "promo_code",
            "en_US",
            approved,
            json!([
                body("Here is {{1}} off your next order."),
                buttons(json!([{ "type": "COPY_CODE", "text": "Copy offer code", "example": ["SAVE25"] }])),
            ]),
        ),
        (
            "welcome_named",
            "en_US",
            approved,
            json!([body("Welcome {{customer_name}}! Your account manager is {{manager}}.")]),
        ),
        ("pending_review", "en_US", TemplateStatus::Pending, json!([body("Still being looked at, {{1}}.")])),
        ("rejected_offer", "en_US", TemplateStatus::Rejected, json!([body("BUY NOW {{1}}!!!")])),
    ]
    .into_iter()
    .zip(FIRST_ID..)
    .map(|((name, language, status, components), id)| Template {
        id: id.to_string(),
        name: name.into(),
        language: language.into(),
        category: if matches!(name, "promo_code" | "rejected_offer") { "MARKETING" } else { "UTILITY" }.into(),
        status,
        parameter_format: if name == "welcome_named" { "NAMED" } else { "POSITIONAL" }.into(),
        components,
    })
    .collect()
}
