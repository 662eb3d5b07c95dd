//! The settings of a widget: who changes them, and what every page reads.

use std::io::Read;

use flate2::read::GzDecoder;
use frontdesk_e2e::{Client, on_every_engine, on_sqlite};
use serde_json::{Value, json};

use crate::app_scene::{Browser, member};
use crate::inbox_scene::connect;
use crate::shapes::{NOTHING, has_fields, text};
use crate::web_chat_scene::{Chat, door};
use crate::webhooks_scene::moment;

on_every_engine! {
    settings_are_replaced_and_every_page_reads_them,
    settings_are_for_those_who_manage_the_account,
    settings_of_another_account_are_out_of_reach,
    everything_wrong_with_settings_is_told_and_nothing_is_stored,
    alone outside_business_hours_a_page_learns_when_the_team_is_back,
}

on_sqlite! {
    a_page_keeps_the_config_for_a_minute_and_asks_by_its_tag,
    the_script_has_fewer_than_fifteen_kilobytes_on_the_wire,
}

/// What every page downloads, in bytes.
const SCRIPT_BYTES_MAX: usize = 15 * 1_000;
const SETTINGS: &str =
    "color theme position language ask_name ask_email shows_hours accepts_files plays_sound shows_page texts";

fn path(connection: &str) -> String {
    format!("/admin/connections/{connection}/widget")
}

fn put(browser: &Browser, connection: &str, settings: Value) -> frontdesk_e2e::Response {
    browser.client.put(&format!("/app/api{}", path(connection)), settings)
}

fn settings_are_replaced_and_every_page_reads_them(chat: Chat) {
    let admin = chat.admin();
    let before = admin.get(&path(&chat.connection)).expect(200).data().clone();
    has_fields(&before, &format!("{SETTINGS} has_identity_secret"));
    assert_eq!(
        (&before["theme"], &before["color"], &before["ask_name"], &before["accepts_files"]),
        (&json!("auto"), &Value::Null, &json!("never"), &json!(true))
    );
    has_fields(&chat.config(), &format!("connection_id status file_bytes_max hours brand {SETTINGS}"));
    let wanted = json!({
        "color": "#0a5", "theme": "dark", "position": "left", "language": "de", "ask_name": "required",
        "ask_email": "optional", "shows_hours": false, "accepts_files": false, "plays_sound": false,
        "shows_page": false,
        "texts": {
            "en": { "title": "<b>Ask</b>", "greeting": "<img src=x onerror=alert(1)>", "away": null },
            "de": { "title": null, "greeting": null, "away": "Bis morgen" },
        },
    });
    let put_settings = put(&admin, &chat.connection, wanted.clone()).expect(200);
    let config = chat.config();
    for (field, value) in wanted.as_object().expect("an object") {
        assert_eq!(&put_settings.data()[field], value, "{field}");
        assert_eq!(&config[field], value, "{field}");
    }
    assert_eq!((&config["hours"], &config["status"]), (&Value::Null, &json!("connected")));
    // What is left out has its default again.
    put(&admin, &chat.connection, json!({})).expect(200);
    assert_eq!(admin.get(&path(&chat.connection)).expect(200).data(), &before);
    let log = admin.get("/admin/audit-log").expect(200);
    assert_eq!(log.data()[0]["action"], "connection.widget_changed");
}

fn settings_are_for_those_who_manage_the_account(chat: Chat) {
    member(&chat.app, &chat.tenant.account, "mia@example.com", "agent");
    let agent = Browser::new(&chat.app).sign_in("mia@example.com");
    let secret = format!("/admin/connections/{}/identity-secret", chat.connection);
    agent.get(&path(&chat.connection)).expect(403);
    put(&agent, &chat.connection, json!({})).expect(403);
    agent.post(&secret, json!({})).expect(403);
    let stranger = Browser::new(&chat.app);
    stranger.get(&path(&chat.connection)).expect(401);
    put(&stranger, &chat.connection, json!({})).expect(401);
    stranger.post(&secret, json!({})).expect(401);
}

fn settings_of_another_account_are_out_of_reach(chat: Chat) {
    let admin = chat.admin();
    let others = connect(&chat.app, &chat.app.tenant().account, "web_chat");
    for connection in [others.as_str(), chat.whatsapp.as_str(), NOTHING] {
        admin.get(&path(connection)).expect(404).error("not_found");
        put(&admin, connection, json!({ "theme": "dark" })).expect(404).error("not_found");
        let secret = format!("/admin/connections/{connection}/identity-secret");
        admin.post(&secret, json!({})).expect(404).error("not_found");
    }
    let config = chat.anybody().get(&door(&others, "config")).expect(200);
    assert_eq!(config.data()["theme"], "auto");
}

