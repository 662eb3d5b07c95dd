//! Data that is deleted after a while.

use frontdesk_e2e::{App, Engine, on_every_engine};
use serde_json::json;

use crate::agent_scene::new_assistant;
use crate::inbox_scene::eventually;
use crate::people::{add, tag};
use crate::triggers_scene::{advance, tenant};

on_every_engine! {
    old_runs_are_deleted_and_the_reports_of_their_cost_stay,
    old_bulk_jobs_are_deleted,
}

const DAY: i64 = 86_400;

fn old_runs_are_deleted_and_the_reports_of_their_cost_stay(engine: Engine) {
    let app = App::start(engine).movable_clock().env("FRONTDESK_RUN_DAYS", "10").ready();
    let client = tenant(&app, "UTC").client;
    let assistant = new_assistant(&client, json!({}));
    let start = |goal: &str| {
        client.post("/runs", json!({ "assistant_id": assistant, "goal": goal })).expect(202).id()
    };
    let becomes = |run: &str, status: &str| {
        eventually("a run's status", || {
            (client.get(&format!("/runs/{run}")).expect(200).data()["status"] == status).then_some(())
        });
    };
    let (old, waiting) = (start("Say hello."), start("call ask_human {\"question\": \"May I?\"}"));
    becomes(&old, "succeeded");
    becomes(&waiting, "waiting");
    let usage = client.get("/ai/usage").expect(200).data().clone();
    let (from, to) = (usage["from"].as_str().unwrap(), usage["to"].as_str().unwrap());
    assert!(usage["calls"].as_i64() >= Some(2), "{usage}");
    advance(&app, 9 * DAY);
    client.get(&format!("/runs/{old}")).expect(200);
    // The question expires, so the second run goes on now and ends.
    advance(&app, 2 * DAY);
    client.get(&format!("/runs/{old}")).expect(404);
    client.get(&format!("/runs/{old}/events")).expect(404);
    client.get(&format!("/runs/{waiting}")).expect(200);
    let later = client.get(&format!("/ai/usage?from={from}&to={to}")).expect(200).data().clone();
    assert_eq!(later["spent_usd"], usage["spent_usd"]);
    assert_eq!((&later["by_day"], &later["by_model"]), (&usage["by_day"], &usage["by_model"]));
    assert_eq!(later["by_assistant"], usage["by_assistant"]);
}

fn old_bulk_jobs_are_deleted(engine: Engine) {
    let app = App::start(engine).movable_clock().ready();
    let client = tenant(&app, "UTC").client;
    let (ann, vip) = (add(&client, json!({ "name": "Ann" })), tag(&client, "vip"));
    let body = json!({ "ids": [ann], "add_tag_ids": [vip] });
    let job = client.post("/contacts/bulk", body).expect(202).id();
    let path = format!("/contacts/bulk/{job}");
    advance(&app, 29 * DAY);
    assert_eq!(client.get(&path).expect(200).data()["status"], "done");
    advance(&app, 2 * DAY);
    client.get(&path).expect(404);
}
