//! Triggers as the API shows, checks and changes them.

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::agent_scene::{RUN, new_assistant};
use crate::inbox_scene::id;
use crate::people::{add, walk};
use crate::shapes::{NOTHING, has_fields, is_moment, text};
use crate::triggers_scene::{Business, MINUTE_MILLIS, TRIGGER, advance_to, written};
use crate::webhooks_scene::moment;

on_every_engine! {
    a_trigger_whose_contact_or_segment_is_deleted_stays,
    a_trigger_reads_back_with_all_its_fields,
    all_problems_of_a_trigger_are_reported_at_once,
    a_change_must_fit_the_rest_of_the_trigger,
    ids_in_a_trigger_must_belong_to_the_account,
    triggers_are_listed_by_assistant_kind_and_state,
    a_preview_says_what_a_firing_would_do,
    a_trigger_fires_on_request_whether_or_not_it_is_enabled,
    a_firing_on_request_is_refused_without_an_assistant_or_a_budget,
    triggers_go_with_their_assistant_and_follow_a_merge,
}

fn a_trigger_reads_back_with_all_its_fields(business: Business) {
    let issued = business.issues(json!({
        "name": " Monday follow-up ", "kind": "recurring", "period": "weekly", "send_time": "09:30", "day_of_week": 1,
    }));
    has_fields(&issued, "trigger webhook_url");
    let trigger = &issued["trigger"];
    has_fields(trigger, TRIGGER);
    assert_eq!(issued["webhook_url"], Value::Null);
    let wanted = json!({
        "id": trigger["id"], "assistant_id": business.assistant, "name": "Monday follow-up", "enabled": false, "kind": "recurring",
        "goal": "Say hello.", "period": "weekly", "send_time": "09:30", "day_of_week": 1, "day_of_month": null, "run_at": null,
        "event_key": null, "audience_type": "none", "contact_id": null, "segment_id": null, "max_targets": 50,
        "respect_quiet_hours": false, "last_fired_at": null, "last_error": null, "created_at": trigger["created_at"],
        "updated_at": trigger["created_at"],
    });
    assert_eq!(*trigger, wanted);
    assert_eq!(business.trigger(trigger), wanted);
    let contact = add(&business.client, json!({ "name": "Ann" }));
    let changed = business.patch(
        trigger,
        json!({
            "kind": "once", "run_at": "2030-06-01T10:00:00+02:00", "period": null, "send_time": null, "day_of_week": null,
            "audience_type": "contact", "contact_id": contact, "max_targets": 500, "respect_quiet_hours": true, "name": "Once",
        }),
    );
    assert_eq!(changed["run_at"], "2030-06-01T08:00:00.000Z");
    assert_eq!((&changed["contact_id"], &changed["max_targets"]), (&json!(contact), &json!(500)));
    assert_eq!(business.trigger(trigger), changed);
    let path = format!("/triggers/{}", id(trigger));
    let deleted = business.client.delete(&path).expect(200);
    assert_eq!(*deleted.data(), json!({ "id": trigger["id"], "deleted": true }));
    for gone in
        [business.client.get(&path), business.client.delete(&path), business.client.patch(&path, json!({}))]
    {
        gone.expect(404).error("not_found");
    }
}

fn all_problems_of_a_trigger_are_reported_at_once(business: Business) {
    let create = |mut body: Value| {
        body["assistant_id"] = json!(business.assistant);
        business.client.post("/triggers", body)
    };
    create(json!({})).expect(400).details_at(&["name", "kind", "goal"]);
    create(json!({
        "name": " ", "goal": "Do it.", "kind": "recurring", "send_time": "9:30", "max_targets": 0, "enabled": "yes",
        "audience_type": "segment", "run_at": "2030-01-01T00:00:00Z",
    }))
    .expect(400)
    .details_at(&["name", "enabled", "send_time", "max_targets", "period", "run_at", "segment_id"]);
    create(json!({ "name": "T", "goal": "G", "kind": "recurring", "period": "monthly", "send_time": "24:00", "day_of_month": 32 }))
        .expect(400)
        .details_at(&["send_time", "day_of_month"]);
    create(json!({ "name": "T", "goal": "G", "kind": "recurring", "period": "weekly", "send_time": "09:00", "day_of_month": 1 }))
        .expect(400)
        .details_at(&["day_of_week", "day_of_month"]);
    create(json!({ "name": "T", "goal": "G", "kind": "once" })).expect(400).details_at(&["run_at"]);
    create(json!({ "name": "T", "goal": "G", "kind": "event", "event_key": "contact.deleted" }))
        .expect(400)
        .details_at(&["event_key"]);
    create(json!({ "name": "T", "goal": "G", "kind": "webhook", "audience_type": "contact", "send_time": "09:00" }))
        .expect(400)
        .details_at(&["send_time", "audience_type", "contact_id"]);
    assert_eq!(walk(&business.client, "/triggers"), [Value::Null; 0]);
}

