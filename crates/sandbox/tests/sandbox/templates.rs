use serde_json::{Value, json};

use crate::stage::Stage;

const LIST: &str = "/sandbox/graph/v23.0/2001/message_templates";

#[tokio::test]
async fn templates_come_page_by_page() {
    let stage = Stage::open().await;
    let all = stage.graph_get("wa-token", LIST).await.body;
    let names: Vec<_> =
        all["data"].as_array().unwrap().iter().map(|template| template["name"].as_str().unwrap()).collect();
    for name in [
        "hello_world",
        "appointment_reminder",
        "order_update",
        "invoice_ready",
        "promo_code",
        "welcome_named",
        "pending_review",
        "rejected_offer",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    assert!(all["paging"]["next"].is_null());
    let mut seen = Vec::new();
    let mut next = Some(format!("{}{LIST}?limit=4", stage.url));
    while let Some(url) = next {
        let page = stage.graph_get("wa-token", &url).await.body;
        assert!(page["paging"]["cursors"]["after"].is_string());
        seen.extend(page["data"].as_array().unwrap().clone());
        next = page["paging"]["next"].as_str().map(str::to_owned);
    }
    assert_eq!(&Value::from(seen), &all["data"]);
    let first = &all["data"][0];
    for field in ["id", "name", "language", "category", "status", "parameter_format"] {
        assert!(first[field].is_string(), "{field}");
    }
    assert!(first["components"].is_array());
}

#[tokio::test]
async fn templates_need_the_token() {
    let stage = Stage::open().await;
    assert_eq!(stage.graph_get("wrong", LIST).await.body["error"]["code"], 190);
    assert_eq!(stage.graph_get("ms-token", LIST).await.status, 401);
    assert_eq!(stage.graph_get("wa-token", &format!("{LIST}?after=nonsense!")).await.status, 400);
}

#[tokio::test]
async fn a_status_that_changes_is_told_and_counts_at_once() {
    let stage = Stage::open().await;
    stage
        .put("/sandbox/templates", json!({ "templates": [{ "name": "hello_world", "status": "PAUSED" }] }))
        .await
        .data();
    let hook = &stage.wait_for(1, |_| true).await[0];
    assert!(hook.is_signed_by_meta("wa-secret"));
    assert_eq!(hook.body["entry"][0]["changes"][0]["field"], "message_template_status_update");
    assert_eq!(
        (
            &hook.value()["event"],
            &hook.value()["message_template_name"],
            &hook.value()["message_template_language"]
        ),
        (&json!("PAUSED"), &json!("hello_world"), &json!("en_US"))
    );
    assert!(hook.value()["message_template_id"].is_u64());
    let send = crate::stage::whatsapp(
        json!({ "type": "template", "template": { "name": "hello_world", "language": { "code": "en_US" } } }),
    );
    let response = stage.graph("wa-token", "1001", &send).await.unwrap();
    assert_eq!(response.body["error"]["code"], 132_015);
}

#[tokio::test]
async fn templates_are_added_and_replaced() {
    let stage = Stage::open().await;
    let added = json!({ "name": "new_one", "language": "de", "components": [{ "type": "BODY", "text": "Hallo {{1}}" }] });
    let all = stage.put("/sandbox/templates", json!({ "templates": [added] })).await;
    assert!(all.data().as_array().unwrap().len() > 1);
    let only = stage.put("/sandbox/templates", json!({ "templates": [added], "replace": true })).await;
    assert_eq!(only.data().as_array().unwrap().len(), 1);
    assert_eq!(stage.get("/sandbox/templates?waba_id=2001").await.data(), only.data());
    assert_eq!(
        stage.put("/sandbox/templates", json!({ "templates": [{ "name": "Not This" }] })).await.status,
        400
    );
    assert_eq!(stage.put("/sandbox/templates", json!({ "waba_id": "0", "templates": [] })).await.status, 404);
    assert_eq!(stage.get("/sandbox/templates?connection_id=ms").await.status, 400);
}
