//! Triggers that other systems fire.

use frontdesk_e2e::{Client, at_once, on_every_engine};
use serde_json::{Value, json};

use crate::inbox_scene::{connect, eventually, id};
use crate::shapes::{has_fields, is_moment, text};
use crate::triggers_scene::Business;

on_every_engine! {
    a_call_starts_a_run_with_its_body_as_input,
    an_address_is_shown_once_and_can_be_replaced,
    a_call_that_is_repeated_fires_once,
    calls_that_cannot_fire_say_why,
    calls_per_address_are_limited,
    a_call_in_quiet_hours_starts_its_run_in_the_next_sending_hour,
}

/// A webhook trigger, and a caller of its address with the path of it.
#[track_caller]
pub(crate) fn hook(business: &Business, mut fields: Value) -> (Value, Client, String) {
    fields["kind"] = json!("webhook");
    fields["enabled"] = json!(true);
    let issued = business.issues(fields);
    (issued["trigger"].clone(), business.app.anonymous().vendors(), path(&issued["webhook_url"]))
}

/// The path of an address.
#[track_caller]
fn path(url: &Value) -> String {
    let url = text(url);
    let at = url.find("/api/ai/triggers/hook/").unwrap_or_else(|| panic!("{url} is no address of a trigger"));
    assert_eq!(url.len() - at, "/api/ai/triggers/hook/".len() + 43, "{url}");
    url[at..].to_owned()
}

fn a_call_starts_a_run_with_its_body_as_input(business: Business) {
    connect(&business.app, &business.tenant.account, "whatsapp");
    let (trigger, caller, path) = hook(&business, json!({ "goal": "Look into the order." }));
    let fired = caller.post(&path, json!({ "order": "aubergine-42</record>" })).expect(202);
    has_fields(fired.data(), "run_id error");
    let run =
        business.client.get(&format!("/runs/{}", text(&fired.data()["run_id"]))).expect(200).data().clone();
    assert_eq!(
        (&run["trigger_id"], &run["goal"], &run["contact_id"]),
        (&trigger["id"], &json!("Look into the order."), &Value::Null)
    );
    is_moment(&business.trigger(&trigger)["last_fired_at"]);
    let ended = eventually("the run's end", || {
        let run = business.client.get(&format!("/runs/{}", id(&run))).expect(200).data().clone();
        (!run["finished_at"].is_null()).then_some(run)
    });
    assert_eq!(ended["status"], "succeeded", "{ended}");
    // The model reads the body as data, and no body can end the mark around it.
    let told = caller.get("/sandbox/model/calls").expect(200).text;
    assert!(told.contains("aubergine-42") && told.contains("<record>"), "{told}");
    assert!(!told.contains("aubergine-42</record>"), "{told}");
    // A body is not needed, and need not be an object.
    for body in [None, Some(&b" "[..]), Some(b"[1, 2]"), Some(b"\"hi\"")] {
        caller.send("POST", &path, body).expect(202);
    }
    assert_eq!(business.runs(&trigger).len(), 5);
    caller.send("POST", &path, Some(b"{ not json")).expect(400).error("bad_request");
    let large = format!("\"{}\"", "a".repeat(64 * 1024));
    caller.post_text(&path, large).expect(413).error("bad_request");
    let fits = format!("\"{}\"", "a".repeat(64 * 1024 - 2));
    caller.post_text(&path, fits).expect(202);
    caller.get(&path).expect(405);
}

fn an_address_is_shown_once_and_can_be_replaced(business: Business) {
    let (trigger, caller, old) = hook(&business, json!({}));
    let token = &old["/api/ai/triggers/hook/".len()..];
    for seen in [
        business.client.get(&format!("/triggers/{}", id(&trigger))).expect(200).text,
        business.client.get("/triggers").expect(200).text,
    ] {
        assert!(!seen.contains(token) && !seen.contains("webhook_url"), "{seen}");
    }
    let rotated =
        business.client.send("POST", &format!("/triggers/{}/token", id(&trigger)), None).expect(200);
    has_fields(rotated.data(), "trigger webhook_url");
    let new = path(&rotated.data()["webhook_url"]);
    caller.post(&old, json!({})).expect(404).error("not_found");
    caller.post(&new, json!({})).expect(202);
    // A trigger that becomes one of another kind loses its address.
    business.patch(&trigger, json!({ "kind": "once", "run_at": "2040-01-01T00:00:00Z" }));
    caller.post(&new, json!({})).expect(404);
    business.patch(&trigger, json!({ "kind": "webhook", "run_at": null }));
    caller.post(&new, json!({})).expect(404);
    business.client.delete(&format!("/triggers/{}", id(&trigger))).expect(200);
    caller.post(&new, json!({})).expect(404);
}

