//! What a program asks for waits for a person, and is done once or not at all.

use frontdesk_e2e::{Engine, Given, at_once, on_every_engine};
use serde_json::{Value, json};

use crate::agent_scene::ASK;
use crate::app_scene::{self, Browser};
use crate::inbox_scene::{eventually, id};
use crate::mcp_scene::{Mcp, READS, content};
use crate::people::walk;
use crate::sales::{deal, first_pipeline};
use crate::shapes::{has_fields, text};

on_every_engine! {
    an_approved_message_is_sent_once,
    a_member_answers_in_the_dashboard,
    of_two_people_one_answers,
    a_declined_call_does_nothing,
    an_unanswered_call_expires,
    an_approval_that_cannot_be_carried_out_changes_nothing,
    an_approval_needs_the_scope_of_the_operation,
    a_call_of_a_revoked_key_is_not_carried_out,
    a_call_is_held_once,
    an_unattended_key_acts_at_once,
    a_program_asks_its_user,
    a_confirmation_is_for_its_own_call,
    a_fooled_model_changes_nothing,
    what_is_done_at_once_starts_sends_and_deletes_nothing,
    an_erased_contact_leaves_no_ask,
    an_approval_is_carried_out_once_when_the_server_is_killed,
    a_program_has_so_many_asks,
}

fn answer(ask: &str) -> String {
    format!("/asks/{ask}/answer")
}

fn approve() -> Value {
    json!({ "decision": "approve" })
}

fn an_approved_message_is_sent_once(mcp: Mcp) {
    let client = &mcp.desk.client;
    let ask = mcp.program.held("send", mcp.hello());
    let waiting = client.get(&format!("/asks/{ask}")).expect(200).data().clone();
    has_fields(&waiting, ASK);
    for (field, value) in [
        ("run_id", Value::Null),
        ("assistant_id", Value::Null),
        ("kind", json!("approval")),
        ("tool", json!("send_message")),
        ("status", json!("pending")),
    ] {
        assert_eq!(waiting[field], value, "{field}");
    }
    assert_eq!(waiting["arguments"], json!({ "conversation_id": mcp.ann(), "text": "Hello Ann." }));
    assert!(text(&waiting["prompt"]).contains("“Test”") && text(&waiting["prompt"]).contains("Hello Ann."));
    assert_eq!(mcp.desk.inbox.events("ask.created"), [json!({ "ask": waiting })]);
    assert_eq!(mcp.sent(), Vec::<String>::new());
    let keyed = client.with("idempotency-key", "approve-1");
    let approved = keyed.post(&answer(&ask), json!({ "decision": "approve", "note": "Fine." })).expect(200);
    assert_eq!(
        (&approved.data()["status"], &approved.data()["answer"]),
        (&json!("approved"), &json!("Fine."))
    );
    assert_eq!(approved.data()["answered_by"], mcp.desk.inbox.tenant.account.owner);
    // The same answer again is the same answer, and another one is too late.
    let again = keyed.post(&answer(&ask), json!({ "decision": "approve", "note": "Fine." })).expect(200);
    assert_eq!((again.header("idempotent-replayed"), again.data()), (Some("true"), approved.data()));
    client.post(&answer(&ask), approve()).expect(409).error("conflict");
    assert_eq!(mcp.sent(), ["Hello Ann."]);
    assert_eq!(mcp.desk.inbox.events("ask.answered"), [json!({ "ask": approved.data() })]);
    let outcome = mcp.program.uses("open", json!({ "kind": "ask", "id": ask }))["outcome"].clone();
    assert_eq!(
        (&outcome["status"], &outcome["result"]["conversation_id"]),
        (&json!("done"), &json!(mcp.ann()))
    );
    assert_eq!(walk(client, "/runs"), Vec::<Value>::new());
}

