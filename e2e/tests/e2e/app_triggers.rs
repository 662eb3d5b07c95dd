//! What the dashboard's page of a trigger asks for before the trigger is saved.

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::app_scene::{Browser, signed_in, stranger};
use crate::people::{add, walk};
use crate::shapes::{NOTHING, has_fields, text};
use crate::triggers_scene::{Business, MINUTE_MILLIS, time_of, written};
use crate::webhooks_scene::moment;

on_every_engine! {
    a_draft_says_when_it_fires_and_whom_it_affects,
    the_times_of_a_draft_wait_for_the_sending_hours,
    wrong_drafts_are_refused_as_new_triggers_are,
}

const DAY_MILLIS: i64 = 24 * 60 * MINUTE_MILLIS;

fn admin(business: &Business) -> Browser {
    signed_in(&business.app, &business.tenant.account, "admin@example.com", "admin")
}

fn draft(business: &Business, fields: Value) -> Value {
    let mut body = json!({ "assistant_id": business.assistant });
    body.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
    body
}

#[track_caller]
fn preview(business: &Business, browser: &Browser, fields: Value) -> Value {
    let shown = browser.post("/triggers/preview", draft(business, fields)).expect(200);
    has_fields(shown.data(), "fire_times would_fire reason target_count targets");
    shown.data().clone()
}

fn times(preview: &Value) -> Vec<i64> {
    preview["fire_times"].as_array().expect("a list").iter().map(moment).collect()
}

fn a_draft_says_when_it_fires_and_whom_it_affects(business: Business) {
    let browser = admin(&business);
    let due = (business.now() / MINUTE_MILLIS + 2) * MINUTE_MILLIS;
    let daily = json!({ "kind": "recurring", "period": "daily", "send_time": time_of(due) });
    let shown = preview(&business, &browser, daily.clone());
    let expected: Vec<i64> = (0..5).map(|day| due + day * DAY_MILLIS).collect();
    assert_eq!(times(&shown), expected);
    assert_eq!((&shown["would_fire"], &shown["reason"]), (&json!(true), &Value::Null));
    assert_eq!((&shown["target_count"], &shown["targets"]), (&json!(0), &json!([])));
    // The saved trigger says the same.
    let saved = business.makes(daily.clone());
    assert_eq!(moment(&business.preview(&saved)["next_fire_at"]), due);

    let ann = add(&business.client, json!({ "name": "Ann", "company": "Acme" }));
    add(&business.client, json!({ "name": "Ben", "company": "Acme" }));
    let segment = business.segment("Acme");
    let mut aimed = daily;
    aimed["audience_type"] = json!("segment");
    aimed["segment_id"] = json!(segment);
    let shown = preview(&business, &browser, aimed.clone());
    assert_eq!((&shown["target_count"], shown["targets"].as_array().map(Vec::len)), (&json!(2), Some(2)));
    aimed["max_targets"] = json!(1);
    aimed["enabled"] = json!(false);
    let shown = preview(&business, &browser, aimed);
    assert_eq!((&shown["target_count"], &shown["reason"]), (&json!(1), &json!("trigger_disabled")));
    let run_at = written(due);
    let once = json!({ "kind": "once", "run_at": run_at, "audience_type": "contact", "contact_id": ann });
    let shown = preview(&business, &browser, once);
    assert_eq!((times(&shown), text(&shown["targets"][0]["name"])), (vec![due], "Ann"));
    for kind in [json!({ "kind": "webhook" }), json!({ "kind": "event", "event_key": "contact.created" })] {
        assert_eq!(times(&preview(&business, &browser, kind)), [0_i64; 0]);
    }
    assert_eq!(walk(&business.client, "/triggers").len(), 1, "something was stored");
}

fn the_times_of_a_draft_wait_for_the_sending_hours(business: Business) {
    let browser = admin(&business);
    let hours = json!({ "mon": [["09:00", "17:00"]] });
    business.set_account(&["--sending-hours", &hours.to_string()]);
    let early = json!({
        "kind": "recurring", "period": "daily", "send_time": "03:00", "respect_quiet_hours": true,
    });
    let shown = preview(&business, &browser, early.clone());
    let found = times(&shown);
    assert_eq!(found.len(), 5, "{shown}");
    // One firing a week is left: the Mondays at nine.
    for pair in found.windows(2) {
        assert_eq!(pair[1] - pair[0], 7 * DAY_MILLIS);
    }
    assert_eq!(time_of(found[0]), "09:00");
    business.set_account(&["--sending-hours", "{}"]);
    let shown = preview(&business, &browser, early);
    assert_eq!((times(&shown), &shown["reason"]), (vec![], &json!("no_sending_hours")));
}

fn wrong_drafts_are_refused_as_new_triggers_are(business: Business) {
    let browser = admin(&business);
    for fields in [
        json!({ "kind": "recurring" }),
        json!({ "kind": "recurring", "period": "weekly", "send_time": "25:00" }),
        json!({ "kind": "once", "period": "daily" }),
        json!({ "kind": "sometimes" }),
        json!({ "kind": "webhook", "audience_type": "segment", "segment_id": NOTHING }),
        json!({ "kind": "once", "run_at": "2030-01-01T00:00:00Z", "audience_type": "contact", "contact_id": NOTHING }),
        json!({ "kind": "once", "run_at": "2030-01-01T00:00:00Z", "max_targets": 501 }),
        json!({ "kind": "webhook", "assistant_id": NOTHING }),
    ] {
        let mut new = draft(&business, fields.clone());
        let shown = browser.post("/triggers/preview", new.clone());
        new["name"] = json!("x");
        new["goal"] = json!("x");
        let created = business.client.post("/triggers", new);
        assert!(shown.status >= 400, "{fields}: {}", shown.text);
        assert_eq!(shown.status, created.status, "{fields}: {}", shown.text);
        assert_eq!(shown.json["error"]["details"], created.json["error"]["details"], "{fields}");
    }
    let webhook = json!({ "kind": "webhook" });
    let agent = signed_in(&business.app, &business.tenant.account, "agent@example.com", "agent");
    preview(&business, &agent, webhook.clone());
    // Another account's assistant is none.
    let body = draft(&business, webhook);
    stranger(&business.app).post("/triggers/preview", body.clone()).expect(404).error("not_found");
    Browser::new(&business.app).post("/triggers/preview", body).expect(401).error("unauthorized");
}
