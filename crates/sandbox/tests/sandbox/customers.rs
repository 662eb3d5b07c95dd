use serde_json::{Value, json};

use crate::stage::{CUSTOMER, Stage};

#[tokio::test]
async fn a_text_becomes_the_webhook_that_whatsapp_sends() {
    let stage = Stage::open().await;
    let response = stage.say(json!({ "text": "hello", "name": "Ann", "reply_to": "wamid.before" })).await;
    let hook = &stage.hooks()[0];
    assert_eq!(response.data()["status"], 200);
    assert!(response.data()["delivered_to"].as_str().unwrap().ends_with(&hook.path));
    assert!(hook.is_signed_by_meta("wa-secret"));
    let message = &hook.value()["messages"][0];
    assert_eq!(
        message,
        &json!({
            "id": response.data()["channel_message_id"],
            "from": CUSTOMER,
            "timestamp": "1700000000",
            "type": "text",
            "text": { "body": "hello" },
            "context": { "from": "15550001111", "id": "wamid.before" },
        })
    );
    assert_eq!(hook.value()["contacts"], json!([{ "profile": { "name": "Ann" }, "wa_id": CUSTOMER }]));
    stage.say(json!({ "text": "me again" })).await.data();
    assert_eq!(stage.hooks()[1].value()["contacts"][0]["profile"]["name"], "Ann");
}

#[tokio::test]
async fn a_refused_webhook_is_reported_with_its_reason() {
    let stage = Stage::open().await;
    stage.answer_hooks_with(403);
    let response = stage.say(json!({ "text": "hello" })).await;
    assert_eq!(response.status, 502);
    let message = response.body["error"]["message"].as_str().unwrap();
    assert!(message.contains("403") && message.contains("as told"), "{message}");
}