fn a_member_answers_in_the_dashboard(mcp: Mcp) {
    let (app, account) = (&mcp.desk.inbox.app, &mcp.desk.inbox.tenant.account);
    app_scene::member(app, account, "mia@example.com", "agent");
    let ada = app_scene::member(app, account, "ada@example.com", "admin");
    let (mia, admin) =
        (Browser::new(app).sign_in("mia@example.com"), Browser::new(app).sign_in("ada@example.com"));
    let run = json!({ "assistant_id": mcp.desk.assistant, "goal": "Do it." });
    assert!(mcp.program.is_refused("run_assistant", run.clone()).contains("assistant_disabled"));
    mcp.desk.set(json!({ "enabled": true, "targets": [] }));
    let ask = mcp.program.held("run_assistant", run);
    let path = format!("/v1{}", answer(&ask));
    // An agent may not start runs.
    assert_eq!(mia.post(&path, approve()).expect(403).error("forbidden")["reason"], "scope");
    let approved = admin.post(&path, approve()).expect(200);
    assert_eq!(approved.data()["answered_by"], ada);
    assert_eq!(walk(&mcp.desk.client, "/runs").len(), 1);
    let log = admin.get("/admin/audit-log").expect(200);
    let entries: Vec<(&str, &str)> = log
        .data()
        .as_array()
        .expect("a list")
        .iter()
        .filter(|entry| entry["subject"] == ask)
        .map(|entry| (text(&entry["action"]), text(&entry["user_id"])))
        .collect();
    assert_eq!(entries, [("ask.approved", ada.as_str()), ("ask.raised", account.owner.as_str())]);
}

fn of_two_people_one_answers(mcp: Mcp) {
    let (app, account) = (&mcp.desk.inbox.app, &mcp.desk.inbox.tenant.account);
    app_scene::member(app, account, "mia@example.com", "agent");
    app_scene::member(app, account, "ben@example.com", "agent");
    let people = ["mia@example.com", "ben@example.com"].map(|email| Browser::new(app).sign_in(email));
    for decisions in [["approve", "approve"], ["approve", "decline"]] {
        let before = mcp.sent().len();
        let ask = mcp.program.held("send", mcp.hello());
        let path = format!("/v1{}", answer(&ask));
        let statuses = at_once(2, |n| people[n].post(&path, json!({ "decision": decisions[n] })).status);
        let mut sorted = statuses.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [200, 409], "{statuses:?}");
        let won = decisions[statuses.iter().position(|status| *status == 200).expect("one won")];
        assert_eq!(mcp.sent().len() - before, usize::from(won == "approve"));
    }
}

fn a_declined_call_does_nothing(mcp: Mcp) {
    let ask = mcp.program.held("send", mcp.hello());
    let given = json!({ "decision": "decline", "note": "Not now." });
    assert_eq!(mcp.desk.client.post(&answer(&ask), given).expect(200).data()["status"], "declined");
    let outcome = mcp.program.uses("open", json!({ "kind": "ask", "id": ask }))["outcome"].clone();
    assert_eq!((&outcome["status"], &outcome["note"]["untrusted"]), (&json!("declined"), &json!("Not now.")));
    mcp.desk.client.post(&answer(&ask), approve()).expect(409);
    assert_eq!(mcp.sent(), Vec::<String>::new());
}

fn an_unanswered_call_expires(mcp: Mcp) {
    let ask = mcp.program.held("send", mcp.hello());
    mcp.desk.inbox.advance(72 * 3_600 + 1);
    assert_eq!(mcp.desk.client.get(&format!("/asks/{ask}")).expect(200).data()["status"], "expired");
    mcp.desk.client.post(&answer(&ask), approve()).expect(409);
    assert_eq!(mcp.program.uses("open", json!({ "kind": "ask", "id": ask }))["outcome"]["status"], "expired");
    assert_eq!(mcp.sent(), Vec::<String>::new());
}

