//! Template messages: what fills them, what reaches the channel, and every way in which they do not fit.

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::inbox_scene::{ANN, ANN_PHONE, BOB_PHONE, Inbox, id};
use crate::people::walk;
use crate::shapes::text;

on_every_engine! {
    a_filled_template_reaches_the_customer_as_the_vendor_wants_it,
    a_template_needs_no_open_window,
    an_unknown_template_is_reported,
    only_an_approved_template_is_sent,
    every_parameter_that_does_not_fit_is_named,
    a_media_header_without_a_url_has_the_templates_own_example,
    a_media_header_that_has_no_example_needs_a_url,
    only_whatsapp_has_templates,
    the_templates_are_those_of_the_number_that_sends,
}

fn using(template: Value) -> Value {
    json!({ "type": "template", "to": { "phone": ANN_PHONE }, "template": template })
}

fn a_filled_template_reaches_the_customer_as_the_vendor_wants_it(inbox: Inbox) {
    let said = |words: &str| json!({ "type": "text", "text": words });
    let cases = [
        (
            json!({ "name": "hello_world", "language": "en_US" }),
            json!({ "name": "hello_world", "language": { "code": "en_US" } }),
            "Welcome and congratulations! This message shows that you can send messages.",
        ),
        (
            json!({ "name": "appointment_reminder", "language": "pt_BR", "body_params": ["Ana", "5 de maio"] }),
            json!({ "name": "appointment_reminder", "language": { "code": "pt_BR" },
                "components": [{ "type": "body", "parameters": [said("Ana"), said("5 de maio")] }] }),
            "Olá Ana, lembramos da sua consulta em 5 de maio.",
        ),
        (
            json!({ "name": "order_update", "header_text": "#1042", "button_params": { "0": "1042" } }),
            json!({ "name": "order_update", "language": { "code": "en_US" }, "components": [
                { "type": "header", "parameters": [said("#1042")] },
                { "type": "button", "sub_type": "url", "index": "0", "parameters": [said("1042")] },
            ] }),
            "Your order has been shipped and is on its way.",
        ),
        (
            json!({ "name": "invoice_ready", "header_media_url": "https://files.example/Invoice%207.pdf", "body_params": ["Ann"] }),
            json!({ "name": "invoice_ready", "language": { "code": "en_US" }, "components": [
                { "type": "header", "parameters": [{ "type": "document",
                    "document": { "link": "https://files.example/Invoice%207.pdf", "filename": "Invoice 7.pdf" } }] },
                { "type": "body", "parameters": [said("Ann")] },
            ] }),
            "Dear Ann, your invoice is attached.",
        ),
        (
            json!({ "name": "promo_code", "body_params": ["20 %"], "button_params": { "0": "SAVE20" } }),
            json!({ "name": "promo_code", "language": { "code": "en_US" }, "components": [
                { "type": "body", "parameters": [said("20 %")] },
                { "type": "button", "sub_type": "copy_code", "index": "0",
                    "parameters": [{ "type": "coupon_code", "coupon_code": "SAVE20" }] },
            ] }),
            "Here is 20 % off your next order.",
        ),
        (
            json!({ "name": "welcome_named", "body_params": ["Ann", "Mia"] }),
            json!({ "name": "welcome_named", "language": { "code": "en_US" }, "components": [{ "type": "body", "parameters": [
                { "type": "text", "parameter_name": "customer_name", "text": "Ann" },
                { "type": "text", "parameter_name": "manager", "text": "Mia" },
            ] }] }),
            "Welcome Ann! Your account manager is Mia.",
        ),
    ];
    for (number, (template, raw, reads)) in cases.iter().enumerate() {
        let message = inbox.sends(using(template.clone()));
        assert_eq!((&message["text"], &message["template_name"]), (&json!(reads), &template["name"]));
        assert_eq!(message["media_url"], template.get("header_media_url").cloned().unwrap_or_default());
        let sent = inbox.sent_soon(&inbox.whatsapp, number + 1).pop().unwrap();
        let whole = json!({
            "messaging_product": "whatsapp", "recipient_type": "individual", "to": ANN, "type": "template",
            "template": raw, "biz_opaque_callback_data": message["id"],
        });
        assert_eq!(sent["raw"], whole);
        assert_eq!(sent["text"], *reads);
    }
    assert_eq!(walk(&inbox.client, "/conversations").len(), 1);
}

fn a_template_needs_no_open_window(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    inbox.advance(3 * 24 * 60 * 60);
    let message = inbox.sends(json!({
        "type": "template", "to": { "conversation_id": conversation["id"] }, "template": { "name": "hello_world" },
    }));
    assert_eq!(message["conversation_id"], conversation["id"]);
    inbox.becomes(&message, "delivered");
}