#[tokio::test]
async fn media_is_looked_up_and_fetched_with_the_token_while_its_address_is_good() {
    let stage = Stage::open().await;
    let media =
        json!({ "kind": "image", "content_type": "image/png", "base64": "aGVsbG8=", "caption": "look" });
    stage.say(json!({ "media": media })).await.data();
    let told = stage.hooks()[0].value()["messages"][0]["image"].clone();
    assert_eq!(
        (&told["mime_type"], &told["caption"], &told["sha256"]),
        (&json!("image/png"), &json!("look"), &json!("LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="))
    );
    let path = format!("/sandbox/graph/v23.0/{}", told["id"].as_str().unwrap());
    assert_eq!(stage.graph_get("wrong", &path).await.status, 401);
    let found = stage.graph_get("wa-token", &path).await.body;
    assert_eq!((&found["file_size"], &found["mime_type"]), (&json!(5), &json!("image/png")));
    assert_eq!(found["sha256"], "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
    let url = found["url"].as_str().unwrap();
    assert_eq!(&stage.graph_get("wa-token", url).await.raw[..], b"hello");
    assert_eq!(stage.graph_get("wrong", url).await.status, 401);
    stage.advance(301);
    assert_eq!(stage.graph_get("wa-token", url).await.status, 404);
}

#[tokio::test]
async fn media_at_an_address_is_handed_on_and_never_fetched() {
    let stage = Stage::open().await;
    let media =
        json!({ "kind": "document", "content_type": "application/pdf", "url": "http://127.0.0.1:9/a.pdf" });
    stage.say(json!({ "media": media })).await.data();
    let id = stage.hooks()[0].value()["messages"][0]["document"]["id"].as_str().unwrap().to_owned();
    let found = stage.graph_get("wa-token", &format!("/sandbox/graph/v23.0/{id}")).await.body;
    assert_eq!(found["url"], "http://127.0.0.1:9/a.pdf");
}

#[tokio::test]
async fn every_kind_of_message_has_its_part() {
    let stage = Stage::open().await;
    for (body, pointer, wanted) in [
        (
            json!({ "location": { "latitude": 1.5, "longitude": 2.5, "name": "Here" } }),
            "/location/name",
            json!("Here"),
        ),
        (
            json!({ "button_reply": { "id": "y", "title": "Yes" } }),
            "/interactive/button_reply/id",
            json!("y"),
        ),
        (json!({ "button": { "payload": "p", "text": "Yes" } }), "/button/payload", json!("p")),
        (json!({ "reaction": { "message_id": "wamid.x", "emoji": "👍" } }), "/reaction/emoji", json!("👍")),
        (json!({ "reaction": { "message_id": "wamid.x" } }), "/reaction/emoji", Value::Null),
        (json!({ "media": { "kind": "voice" } }), "/audio/voice", json!(true)),
        (json!({ "media": { "kind": "audio" } }), "/audio/voice", json!(false)),
        (json!({ "media": { "kind": "sticker" } }), "/sticker/mime_type", json!("image/png")),
        (json!({ "media": { "kind": "document" } }), "/document/filename", json!("sample.pdf")),
        (json!({ "media": { "kind": "video" } }), "/video/mime_type", json!("video/mp4")),
    ] {
        stage.say(body.clone()).await.data();
        let hook = stage.hooks().pop().unwrap();
        let message = &hook.value()["messages"][0];
        assert_eq!(message.pointer(pointer).cloned().unwrap_or_default(), wanted, "{message}");
        let kind = message["type"].as_str().unwrap();
        assert!(message[kind].is_object(), "{message}");
    }
    for wrong in [json!({}), json!({ "txt": "hi" }), json!({ "text": "hi", "from_me": true })] {
        assert_eq!(stage.say(wrong).await.status, 400);
    }
    assert_eq!(stage.say(json!({ "connection_id": "none", "text": "hi" })).await.status, 404);
}

#[tokio::test]
async fn a_customer_can_hide_their_number() {
    let stage = Stage::open().await;
    stage.say(json!({ "text": "hi", "user_id": "US.1349", "hide_number": true })).await.data();
    let hook = &stage.hooks()[0];
    let message = &hook.value()["messages"][0];
    assert_eq!((&message["from"], &message["from_user_id"]), (&Value::Null, &json!("US.1349")));
    let contact = &hook.value()["contacts"][0];
    assert_eq!((&contact["wa_id"], &contact["user_id"]), (&Value::Null, &json!("US.1349")));
    assert_eq!(stage.say(json!({ "text": "hi", "hide_number": true })).await.status, 400);
    let body = json!({ "messaging_product": "whatsapp", "recipient": "US.1349", "type": "text", "text": { "body": "yes?" } });
    let response = stage.graph("wa-token", "1001", &body).await.unwrap();
    assert_eq!(response.body["contacts"], json!([{ "input": "US.1349", "user_id": "US.1349" }]));
    let sent = stage.wait_for(1, |hook| hook.status() == Some("sent")).await;
    assert_eq!(sent[0].value()["statuses"][0]["recipient_user_id"], "US.1349");
}

#[tokio::test]
async fn the_same_message_can_be_said_again_and_late() {
    let stage = Stage::open().await;
    let again = json!({ "text": "hi", "id": "wamid.same", "timestamp": 1_600_000_000 });
    stage.say(again.clone()).await.data();
    stage.say(again).await.data();
    let hooks = stage.hooks();
    assert_eq!(hooks[0].body, hooks[1].body);
    assert_eq!(hooks[0].value()["messages"][0]["timestamp"], "1600000000");
}

#[tokio::test]
async fn messenger_and_instagram_tell_it_their_way() {
    let stage = Stage::open().await;
    let say = |connection: &str, mut body: Value| {
        body["connection_id"] = json!(connection);
        stage.post("/sandbox/customers/psid-7/messages", body)
    };
    say("ms", json!({ "text": "hello", "reply_to": "m_before" })).await.data();
    say("ig", json!({ "media": { "kind": "image" } })).await.data();
    say("ms", json!({ "button_reply": { "id": "y", "title": "Yes" } })).await.data();
    say("ms", json!({ "text": "from the phone", "from_me": true })).await.data();
    let hooks = stage.hooks();
    assert!(hooks[0].is_signed_by_meta("ms-secret") && hooks[1].is_signed_by_meta("ig-secret"));
    assert_eq!((&hooks[0].body["object"], &hooks[1].body["object"]), (&json!("page"), &json!("instagram")));
    let event = hooks[0].event();
    assert_eq!((&event["sender"]["id"], &event["recipient"]["id"]), (&json!("psid-7"), &json!("3001")));
    assert_eq!(
        (&event["message"]["text"], &event["message"]["reply_to"]["mid"]),
        (&json!("hello"), &json!("m_before"))
    );
    let url = hooks[1].event()["message"]["attachments"][0]["payload"]["url"].as_str().unwrap();
    let fetched = stage.get(url).await;
    assert!(fetched.raw.starts_with(b"\x89PNG"));
    assert_eq!(fetched.headers["x-content-type-options"], "nosniff");
    assert_eq!(hooks[2].event()["postback"]["payload"], "y");
    assert_eq!(
        (&hooks[3].event()["sender"]["id"], &hooks[3].event()["message"]["is_echo"]),
        (&json!("3001"), &json!(true))
    );
    assert_eq!(say("ms", json!({ "media": { "kind": "image", "caption": "c" } })).await.status, 400);
}

#[tokio::test]
async fn any_webhook_can_be_sent_signed() {
    let stage = Stage::open().await;
    let response = stage.post("/sandbox/webhooks", json!({ "body": { "object": "odd" } })).await;
    assert_eq!(response.data()["status"], 200);
    assert!(stage.hooks()[0].is_signed_by_meta("wa-secret") && stage.hooks()[0].body["object"] == "odd");
    stage.post("/sandbox/webhooks", json!({ "connection_id": "pw", "body": {} })).await.data();
    assert!(stage.hooks()[1].is_signed_by_bridge("pw-secret"));
}
