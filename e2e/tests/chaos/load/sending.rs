//! Messages to customers, and a broadcast to many people.

use serde_json::json;

use super::Worker;
use crate::caller::{Caller, Request};
use crate::ledger::{Ledger, Message};
use crate::scene::{Scene, text};

pub(super) fn step(worker: &mut Worker<'_>) -> Result<(), String> {
    let words = worker.unique();
    let (conversation, _) = worker.caller.dice().one_of(&worker.scene.conversations).clone();
    let body = json!({ "type": "text", "to": { "conversation_id": conversation }, "text": words });
    let made = worker.caller.acknowledged(&Request::post("/api/v1/messages", &body).once(&words))?;
    let message = Message { id: text(&made.json["data"]["id"]), conversation, text: words };
    worker.ledger.entries().messages.push(message);
    Ok(())
}

/// One broadcast, which is under way for most of the time.
pub(super) fn broadcast(scene: &Scene<'_>, ledger: &Ledger, caller: &mut Caller<'_>) {
    let audience = json!({ "type": "phones", "phones": scene.recipients });
    let body = json!({ "name": "Hello", "template": { "name": "hello_world" }, "audience": audience });
    let asked = Request::post("/api/v1/broadcasts", &body).once("the-broadcast");
    if let Err(why) = caller.acknowledged(&asked) {
        ledger.entries().unacknowledged.push(why);
    }
}