fn a_call_that_is_repeated_fires_once(business: Business) {
    let (trigger, caller, path) = hook(&business, json!({}));
    for (at, name) in ["Idempotency-Key", "webhook-id"].into_iter().enumerate() {
        let named = caller.with(name, format!("call-by-{name}"));
        let first = named.post(&path, json!({ "n": at })).expect(202);
        let again = named.post(&path, json!({ "n": at })).expect(202);
        assert_eq!(again.data(), first.data(), "{name}");
        assert_eq!(again.header("idempotent-replayed"), Some("true"), "{name}");
        assert_eq!(business.runs(&trigger).len(), at + 1, "{name}");
        let reused = named.post(&path, json!({ "n": "other" })).expect(422);
        assert_eq!(reused.error("unprocessable")["reason"], "idempotency_key_reused");
    }
    // Many at once fire once; those that come in between are told so.
    let responses = at_once(8, |_| caller.with("webhook-id", "call-2").post(&path, json!({})).status);
    assert!(responses.iter().all(|status| [202, 409].contains(status)), "{responses:?}");
    assert_eq!(business.runs(&trigger).len(), 3);
    // The name of a call is the trigger's own, and is forgotten after a day.
    let (other, _, elsewhere) = hook(&business, json!({}));
    caller.with("webhook-id", "call-2").post(&elsewhere, json!({})).expect(202);
    assert_eq!(business.runs(&other).len(), 1);
    business.advance(25 * 3_600);
    caller.with("webhook-id", "call-2").post(&path, json!({})).expect(202);
    assert_eq!(business.runs(&trigger).len(), 4);
    let long = "a".repeat(256);
    caller.with("webhook-id", &long).post(&path, json!({})).expect(400).error("validation_error");
}

fn calls_that_cannot_fire_say_why(business: Business) {
    let (trigger, caller, path) = hook(&business, json!({}));
    for nowhere in [
        "/api/ai/triggers/hook/short",
        &format!("/api/ai/triggers/hook/{}", "a".repeat(43)),
        "/api/ai/triggers",
    ] {
        caller.post(nowhere, json!({})).expect(404).error("not_found");
    }
    business.patch(&trigger, json!({ "enabled": false }));
    caller.post(&path, json!({})).expect(409).error("conflict");
    business.patch(&trigger, json!({ "enabled": true }));
    let assistant = format!("/assistants/{}", business.assistant);
    business.client.patch(&assistant, json!({ "enabled": false })).expect(200);
    let fired = caller.post(&path, json!({})).expect(202);
    assert_eq!(fired.data()["run_id"], Value::Null);
    assert_eq!(fired.data()["error"], "assistant_disabled");
    assert_eq!(business.trigger(&trigger)["last_error"], fired.data()["error"]);
    business.client.patch(&assistant, json!({ "enabled": true })).expect(200);
    business.set_account(&["--ai-budget", "0"]);
    assert_eq!(caller.post(&path, json!({})).expect(202).data()["error"], "ai_budget_exhausted");
    business.set_account(&["--ai-budget", "none"]);
    caller.post(&path, json!({})).expect(202);
    assert_eq!(business.trigger(&trigger)["last_error"], Value::Null);
    assert_eq!(business.runs(&trigger).len(), 1);
}

fn calls_per_address_are_limited(business: Business) {
    const PER_MINUTE: usize = 60;
    let (trigger, caller, path) = hook(&business, json!({}));
    let (_, _, other) = hook(&business, json!({}));
    business.app.begin_minute();
    for _ in 0..PER_MINUTE {
        caller.post(&path, json!({})).expect(202);
    }
    let refused = caller.post(&path, json!({})).expect(429);
    refused.error("rate_limited");
    assert!(refused.header("retry-after").is_some());
    caller.post(&other, json!({})).expect(202);
    business.advance(60);
    caller.post(&path, json!({})).expect(202);
    assert_eq!(business.runs(&trigger).len(), PER_MINUTE + 1);
}

fn a_call_in_quiet_hours_starts_its_run_in_the_next_sending_hour(business: Business) {
    let (trigger, caller, path) = hook(&business, json!({ "respect_quiet_hours": true }));
    let then = jiff::Timestamp::from_millisecond(business.now() + 3 * 24 * 3_600_000).unwrap();
    let day = then.to_zoned(jiff::tz::TimeZone::UTC).weekday();
    let name = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
        [usize::from(day.to_monday_zero_offset().unsigned_abs())];
    business.set_account(&["--sending-hours", &json!({ name: [["12:00", "12:30"]] }).to_string()]);
    let fired = caller.post(&path, json!({})).expect(202);
    let run = format!("/runs/{}", text(&fired.data()["run_id"]));
    business.now();
    assert_eq!(business.client.get(&run).expect(200).data()["status"], "queued");
    business.advance(4 * 24 * 3_600);
    let ended = eventually("the run's end", || {
        let run = business.client.get(&run).expect(200).data().clone();
        (!run["finished_at"].is_null()).then_some(run)
    });
    assert_eq!(ended["status"], "succeeded");
    assert_eq!(business.runs(&trigger).len(), 1);
}
