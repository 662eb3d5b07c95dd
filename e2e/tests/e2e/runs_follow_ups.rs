//! Follow-ups: their limits, and that none acts in a conversation that a person has taken over.

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::agent_scene::{Desk, calls, says};
use crate::app_scene::{self, Browser};
use crate::inbox_scene::{ANN, id, reply};
use crate::people::walk;
use crate::shapes::text;
use crate::triggers_scene::written;

on_every_engine! {
    a_model_that_always_schedules_follow_ups_is_stopped,
    follow_ups_without_a_contact_are_limited_too,
    a_handover_cancels_follow_ups,
    a_members_message_cancels_follow_ups,
    an_assistant_that_hands_off_cancels_its_follow_ups,
    a_run_writes_only_into_a_conversation_that_its_assistant_handles,
}

const HOUR_MILLIS: i64 = 3_600_000;
const PENDING_MAX: usize = 20;
const DEPTH_MAX: usize = 5;
/// Rounds after which nothing may be left.
const ROUNDS_MAX: usize = 8;

/// A turn that schedules this many follow-ups, in an hour.
fn schedules(desk: &Desk, many: usize) -> Value {
    let at = written(desk.inbox.advance(0) + HOUR_MILLIS);
    let one = ("schedule_follow_up", json!({ "run_at": at, "goal": "Write to the customer again." }));
    calls(&vec![one; many])
}

fn queued(desk: &Desk) -> Vec<Value> {
    walk(&desk.client, "/runs?status=queued")
}

/// Lets a model schedule more than it may in its first run, and two follow-ups in every later one, until nothing is left.
/// Returns all runs, newest first.
fn exhausts(desk: &Desk, begin: impl FnOnce()) -> Vec<Value> {
    desk.script(json!([schedules(desk, 12), schedules(desk, 12), says("And again.")]));
    begin();
    desk.inbox.settle();
    assert_eq!(queued(desk).len(), PENDING_MAX);
    for _ in 0..ROUNDS_MAX {
        if queued(desk).is_empty() {
            break;
        }
        let turns = json!({ "turns": [schedules(desk, 2), says("And again.")], "repeat": true });
        desk.inbox.sandbox().put("/sandbox/model", turns).expect(200);
        desk.inbox.advance(2 * 3_600);
        assert!(queued(desk).len() <= PENDING_MAX);
    }
    assert_eq!(queued(desk), [Value::Null; 0], "every chain has an end");
    walk(&desk.client, "/runs")
}

fn a_model_that_always_schedules_follow_ups_is_stopped(desk: Desk) {
    let runs = exhausts(&desk, || drop(desk.hears(ANN, "Remind me.")));
    assert!(runs.len() <= 1 + PENDING_MAX * DEPTH_MAX, "{} runs", runs.len());
    // The model is told that the limit is reached.
    let first = runs.last().expect("a run");
    let told: Vec<Value> =
        desk.steps(first).into_iter().filter(|step| step["type"] == "tool_returned").collect();
    let refused: Vec<&Value> = told.iter().filter(|step| step["data"]["is_error"] == true).collect();
    assert_eq!(told.len() - refused.len(), PENDING_MAX);
    assert!(text(&refused[0]["data"]["content"]).contains("20 follow-ups"), "{refused:?}");
}

fn follow_ups_without_a_contact_are_limited_too(desk: Desk) {
    let runs = exhausts(&desk, || drop(desk.becomes(&desk.starts(json!({})), "succeeded")));
    assert!(runs.len() <= 1 + PENDING_MAX * DEPTH_MAX, "{} runs", runs.len());
}

/// A conversation in which the assistant has scheduled a follow-up that would write: the conversation and the follow-up.
fn followed_up(desk: &Desk) -> (Value, Value) {
    desk.script(json!([
        schedules(desk, 1),
        says("Until later."),
        calls(&[("send_message", json!({ "text": "Hello again." }))]),
        says("Done."),
    ]));
    let conversation = desk.hears(ANN, "Remind me.");
    desk.becomes(&desk.runs_of(&conversation)[0], "succeeded");
    let waiting = queued(desk);
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    assert_eq!(waiting[0]["conversation_id"], conversation["id"]);
    (conversation, waiting[0].clone())
}

/// Checks that a follow-up was cancelled, and writes nothing when its time comes.
fn is_over(desk: &Desk, conversation: &Value, follow_up: &Value, said: &[&str]) {
    desk.becomes(follow_up, "cancelled");
    desk.inbox.advance(2 * 3_600);
    assert_eq!(desk.said(conversation), said);
}

fn a_handover_cancels_follow_ups(desk: Desk) {
    let (conversation, follow_up) = followed_up(&desk);
    let path = format!("/conversations/{}/handover", id(&conversation));
    desk.client.post(&path, json!({ "to": "human" })).expect(200);
    is_over(&desk, &conversation, &follow_up, &["Until later."]);
}

fn a_members_message_cancels_follow_ups(desk: Desk) {
    let (conversation, follow_up) = followed_up(&desk);
    let inbox = &desk.inbox;
    app_scene::member(&inbox.app, &inbox.tenant.account, "mia@example.com", "agent");
    let mia = Browser::new(&inbox.app).sign_in("mia@example.com");
    mia.post("/v1/messages", reply(id(&conversation), "I take over.")).expect(201);
    is_over(&desk, &conversation, &follow_up, &["Until later.", "I take over."]);
}

fn an_assistant_that_hands_off_cancels_its_follow_ups(desk: Desk) {
    let (conversation, follow_up) = followed_up(&desk);
    desk.script(json!([calls(&[("hand_off", json!({}))]), says("Handed off.")]));
    desk.hears(ANN, "A person, please.");
    is_over(&desk, &conversation, &follow_up, &["Until later."]);
}

fn a_run_writes_only_into_a_conversation_that_its_assistant_handles(desk: Desk) {
    desk.set(json!({ "targets": [] }));
    let conversation = desk.hears(ANN, "Hello?");
    assert_eq!(conversation["handler"], "human");
    let writes = || {
        desk.script(json!([
            calls(&[("send_message", json!({ "text": "Hello." }))]),
            schedules(&desk, 1),
            calls(&[("hand_off", json!({ "message": "Somebody comes." }))]),
            says("Done."),
        ]));
        desk.becomes(&desk.starts(json!({ "conversation_id": conversation["id"] })), "succeeded")
    };
    let run = writes();
    for tool in ["send_message", "schedule_follow_up", "hand_off"] {
        let returned = desk.returned(&run, tool);
        assert_eq!(returned["is_error"], true, "{tool}");
        assert!(text(&returned["content"]).contains("does not handle the conversation"), "{returned}");
    }
    assert_eq!(desk.said(&conversation), [""; 0]);
    assert_eq!(queued(&desk), [Value::Null; 0]);
    // The assistant may write once it has the conversation.
    let path = format!("/conversations/{}/handover", id(&conversation));
    desk.script(json!([says("Welcome.")]));
    desk.client.post(&path, json!({ "to": "assistant", "assistant_id": desk.assistant })).expect(200);
    desk.inbox.settle();
    desk.becomes(desk.runs_of(&conversation).last().expect("a run"), "succeeded");
    let run = writes();
    assert_eq!(desk.returned(&run, "send_message")["is_error"], false);
    assert_eq!(desk.said(&conversation), ["Welcome.", "Hello.", "Somebody comes."]);
    assert_eq!(queued(&desk), [Value::Null; 0], "the hand-off cancelled the follow-up");
}
