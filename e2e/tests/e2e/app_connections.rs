//! Channels that are connected in the dashboard.

use frontdesk_e2e::{App, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::{Browser, OWNER, account, member, signed_in, stranger};
use crate::inbox_scene::Inbox;
use crate::shapes::text;

on_every_engine! {
    a_channel_is_connected_disconnected_and_connected_again,
    a_web_chat_shows_its_snippet_always,
    members_learn_where_to_write_as_a_customer,
    everything_missing_is_told_and_nothing_is_stored,
    where_a_channel_is_reached_is_not_for_an_account_to_choose,
    a_device_is_linked_by_a_code,
    an_agent_connects_nothing,
    values_are_checked_as_they_are_entered,
    checks_of_values_have_a_limit_and_are_for_admins,
}

fn a_channel_is_connected_disconnected_and_connected_again(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let wanted = json!({ "channel": "whatsapp", "sandbox": true, "name": "Front door" });
    let made = browser.post("/admin/connections", wanted).expect(201);
    let (id, status) = (text(&made.data()["id"]).to_owned(), &made.data()["status"]);
    assert_eq!((status, &made.data()["name"]), (&json!("connected"), &json!("Front door")));
    let url = text(&made.data()["webhook_url"]);
    assert!(url.ends_with(&format!("/channels/whatsapp/{id}")), "{url}");
    assert!(!made.text.contains("token"), "no secret is shown: {}", made.text);
    let templates = browser.get("/v1/templates").expect(200);
    assert_ne!(templates.data(), &json!([]), "the templates of a new number are read");

    let ended = browser.post(&format!("/admin/connections/{id}/disconnect"), json!({})).expect(200);
    assert_eq!(ended.data()["status"], "disconnected");
    let again = browser.post(&format!("/admin/connections/{id}/reconnect"), json!({})).expect(200);
    assert_eq!(again.data()["status"], "connected");
    let listed = browser.get("/admin/connections").expect(200);
    assert_eq!(listed.data()[0]["id"], id.as_str());
    let log = browser.get("/admin/audit-log").expect(200);
    let actions: Vec<&str> =
        log.data().as_array().expect("entries").iter().map(|it| text(&it["action"])).collect();
    for action in ["connection.created", "connection.disconnected", "connection.reconnected"] {
        assert!(actions.contains(&action), "{actions:?}");
    }
    let chat = browser.post("/admin/connections", json!({ "channel": "web_chat" })).expect(201);
    assert_eq!((&chat.data()["name"], &chat.data()["sandbox"]), (&json!("web_chat"), &json!(false)));
    assert_eq!(made.data()["snippet"], json!(null));
}

fn a_web_chat_shows_its_snippet_always(app: App) {
    let account = account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let made = browser.post("/admin/connections", json!({ "channel": "web_chat" })).expect(201);
    let snippet = format!(
        "<script src=\"{}/widget.js\" data-connection=\"{}\" async></script>",
        app.base(),
        text(&made.data()["id"])
    );
    assert_eq!(made.data()["snippet"], snippet);
    assert_eq!(browser.get("/admin/connections").expect(200).data()[0]["snippet"], snippet);
    let list = ["channel", "list", "--account", &account.id];
    assert_eq!(app.cli(&list)[0]["snippet"], snippet);
    let printed = app.run(&list).expect_success().out;
    assert!(printed.contains(&snippet), "{printed}");
}

fn members_learn_where_to_write_as_a_customer(app: App) {
    let account = account(&app);
    member(&app, &account, "mia@example.com", "agent");
    let agent = Browser::new(&app).sign_in("mia@example.com");
    let url = || agent.get("/sandbox").expect(200).data()["url"].clone();
    Browser::new(&app).get("/sandbox").expect(401);
    // The sandbox channel of another account is not theirs.
    assert_eq!(url(), json!(null));
    let owner = Browser::new(&app).sign_in(OWNER);
    owner.post("/admin/connections", json!({ "channel": "web_chat" })).expect(201);
    assert_eq!(url(), json!(null));
    let made =
        owner.post("/admin/connections", json!({ "channel": "whatsapp", "sandbox": true })).expect(201);
    assert_eq!(url(), format!("{}/sandbox", app.base()));
    app.anonymous().vendors().get("/sandbox").expect(200);
    let id = text(&made.data()["id"]);
    owner.post(&format!("/admin/connections/{id}/disconnect"), json!({})).expect(200);
    assert_eq!(url(), json!(null));
}

fn everything_missing_is_told_and_nothing_is_stored(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let refused = browser
        .post("/admin/connections", json!({ "channel": "whatsapp", "waba_id": "1", "access_token": "x" }))
        .expect(400);
    let details = refused.error("validation_error")["details"].as_array().expect("details").clone();
    let fields: Vec<&str> = details.iter().map(|it| text(&it["path"])).collect();
    assert_eq!(fields, ["phone_number_id", "app_secret", "verify_token"]);
    let refused = browser.post("/admin/connections", json!({ "channel": "messenger" })).expect(400);
    refused.error("validation_error");
    browser.post("/admin/connections", json!({ "channel": "sms" })).expect(400);
    assert_eq!(browser.get("/admin/connections").expect(200).data(), &json!([]));
}

fn where_a_channel_is_reached_is_not_for_an_account_to_choose(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let bridge = json!({
        "channel": "personal_whatsapp", "bridge_url": "http://127.0.0.1:1/", "bridge_key": "k", "session": "s",
    });
    browser.post("/admin/connections", bridge).expect(409).error("conflict");
    assert_eq!(browser.get("/admin/connections").expect(200).data(), &json!([]));
}

fn an_agent_connects_nothing(app: App) {
    let account = account(&app);
    member(&app, &account, "mia@example.com", "agent");
    let agent = Browser::new(&app).sign_in("mia@example.com");
    let wanted = json!({ "channel": "whatsapp", "sandbox": true });
    agent.post("/admin/connections", wanted).expect(403).error("forbidden");
    let owner = Browser::new(&app).sign_in(OWNER);
    let made = owner.post("/admin/connections", json!({ "channel": "web_chat" })).expect(201);
    let id = text(&made.data()["id"]);
    for act in ["disconnect", "reconnect", "sync"] {
        agent.post(&format!("/admin/connections/{id}/{act}"), json!({})).expect(403).error("forbidden");
    }
    assert_eq!(owner.get("/admin/connections").expect(200).data()[0]["status"], "connected");
}

fn a_device_is_linked_by_a_code(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let wanted = json!({ "channel": "personal_whatsapp", "sandbox": true });
    let made = browser.post("/admin/connections", wanted).expect(201);
    let path = format!("/admin/connections/{}/pairing", text(&made.data()["id"]));
    let begun = browser.post(&path, json!({ "phone": "+14155550123" })).expect(200);
    assert!(["waiting", "connected"].contains(&text(&begun.data()["status"])), "{}", begun.text);
    if begun.data()["status"] == "waiting" {
        assert!(!text(&begun.data()["code"]).is_empty(), "{}", begun.text);
        // The bridge tells a code once; it is shown until it expires.
        let shown = browser.get(&path).expect(200);
        let is_linked = shown.data()["status"] == "connected";
        assert!(is_linked || shown.data()["code"] == begun.data()["code"], "{}", shown.text);
    }
    let chat = browser.post("/admin/connections", json!({ "channel": "web_chat" })).expect(201);
    let path = format!("/admin/connections/{}/pairing", text(&chat.data()["id"]));
    browser.post(&path, json!({})).expect(409).error("conflict");
}

fn values_are_checked_as_they_are_entered(inbox: Inbox) {
    let browser = signed_in(&inbox.app, &inbox.tenant.account, "boss@example.com", "admin");
    inbox.app.cli(&["channel", "reconnect", &inbox.whatsapp, "--access-token", "EAAgood"]);
    let listed = inbox.sandbox().get("/sandbox/connections").expect(200);
    let mut known = listed.data().as_array().expect("connections").iter();
    let known = known.find(|one| one["id"] == inbox.whatsapp.as_str()).expect("the number");
    let check = |entered: Value| -> Vec<String> {
        let mut body = json!({ "channel": "whatsapp", "sandbox": true });
        body.as_object_mut().expect("fields").extend(entered.as_object().expect("fields").clone());
        let response = browser.post("/admin/connections/check", body).expect(200);
        assert!(!response.text.contains("EAA"), "nothing that was entered is repeated: {}", response.text);
        let checks = response.data().as_array().expect("checks").iter();
        checks
            .map(|each| {
                assert_eq!(each["reason"].is_null(), each["result"] == "ok", "{each}");
                assert_eq!(each["message"].is_null(), each["result"] == "ok", "{each}");
                let why = each["reason"].as_str().unwrap_or("ok");
                format!("{} {why}", text(&each["field"]))
            })
            .collect()
    };
    let (number, waba) = (&known["phone_number_id"], &known["waba_id"]);
    assert_eq!(check(json!({})), [""; 0]);
    assert_eq!(
        check(json!({ "phone_number_id": number, "verify_token": "v" })),
        ["phone_number_id needs_token", "verify_token checked_by_webhook"]
    );
    assert_eq!(
        check(json!({ "phone_number_id": number, "waba_id": waba, "access_token": " EAAgood " })),
        ["phone_number_id ok", "waba_id ok", "access_token ok"]
    );
    assert_eq!(
        check(json!({ "phone_number_id": number, "access_token": "EAAbad" })),
        ["phone_number_id needs_token", "access_token token_invalid"]
    );
    assert_eq!(
        check(json!({ "phone_number_id": "106540352242922", "waba_id": "1", "access_token": "EAAgood" })),
        ["phone_number_id number_not_found", "waba_id account_not_found", "access_token ok"]
    );
    assert_eq!(
        check(json!({ "phone_number_id": waba, "waba_id": waba, "access_token": "EAAgood" })),
        ["phone_number_id number_not_found", "waba_id ok", "access_token ok"],
        "an account is no number"
    );
    assert_eq!(
        check(json!({ "access_token": "EAAgood", "app_secret": "of another app" })),
        ["access_token ok", "app_secret secret_of_another_app"]
    );
    // What is no id becomes no part of an address.
    assert_eq!(
        check(json!({ "phone_number_id": "../me", "access_token": "EAAgood" })),
        ["phone_number_id no_answer", "access_token ok"]
    );
    let before = browser.get("/admin/connections").expect(200);
    assert_eq!(before.data().as_array().map(Vec::len), Some(1), "nothing was stored");
    let log = inbox.app.logs();
    assert!(!log.contains("EAA"), "nothing that was entered is logged");
}

fn checks_of_values_have_a_limit_and_are_for_admins(app: App) {
    let account = account(&app);
    let agent = signed_in(&app, &account, "mia@example.com", "agent");
    let wanted = || json!({ "channel": "messenger", "page_id": "1" });
    agent.post("/admin/connections/check", wanted()).expect(403).error("forbidden");
    Browser::new(&app).post("/admin/connections/check", wanted()).expect(401);
    let owner = Browser::new(&app).sign_in(OWNER);
    owner.post("/admin/connections/check", json!({ "channel": "web_chat" })).expect(400);
    owner
        .post("/admin/connections/check", json!({ "channel": "whatsapp", "waba_id": "1".repeat(5_000) }))
        .expect(400);
    let refused =
        (0..130).map(|_| owner.post("/admin/connections/check", wanted())).find(|each| each.status != 200);
    let refused = refused.expect("a minute has a limit");
    refused.expect(429);
    stranger(&app).post("/admin/connections/check", wanted()).expect(200);
}