fn a_change_must_fit_the_rest_of_the_trigger(business: Business) {
    let trigger =
        business.issues(json!({ "kind": "recurring", "period": "daily", "send_time": "09:00" }))["trigger"]
            .clone();
    let path = format!("/triggers/{}", id(&trigger));
    let refused = |body: Value, at: &[&str]| {
        business.client.patch(&path, body).expect(400).details_at(at);
    };
    refused(json!({ "period": "weekly" }), &["day_of_week"]);
    refused(json!({ "send_time": null }), &["send_time"]);
    refused(json!({ "kind": "once" }), &["period", "send_time", "run_at"]);
    refused(json!({ "audience_type": "contact" }), &["contact_id"]);
    // What cannot be read is told together with what would not fit.
    refused(
        json!({ "period": "weekly", "max_targets": 501, "name": null }),
        &["name", "max_targets", "day_of_week"],
    );
    assert_eq!(business.trigger(&trigger), trigger);
}

fn ids_in_a_trigger_must_belong_to_the_account(business: Business) {
    let theirs = new_assistant(&business.app.tenant().client, json!({}));
    let create = |fields: Value| {
        let mut body = json!({ "name": "T", "goal": "G", "kind": "once", "run_at": "2030-01-01", "assistant_id": business.assistant });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        business.client.post("/triggers", body)
    };
    for nowhere in [
        json!({ "assistant_id": NOTHING }),
        json!({ "assistant_id": theirs }),
        json!({ "audience_type": "contact", "contact_id": NOTHING }),
        json!({ "audience_type": "segment", "segment_id": NOTHING }),
    ] {
        create(nowhere).expect(404).error("not_found");
    }
    let trigger = create(json!({})).expect(201).data()["trigger"].clone();
    let path = format!("/triggers/{}", id(&trigger));
    for nowhere in [
        json!({ "assistant_id": theirs }),
        json!({ "audience_type": "contact", "contact_id": NOTHING }),
        json!({ "audience_type": "segment", "segment_id": NOTHING }),
    ] {
        business.client.patch(&path, nowhere).expect(404).error("not_found");
    }
    let other = business.client.post(&format!("{path}/token"), json!({})).expect(422);
    assert_eq!(other.error("unprocessable")["reason"], "not_a_webhook_trigger");
    business.client.post(&format!("/triggers/{NOTHING}/token"), json!({})).expect(404).error("not_found");
}

fn triggers_are_listed_by_assistant_kind_and_state(business: Business) {
    let other = new_assistant(&business.client, json!({}));
    let hook = business.issues(json!({ "kind": "webhook" }))["trigger"].clone();
    let event =
        business.makes(json!({ "kind": "event", "event_key": "contact.created", "assistant_id": other }));
    let listed = |query: &str| -> Vec<String> {
        walk(&business.client, &format!("/triggers{query}"))
            .iter()
            .map(|row| text(&row["id"]).to_owned())
            .collect()
    };
    assert_eq!(listed(""), [id(&event), id(&hook)]);
    assert_eq!(listed(&format!("?assistant_id={other}")), [id(&event)]);
    assert_eq!(listed("?kind=webhook"), [id(&hook)]);
    assert_eq!(listed("?enabled=true"), [id(&event)]);
    assert_eq!(listed("?enabled=false&kind=event"), [""; 0]);
}