fn an_approval_that_cannot_be_carried_out_changes_nothing(mcp: Mcp) {
    let ask = mcp.program.held("send", mcp.hello());
    // The customer has not written for a day, so a text cannot be sent any more.
    mcp.desk.inbox.advance(25 * 3_600);
    let refused = mcp.desk.client.post(&answer(&ask), approve()).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "outside_window");
    assert_eq!(mcp.desk.client.get(&format!("/asks/{ask}")).expect(200).data()["status"], "pending");
    mcp.desk.inbox.hears(crate::inbox_scene::ANN, "Are you there?");
    mcp.desk.client.post(&answer(&ask), approve()).expect(200);
    assert_eq!(mcp.sent(), ["Hello Ann."]);
}

fn an_approval_needs_the_scope_of_the_operation(mcp: Mcp) {
    let ask = mcp.program.held("send", mcp.hello());
    let app = &mcp.desk.inbox.app;
    let with = |scopes: &str| app.client(&mcp.key_with(&["--scopes", scopes]));
    let refused = with("asks:answer,contacts:write").post(&answer(&ask), approve()).expect(403);
    assert_eq!(refused.error("forbidden")["reason"], "scope");
    with("asks:answer,messages:send").post(&answer(&ask), approve()).expect(200);
    assert_eq!(mcp.sent(), ["Hello Ann."]);
}

fn a_call_of_a_revoked_key_is_not_carried_out(mcp: Mcp) {
    let key = mcp.key_with(&["--all-scopes"]);
    let program = crate::mcp_scene::Program::of(&mcp.desk.inbox.app.client(&key));
    let ask = program.held("send", mcp.hello());
    mcp.desk.inbox.app.cli(&["key", "revoke", &key.id, "--reason", "lost"]);
    let refused = mcp.desk.client.post(&answer(&ask), approve()).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "key_ended");
    mcp.desk.client.post(&answer(&ask), json!({ "decision": "decline" })).expect(200);
    // A key that has lost the scope meanwhile may not either.
    let key = mcp.key_with(&["--all-scopes"]);
    let program = crate::mcp_scene::Program::of(&mcp.desk.inbox.app.client(&key));
    let ask = program.held("send", mcp.hello());
    mcp.desk.inbox.app.cli(&["key", "edit", &key.id, "--scopes", "contacts:read"]);
    mcp.desk.client.post(&answer(&ask), approve()).expect(403);
    assert_eq!(mcp.sent(), Vec::<String>::new());
}

fn a_call_is_held_once(mcp: Mcp) {
    let program = &mcp.program;
    // A call that is alike and still waits is the same call, also when both are made at once.
    let asks = at_once(4, |_| program.held("send", mcp.hello()));
    assert!(asks.iter().all(|ask| *ask == asks[0]), "{asks:?}");
    assert_eq!(mcp.desk.pending().len(), 1);
    let mut named = mcp.hello();
    named["idempotency_key"] = json!("monday");
    let ask = program.held("send", named.clone());
    assert_ne!(ask, asks[0]);
    mcp.desk.client.post(&answer(&ask), approve()).expect(200);
    let again = program.uses("send", named.clone());
    assert_eq!((&again["status"], &again["ask_id"]), (&json!("done"), &json!(ask)));
    named["text"] = json!("Something else.");
    assert!(program.is_refused("send", named).contains("idempotency_key"));
    assert_eq!(mcp.sent(), ["Hello Ann."]);
}

fn an_unattended_key_acts_at_once(mcp: Mcp) {
    // The name of the option is the only way: not all scopes, and nothing over HTTP.
    let program = mcp.program_with(&["--all-scopes", "--unattended"]);
    let mut hello = mcp.hello();
    hello["idempotency_key"] = json!("monday");
    for _ in 0..2 {
        assert_eq!(program.uses("send", hello.clone())["status"], "done");
    }
    assert_eq!(mcp.sent(), ["Hello Ann."]);
    assert_eq!(mcp.desk.client.get("/asks").expect(200).data(), &json!([]));
    let (app, account) = (&mcp.desk.inbox.app, &mcp.desk.inbox.tenant.account);
    app_scene::member(app, account, "ada@example.com", "admin");
    let admin = Browser::new(app).sign_in("ada@example.com");
    let log = admin.get("/admin/audit-log").expect(200);
    let noted =
        log.data().as_array().expect("a list").iter().filter(|entry| entry["action"] == "call.unattended");
    assert_eq!(noted.count(), 1);
    let made = admin
        .post(
            "/admin/keys",
            json!({
                "name": "Mine", "scopes": ["messages:send"], "expires_in_days": 30, "unattended": true,
            }),
        )
        .expect(201);
    let of_dashboard = mcp.desk.client.with_key(text(&made.data()["secret"]));
    crate::mcp_scene::Program::of(&of_dashboard).held("send", mcp.hello());
    let listed = app.cli(&["key", "list", "--account", &account.id]);
    let unattended = listed.as_array().expect("a list").iter().filter(|key| key["unattended"] == true);
    assert_eq!(unattended.count(), 1);
}

