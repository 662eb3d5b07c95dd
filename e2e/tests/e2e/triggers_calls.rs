//! The last calls of a webhook trigger's address, as they are read.

use frontdesk_e2e::{Client, on_every_engine, on_shared_stores};
use serde_json::{Value, json};

use crate::inbox_scene::{eventually, id};
use crate::people::add;
use crate::shapes::{NOTHING, has_fields, is_id, is_moment, text};
use crate::triggers_hooks::hook;
use crate::triggers_scene::Business;

on_every_engine! {
    a_call_shows_what_came_and_the_run_that_it_started,
    calls_that_start_no_run_say_why,
    a_call_of_a_suspended_account_says_so,
    a_flood_of_refused_calls_is_one_row,
    the_newest_calls_are_kept,
    calls_of_an_old_address_are_not_shown,
    no_call_shows_the_token,
    only_webhook_triggers_have_calls,
    an_erased_contact_is_in_no_call,
    calls_are_kept_for_thirty_days,
}

on_shared_stores! {
    refusals_of_every_server_are_shown,
}

const FIELDS: &str =
    "id outcome status_code error run_id count last_called_at address body_bytes body created_at";
const KEPT: usize = 50;
const PER_MINUTE: usize = 60;

/// The calls of a trigger, newest first.
#[track_caller]
fn calls(business: &Business, trigger: &Value) -> Vec<Value> {
    let list = business.client.get(&format!("/triggers/{}/calls", id(trigger))).expect(200);
    let calls = list.data().as_array().unwrap().clone();
    let meta = json!({ "next_cursor": null, "has_more": false, "limit": calls.len() });
    assert_eq!(list.json["meta"], meta);
    calls
}

/// The call with this outcome, once it is stored.
#[track_caller]
fn call(business: &Business, trigger: &Value, outcome: &str) -> Value {
    eventually(&format!("a call that was {outcome}"), || {
        calls(business, trigger).into_iter().find(|call| call["outcome"] == outcome)
    })
}

