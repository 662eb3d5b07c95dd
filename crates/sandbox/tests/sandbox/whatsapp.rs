use serde_json::json;

use crate::stage::{CUSTOMER, Hook, Stage, text, whatsapp};

fn statuses(hooks: &[Hook]) -> Vec<&str> {
    hooks.iter().filter_map(Hook::status).collect()
}

#[tokio::test]
async fn a_text_is_accepted_then_reported_as_sent_and_delivered() {
    let stage = Stage::open().await;
    let response = stage.graph("wa-token", "1001", &whatsapp(text("hi"))).await.unwrap();
    let id = response.body["messages"][0]["id"].as_str().unwrap();
    assert!(id.starts_with("wamid."));
    assert_eq!(
        response.body,
        json!({
            "messaging_product": "whatsapp",
            "contacts": [{ "input": CUSTOMER, "wa_id": CUSTOMER }],
            "messages": [{ "id": id, "message_status": "accepted" }],
        })
    );
    let hooks = stage.wait_for(2, |_| true).await;
    assert_eq!(statuses(&hooks), ["sent", "delivered"]);
    for hook in &hooks {
        assert_eq!(hook.path, "/channels/whatsapp/wa");
        assert!(hook.is_signed_by_meta("wa-secret") && !hook.is_signed_by_meta("another"));
        assert_eq!(hook.body["entry"][0]["id"], "2001");
        assert_eq!(
            hook.value()["metadata"],
            json!({ "display_phone_number": "15550001111", "phone_number_id": "1001" })
        );
        let status = &hook.value()["statuses"][0];
        assert_eq!((&status["id"], &status["recipient_id"]), (&json!(id), &json!(CUSTOMER)));
        assert_eq!(status["biz_opaque_callback_data"], "our-hi");
        assert_eq!(status["timestamp"], "1700000000");
    }
}

#[tokio::test]
async fn sent_messages_are_listed_as_they_were_received() {
    let stage = Stage::open().await;
    let mut body = text("hi");
    body["context"] = json!({ "message_id": "wamid.before" });
    let id = stage.send(body).await;
    stage
        .send(json!({ "type": "document", "document": {
        "link": "https://a.test/b.pdf", "filename": "b.pdf", "caption": "c" } }))
        .await;
    stage.wait_for(4, |_| true).await;
    let sent = stage.sent().await;
    assert_eq!(sent.len(), 2);
    let first = &sent[0];
    for (field, wanted) in [
        ("channel_message_id", json!(id)),
        ("connection_id", json!("wa")),
        ("channel", json!("whatsapp")),
        ("to", json!(CUSTOMER)),
        ("type", json!("text")),
        ("text", json!("hi")),
        ("reply_to", json!("wamid.before")),
        ("our_id", json!("our-hi")),
        ("status", json!("delivered")),
    ] {
        assert_eq!(first[field], wanted, "{field}");
    }
    assert_eq!(first["raw"]["recipient_type"], "individual");
    assert!(first["sent_at"].as_str().unwrap().starts_with("2023-11-14T22:13:20."));
    let media = &sent[1]["media"];
    assert_eq!(
        (&media["kind"], &media["link"], &media["caption"], &media["filename"]),
        (&json!("document"), &json!("https://a.test/b.pdf"), &json!("c"), &json!("b.pdf"))
    );
    assert!(
        stage.get("/sandbox/messages?to=%2B1%20650%20555%201234&limit=1").await.data()[0]["media"]
            .is_object()
    );
    assert_eq!(stage.get("/sandbox/messages?connection_id=ms").await.data(), &json!([]));
    assert_eq!(stage.get("/sandbox/messages?limit=none").await.status, 400);
    stage.call("DELETE", "/sandbox/messages", &[], &json!(null)).await.unwrap();
    assert!(stage.sent().await.is_empty());
}

#[tokio::test]
async fn a_token_that_is_not_the_connections_is_refused_as_meta_refuses_it() {
    let stage = Stage::open().await;
    for token in ["wrong", "ms-token"] {
        let response = stage.graph(token, "1001", &whatsapp(text("hi"))).await.unwrap();
        assert_eq!((response.status, &response.body["error"]["code"]), (401, &json!(190)), "{token}");
        assert_eq!(response.body["error"]["type"], "OAuthException");
    }
    let response = stage.graph("wa-token", "9999", &whatsapp(text("hi"))).await.unwrap();
    assert_eq!(
        (response.status, &response.body["error"]["code"], &response.body["error"]["error_subcode"]),
        (400, &json!(100), &json!(33))
    );
    assert!(stage.sent().await.is_empty());
}

#[tokio::test]
async fn errors_carry_a_code_and_details() {
    let stage = Stage::open().await;
    for (code, body) in [
        (100, json!({ "to": CUSTOMER, "type": "text", "text": { "body": "hi" } })),
        (131_009, json!({ "messaging_product": "whatsapp", "to": "nobody", "text": { "body": "hi" } })),
        (
            132_001,
            whatsapp(
                json!({ "type": "template", "template": { "name": "none", "language": { "code": "en_US" } } }),
            ),
        ),
        (
            132_000,
            whatsapp(json!({ "type": "template", "template": {
                "name": "appointment_reminder", "language": { "code": "en_US" }, "components": [] } })),
        ),
    ] {
        let response = stage.graph("wa-token", "1001", &body).await.unwrap();
        assert_eq!(response.body["error"]["code"], code, "{}", response.body);
        assert!(response.status == 400 || response.status == 404);
        if code != 100 {
            assert!(response.body["error"]["error_data"]["details"].is_string());
        }
    }
    assert!(stage.sent().await.is_empty());
}