fn a_program_asks_its_user(mcp: Mcp) {
    let program = mcp.program.asking_its_user();
    let question = program.call("send", mcp.hello());
    assert_eq!(question["resultType"], "input_required", "{question}");
    let asked = &question["inputRequests"]["approval"];
    assert_eq!(asked["method"], "elicitation/create");
    assert!(text(&asked["params"]["message"]).contains("Hello Ann."));
    assert_eq!(mcp.desk.pending().len(), 1);
    let state = &question["requestState"];
    let yes = json!({ "action": "accept", "content": { "approve": true } });
    for _ in 0..2 {
        let done = content(&program.confirms("send", &mcp.hello(), state, yes.clone()));
        assert_eq!(done["status"], "done", "{done}");
    }
    assert_eq!(mcp.sent(), ["Hello Ann."]);
    let ask = mcp.desk.client.get(&format!("/asks/{}", text(state))).expect(200).data().clone();
    assert_eq!(
        (&ask["status"], &ask["answered_by"]),
        (&json!("approved"), &json!(mcp.desk.inbox.tenant.account.owner))
    );
    // A user who declines, or does neither, has not approved.
    for no in [
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
        json!({ "action": "accept", "content": { "approve": false } }),
    ] {
        let question = program.call("send", mcp.hello());
        let done = content(&program.confirms("send", &mcp.hello(), &question["requestState"], no));
        assert_eq!(done["status"], "declined", "{done}");
    }
    // Answers to asks of assistants pass the same way.
    let run = crate::agent_scene::asking_run(&mcp.desk.client);
    let waiting = id(&run["pending_asks"][0]).to_owned();
    let given = json!({ "ask_id": waiting, "answer": "You may." });
    let question = program.call("answer_ask", given.clone());
    let done = content(&program.confirms("answer_ask", &given, &question["requestState"], yes));
    assert_eq!(done["result"]["status"], "answered");
    assert_eq!(mcp.sent(), ["Hello Ann."]);
}

fn a_confirmation_is_for_its_own_call(mcp: Mcp) {
    let program = mcp.program.asking_its_user();
    let yes = json!({ "action": "accept", "content": { "approve": true } });
    let question = program.call("send", mcp.hello());
    let state = &question["requestState"];
    let mut other = mcp.hello();
    other["text"] = json!("Pay me.");
    let refused = |result: Value| assert_eq!(result["isError"], true, "{result}");
    refused(program.confirms("send", &other, state, yes.clone()));
    refused(program.confirms("send", &mcp.hello(), &json!("nothing"), yes.clone()));
    refused(program.confirms(
        "answer_ask",
        &json!({ "ask_id": state, "decision": "approve" }),
        state,
        yes.clone(),
    ));
    let opt_out = json!({ "what": "opt_out", "id": mcp.contact() });
    refused(program.confirms("update", &opt_out, state, yes.clone()));
    // Another key of the account confirms nothing of this one.
    let another = mcp.program_with(&["--all-scopes"]).asking_its_user();
    refused(another.confirms("send", &mcp.hello(), state, yes.clone()));
    // A program that has not said that it can ask its user cannot have done so.
    let silent = mcp.program.confirms("send", &mcp.hello(), state, yes);
    assert_eq!(content(&silent)["status"], "waiting_for_approval");
    assert_eq!(mcp.sent(), Vec::<String>::new());
}