#[track_caller]
fn refused(inbox: &Inbox, template: Value, reason: &str) -> Value {
    let response = inbox.send(using(template)).expect(422);
    let error = response.error("unprocessable").clone();
    assert_eq!(error["reason"], reason, "{}", response.text);
    error
}

fn an_unknown_template_is_reported(inbox: Inbox) {
    for template in [
        json!({ "name": "no_such_template" }),
        json!({ "name": "hello_world", "language": "de" }),
        json!({ "name": "HELLO_WORLD" }),
        json!({ "name": "hello_world", "language": "en" }),
        // What is wrong with it is told before what would fill it.
        json!({ "name": "appointment_reminder", "language": "fr", "body_params": ["one", "two", "three"] }),
    ] {
        refused(&inbox, template, "template_not_found");
    }
    assert_eq!(inbox.told(), [""; 0]);
    assert_eq!(walk(&inbox.client, "/contacts").len(), 0);
}

fn only_an_approved_template_is_sent(inbox: Inbox) {
    for name in ["pending_review", "rejected_offer"] {
        refused(&inbox, json!({ "name": name, "body_params": ["Ann"] }), "template_not_approved");
    }
    for status in ["PAUSED", "DISABLED"] {
        let change = json!({ "connection_id": inbox.whatsapp, "templates": [{ "name": "hello_world", "status": status }] });
        inbox.sandbox().put("/sandbox/templates", change).expect(200);
        inbox.app.cli(&["channel", "sync", &inbox.whatsapp]);
        refused(&inbox, json!({ "name": "hello_world" }), "template_not_approved");
    }
    inbox.settle();
    assert_eq!(inbox.sent(&inbox.whatsapp), [Value::Null; 0]);
    assert_eq!(inbox.told(), [""; 0]);
}

fn every_parameter_that_does_not_fit_is_named(inbox: Inbox) {
    let cases: [(Value, &[&str]); 14] = [
        (json!({ "name": "appointment_reminder" }), &["template.body_params.0", "template.body_params.1"]),
        (json!({ "name": "appointment_reminder", "body_params": ["Ann"] }), &["template.body_params.1"]),
        (
            json!({ "name": "appointment_reminder", "body_params": ["", " \t"] }),
            &["template.body_params.0", "template.body_params.1"],
        ),
        (
            json!({ "name": "appointment_reminder", "body_params": ["Ann", "Monday", "noon"] }),
            &["template.body_params"],
        ),
        (json!({ "name": "hello_world", "body_params": ["Ann"] }), &["template.body_params"]),
        (json!({ "name": "order_update", "button_params": { "0": "1042" } }), &["template.header_text"]),
        (json!({ "name": "order_update", "header_text": "#1042" }), &["template.button_params.0"]),
        (
            json!({ "name": "order_update", "header_text": "#1042", "button_params": { "0": " " } }),
            &["template.button_params.0"],
        ),
        (
            json!({ "name": "order_update", "header_text": "#1042", "button_params": { "0": "1042", "1": "x" } }),
            &["template.button_params.1"],
        ),
        (
            json!({ "name": "invoice_ready", "body_params": ["Ann"], "header_text": "Invoice", "header_media_url": "https://a.example/b.pdf" }),
            &["template.header_text"],
        ),
        (
            json!({ "name": "appointment_reminder", "body_params": ["Ann", "Monday"], "button_params": { "1": "x" } }),
            &["template.button_params.1"],
        ),
        (json!({ "name": "promo_code", "body_params": ["20 %"] }), &["template.button_params.0"]),
        (json!({ "name": "welcome_named", "body_params": ["Ann"] }), &["template.body_params.1"]),
        (
            json!({ "name": "order_update", "header_media_url": "https://a.example/b.pdf", "body_params": ["x"], "button_params": { "7": "x" } }),
            &[
                "template.header_text",
                "template.header_media_url",
                "template.body_params",
                "template.button_params.0",
                "template.button_params.7",
            ],
        ),
    ];
    for (template, paths) in cases {
        let response = inbox.send(using(template)).expect(422);
        assert_eq!(response.error("unprocessable")["reason"], "template_params_mismatch");
        response.details_at(paths);
    }
    inbox.settle();
    assert_eq!(inbox.told(), [""; 0]);
    assert_eq!(walk(&inbox.client, "/contacts").len() + walk(&inbox.client, "/conversations").len(), 0);
    assert_eq!(inbox.sent(&inbox.whatsapp), [Value::Null; 0]);
}

