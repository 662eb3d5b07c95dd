//! Runs of an assistant, and triggers that start some.

use frontdesk_e2e::Response;
use serde_json::json;

use super::Worker;
use crate::caller::Request;
use crate::ledger::Run;
use crate::outside::REMEMBER;
use crate::scene::text;

/// A run that uses a tool once.
pub(super) fn start(worker: &mut Worker<'_>) -> Result<(), String> {
    let fact = worker.unique();
    let body = json!({ "assistant_id": worker.scene.assistant, "goal": format!("{REMEMBER}{fact}") });
    let made = worker.caller.acknowledged(&Request::post("/api/v1/runs", &body).once(&fact))?;
    worker.ledger.entries().runs.push(Run { id: text(&made.json["data"]["id"]), fact });
    Ok(())
}

/// A trigger that fires soon, or a call of another system.
pub(super) fn trigger(worker: &mut Worker<'_>) -> Result<(), String> {
    let name = worker.unique();
    if worker.caller.dice().percent(50) {
        let called = Request::post(&worker.scene.hook.0, &json!({ "order": name })).once(&name);
        let called = worker.caller.acknowledged(&called)?;
        worker.ledger.entries().hook_runs.push(text(&called.json["data"]["run_id"]));
        return Ok(());
    }
    let due = due_in(2 + worker.caller.dice().below(10));
    let body = json!({ "assistant_id": worker.scene.assistant, "name": name, "goal": "Say hello.", "kind": "once",
        "run_at": due, "enabled": true });
    let made: Response = worker.caller.acknowledged(&Request::post("/api/v1/triggers", &body).once(&name))?;
    worker.ledger.entries().once_triggers.push(text(&made.json["data"]["trigger"]["id"]));
    Ok(())
}

/// A moment in so many seconds, as the API writes it.
fn due_in(seconds: u64) -> String {
    #[expect(clippy::disallowed_methods, reason = "a trigger is due by the real clock")]
    let now = jiff::Timestamp::now();
    let millis = now.as_millisecond() + (seconds * 1_000) as i64;
    jiff::Timestamp::from_millisecond(millis).expect("a moment").to_string()
}
