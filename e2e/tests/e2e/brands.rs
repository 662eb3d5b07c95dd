//! An account's brand: its name, colour and logo on forms and in web chats.

use frontdesk_e2e::{App, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::{Browser, OWNER, account, member};
use crate::forms::visitor;
use crate::shapes::text;

on_every_engine! {
    a_brand_is_changed_and_shown_on_forms,
    a_logo_is_served_as_a_picture_only,
    what_is_no_small_picture_is_refused,
    a_brand_is_changed_by_those_who_manage_its_account,
    a_web_chat_has_the_brand_where_it_has_nothing_of_its_own,
}

/// The beginning of a PNG, in base64.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUg==";
/// The beginning of a JPEG.
const JPEG: &str = "/9j/4AAQSkZJRgABAQ==";
/// `<svg onload="alert(1)"/>`
const SVG: &str = "PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+";

fn put(browser: &Browser, path: &str, body: &Value) -> frontdesk_e2e::Response {
    browser.client.put(&format!("/app/api{path}"), body.clone())
}

fn put_logo(browser: &Browser, image: &str) -> frontdesk_e2e::Response {
    put(browser, "/admin/brand/logo", &json!({ "image": image }))
}

fn form_of(app: &App, browser: &Browser) -> String {
    let form = browser.post("/admin/forms", json!({ "name": "Contact us" })).expect(201);
    text(&form.data()["url"]).strip_prefix(&app.base()).expect("an address of this server").to_owned()
}

fn a_brand_is_changed_and_shown_on_forms(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let path = form_of(&app, &browser);
    let plain = browser.get("/admin/brand").expect(200);
    let account_name = text(&plain.data()["account_name"]).to_owned();
    let none = json!({ "name": null, "account_name": account_name, "color": null, "text_color": null, "logo_path": null });
    assert_eq!(plain.data(), &none);
    let page = visitor(&app).get(&path).expect(200);
    assert!(page.text.contains(&account_name) && !page.text.contains("<img"), "{}", page.text);

    let changed =
        browser.patch("/admin/brand", json!({ "name": "Shop & Co", "color": "#ffd400" })).expect(200);
    assert_eq!(
        (&changed.data()["name"], &changed.data()["text_color"]),
        (&json!("Shop & Co"), &json!("#000"))
    );
    let logo = put_logo(&browser, PNG).expect(200).data()["logo_path"].clone();
    for path in [path.clone(), format!("{path}/thanks")] {
        let page = visitor(&app).get(&path).expect(200);
        for part in [
            "--accent: #ffd400; --on-accent: #000;",
            "Shop &amp; Co</p>",
            &format!("<img src=\"{}\"", text(&logo)),
        ] {
            assert!(page.text.contains(part), "{part} is missing: {}", page.text);
        }
        let policy = page.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'none'; img-src 'self'; style-src 'sha256-"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
    }
    // What is left out stays, and null clears.
    let kept = browser.patch("/admin/brand", json!({ "color": null })).expect(200);
    assert_eq!((&kept.data()["name"], &kept.data()["color"]), (&json!("Shop & Co"), &Value::Null));
    assert_eq!(kept.data()["logo_path"], logo);
    browser.patch("/admin/brand", json!({ "color": "red" })).expect(400).error("validation_error");
    browser.patch("/admin/brand", json!({ "name": "x".repeat(61) })).expect(400);
    let log = browser.get("/admin/audit-log").expect(200);
    let actions: Vec<&str> = (0..3).map(|at| text(&log.data()[at]["action"])).collect();
    assert_eq!(actions, ["brand.updated", "brand.logo_changed", "brand.updated"]);
}

fn a_logo_is_served_as_a_picture_only(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let first = text(&put_logo(&browser, PNG).expect(200).data()["logo_path"]).to_owned();
    let served = app.anonymous().vendors().get(&first).expect(200);
    assert_eq!(served.header("content-type"), Some("image/png"));
    assert_eq!(served.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(served.header("content-security-policy"), Some("default-src 'none'; sandbox"));
    assert_eq!(served.header("cross-origin-resource-policy"), Some("cross-origin"));
    assert!(served.header("cache-control").is_some_and(|value| value.contains("immutable")));
    assert_eq!(served.body.len(), 16);
    // Another picture has another address, and the previous one is gone.
    let second = text(&put_logo(&browser, JPEG).expect(200).data()["logo_path"]).to_owned();
    assert_eq!(app.anonymous().vendors().get(&second).expect(200).header("content-type"), Some("image/jpeg"));
    app.anonymous().vendors().get(&first).expect(404);
    app.anonymous().vendors().post(&second, json!({})).expect(405);
    let removed = browser.send("DELETE", "/admin/brand/logo").expect(200);
    assert_eq!(removed.data()["logo_path"], Value::Null);
    app.anonymous().vendors().get(&second).expect(404);
    for wrong in ["/brands/", "/brands/x", &format!("{second}/x"), &format!("/brands/{}", "z".repeat(64))] {
        app.anonymous().vendors().get(wrong).expect(404);
    }
}

fn what_is_no_small_picture_is_refused(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    for wrong in [json!({ "image": SVG }), json!({ "image": "?" }), json!({ "image": 7 }), json!({})] {
        let refused = put(&browser, "/admin/brand/logo", &wrong).expect(400);
        refused.error("validation_error");
        assert_eq!(refused.json["error"]["details"][0]["path"], "image", "{}", refused.text);
    }
    let large = format!("{PNG_START}{}", "AAAA".repeat(100_000));
    let refused = put_logo(&browser, &large).expect(400);
    assert!(refused.text.contains("256 KB"), "{}", refused.text);
    put_logo(&browser, &"A".repeat(2 << 20)).expect(413);
    assert_eq!(browser.get("/admin/brand").expect(200).data()["logo_path"], Value::Null);
}

/// The same PNG, without the end of the encoding.
const PNG_START: &str = "iVBORw0KGgoA";

fn a_brand_is_changed_by_those_who_manage_its_account(app: App) {
    let ours = account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    browser.patch("/admin/brand", json!({ "name": "Ours" })).expect(200);
    member(&app, &ours, "mia@example.com", "agent");
    let agent = Browser::new(&app).sign_in("mia@example.com");
    let other = app.account();
    member(&app, &other, "eve@example.com", "admin");
    let eve = Browser::new(&app).sign_in("eve@example.com");
    for (caller, status) in [(agent, 403), (Browser::new(&app), 401)] {
        caller.get("/admin/brand").expect(status);
        caller.patch("/admin/brand", json!({ "name": "Mine" })).expect(status);
        put_logo(&caller, PNG).expect(status);
        caller.send("DELETE", "/admin/brand/logo").expect(status);
    }
    assert_eq!(eve.get("/admin/brand").expect(200).data()["name"], Value::Null);
    // The same picture of two accounts has two addresses, so removing one leaves the other.
    let ours = put_logo(&browser, PNG).expect(200).data()["logo_path"].clone();
    let theirs = put_logo(&eve, PNG).expect(200).data()["logo_path"].clone();
    assert_ne!(ours, theirs);
    eve.send("DELETE", "/admin/brand/logo").expect(200);
    app.anonymous().vendors().get(text(&ours)).expect(200);
    assert_eq!(browser.get("/admin/brand").expect(200).data()["name"], "Ours");
}

fn a_web_chat_has_the_brand_where_it_has_nothing_of_its_own(app: App) {
    let ours = account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let chat = app.cli(&["channel", "connect", "--account", &ours.id, "--channel", "web_chat"]);
    let id = text(&chat["connection_id"]).to_owned();
    let config = || {
        let found = app.anonymous().vendors().get(&format!("/channels/web_chat/{id}/config")).expect(200);
        (found.data()["color"].clone(), found.data()["brand"].clone())
    };
    assert_eq!(config(), (Value::Null, json!({ "name": null, "color": null, "logo_url": null })));
    browser.patch("/admin/brand", json!({ "name": "Shop", "color": "#b45309" })).expect(200);
    let logo = put_logo(&browser, PNG).expect(200).data()["logo_path"].clone();
    let brand =
        json!({ "name": "Shop", "color": "#b45309", "logo_url": format!("{}{}", app.base(), text(&logo)) });
    assert_eq!(config(), (Value::Null, brand.clone()));
    // Its own settings are told beside it, and win in the widget.
    put(&browser, &format!("/admin/connections/{id}/widget"), &json!({ "color": "#000" })).expect(200);
    assert_eq!(config(), (json!("#000"), brand));
}
