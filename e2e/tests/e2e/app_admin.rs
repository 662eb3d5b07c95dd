//! What owners and admins set up in the dashboard besides members, keys and channels.

use frontdesk_e2e::{App, came_true, on_every_engine};
use serde_json::json;

use crate::app_scene::{Browser, OWNER, account, member};
use crate::shapes::text;

on_every_engine! {
    an_account_is_changed_by_those_who_manage_it,
    forms_and_calendars_are_made_and_deleted,
    what_belongs_to_another_account_stays,
    the_last_use_of_a_key_is_shown_to_the_minute,
}

fn the_last_use_of_a_key_is_shown_to_the_minute(app: App) {
    let account = account(&app);
    let (used, unused) = (app.key(&account, "contacts:read"), app.key(&account, "contacts:read"));
    let browser = Browser::new(&app).sign_in(OWNER);
    let last_use = |id: &str| {
        let keys = browser.get("/admin/keys").expect(200);
        let keys = keys.data().as_array().expect("a list").clone();
        keys.into_iter().find(|key| key["id"] == id).expect("the key")["last_used_at"].clone()
    };
    assert_eq!((last_use(&used.id), last_use(&unused.id)), (json!(null), json!(null)));
    // A request that is refused for its scope has used the key too; one with a key that is not good has not.
    app.client(&used).post("/contacts", json!({ "name": "Ann" })).expect(403);
    app.cli(&["key", "revoke", &unused.id, "--reason", "lost"]);
    app.client(&unused).get("/me").expect(401);
    assert!(came_true(|| last_use(&used.id).is_string()), "the use was not stored");
    let shown = last_use(&used.id);
    assert!(text(&shown).ends_with(":00.000Z"), "{shown}");
    assert_eq!(last_use(&unused.id), json!(null));
}

fn an_account_is_changed_by_those_who_manage_it(app: App) {
    let account = account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let hours = json!({ "mon": [["09:00", "17:30"]] });
    let patch = json!({
        "name": "Chairs Ltd", "timezone": "Europe/Berlin", "ai_budget_usd": 12.5, "business_hours": hours,
    });
    let changed = browser.patch("/admin/account", patch).expect(200);
    let shown = browser.get("/admin/account").expect(200);
    assert_eq!(changed.data(), shown.data());
    assert_eq!(shown.data()["name"], "Chairs Ltd");
    assert_eq!(shown.data()["timezone"], "Europe/Berlin");
    assert_eq!(shown.data()["ai_budget_usd"], 12.5);
    assert_eq!(shown.data()["business_hours"], hours);
    assert_eq!(browser.get("/session").expect(200).data()["account"]["name"], "Chairs Ltd");
    let cleared = browser.patch("/admin/account", json!({ "business_hours": null })).expect(200);
    assert_eq!(
        (&cleared.data()["business_hours"], &cleared.data()["name"]),
        (&json!(null), &json!("Chairs Ltd"))
    );

    for wrong in [
        json!({ "name": " " }),
        json!({ "timezone": "Mars/Base" }),
        json!({ "ai_budget_usd": -1 }),
        json!({ "ai_budget_usd": "12" }),
        json!({ "sending_hours": { "monday": [] } }),
    ] {
        browser.patch("/admin/account", wrong.clone()).expect(400);
    }
    // A limit is the operator's, so it is no field of this.
    let limit = shown.data()["rate_limit"].clone();
    browser.patch("/admin/account", json!({ "rate_limit": 1 })).expect(200);
    assert_eq!(browser.get("/admin/account").expect(200).data()["rate_limit"], limit);

    member(&app, &account, "mia@example.com", "agent");
    let agent = Browser::new(&app).sign_in("mia@example.com");
    agent.get("/admin/account").expect(403).error("forbidden");
    agent.patch("/admin/account", json!({ "name": "Mine" })).expect(403).error("forbidden");
    agent.get("/admin/forms").expect(403).error("forbidden");
    agent.post("/admin/booking-sources", json!({ "name": "X" })).expect(403).error("forbidden");
}

fn forms_and_calendars_are_made_and_deleted(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let wanted = json!({ "name": "Contact us", "origins": ["https://Example.com/"] });
    let form = browser.post("/admin/forms", wanted).expect(201);
    assert_eq!(form.data()["origins"], json!(["https://example.com"]));
    let url = text(&form.data()["url"]).to_owned();
    let path = url.strip_prefix(&app.base()).expect("an address of this server").to_owned();
    app.anonymous().vendors().get(&path).expect(200);
    assert_eq!(browser.get("/admin/forms").expect(200).data()[0], *form.data());
    browser.send("DELETE", &format!("/admin/forms/{}", text(&form.data()["id"]))).expect(200);
    app.anonymous().vendors().get(&path).expect(404);
    browser.post("/admin/forms", json!({ "name": "X", "origins": ["nowhere"] })).expect(400);

    let source = browser.post("/admin/booking-sources", json!({ "name": "Calendar" })).expect(201);
    assert!(!text(&source.data()["secret"]).is_empty());
    let listed = browser.get("/admin/booking-sources").expect(200);
    assert_eq!(listed.data()[0]["id"], source.data()["id"]);
    assert!(listed.data()[0].get("secret").is_none(), "{}", listed.text);
    browser.send("DELETE", &format!("/admin/booking-sources/{}", text(&source.data()["id"]))).expect(200);
    assert_eq!(browser.get("/admin/booking-sources").expect(200).data(), &json!([]));
}

fn what_belongs_to_another_account_stays(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let other = app.account();
    let form = app.cli(&["form", "create", "--account", &other.id, "--name", "Theirs"]);
    let source = app.cli(&["booking-source", "create", "--account", &other.id]);
    browser.send("DELETE", &format!("/admin/forms/{}", text(&form["form_id"]))).expect(404);
    browser.send("DELETE", &format!("/admin/booking-sources/{}", text(&source["source_id"]))).expect(404);
    assert_eq!(browser.get("/admin/forms").expect(200).data(), &json!([]));
    assert_eq!(app.cli(&["form", "list", "--account", &other.id]).as_array().map(Vec::len), Some(1));
    let sources = app.cli(&["booking-source", "list", "--account", &other.id]);
    assert_eq!(sources.as_array().map(Vec::len), Some(1));
}