fn everything_wrong_with_settings_is_told_and_nothing_is_stored(chat: Chat) {
    let admin = chat.admin();
    let wrong = json!({
        "color": "javascript:alert(1)", "theme": "blue", "position": "top", "language": "xx", "ask_email": true,
        "shows_hours": "yes",
        "texts": { "en": { "title": "t".repeat(61), "greeting": "g".repeat(501), "away": "a".repeat(301) } },
    });
    let refused = put(&admin, &chat.connection, wrong).expect(400);
    refused.details_at(&[
        "color",
        "theme",
        "position",
        "language",
        "ask_email",
        "shows_hours",
        "texts.en.title",
        "texts.en.greeting",
        "texts.en.away",
    ]);
    assert_eq!(chat.config()["theme"], "auto");
}

/// Business hours of one minute each day, which begin after this many minutes.
fn one_minute_in(chat: &Chat, minutes: i64) -> Value {
    let start = (chat.now() / 60 + minutes).rem_euclid(24 * 60);
    let time = |minute: i64| format!("{:02}:{:02}", minute / 60, minute % 60);
    let span = json!([[time(start), time(start + 1)]]);
    let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    days.into_iter().map(|day| (day.to_owned(), span.clone())).collect::<serde_json::Map<_, _>>().into()
}

fn outside_business_hours_a_page_learns_when_the_team_is_back(chat: Chat) {
    let admin = chat.admin();
    assert_eq!(chat.config()["hours"], Value::Null, "an account without hours is always there");
    let hours = one_minute_in(&chat, 90);
    admin.patch("/admin/account", json!({ "timezone": "UTC", "business_hours": hours })).expect(200);
    let closed = chat.config()["hours"].clone();
    assert_eq!(closed["is_open"], false);
    let wait = moment(&closed["opens_at"]) / 1_000 - chat.now();
    assert!((89 * 60..=90 * 60).contains(&wait), "{wait}");
    chat.advance(wait as u64 + 1);
    assert_eq!(chat.config()["hours"], json!({ "is_open": true, "opens_at": null }));
    admin.patch("/admin/account", json!({ "business_hours": {} })).expect(200);
    assert_eq!(chat.config()["hours"], json!({ "is_open": false, "opens_at": null }));
    put(&admin, &chat.connection, json!({ "shows_hours": false })).expect(200);
    assert_eq!(chat.config()["hours"], Value::Null);
}

fn a_page_keeps_the_config_for_a_minute_and_asks_by_its_tag(chat: Chat) {
    let page: Client = chat.anybody().with("origin", "https://shop.example");
    let config = page.get(&chat.path("config")).expect(200);
    assert_eq!(config.header("cache-control"), Some("public, max-age=60"));
    assert_eq!(config.header("access-control-allow-origin"), Some("*"));
    let tag = config.header("etag").expect("a tag").to_owned();
    let same = page.with("if-none-match", &tag).get(&chat.path("config")).expect(304);
    assert_eq!((same.body.len(), same.header("etag")), (0, Some(tag.as_str())));
    put(&chat.admin(), &chat.connection, json!({ "theme": "light" })).expect(200);
    page.with("if-none-match", &tag).get(&chat.path("config")).expect(200);
    let refused = page.post(&chat.path("config"), json!({})).expect(405);
    assert_eq!(refused.header("allow"), Some("GET, OPTIONS"));
    // A failure is not kept.
    let missing = page.get(&door(NOTHING, "config")).expect(404);
    assert_eq!(missing.header("cache-control"), Some("no-store"));
    assert!(text(&missing.error("not_found")["message"]).contains("web chat"));
}

fn the_script_has_fewer_than_fifteen_kilobytes_on_the_wire(chat: Chat) {
    let script = chat.anybody().with("accept-encoding", "gzip").get("/widget.js").expect(200);
    assert_eq!(script.header("content-encoding"), Some("gzip"));
    assert!(script.body.len() < SCRIPT_BYTES_MAX, "{} bytes", script.body.len());
    let mut unpacked = String::new();
    GzDecoder::new(&*script.body).read_to_string(&mut unpacked).expect("gzip");
    assert!(unpacked.contains("Frontdesk"));
}
