use serde_json::{Value, json};

use crate::stage::{CUSTOMER, Hook, Stage};

fn chat() -> String {
    format!("{CUSTOMER}@c.us")
}

fn states(hooks: &[Hook]) -> Vec<&str> {
    let states = hooks.iter().filter(|hook| hook.body["event"] == "session.status");
    states.map(|hook| hook.body["payload"]["status"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_session_of_a_connection_works_without_being_made() {
    let stage = Stage::open().await;
    let response = stage.bridge("GET", "sessions/desk", Value::Null).await;
    assert_eq!((response.status, &response.body["status"]), (200, &json!("WORKING")));
    assert_eq!(response.body["me"]["id"], "15550002222@c.us");
    let all = stage.bridge("GET", "sessions", Value::Null).await.body;
    assert_eq!(all, json!([response.body]));
    assert_eq!(stage.bridge("GET", "sessions/other", Value::Null).await.status, 404);
}

#[tokio::test]
async fn the_key_is_asked_for() {
    let stage = Stage::open().await;
    for headers in [&[][..], &[("x-api-key", "wrong")]] {
        let response =
            stage.call("GET", "/sandbox/bridge/api/sessions/desk", headers, &Value::Null).await.unwrap();
        assert_eq!(response.status, 401);
    }
}

#[tokio::test]
async fn a_session_that_is_made_starts_and_is_paired_by_itself() {
    let stage = Stage::open().await;
    let response = stage.bridge("POST", "sessions", json!({ "name": "desk" })).await;
    assert_eq!((response.status, &response.body["status"]), (201, &json!("STARTING")));
    assert_eq!(stage.bridge("POST", "sessions", json!({ "name": "desk" })).await.status, 422);
    let hooks = stage.wait_for(3, |hook| hook.body["event"] == "session.status").await;
    assert_eq!(states(&hooks), ["STARTING", "SCAN_QR_CODE", "WORKING"]);
    assert!(hooks.iter().all(|hook| hook.is_signed_by_bridge("pw-secret")));
    assert_eq!(hooks[0].path, "/channels/personal_whatsapp/pw");
}

#[tokio::test]
async fn a_session_that_is_paired_by_hand_shows_its_code_until_it_is_scanned() {
    let stage = Stage::open().await;
    stage.put("/sandbox/settings", json!({ "scan": "manual" })).await.data();
    let early = stage.post("/sandbox/bridge/scan", json!({ "session": "desk" })).await;
    assert_eq!(early.status, 409, "{}", early.body);
    stage.bridge("POST", "sessions", json!({ "name": "desk" })).await;
    stage.wait_for(2, |_| true).await;
    let send = json!({ "session": "desk", "chatId": chat(), "text": "hi" });
    let refused = stage.bridge("POST", "sendText", send.clone()).await;
    assert_eq!((refused.status, &refused.body["status"]), (422, &json!("SCAN_QR_CODE")));
    assert_eq!(refused.body["expected"], json!(["WORKING"]));
    assert!(stage.bridge("GET", "desk/auth/qr", Value::Null).await.raw.starts_with(b"\x89PNG"));
    assert!(stage.bridge("GET", "desk/auth/qr?format=raw", Value::Null).await.body["value"].is_string());
    let code = stage.bridge("POST", "desk/auth/request-code", json!({ "phoneNumber": "15550002222" })).await;
    assert_eq!(code.body["code"].as_str().unwrap().len(), 9);
    stage.post("/sandbox/bridge/scan", json!({ "session": "desk" })).await.data();
    stage.wait_for(3, |_| true).await;
    assert_eq!(stage.bridge("POST", "sendText", send).await.status, 201);
    assert_eq!(stage.bridge("GET", "desk/auth/qr", Value::Null).await.status, 422);
}

#[tokio::test]
async fn a_paired_session_starts_again_without_a_code_and_one_that_left_needs_one() {
    let stage = Stage::open().await;
    stage.put("/sandbox/settings", json!({ "scan": "manual" })).await.data();
    stage.bridge("POST", "sessions/desk/stop", Value::Null).await;
    stage.wait_for(1, |_| true).await;
    stage.bridge("POST", "sessions/desk/start", Value::Null).await;
    let hooks = stage.wait_for(3, |_| true).await;
    assert_eq!(states(&hooks), ["STOPPED", "STARTING", "WORKING"]);
    stage.bridge("POST", "sessions/desk/logout", Value::Null).await;
    stage.wait_for(4, |_| true).await;
    stage.bridge("POST", "sessions/desk/start", Value::Null).await;
    let hooks = stage.wait_for(6, |_| true).await;
    assert_eq!(states(&hooks)[3..], ["STOPPED", "STARTING", "SCAN_QR_CODE"]);
}

#[tokio::test]
async fn a_message_is_echoed_and_acknowledged() {
    let stage = Stage::open().await;
    let body = json!({ "session": "desk", "chatId": chat(), "text": "hi", "reply_to": "false_x" });
    let response = stage.bridge("POST", "sendText", body).await;
    let id = response.body["id"].as_str().unwrap().to_owned();
    assert!(response.status == 201 && id.starts_with(&format!("true_{CUSTOMER}@c.us_")));
    let acks = stage.wait_for(2, |hook| hook.body["event"] == "message.ack").await;
    let numbers: Vec<_> = acks.iter().map(|hook| hook.body["payload"]["ack"].as_i64().unwrap()).collect();
    assert_eq!(numbers, [1, 2]);
    assert!(
        acks.iter().all(|hook| hook.is_signed_by_bridge("pw-secret") && hook.body["payload"]["id"] == id)
    );
    let echo = &stage.wait_for(1, |hook| hook.body["event"] == "message.any").await[0].body["payload"];
    assert_eq!(
        (&echo["id"], &echo["fromMe"], &echo["source"], &echo["body"]),
        (&json!(id), &json!(true), &json!("api"), &json!("hi"))
    );
    stage.post(&format!("/sandbox/messages/{id}/read"), json!(null)).await.data();
    let acks = stage.wait_for(3, |hook| hook.body["event"] == "message.ack").await;
    assert_eq!(
        (&acks[2].body["payload"]["ack"], &acks[2].body["payload"]["ackName"]),
        (&json!(3), &json!("READ"))
    );
    let sent = &stage.sent().await[0];
    assert_eq!(
        (&sent["to"], &sent["text"], &sent["reply_to"]),
        (&json!(CUSTOMER), &json!("hi"), &json!("false_x"))
    );
}

#[tokio::test]
async fn media_goes_by_the_call_that_is_for_it() {
    let stage = Stage::open().await;
    for (call, kind) in
        [("sendImage", "image"), ("sendVideo", "video"), ("sendFile", "document"), ("sendVoice", "audio")]
    {
        let file = json!({ "mimetype": "a/b", "url": "https://a.test/b", "filename": "b" });
        let body = json!({ "session": "desk", "chatId": chat(), "file": file, "caption": "c" });
        assert_eq!(stage.bridge("POST", call, body).await.status, 201);
        let sent = stage.sent().await.pop().unwrap();
        assert_eq!((&sent["type"], &sent["media"]["link"]), (&json!(kind), &json!("https://a.test/b")));
    }
    let bare = json!({ "session": "desk", "chatId": chat() });
    assert_eq!(stage.bridge("POST", "sendImage", bare.clone()).await.status, 400);
    assert_eq!(stage.bridge("POST", "sendText", bare).await.status, 400);
    assert_eq!(stage.bridge("POST", "sendPigeon", json!({ "session": "desk" })).await.status, 404);
}

#[tokio::test]
async fn a_customer_is_heard_over_the_bridge_and_their_media_is_behind_its_key() {
    let stage = Stage::open().await;
    stage.say(json!({ "connection_id": "pw", "text": "hello", "name": "Ann" })).await.data();
    stage.say(json!({ "connection_id": "pw", "media": { "kind": "image", "caption": "look" } })).await.data();
    stage.say(json!({ "connection_id": "pw", "text": "from the phone", "from_me": true })).await.data();
    let hooks = stage.hooks();
    assert!(
        hooks.iter().all(|hook| hook.body["event"] == "message.any" && hook.is_signed_by_bridge("pw-secret"))
    );
    let payload = &hooks[0].body["payload"];
    assert_eq!(
        (&payload["from"], &payload["fromMe"], &payload["body"], &payload["_data"]["pushName"]),
        (&json!(chat()), &json!(false), &json!("hello"), &json!("Ann"))
    );
    let media = &hooks[1].body["payload"];
    assert_eq!((&media["hasMedia"], &media["body"]), (&json!(true), &json!("look")));
    let url = media["media"]["url"].as_str().unwrap();
    assert_eq!(stage.get(url).await.status, 401);
    let fetched = stage.call("GET", url, &[("x-api-key", "bridge-key")], &Value::Null).await.unwrap();
    assert!(fetched.raw.starts_with(b"\x89PNG"));
    assert_eq!(
        (&hooks[2].body["payload"]["fromMe"], &hooks[2].body["payload"]["to"]),
        (&json!(true), &json!(chat()))
    );
    stage.bridge("POST", "sendSeen", json!({ "session": "desk", "chatId": chat() })).await;
    let shown = stage.get(&format!("/sandbox/chat?connection_id=pw&customer={CUSTOMER}")).await;
    assert!(shown.data()["entries"].as_array().unwrap().iter().all(|entry| entry["seen"] == true));
}

#[tokio::test]
async fn events_go_to_the_sessions_webhook_if_it_subscribed() {
    let stage = Stage::open().await;
    // The webhook server accepts any path.
    stage.say(json!({ "connection_id": "pw", "text": "before" })).await.data();
    let address =
        stage.get("/sandbox/connections").await.data()[3]["webhook_url"].as_str().unwrap().to_owned();
    let hook = json!({ "url": format!("{address}/told"), "events": ["message"], "hmac": { "key": "other" } });
    stage.bridge("POST", "sessions", json!({ "name": "desk", "config": { "webhooks": [hook] } })).await;
    stage.settle().await;
    stage.say(json!({ "connection_id": "pw", "text": "after" })).await.data();
    let hooks = stage.hooks();
    assert_eq!(hooks.len(), 2);
    assert_eq!(
        (hooks[1].path.as_str(), &hooks[1].body["event"]),
        ("/channels/personal_whatsapp/pw/told", &json!("message"))
    );
    assert!(hooks[1].is_signed_by_bridge("other"));
    let unheard =
        stage.say(json!({ "connection_id": "pw", "reaction": { "message_id": "x", "emoji": "👍" } })).await;
    assert_eq!(unheard.status, 409, "{}", unheard.body);
}

#[tokio::test]
async fn a_session_that_is_updated_starts_again() {
    let stage = Stage::open().await;
    let response = stage.bridge("PUT", "sessions/desk", json!({ "name": "desk", "config": {} })).await;
    assert_eq!((response.status, &response.body["status"]), (200, &json!("STARTING")));
    let hooks = stage.wait_for(2, |_| true).await;
    assert_eq!(states(&hooks), ["STARTING", "WORKING"]);
}
