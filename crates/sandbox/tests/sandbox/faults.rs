#![expect(clippy::disallowed_methods, reason = "tests measure time and need names of their own")]

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::stage::{CUSTOMER, Hook, Stage, text, whatsapp};

async fn set(stage: &Stage, fault: Value) {
    stage.put("/sandbox/faults", json!({ "faults": [fault] })).await.data();
}

#[tokio::test]
async fn an_error_is_metas_and_the_message_is_not_accepted() {
    let stage = Stage::open().await;
    set(&stage, json!({ "on": "send", "kind": "error", "code": 130_429, "times": 1, "retry_after": 7 }))
        .await;
    let response = stage.graph("wa-token", "1001", &whatsapp(text("hi"))).await.unwrap();
    assert_eq!((response.status, &response.body["error"]["code"]), (429, &json!(130_429)));
    assert_eq!(
        (&response.headers["retry-after"], &response.body["error"]["is_transient"]),
        (&"7".parse().unwrap(), &json!(true))
    );
    assert!(stage.sent().await.is_empty());
    stage.send(text("again")).await;
    assert_eq!(stage.get("/sandbox/faults").await.data()["faults"], json!([]));
}

#[tokio::test]
async fn a_status_is_bare() {
    let stage = Stage::open().await;
    set(&stage, json!({ "on": "send", "kind": "status", "status": 502, "connection_id": "ms" })).await;
    stage.send(text("another connection")).await;
    let body = json!({ "recipient": { "id": "7" }, "message": { "text": "hi" } });
    let response = stage.graph("ms-token", "3001", &body).await.unwrap();
    assert_eq!((response.status, response.raw.len()), (502, 0));
}

#[tokio::test]
async fn a_cut_connection_had_no_effect_and_one_cut_after_had() {
    let stage = Stage::open().await;
    set(&stage, json!({ "on": "send", "kind": "cut", "times": 1 })).await;
    assert!(stage.graph("wa-token", "1001", &whatsapp(text("lost"))).await.is_none());
    stage.settle().await;
    assert!(stage.sent().await.is_empty() && stage.hooks().is_empty());
    set(&stage, json!({ "on": "send", "kind": "cut_after", "to": CUSTOMER, "times": 1 })).await;
    assert!(stage.graph("wa-token", "1001", &whatsapp(text("unsure"))).await.is_none());
    assert_eq!(stage.sent().await[0]["our_id"], "our-unsure");
    let hooks = stage.wait_for(2, |_| true).await;
    assert_eq!(hooks[1].value()["statuses"][0]["biz_opaque_callback_data"], "our-unsure");
}

#[tokio::test]
async fn a_call_that_hangs_is_not_answered_and_a_late_one_is_late() {
    let stage = Stage::open().await;
    set(&stage, json!({ "on": "send", "kind": "hang" })).await;
    let body = whatsapp(text("hi"));
    let call = stage.graph("wa-token", "1001", &body);
    assert!(tokio::time::timeout(Duration::from_millis(300), call).await.is_err());
    assert!(stage.sent().await.is_empty());
    set(&stage, json!({ "on": "send", "kind": "delay", "millis": 250 })).await;
    let began = Instant::now();
    stage.send(text("late")).await;
    assert!(began.elapsed() >= Duration::from_millis(250));
    stage.wait_for(2, |_| true).await;
}

#[tokio::test]
async fn receipts_meet_no_fault_of_sends() {
    let stage = Stage::open().await;
    set(&stage, json!({ "on": "send", "kind": "cut", "times": 1 })).await;
    let receipt = json!({ "messaging_product": "whatsapp", "status": "read", "message_id": "wamid.x" });
    assert_eq!(stage.graph("wa-token", "1001", &receipt).await.unwrap().status, 200);
    assert!(stage.graph("wa-token", "1001", &whatsapp(text("hi"))).await.is_none());
}

