//! Asks: approvals and questions.

use frontdesk_e2e::{at_once, on_every_engine};
use serde_json::{Value, json};

use crate::agent_scene::{ASK, Desk, calls, says};
use crate::app_scene::{self, Browser};
use crate::inbox_scene::id;
use crate::people::walk;
use crate::sales::deal;
use crate::shapes::{NOTHING, has_fields, text};

on_every_engine! {
    a_critical_tool_waits_for_an_approval,
    a_declined_tool_is_not_used,
    an_approval_needs_the_scope_of_the_tool,
    a_member_approves_only_what_the_role_allows,
    a_question_is_answered,
    an_answer_must_fit_its_ask,
    of_two_answers_at_once_one_wins,
    an_unanswered_ask_expires,
    an_ask_of_a_sub_run_is_found_at_the_root,
}

/// A run that waits to delete a deal: the run, its ask, and the deal's path.
#[track_caller]
fn deleting(desk: &Desk) -> (Value, Value, String) {
    desk.set(json!({ "tool_access": { "delete_deal": true } }));
    let path = deal(&desk.client, json!({}));
    let deal_id = path.rsplit('/').next().expect("an id");
    desk.script(json!([calls(&[("delete_deal", json!({ "deal_id": deal_id }))]), says("So it is.")]));
    let run = desk.becomes(&desk.starts(json!({})), "waiting");
    let ask = run["pending_asks"][0].clone();
    (run, ask, path)
}

fn a_critical_tool_waits_for_an_approval(desk: Desk) {
    let (run, ask, path) = deleting(&desk);
    has_fields(&ask, ASK);
    for (field, value) in [
        ("run_id", run["id"].clone()),
        ("kind", json!("approval")),
        ("tool", json!("delete_deal")),
        ("status", json!("pending")),
        ("answer", Value::Null),
    ] {
        assert_eq!(ask[field], value, "{field}");
    }
    assert_eq!(desk.client.get(&format!("/asks/{}", id(&ask))).expect(200).data(), &ask);
    assert_eq!(desk.inbox.events("ask.created"), [json!({ "ask": ask })]);
    desk.client.get(&path).expect(200);
    let answered = desk.responses(&ask, json!({ "decision": "approve", "note": "Fine." })).expect(200);
    assert_eq!(
        (&answered.data()["status"], &answered.data()["answer"]),
        (&json!("approved"), &json!("Fine."))
    );
    desk.becomes(&run, "succeeded");
    desk.client.get(&path).expect(404);
    assert_eq!(desk.inbox.events("ask.answered"), [json!({ "ask": answered.data() })]);
    let kinds = desk.kinds(&run);
    let at =
        |kind: &str| kinds.iter().position(|one| one == kind).unwrap_or_else(|| panic!("{kind}: {kinds:?}"));
    assert!(at("ask_raised") < at("ask_answered") && at("ask_answered") < at("tool_called"));
}

fn a_declined_tool_is_not_used(desk: Desk) {
    let (run, ask, path) = deleting(&desk);
    desk.responses(&ask, json!({ "decision": "decline", "note": "Keep it." })).expect(200);
    let run = desk.becomes(&run, "succeeded");
    desk.client.get(&path).expect(200);
    assert!(text(&desk.returned(&run, "delete_deal")["content"]).contains("Keep it."));
    assert!(!desk.kinds(&run).contains(&"tool_called".to_owned()));
}

fn an_approval_needs_the_scope_of_the_tool(desk: Desk) {
    let (run, ask, path) = deleting(&desk);
    let inbox = &desk.inbox;
    let with =
        |scopes: &str| inbox.app.client(&inbox.app.key_with(&inbox.tenant.account, &["--scopes", scopes]));
    let answer = format!("/asks/{}/answer", id(&ask));
    for scopes in ["asks:answer", "asks:answer,deals:read,contacts:write"] {
        let refused = with(scopes).post(&answer, json!({ "decision": "approve" })).expect(403);
        assert_eq!(refused.error("forbidden")["reason"], "scope");
    }
    assert_eq!(desk.run(id(&run))["status"], "waiting");
    with("asks:answer,deals:write").post(&answer, json!({ "decision": "approve" })).expect(200);
    desk.becomes(&run, "succeeded");
    desk.client.get(&path).expect(404);
    // Whoever may answer may decline.
    let (run, ask, path) = deleting(&desk);
    let declined = json!({ "decision": "decline" });
    with("asks:answer").post(&format!("/asks/{}/answer", id(&ask)), declined).expect(200);
    desk.becomes(&run, "succeeded");
    desk.client.get(&path).expect(200);
}

