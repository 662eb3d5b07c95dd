use serde_json::{Value, json};

use crate::stage::{CUSTOMER, Stage, text};

#[tokio::test]
async fn the_page_is_served_with_what_it_needs_and_nothing_else() {
    let stage = Stage::open().await;
    let page = stage.get("/sandbox").await;
    assert_eq!(
        (page.status, &page.headers["content-type"]),
        (200, &"text/html; charset=utf-8".parse().unwrap())
    );
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"));
    let html = String::from_utf8(page.raw.to_vec()).unwrap();
    for asset in ["/sandbox/page.js", "/sandbox/page.css"] {
        assert!(html.contains(asset) && stage.get(asset).await.status == 200, "{asset}");
    }
}

#[tokio::test]
async fn a_chat_shows_both_sides_and_whom_one_can_be() {
    let stage = Stage::open().await;
    stage.say(json!({ "text": "<b>hello</b>", "name": "Ann" })).await.data();
    stage.send(text("hi")).await;
    let chat = stage.get(&format!("/sandbox/chat?customer=%2B{CUSTOMER}")).await;
    let sides: Vec<_> = chat.data()["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (&entry["from"], &entry["text"]))
        .collect();
    assert_eq!(sides, [(&json!("customer"), &json!("<b>hello</b>")), (&json!("business"), &json!("hi"))]);
    assert_eq!(chat.data()["customers"], json!([{ "id": CUSTOMER, "name": "Ann" }]));
}

#[tokio::test]
async fn connections_are_shown_without_their_secrets() {
    let stage = Stage::open().await;
    let response = stage.get("/sandbox/connections").await;
    assert_eq!(response.data().as_array().unwrap().len(), 4);
    let text = response.body.to_string();
    assert!(
        text.contains("\"phone_number_id\":\"1001\"") && !text.contains("token") && !text.contains("secret")
    );
}

#[tokio::test]
async fn an_unknown_path_is_refused_with_a_hint() {
    let stage = Stage::open().await;
    for (method, path) in
        [("GET", "/sandbox/nothing"), ("PATCH", "/sandbox/faults"), ("POST", "/sandbox/clock")]
    {
        let response = stage.call(method, path, &[], &Value::Null).await.unwrap();
        assert_eq!((response.status, &response.body["error"]["code"]), (404, &json!("not_found")), "{path}");
        assert!(
            response.body["error"]["message"].as_str().unwrap().contains("sandbox")
                || path.ends_with("clock")
        );
    }
    let large = json!({ "turns": [{ "text": "x".repeat(3 << 20) }] });
    assert_eq!(stage.put("/sandbox/model", large).await.status, 413);
}