fn a_media_header_without_a_url_has_the_templates_own_example(inbox: Inbox) {
    let example = format!("{}/sandbox/media/sample.pdf", inbox.app.base());
    let document = json!({ "link": example, "filename": "sample.pdf" });
    let message = inbox.sends(using(json!({ "name": "invoice_ready", "body_params": ["Ann"] })));
    assert_eq!(message["media_url"], example);
    let broadcast = json!({
        "name": "Invoices", "template": { "name": "invoice_ready" }, "audience": { "type": "phones", "phones": [BOB_PHONE] },
        "variables": { "1": { "type": "static", "value": "Bob" } },
    });
    inbox.client.post("/broadcasts", broadcast).expect(202);
    for sent in inbox.sent_soon(&inbox.whatsapp, 2) {
        let header = &sent["raw"]["template"]["components"][0]["parameters"][0];
        assert_eq!((&header["type"], &header["document"]), (&json!("document"), &document));
        assert_eq!(inbox.message(&sent["raw"]["biz_opaque_callback_data"])["media_url"], example);
    }
    assert!(inbox.sandbox().get("/sandbox/media/sample.pdf").expect(200).text.starts_with("%PDF"));
}

fn a_media_header_that_has_no_example_needs_a_url(inbox: Inbox) {
    let with = |name: &str, header: Value| json!({ "name": name, "components": [header, { "type": "BODY", "text": "Look" }] });
    let templates = json!([
        with("bare", json!({ "type": "HEADER", "format": "IMAGE" })),
        with(
            "submitted",
            json!({ "type": "HEADER", "format": "VIDEO", "example": { "header_handle": ["4::aW1hZ2U="] } })
        ),
    ]);
    let body = json!({ "connection_id": inbox.whatsapp, "templates": templates, "replace": true });
    inbox.sandbox().put("/sandbox/templates", body).expect(200);
    inbox.app.cli(&["channel", "sync", &inbox.whatsapp]);
    for name in ["bare", "submitted"] {
        let message = inbox.send(using(json!({ "name": name }))).expect(422);
        message.details_at(&["template.header_media_url"]);
        let audience = json!({ "type": "phones", "phones": [ANN_PHONE] });
        let broadcast = json!({ "name": "Look", "template": { "name": name }, "audience": audience });
        let broadcast = inbox.client.post("/broadcasts", broadcast).expect(422);
        broadcast.details_at(&["header_media_url"]);
        for refused in [message, broadcast] {
            let error = refused.error("unprocessable");
            assert_eq!(error["reason"], "template_params_mismatch");
            assert!(text(&error["details"][0]["message"]).contains("give the address of one"), "{error}");
        }
    }
    let given = json!({ "name": "bare", "header_media_url": "https://files.example/a.png" });
    assert_eq!(inbox.sends(using(given))["media_url"], "https://files.example/a.png");
}

fn only_whatsapp_has_templates(inbox: Inbox) {
    for channel in ["messenger", "instagram", "personal_whatsapp"] {
        let connection = inbox.connect(channel);
        let conversation = inbox.hears_on(&connection, "24681357911", "Hi!");
        let hello = json!({ "name": "hello_world" });
        let response = inbox.send(
            json!({ "type": "template", "to": { "conversation_id": id(&conversation) }, "template": hello }),
        );
        assert_eq!(
            response.expect(422).error("unprocessable")["reason"],
            "template_not_supported",
            "{channel}"
        );
        if channel == "personal_whatsapp" {
            let to = json!({ "phone": ANN_PHONE, "channel": channel, "connection_id": connection });
            let response = inbox.send(json!({ "type": "template", "to": to, "template": hello }));
            assert_eq!(response.expect(422).error("unprocessable")["reason"], "template_not_supported");
        }
        inbox.settle();
        assert_eq!(inbox.sent(&connection), [Value::Null; 0], "{channel}");
    }
    assert_eq!(walk(&inbox.client, "/contacts").len(), 3);
}

fn the_templates_are_those_of_the_number_that_sends(inbox: Inbox) {
    let second = inbox.connect("whatsapp");
    let added = json!({ "connection_id": second, "templates": [{ "name": "only_here" }] });
    inbox.sandbox().put("/sandbox/templates", added).expect(200);
    inbox.app.cli(&["channel", "sync", &second]);
    refused(&inbox, json!({ "name": "only_here" }), "template_not_found");
    let to = json!({ "phone": ANN_PHONE, "connection_id": second });
    let message = inbox.sends(json!({ "type": "template", "to": to, "template": { "name": "only_here" } }));
    assert_eq!(message["text"], "Hello from the sandbox.");
    assert_eq!(inbox.sent_soon(&second, 1)[0]["template"]["name"], "only_here");
}
