use serde_json::{Value, json};

use crate::stage::{Hook, Stage};

const PERSON: &str = "psid-7";

fn message(part: Value) -> Value {
    json!({ "recipient": { "id": PERSON }, "messaging_type": "RESPONSE", "message": part })
}

#[tokio::test]
async fn a_message_is_delivered_and_then_read_with_all_before_it() {
    let stage = Stage::open().await;
    for (token, page, object) in [("ms-token", "3001", "page"), ("ig-token", "3002", "instagram")] {
        let of_page = |hook: &Hook| hook.body["entry"][0]["id"] == page;
        let first = stage.graph(token, page, &message(json!({ "text": "one" }))).await.unwrap();
        let second = stage.graph(token, page, &message(json!({ "text": "two" }))).await.unwrap();
        assert_eq!((first.status, &first.body["recipient_id"]), (200, &json!(PERSON)));
        let (first, second) = (&first.body["message_id"], &second.body["message_id"]);
        let hooks = stage.wait_for(2, of_page).await;
        assert!(hooks.iter().all(|hook| hook.is_signed_by_meta(&token.replace("token", "secret"))));
        assert!(hooks.iter().any(|hook| hook.event()["delivery"]["mids"] == json!([first])));
        assert_eq!(
            (&hooks[0].body["object"], &hooks[0].event()["sender"]["id"]),
            (&json!(object), &json!(PERSON))
        );
        stage.post(&format!("/sandbox/messages/{}/read", second.as_str().unwrap()), json!(null)).await.data();
        let read = stage.wait_for(3, of_page).await;
        let told = &read[2].event()["read"];
        if object == "page" {
            let watermark = told["watermark"].as_i64().unwrap();
            assert!(watermark >= read[0].event()["delivery"]["watermark"].as_i64().unwrap());
        } else {
            assert_eq!(told, &json!({ "mid": second }));
        }
        let sent = stage.sent().await;
        let read = sent.iter().filter(|sent| sent["status"] == "read");
        assert!(read.filter(|sent| [first, second].contains(&&sent["channel_message_id"])).count() == 2);
    }
}

#[tokio::test]
async fn media_is_one_attachment() {
    let stage = Stage::open().await;
    let image = json!({ "attachment": { "type": "image", "payload": { "url": "https://a.test/b.png" } } });
    assert_eq!(stage.graph("ms-token", "3001", &message(image)).await.unwrap().status, 200);
    let sent = stage.sent().await;
    assert_eq!(
        (&sent[0]["type"], &sent[0]["media"]["link"]),
        (&json!("image"), &json!("https://a.test/b.png"))
    );
    let response = stage.graph("ms-token", "3001", &message(json!({}))).await.unwrap();
    assert_eq!((response.status, &response.body["error"]["code"]), (400, &json!(100)));
    let response = stage.graph("ms-token", "3001", &json!({ "message": { "text": "hi" } })).await.unwrap();
    assert_eq!(response.status, 400);
}

#[tokio::test]
async fn a_message_outside_the_window_is_refused_at_once() {
    let stage = Stage::open().await;
    let said = json!({ "connection_id": "ms", "text": "hello" });
    stage.post(&format!("/sandbox/customers/{PERSON}/messages"), said).await.data();
    stage.advance(24 * 60 * 60);
    let response = stage.graph("ms-token", "3001", &message(json!({ "text": "late" }))).await.unwrap();
    assert_eq!(
        (&response.body["error"]["code"], &response.body["error"]["error_subcode"]),
        (&json!(10), &json!(2_018_278))
    );
    let mut tagged = message(json!({ "text": "late" }));
    tagged["messaging_type"] = json!("MESSAGE_TAG");
    tagged["tag"] = json!("HUMAN_AGENT");
    assert_eq!(stage.graph("ms-token", "3001", &tagged).await.unwrap().status, 200);
}

#[tokio::test]
async fn seen_is_an_action_and_no_message() {
    let stage = Stage::open().await;
    stage
        .post(
            &format!("/sandbox/customers/{PERSON}/messages"),
            json!({ "connection_id": "ms", "text": "hello" }),
        )
        .await
        .data();
    let seen = json!({ "recipient": { "id": PERSON }, "sender_action": "mark_seen" });
    let response = stage.graph("ms-token", "3001", &seen).await.unwrap();
    assert_eq!(response.body, json!({ "recipient_id": PERSON }));
    let chat = stage.get(&format!("/sandbox/chat?connection_id=ms&customer={PERSON}")).await;
    assert_eq!(chat.data()["entries"][0]["seen"], true);
    assert!(stage.sent().await.is_empty());
}

#[tokio::test]
async fn a_failure_cannot_be_reported() {
    let stage = Stage::open().await;
    let response = stage.graph("ms-token", "3001", &message(json!({ "text": "hi" }))).await.unwrap();
    let path = format!("/sandbox/messages/{}/status", response.body["message_id"].as_str().unwrap());
    assert_eq!(stage.post(&path, json!({ "status": "failed" })).await.status, 400);
}