fn a_member_approves_only_what_the_role_allows(desk: Desk) {
    let inbox = &desk.inbox;
    app_scene::member(&inbox.app, &inbox.tenant.account, "mia@example.com", "agent");
    app_scene::member(&inbox.app, &inbox.tenant.account, "ada@example.com", "admin");
    let (agent, admin) = (
        Browser::new(&inbox.app).sign_in("mia@example.com"),
        Browser::new(&inbox.app).sign_in("ada@example.com"),
    );
    // An agent may delete deals, and may not send broadcasts.
    let (run, ask, _) = deleting(&desk);
    agent.post(&format!("/v1/asks/{}/answer", id(&ask)), json!({ "decision": "approve" })).expect(200);
    desk.becomes(&run, "succeeded");
    desk.set(json!({ "tool_access": { "start_broadcast": true } }));
    let broadcast = json!({ "name": "News", "template": "hello_world", "segment_id": NOTHING });
    desk.script(json!([calls(&[("start_broadcast", broadcast)]), says("Done.")]));
    let run = desk.becomes(&desk.starts(json!({})), "waiting");
    let answer = format!("/v1/asks/{}/answer", id(&run["pending_asks"][0]));
    let refused = agent.post(&answer, json!({ "decision": "approve" })).expect(403);
    assert_eq!(refused.error("forbidden")["reason"], "scope");
    admin.post(&answer, json!({ "decision": "approve" })).expect(200);
    desk.becomes(&run, "succeeded");
}

fn a_question_is_answered(desk: Desk) {
    desk.script(json!([calls(&[("ask_human", json!({ "question": "Which colour?" }))]), says("Green.")]));
    let run = desk.becomes(&desk.starts(json!({})), "waiting");
    let ask = desk.pending()[0].clone();
    assert_eq!(
        (&ask["kind"], &ask["prompt"], &ask["tool"]),
        (&json!("question"), &json!("Which colour?"), &Value::Null)
    );
    desk.responses(&ask, json!({ "answer": "Green" })).expect(200);
    let run = desk.becomes(&run, "succeeded");
    assert!(text(&desk.returned(&run, "ask_human")["content"]).contains("Green"));
    desk.responses(&ask, json!({ "answer": "Red" })).expect(409).error("conflict");
}

fn an_answer_must_fit_its_ask(desk: Desk) {
    let (_, ask, _) = deleting(&desk);
    desk.responses(&ask, json!({})).expect(400).details_at(&[""]);
    desk.responses(&ask, json!({ "decision": "maybe" })).expect(400).details_at(&["decision"]);
    desk.responses(&ask, json!({ "answer": "Yes" })).expect(400).details_at(&["decision"]);
    desk.responses(&ask, json!({ "decision": "approve", "answer": "Yes" }))
        .expect(400)
        .details_at(&["answer"]);
    assert_eq!(desk.pending().len(), 1);
}

fn of_two_answers_at_once_one_wins(desk: Desk) {
    let (run, ask, path) = deleting(&desk);
    let decisions = ["approve", "decline", "approve", "decline"];
    let (client, response) = (&desk.client, format!("/asks/{}/answer", id(&ask)));
    let statuses =
        at_once(decisions.len(), |n| client.post(&response, json!({ "decision": decisions[n] })).status);
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 3, "{statuses:?}");
    desk.becomes(&run, "succeeded");
    let won = decisions[statuses.iter().position(|status| *status == 200).expect("one won")];
    assert_eq!(desk.client.get(&path).status == 404, won == "approve");
}

fn an_unanswered_ask_expires(desk: Desk) {
    let (run, ask, path) = deleting(&desk);
    desk.inbox.advance(71 * 3_600);
    assert_eq!(desk.run(id(&run))["status"], "waiting");
    desk.inbox.advance(3_601);
    let run = desk.becomes(&run, "failed");
    assert!(text(&run["error"]).contains("72 hours"), "{run}");
    assert_eq!(desk.client.get(&format!("/asks/{}", id(&ask))).expect(200).data()["status"], "expired");
    desk.client.get(&path).expect(200);
}

fn an_ask_of_a_sub_run_is_found_at_the_root(desk: Desk) {
    desk.set(json!({ "delegation": { "enabled": true } }));
    desk.script(json!([
        { "tool_calls": [{ "name": "delegate", "arguments": { "goal": "Ask them." } }], "match": "Do it." },
        { "tool_calls": [{ "name": "ask_human", "arguments": { "question": "Well?" } }], "match": "Ask them." },
        { "text": "They said yes.", "match": "Ask them." },
        { "text": "Yes.", "match": "Do it." },
    ]));
    let root = desk.starts(json!({}));
    let ask = crate::inbox_scene::eventually("an ask", || desk.pending().into_iter().next());
    assert_eq!(ask["run_id"], root["id"]);
    assert_eq!(desk.run(id(&root))["pending_asks"], json!([ask]));
    assert_eq!(walk(&desk.client, &format!("/asks?run_id={}", id(&root))), std::slice::from_ref(&ask));
    desk.responses(&ask, json!({ "answer": "Yes" })).expect(200);
    assert_eq!(desk.becomes(&root, "succeeded")["result"], "Yes.");
}