#[tokio::test]
async fn a_template_is_shown_as_the_customer_reads_it() {
    let stage = Stage::open().await;
    let texts = [json!({ "type": "text", "text": "Ann" }), json!({ "type": "text", "text": "Monday" })];
    stage
        .send(json!({ "type": "template", "template": { "name": "appointment_reminder", "language": { "code": "pt_BR" },
            "components": [{ "type": "body", "parameters": texts }] } }))
        .await;
    let sent = stage.sent().await;
    assert_eq!(sent[0]["text"], "Olá Ann, lembramos da sua consulta em Monday.");
    assert_eq!(
        (&sent[0]["template"]["name"], &sent[0]["template"]["language"]),
        (&json!("appointment_reminder"), &json!("pt_BR"))
    );
}

#[tokio::test]
async fn free_text_a_day_after_the_customer_wrote_fails_later_and_a_template_does_not() {
    let stage = Stage::open().await;
    stage.say(json!({ "text": "hello" })).await.data();
    stage.advance(24 * 60 * 60);
    let id = stage.send(text("late")).await;
    let failed = stage.wait_for(1, |hook| hook.status() == Some("failed")).await;
    let status = &failed[0].value()["statuses"][0];
    assert_eq!((&status["id"], &status["errors"][0]["code"]), (&json!(id), &json!(131_047)));
    assert!(status["errors"][0]["error_data"]["details"].is_string());
    stage.send(json!({ "type": "template", "template": { "name": "hello_world", "language": { "code": "en_US" } } })).await;
    stage.wait_for(1, |hook| hook.status() == Some("delivered")).await;
    stage.say(json!({ "text": "again" })).await.data();
    stage.send(text("in time")).await;
    stage.wait_for(2, |hook| hook.status() == Some("delivered")).await;
}

#[tokio::test]
async fn a_stranger_can_be_written_to_unless_the_window_is_strict() {
    let stage = Stage::open().await;
    stage.put("/sandbox/settings", json!({ "window": "strict" })).await.data();
    stage.send(text("hi")).await;
    stage.wait_for(1, |hook| hook.status() == Some("failed")).await;
    assert_eq!(stage.sent().await[0]["error_code"], 131_047);
}

#[tokio::test]
async fn a_message_is_reported_as_read_when_the_customer_reads_it() {
    let stage = Stage::open().await;
    let id = stage.send(text("hi")).await;
    stage.wait_for(2, |_| true).await;
    let response = stage.post(&format!("/sandbox/messages/{id}/read"), json!(null)).await;
    assert_eq!(response.data()["status"], 200);
    assert_eq!(stage.wait_for(3, |_| true).await[2].status(), Some("read"));
    assert_eq!(stage.sent().await[0]["status"], "read");
    assert_eq!(stage.post("/sandbox/messages/nothing/read", json!(null)).await.status, 404);
}

#[tokio::test]
async fn statuses_by_hand_are_reported_only_by_hand() {
    let stage = Stage::open().await;
    stage.put("/sandbox/settings", json!({ "statuses": "manual" })).await.data();
    let id = stage.send(text("hi")).await;
    stage.settle().await;
    assert!(stage.hooks().is_empty());
    let path = format!("/sandbox/messages/{id}/status");
    stage.post(&path, json!({ "status": "sent" })).await.data();
    stage.post(&path, json!({ "status": "failed", "error_code": 131_026 })).await.data();
    let hooks = stage.wait_for(2, |_| true).await;
    assert_eq!(statuses(&hooks), ["sent", "failed"]);
    assert_eq!(hooks[1].value()["statuses"][0]["errors"][0]["code"], 131_026);
    assert_eq!(stage.post(&path, json!({ "status": "lost" })).await.status, 400);
    assert_eq!(stage.put("/sandbox/settings", json!({ "statuses": "never" })).await.status, 400);
}

#[tokio::test]
async fn a_status_that_is_not_taken_is_sent_again() {
    let stage = Stage::open().await;
    stage.answer_hooks_with(500);
    stage.send(text("hi")).await;
    stage.wait_for(2, |hook| hook.status() == Some("sent")).await;
    stage.answer_hooks_with(200);
    stage.wait_for(1, |hook| hook.status() == Some("delivered")).await;
}

#[tokio::test]
async fn a_receipt_of_the_business_is_seen_by_the_customer() {
    let stage = Stage::open().await;
    let said = stage.say(json!({ "text": "hello" })).await;
    let receipt = json!({ "messaging_product": "whatsapp", "status": "read", "message_id": said.data()["channel_message_id"] });
    let response = stage.graph("wa-token", "1001", &receipt).await.unwrap();
    assert_eq!(response.body, json!({ "success": true }));
    let chat = stage.get(&format!("/sandbox/chat?connection_id=wa&customer={CUSTOMER}")).await;
    assert_eq!(
        (&chat.data()["entries"][0]["text"], &chat.data()["entries"][0]["seen"]),
        (&json!("hello"), &json!(true))
    );
    assert!(stage.sent().await.is_empty());
}

#[tokio::test]
async fn a_number_tells_about_itself() {
    let stage = Stage::open().await;
    let response = stage.graph_get("wa-token", "/sandbox/graph/v23.0/1001").await;
    assert_eq!((response.status, &response.body["display_phone_number"]), (200, &json!("+15550001111")));
    assert_eq!(stage.graph_get("wrong", "/sandbox/graph/v23.0/1001").await.status, 401);
    assert_eq!(stage.graph_get("wa-token", "/sandbox/graph/nothing/here").await.body["error"]["code"], 2500);
}