fn a_fooled_model_changes_nothing(mcp: Mcp) {
    let tempted = mcp.tempted();
    let (mut tools, mut held) = (mcp.program.tools(), 0);
    for (tool, arguments) in &tempted.calls {
        let result = mcp.program.call(tool, arguments.clone());
        tools.retain(|name| name != tool);
        if result["isError"] == true || READS.contains(tool) {
            continue;
        }
        held += 1;
        assert_eq!(content(&result)["status"], "waiting_for_approval", "{tool} {arguments}: {result}");
        // Asked again, and told that it was confirmed, it still waits.
        let lied = mcp.program.confirms(
            tool,
            arguments,
            &json!(tempted.ask),
            json!({ "action": "accept", "content": { "approve": true } }),
        );
        assert_eq!(content(&lied)["status"], "waiting_for_approval", "{tool} {arguments}: {lied}");
    }
    // A draft is a note for the team, and the only tool that is left. It reaches nobody.
    assert_eq!(tools, ["draft_reply"]);
    mcp.program.uses("draft_reply", json!({ "conversation_id": mcp.ann(), "text": "Your refund is here." }));
    assert!(held >= 14, "{held} were held");
    mcp.nothing_changed(&tempted);
    assert_eq!(mcp.desk.pending().len(), held + 1);
}

/// Every word that a tool takes for its `what`.
fn whats(mcp: &Mcp, tool: &str) -> Vec<String> {
    let listed = mcp.program.result("tools/list", json!({}))["tools"].clone();
    let found = listed.as_array().expect("a list").iter().find(|one| one["name"] == tool).expect("the tool");
    let words = found["inputSchema"]["properties"]["what"]["enum"].as_array().expect("words");
    words.iter().map(|word| text(word).to_owned()).collect()
}

fn what_is_done_at_once_starts_sends_and_deletes_nothing(mcp: Mcp) {
    const LISTS: [&str; 8] = [
        "/contacts",
        "/conversations",
        "/deals",
        "/inquiries",
        "/tags",
        "/custom-fields",
        "/triggers",
        "/pipelines",
    ];
    let (client, inbox) = (&mcp.desk.client, &mcp.desk.inbox);
    mcp.desk.set(json!({ "enabled": true, "targets": [] }));
    let path = deal(client, json!({ "contact_id": mcp.contact() }));
    let deal_id = path.rsplit('/').next().expect("an id");
    let calls = mcp.at_once(deal_id);
    // Whatever the tools can change is in this table or in that of what waits.
    let fooled = mcp.fooled(mcp.ann(), deal_id);
    for tool in ["update", "schedule"] {
        for what in whats(&mcp, tool) {
            let is_it = |(name, arguments): &&(&str, Value)| *name == tool && arguments["what"] == what;
            assert!(calls.iter().chain(&fooled).any(|call| is_it(&call)), "{tool} {what} is not tried");
        }
    }
    // A trigger is armed for every event that can start a run.
    let document = inbox.app.anonymous().vendors().get("/openapi.json").expect(200).json;
    let keys: Vec<String> = document["components"]["schemas"]["TriggerEvent"]["enum"]
        .as_array()
        .expect("words")
        .iter()
        .map(|key| text(key).to_owned())
        .collect();
    let trigger = |key: &String| {
        let body = json!({
            "assistant_id": mcp.desk.assistant, "name": key, "goal": "Write to them.", "kind": "event", "event_key": key,
            "enabled": true,
        });
        id(&client.post("/triggers", body).expect(201).data()["trigger"]).to_owned()
    };
    let triggers: Vec<(&String, String)> = keys.iter().map(|key| (key, trigger(key))).collect();
    inbox.settle();
    let rows =
        || LISTS.map(|list| walk(client, list).iter().map(|row| id(row).to_owned()).collect::<Vec<_>>());
    let (before, told) = (rows(), inbox.told().len());
    for (tool, arguments) in calls {
        assert_eq!(mcp.program.uses(tool, arguments.clone())["status"], "done", "{tool} {arguments}");
    }
    let changes = inbox.told().split_off(told);
    assert!(changes.len() >= 8, "{changes:?}");
    for change in &changes {
        let is_harmless =
            !keys.contains(change) && !change.ends_with(".deleted") && !change.starts_with("message.");
        assert!(is_harmless, "{change} in {changes:?}");
    }
    let gone = |(before, after): (&Vec<String>, &Vec<String>)| before.iter().any(|row| !after.contains(row));
    assert!(!before.iter().zip(&rows()).any(gone));
    assert_eq!((mcp.sent(), mcp.desk.pending()), (Vec::new(), Vec::new()));
    assert_eq!(walk(client, "/runs"), Vec::<Value>::new());
    // The triggers were armed: the same deal, moved with a person's approval, starts the one run.
    let stage = &first_pipeline(client).stages[1];
    let move_it = json!({ "what": "deal", "id": deal_id, "fields": { "stage_id": stage } });
    let ask = mcp.program.held("update", move_it);
    inbox.settle();
    assert_eq!(walk(client, "/runs"), Vec::<Value>::new());
    client.post(&answer(&ask), approve()).expect(200);
    let runs =
        eventually("the run of a trigger", || Some(walk(client, "/runs")).filter(|runs| !runs.is_empty()));
    let moved = triggers.iter().find(|(key, _)| *key == "deal.stage_changed").expect("a trigger");
    assert_eq!((runs.len(), &runs[0]["trigger_id"]), (1, &json!(moved.1)));
    assert_eq!(runs[0]["contact_id"], mcp.contact());
}