fn a_call_shows_what_came_and_the_run_that_it_started(business: Business) {
    let (trigger, caller, path) = hook(&business, json!({}));
    let fired = caller.post(&path, json!({ "order": "äpfel" })).expect(202);
    let found = calls(&business, &trigger);
    assert_eq!(found.len(), 1);
    let call = &found[0];
    has_fields(call, FIELDS);
    is_id(&call["id"]);
    is_moment(&call["created_at"]);
    assert_eq!(call["last_called_at"], call["created_at"]);
    assert_eq!((&call["outcome"], &call["status_code"]), (&json!("started"), &json!(202)));
    assert_eq!((&call["error"], &call["count"]), (&Value::Null, &json!(1)));
    assert_eq!(call["run_id"], fired.data()["run_id"]);
    assert_eq!((&call["body"], &call["body_bytes"]), (&json!(r#"{"order":"äpfel"}"#), &json!(18)));
    let address: std::net::IpAddr = text(&call["address"]).parse().expect("an address");
    assert!(address.is_loopback(), "{address}");
    // A body is kept up to its first kilobyte.
    caller.post_text(&path, format!("\"{}\"", "a".repeat(5_000))).expect(202);
    caller.send("POST", &path, None).expect(202);
    let found = calls(&business, &trigger);
    assert_eq!(found.len(), 3);
    assert_eq!((text(&found[1]["body"]).len(), &found[1]["body_bytes"]), (1024, &json!(5_002)));
    assert_eq!((&found[0]["body"], &found[0]["body_bytes"]), (&Value::Null, &json!(0)));
}

fn calls_that_start_no_run_say_why(business: Business) {
    let (trigger, caller, path) = hook(&business, json!({}));
    caller.send("POST", &path, Some(b"{ not json")).expect(400);
    let invalid = call(&business, &trigger, "invalid");
    has_fields(&invalid, FIELDS);
    assert_eq!((&invalid["status_code"], &invalid["error"]), (&json!(400), &json!("bad_request")));
    assert_eq!((&invalid["body"], &invalid["body_bytes"]), (&json!("{ not json"), &json!(10)));
    let large = "a".repeat(64 * 1024 + 1);
    caller.post_text(&path, large.as_bytes()).expect(413);
    let too_large = call(&business, &trigger, "too_large");
    assert_eq!((&too_large["body"], &too_large["body_bytes"]), (&Value::Null, &json!(large.len())));
    business.patch(&trigger, json!({ "enabled": false }));
    let refused = caller.post(&path, json!({})).expect(409);
    assert_eq!(refused.error("conflict")["reason"], "trigger_disabled");
    let disabled = call(&business, &trigger, "disabled");
    assert_eq!((&disabled["status_code"], &disabled["error"]), (&json!(409), &json!("trigger_disabled")));
    business.patch(&trigger, json!({ "enabled": true }));
    let named = caller.with("webhook-id", "call-1");
    named.post(&path, json!({ "phone": "+4915112345603" })).expect(202);
    named.post(&path, json!({ "phone": "+4915112345603" })).expect(202);
    let repeated = call(&business, &trigger, "repeated");
    // It would not be found when the contact is erased.
    assert_eq!(repeated["body"], Value::Null);
    assert_eq!((&repeated["status_code"], &repeated["run_id"]), (&json!(202), &Value::Null));
    named.post(&path, json!({ "n": 2 })).expect(422);
    eventually("the call whose id was used before", || {
        calls(&business, &trigger).into_iter().find(|call| call["error"] == "idempotency_key_reused")
    });
    let assistant = format!("/assistants/{}", business.assistant);
    business.client.patch(&assistant, json!({ "enabled": false })).expect(200);
    caller.post(&path, json!({})).expect(202);
    business.client.patch(&assistant, json!({ "enabled": true })).expect(200);
    let newest = &calls(&business, &trigger)[0];
    assert_eq!((&newest["outcome"], &newest["error"]), (&json!("not_started"), &json!("assistant_disabled")));
    // Only calls are shown.
    caller.get(&path).expect(405);
    assert!(calls(&business, &trigger).iter().all(|call| call["status_code"] != 405));
}

fn a_call_of_a_suspended_account_says_so(business: Business) {
    let (trigger, caller, path) = hook(&business, json!({}));
    business.app.cli(&["account", "suspend", &business.tenant.account.id]);
    assert_eq!(caller.post(&path, json!({})).expect(202).data()["error"], "account_suspended");
    business.app.cli(&["account", "resume", &business.tenant.account.id]);
    let newest = &calls(&business, &trigger)[0];
    assert_eq!((&newest["outcome"], &newest["error"]), (&json!("not_started"), &json!("account_suspended")));
}

fn a_flood_of_refused_calls_is_one_row(business: Business) {
    const REFUSED: usize = 400;
    let (trigger, caller, path) = hook(&business, json!({}));
    let (quiet, _, elsewhere) = hook(&business, json!({}));
    business.app.begin_minute();
    for _ in 0..PER_MINUTE {
        caller.post(&path, json!({})).expect(202);
    }
    let refused = (0..REFUSED).filter(|_| caller.post_text(&path, r#"{"flood":true}"#).status == 429).count();
    assert!(refused > 0);
    caller.post(&elsewhere, json!({})).expect(202);
    let limited = || {
        let calls = calls(&business, &trigger).into_iter();
        calls.filter(|call| call["outcome"] == "rate_limited").collect::<Vec<_>>()
    };
    let sum = |rows: &[Value]| rows.iter().map(|row| row["count"].as_u64().unwrap() as usize).sum::<usize>();
    let rows = eventually("every refused call", || {
        let rows = limited();
        (sum(&rows) == refused).then_some(rows)
    });
    // The machine may have been slow, so that another minute began.
    assert!(rows.len() <= 2, "{rows:?}");
    assert_eq!((&rows[0]["status_code"], &rows[0]["error"]), (&json!(429), &json!("rate_limited")));
    assert_eq!((&rows[0]["body"], &rows[0]["body_bytes"]), (&Value::Null, &json!(14)));
    assert!(text(&rows[0]["last_called_at"]) >= text(&rows[0]["created_at"]));
    assert_eq!(calls(&business, &quiet).len(), 1);
}

fn the_newest_calls_are_kept(business: Business) {
    let (trigger, caller, path) = hook(&business, json!({}));
    business.app.begin_minute();
    for n in 0..KEPT + 5 {
        caller.post(&path, json!({ "n": n })).expect(202);
    }
    let found = calls(&business, &trigger);
    let bodies: Vec<&str> = found.iter().map(|call| text(&call["body"])).collect();
    let wanted: Vec<String> = (5..KEPT + 5).rev().map(|n| format!(r#"{{"n":{n}}}"#)).collect();
    assert_eq!(bodies, wanted);
}

fn calls_of_an_old_address_are_not_shown(business: Business) {
    let (trigger, caller, old) = hook(&business, json!({}));
    caller.post(&old, json!({ "n": 1 })).expect(202);
    let rotated =
        business.client.send("POST", &format!("/triggers/{}/token", id(&trigger)), None).expect(200);
    let url = text(&rotated.data()["webhook_url"]).to_owned();
    let new = &url[url.find("/api/ai").unwrap()..];
    for _ in 0..PER_MINUTE + 5 {
        caller.send("POST", &old, Some(b"{ not json"));
    }
    caller.send("POST", new, Some(b"{ no json either")).expect(400);
    let invalid = call(&business, &trigger, "invalid");
    assert_eq!((&invalid["count"], &invalid["body"]), (&json!(1), &json!("{ no json either")));
    assert_eq!(calls(&business, &trigger).len(), 2);
}

fn no_call_shows_the_token(business: Business) {
    let (trigger, caller, path) = hook(&business, json!({}));
    let token = &path["/api/ai/triggers/hook/".len()..];
    caller.post(&path, json!({ "callback": path })).expect(202);
    caller.post_text(&path, format!("{{ {token}")).expect(400);
    call(&business, &trigger, "invalid");
    let list = business.client.get(&format!("/triggers/{}/calls", id(&trigger))).expect(200).text;
    assert!(list.contains("[token]") && !list.contains(token), "{list}");
}

fn only_webhook_triggers_have_calls(business: Business) {
    let (trigger, _) = business.daily(json!({}));
    let refused = business.client.get(&format!("/triggers/{}/calls", id(&trigger))).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "not_a_webhook_trigger");
    for nowhere in [NOTHING, "nothing"] {
        business.client.get(&format!("/triggers/{nowhere}/calls")).expect(404).error("not_found");
    }
    let (hooked, caller, path) = hook(&business, json!({}));
    caller.post(&path, json!({})).expect(202);
    let of_hook = format!("/triggers/{}/calls", id(&hooked));
    let other = business.app.tenant().client;
    other.get(&of_hook).expect(404).error("not_found");
    business.client.delete(&format!("/triggers/{}", id(&hooked))).expect(200);
    business.client.get(&of_hook).expect(404);
}

fn an_erased_contact_is_in_no_call(business: Business) {
    let (trigger, caller, path) = hook(&business, json!({}));
    let names = |client: &Client, phone: &str| {
        let contact = add(client, json!({ "name": "Ann", "phone": phone }));
        caller.post(&path, json!({ "phone": phone, "wish": "aubergines" })).expect(202);
        contact
    };
    let ann = names(&business.client, "+4915112345601");
    let annie = names(&business.client, "+4915112345602");
    caller.post(&path, json!({ "order": 42 })).expect(202);
    // What named the contact that was merged into another is erased with that one.
    business.client.post(&format!("/contacts/{ann}/merge"), json!({ "contact_id": annie })).expect(200);
    assert_eq!(calls(&business, &trigger).iter().filter(|call| !call["body"].is_null()).count(), 3);
    business.client.delete(&format!("/contacts/{ann}")).expect(200);
    let left = calls(&business, &trigger);
    assert_eq!(left.len(), 3);
    for call in &left[1..] {
        assert_eq!((&call["body"], &call["address"]), (&Value::Null, &Value::Null));
        assert_eq!(call["outcome"], "started");
    }
    assert_eq!(left[0]["body"], r#"{"order":42}"#);
}

fn calls_are_kept_for_thirty_days(business: Business) {
    const DAY: i64 = 86_400;
    let (trigger, caller, path) = hook(&business, json!({}));
    caller.post(&path, json!({})).expect(202);
    business.advance(29 * DAY);
    assert_eq!(calls(&business, &trigger).len(), 1);
    business.advance(2 * DAY);
    assert_eq!(calls(&business, &trigger).len(), 0);
}

fn refusals_of_every_server_are_shown(business: Business) {
    let (trigger, caller, path) = hook(&business, json!({}));
    let second = business.app.second_server();
    for client in [caller.clone(), caller.at(&second)] {
        client.send("POST", &path, Some(b"{ not json")).expect(400);
    }
    eventually("a refusal of each server", || {
        (calls(&business, &trigger).iter().filter(|call| call["outcome"] == "invalid").count() == 2)
            .then_some(())
    });
}