#[tokio::test]
async fn webhooks_come_twice() {
    let stage = Stage::open().await;
    set(&stage, json!({ "on": "webhook", "kind": "duplicate_webhook", "times": 1 })).await;
    stage.say(json!({ "text": "hello" })).await.data();
    let hooks = stage.wait_for(2, |_| true).await;
    assert_eq!(hooks[0].raw, hooks[1].raw);
    stage.say(json!({ "text": "once" })).await.data();
    assert_eq!(stage.hooks().len(), 3);
}

#[tokio::test]
async fn statuses_come_out_of_order() {
    let stage = Stage::open().await;
    set(&stage, json!({ "on": "webhook", "kind": "reorder_statuses" })).await;
    stage.send(text("hi")).await;
    let hooks = stage.wait_for(2, |_| true).await;
    assert_eq!(hooks.iter().filter_map(Hook::status).collect::<Vec<_>>(), ["delivered", "sent"]);
    assert_eq!(stage.sent().await[0]["status"], "delivered");
}

#[tokio::test]
async fn a_message_fails_later_and_a_webhook_is_lost() {
    let stage = Stage::open().await;
    set(&stage, json!({ "on": "webhook", "kind": "error", "code": 131_049, "times": 1 })).await;
    stage.send(text("hi")).await;
    let hooks = stage.wait_for(1, |_| true).await;
    assert_eq!(hooks[0].value()["statuses"][0]["errors"][0]["code"], 131_049);
    set(&stage, json!({ "on": "webhook", "kind": "cut", "times": 1 })).await;
    stage.send(text("again")).await;
    let hooks = stage.wait_for(2, |_| true).await;
    assert_eq!(hooks[1].status(), Some("delivered"));
}

#[tokio::test]
async fn templates_media_bridge_and_model_have_faults_of_their_own() {
    let stage = Stage::open().await;
    let list = "/sandbox/graph/v23.0/2001/message_templates";
    set(&stage, json!({ "on": "templates", "kind": "error", "code": 190, "times": 1 })).await;
    assert_eq!(stage.graph_get("wa-token", list).await.status, 401);
    assert_eq!(stage.graph_get("wa-token", list).await.status, 200);

    stage.say(json!({ "media": { "kind": "image" } })).await.data();
    let id = stage.hooks()[0].value()["messages"][0]["image"]["id"].as_str().unwrap().to_owned();
    set(&stage, json!({ "on": "media", "kind": "status", "status": 500, "times": 1 })).await;
    assert_eq!(stage.graph_get("wa-token", &format!("/sandbox/graph/v23.0/{id}")).await.status, 500);

    let body = json!({ "session": "desk", "chatId": format!("{CUSTOMER}@c.us"), "text": "hi" });
    for on in ["bridge", "send"] {
        set(&stage, json!({ "on": on, "kind": "error", "times": 1 })).await;
        let response = stage.bridge("POST", "sendText", body.clone()).await;
        assert_eq!((response.status, &response.body["statusCode"]), (500, &json!(500)), "{on}");
    }
    assert_eq!(stage.bridge("POST", "sendText", body).await.status, 201);

    set(&stage, json!({ "on": "model", "kind": "status", "status": 529, "times": 1 })).await;
    assert_eq!(stage.post("/sandbox/model/v1/chat/completions", json!({})).await.status, 529);
    assert_eq!(stage.post("/sandbox/model/v1/chat/completions", json!({})).await.status, 400);
}

#[tokio::test]
async fn faults_are_shown_and_cleared_and_wrong_ones_are_refused() {
    let stage = Stage::open().await;
    set(&stage, json!({ "on": "send", "kind": "cut" })).await;
    let shown = json!([{ "on": "send", "kind": "cut" }]);
    assert_eq!(stage.get("/sandbox/faults").await.data()["faults"], shown);
    let wrong = stage.put("/sandbox/faults", json!({ "faults": [{ "on": "send", "kind": "delay" }] })).await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.body["error"]["message"].as_str().unwrap().contains("faults.0: delay takes millis"));
    assert_eq!(stage.get("/sandbox/faults").await.data()["faults"], shown);
    stage.call("DELETE", "/sandbox/faults", &[], &Value::Null).await.unwrap();
    stage.send(text("hi")).await;
}