fn a_preview_says_what_a_firing_would_do(business: Business) {
    let (trigger, due) = business.daily(json!({}));
    let preview = business.preview(&trigger);
    has_fields(&preview, "next_fire_at would_fire reason target_count targets");
    assert_eq!(moment(&preview["next_fire_at"]), due);
    assert_eq!((&preview["would_fire"], &preview["reason"]), (&json!(true), &Value::Null));
    let segment = business.segment("Acme");
    business.patch(&trigger, json!({ "audience_type": "segment", "segment_id": segment, "max_targets": 30 }));
    assert_eq!(business.preview(&trigger)["reason"], "segment_empty");
    let contacts: Vec<String> = (0..35)
        .map(|number| add(&business.client, json!({ "name": format!("P{number}"), "company": "Acme" })))
        .collect();
    let preview = business.preview(&trigger);
    assert_eq!((&preview["would_fire"], &preview["target_count"]), (&json!(true), &json!(30)));
    let shown = preview["targets"].as_array().unwrap();
    assert_eq!(shown.len(), 20);
    assert_eq!(shown[0], json!({ "contact_id": contacts[0], "name": "P0" }));
    // Outside the sending hours it says when the next of them begins.
    let closed = json!({ "mon": [["00:00", "00:01"]] }).to_string();
    business.set_account(&["--sending-hours", &closed]);
    business.patch(&trigger, json!({ "respect_quiet_hours": true }));
    let opens = moment(&business.preview(&trigger)["next_fire_at"]);
    assert!(opens >= due && opens % (24 * 60 * MINUTE_MILLIS) < MINUTE_MILLIS, "{}", written(opens));
    business
        .client
        .patch(&format!("/assistants/{}", business.assistant), json!({ "enabled": false }))
        .expect(200);
    assert_eq!(business.preview(&trigger)["reason"], "assistant_disabled");
    let disabled = business.patch(&trigger, json!({ "enabled": false }));
    let preview = business.preview(&disabled);
    assert_eq!((&preview["would_fire"], &preview["reason"]), (&json!(false), &json!("trigger_disabled")));
    is_moment(&preview["next_fire_at"]);
    assert_eq!(business.runs(&trigger), [Value::Null; 0]);
    assert_eq!(business.trigger(&trigger)["last_fired_at"], Value::Null);
    let hook = business.makes(json!({ "kind": "webhook" }));
    assert_eq!(business.preview(&hook)["next_fire_at"], Value::Null);
}

fn a_trigger_fires_on_request_whether_or_not_it_is_enabled(business: Business) {
    let fire = |trigger: &Value| {
        let path = format!("/triggers/{}/run", id(trigger));
        business.client.with("idempotency-key", "fire-1").send("POST", &path, None)
    };
    let ann = add(&business.client, json!({ "name": "Ann" }));
    let trigger = business.issues(json!({
        "kind": "once", "run_at": "2040-01-01T00:00:00Z", "audience_type": "contact", "contact_id": ann, "goal": "Greet Ann.",
    }))["trigger"]
        .clone();
    let fired = fire(&trigger).expect(202);
    has_fields(fired.data(), "trigger runs");
    has_fields(&fired.data()["trigger"], TRIGGER);
    is_moment(&fired.data()["trigger"]["last_fired_at"]);
    let runs = fired.data()["runs"].as_array().unwrap().clone();
    has_fields(&runs[0], RUN);
    assert_eq!(runs.len(), 1);
    assert_eq!(
        (&runs[0]["contact_id"], &runs[0]["trigger_id"], &runs[0]["goal"], &runs[0]["assistant_id"]),
        (&json!(ann), &trigger["id"], &json!("Greet Ann."), &json!(business.assistant))
    );
    assert_eq!(fire(&trigger).expect(202).body, fired.body, "a retry fires nothing");
    assert_eq!(business.runs(&trigger).len(), 1);
    // An audience of many is one run each, up to the limit.
    let segment = business.segment("Acme");
    for number in 0..5 {
        add(&business.client, json!({ "name": format!("P{number}"), "company": "Acme" }));
    }
    let many = business.issues(json!({
        "kind": "once", "run_at": "2040-01-01", "audience_type": "segment", "segment_id": segment, "max_targets": 3,
    }))["trigger"]
        .clone();
    let again =
        |trigger: &Value| business.client.send("POST", &format!("/triggers/{}/run", id(trigger)), None);
    let started = again(&many).expect(202).data()["runs"].as_array().unwrap().clone();
    let mut contacts: Vec<&str> = started.iter().map(|run| text(&run["contact_id"])).collect();
    contacts.dedup();
    assert_eq!(contacts.len(), 3);
    // Nobody to act on is told, and is no failure of the request.
    let nobody = business.segment("Nobody");
    business.patch(&many, json!({ "segment_id": nobody }));
    let empty = again(&many).expect(202);
    assert_eq!(empty.data()["runs"], json!([]));
    assert_eq!(empty.data()["trigger"]["last_error"], "segment_empty", "{}", empty.text);
    business.patch(&many, json!({ "segment_id": segment }));
    assert_eq!(again(&many).expect(202).data()["trigger"]["last_error"], Value::Null);
    // Firing on request leaves the trigger's own time as it is.
    assert_eq!(business.preview(&many)["next_fire_at"], "2040-01-01T00:00:00.000Z");
}