fn an_erased_contact_leaves_no_ask(mcp: Mcp) {
    let ask = mcp.program.held("send", mcp.hello());
    mcp.desk.client.delete(&format!("/contacts/{}", mcp.contact())).expect(200);
    let left = mcp.desk.client.get(&format!("/asks/{ask}")).expect(200).data().clone();
    assert_eq!(
        (&left["status"], &left["prompt"], &left["arguments"]),
        (&json!("cancelled"), &json!(""), &Value::Null)
    );
    mcp.desk.client.post(&answer(&ask), approve()).expect(409);
}

fn an_approval_is_carried_out_once_when_the_server_is_killed(engine: Engine) {
    let mcp = Mcp::given(engine);
    let app = &mcp.desk.inbox.app;
    // The server is killed while people approve: each ask is pending with nothing sent, or approved with its message sent.
    let asks: Vec<String> = (0..12)
        .map(|n| {
            mcp.program.held("send", json!({ "conversation_id": mcp.ann(), "text": format!("Message {n}.") }))
        })
        .collect();
    std::thread::scope(|scope| {
        for ask in &asks {
            let client = mcp.desk.client.clone();
            scope.spawn(move || {
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    client.post(&answer(ask), approve()).status
                }))
            });
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        app.kill();
    });
    app.restart();
    for (n, ask) in asks.iter().enumerate() {
        let status = mcp.desk.client.get(&format!("/asks/{ask}")).expect(200).data()["status"].clone();
        let stored =
            mcp.desk.said(&mcp.ann).iter().filter(|words| **words == format!("Message {n}.")).count();
        assert_eq!(stored, usize::from(status == "approved"), "{status}");
        if status == "pending" {
            mcp.desk.client.post(&answer(ask), approve()).expect(200);
        }
    }
    assert_eq!(mcp.sent().len(), asks.len());
}

fn a_program_has_so_many_asks(mcp: Mcp) {
    let message = |n: usize| json!({ "conversation_id": mcp.ann(), "text": format!("Message {n}.") });
    for n in 0..100 {
        mcp.program.held("send", message(n));
    }
    assert!(mcp.program.is_refused("send", message(100)).contains("100"));
    // Another key has its own.
    mcp.program_with(&["--all-scopes"]).held("send", message(100));
}