fn a_firing_on_request_is_refused_without_an_assistant_or_a_budget(business: Business) {
    let trigger = business.issues(json!({ "kind": "webhook" }))["trigger"].clone();
    let fire = || business.client.send("POST", &format!("/triggers/{}/run", id(&trigger)), None);
    let assistant = format!("/assistants/{}", business.assistant);
    business.client.patch(&assistant, json!({ "enabled": false })).expect(200);
    assert_eq!(fire().expect(422).error("unprocessable")["reason"], "assistant_disabled");
    business.client.patch(&assistant, json!({ "enabled": true })).expect(200);
    business.set_account(&["--ai-budget", "0"]);
    assert_eq!(fire().expect(422).error("unprocessable")["reason"], "ai_budget_exhausted");
    assert_eq!(business.trigger(&trigger)["last_fired_at"], Value::Null);
    business.client.send("POST", &format!("/triggers/{NOTHING}/run"), None).expect(404);
}

fn triggers_go_with_their_assistant_and_follow_a_merge(business: Business) {
    let client = &business.client;
    let (ann, bob) = (add(client, json!({ "name": "Ann" })), add(client, json!({ "name": "Bob" })));
    let about = |contact: &str| {
        let run_at = "2040-01-01T00:00:00Z";
        business.makes(
            json!({ "kind": "once", "run_at": run_at, "audience_type": "contact", "contact_id": contact }),
        )
    };
    let of_ann = about(&ann);
    client.post(&format!("/contacts/{bob}/merge"), json!({ "contact_id": ann })).expect(200);
    assert_eq!(business.trigger(&of_ann)["contact_id"], json!(bob));
    let daily = business.makes(json!({ "kind": "recurring", "period": "daily", "send_time": "09:00" }));
    client.delete(&format!("/assistants/{}", business.assistant)).expect(200);
    client.get(&format!("/triggers/{}", id(&daily))).expect(404);
    business.advance(2 * 24 * 60 * 60);
    assert_eq!(business.runs(&daily), [Value::Null; 0]);
}

fn a_trigger_whose_contact_or_segment_is_deleted_stays(business: Business) {
    let client = &business.client;
    let (ann, bob) = (add(client, json!({ "name": "Ann" })), add(client, json!({ "name": "Bob" })));
    let (trigger, due) = business.daily(json!({ "audience_type": "contact", "contact_id": ann }));
    client.delete(&format!("/contacts/{ann}")).expect(200);
    let kept = business.trigger(&trigger);
    has_fields(&kept, TRIGGER);
    assert_eq!(
        (&kept["last_error"], &kept["audience_type"], &kept["contact_id"], &kept["enabled"]),
        (&json!("contact_missing"), &json!("contact"), &Value::Null, &json!(true))
    );
    assert_eq!(business.preview(&trigger)["reason"], "contact_missing");
    advance_to(&business.app, due);
    assert_eq!(business.last_error(&trigger), "contact_missing");
    assert_eq!(business.runs(&trigger), [Value::Null; 0]);
    // It can be changed without a contact, but not made to lack one.
    assert_eq!(business.patch(&trigger, json!({ "name": "Orphan" }))["last_error"], "contact_missing");
    let other = business.patch(&trigger, json!({ "contact_id": bob }));
    assert_eq!((&other["contact_id"], &other["last_error"]), (&json!(bob), &Value::Null));
    let path = format!("/triggers/{}", id(&trigger));
    client.patch(&path, json!({ "contact_id": null })).expect(400).details_at(&["contact_id"]);
    assert_eq!(business.trigger(&trigger)["last_error"], Value::Null);
    // Likewise for a segment, whose id is kept.
    let (gone, other) = (business.segment("Gone"), business.segment("Other"));
    let (trigger, _) = business.daily(json!({ "audience_type": "segment", "segment_id": gone }));
    client.delete(&format!("/segments/{gone}")).expect(200);
    assert_eq!(business.last_error(&trigger), "segment_missing");
    assert_eq!(business.patch(&trigger, json!({ "segment_id": other }))["last_error"], Value::Null);
}
