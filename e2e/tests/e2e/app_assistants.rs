//! What the dashboard's pages of assistants, runs and spend ask for: a trial of an unsaved assistant, its versions, numbers of
//! runs and the dearest ones.

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::agent_scene::{ASSISTANT, Desk, calls, new_assistant, says};
use crate::app_scene::{Browser, signed_in, stranger};
use crate::inbox_scene::{eventually, id};
use crate::people::{add, walk};
use crate::shapes::{NOTHING, has_fields, text};

on_every_engine! {
    a_trial_answers_with_the_unsaved_assistant_and_stores_nothing_but_its_cost,
    a_trial_reads_and_only_simulates_what_would_change_something,
    a_trial_that_hands_off_has_no_reply,
    a_trial_comes_to_an_end,
    a_trial_stays_within_the_budget,
    a_trial_that_the_model_fails_says_why,
    wrong_trials_are_refused,
    every_change_of_an_assistant_is_a_version,
    a_version_is_restored_without_what_is_gone,
    the_oldest_versions_are_deleted,
    versions_belong_to_their_assistant_and_account,
    runs_are_counted_while_they_are_not_over,
    the_dearest_runs_come_first,
    a_run_tells_its_prompt_and_how_long_the_model_took,
}

fn admin(desk: &Desk) -> Browser {
    signed_in(&desk.inbox.app, &desk.inbox.tenant.account, "admin@example.com", "admin")
}

fn agent(desk: &Desk) -> Browser {
    signed_in(&desk.inbox.app, &desk.inbox.tenant.account, "agent@example.com", "agent")
}

fn path(desk: &Desk) -> String {
    format!("/assistants/{}/trial", desk.assistant)
}

fn asks(words: &str) -> Value {
    json!({ "draft": {}, "messages": [{ "from": "customer", "text": words }] })
}

#[track_caller]
fn tried(desk: &Desk, browser: &Browser, request: Value) -> Value {
    let replied = browser.post(&path(desk), request).expect(200);
    has_fields(replied.data(), "reply error steps cost_usd tokens_in tokens_out");
    replied.data().clone()
}

/// The tool calls of a trial.
fn tools(reply: &Value) -> Vec<&Value> {
    let steps = reply["steps"].as_array().expect("a list");
    steps.iter().filter(|step| step["type"] == "tool_called").map(|step| &step["data"]).collect()
}

fn a_trial_answers_with_the_unsaved_assistant_and_stores_nothing_but_its_cost(desk: Desk) {
    let browser = admin(&desk);
    let refunds = desk.client.post("/instructions", json!({ "title": "Refunds", "body": "Within 30 days." }));
    let refunds = refunds.expect(201).id();
    let spent = || desk.client.get("/ai/usage").expect(200).data()["calls"].as_i64();
    let before = (desk.client.get(&format!("/assistants/{}", desk.assistant)).expect(200), spent());
    desk.script(json!([says("Yes, it is.")]));
    let request = json!({
        "draft": { "name": "Kim", "system_prompt": "You sell oak tables." },
        "instruction_ids": [refunds],
        "messages": [
            { "from": "customer", "text": "Hello" },
            { "from": "assistant", "text": "Hi there." },
            { "from": "customer", "text": "Is the table there?" },
        ],
    });
    let reply = tried(&desk, &browser, request);
    assert_eq!((&reply["reply"], &reply["error"]), (&json!("Yes, it is."), &Value::Null));
    let steps = reply["steps"].as_array().expect("a list");
    assert_eq!(steps.len(), 1);
    has_fields(&steps[0], "type data duration_ms");
    assert_eq!(
        (&steps[0]["type"], &steps[0]["data"]["cost_usd"]),
        (&json!("model_called"), &reply["cost_usd"])
    );
    assert!(reply["tokens_in"].as_i64() > Some(0), "{reply}");
    let called = desk.inbox.sandbox().get("/sandbox/model/calls").expect(200).text;
    for words in
        ["You are Kim", "You sell oak tables.", "Within 30 days.", "Hi there.", "Is the table there?"]
    {
        assert!(called.contains(words), "{words} is not in {called}");
    }
    let after = (desk.client.get(&format!("/assistants/{}", desk.assistant)).expect(200), spent());
    assert_eq!(before.0.data(), after.0.data());
    assert_eq!(after.1, before.1.map(|calls| calls + 1));
    for list in ["/runs", "/conversations", "/memories", "/asks"] {
        assert_eq!(walk(&desk.client, list), Vec::<Value>::new(), "{list}");
    }
}

fn a_trial_reads_and_only_simulates_what_would_change_something(desk: Desk) {
    let browser = admin(&desk);
    let ann = add(&desk.client, json!({ "name": "Ann Weber", "phone": "+14155550101" }));
    desk.client.post("/tags", json!({ "name": "VIP" })).expect(201);
    desk.script(json!([
        calls(&[
            ("search_contacts", json!({ "q": "Weber" })),
            ("get_contact", json!({})),
            ("add_tag", json!({ "tag": "VIP" })),
            ("update_contact", json!({ "contact_id": ann, "name": "Anna" })),
            ("ask_human", json!({ "question": "May I?" })),
            ("fly", json!({})),
        ]),
        says("Done."),
    ]));
    let mut request = asks("Tag me.");
    request["draft"] = json!({
        "tool_access": { "search_contacts": true, "add_tag": true, "update_contact": true, "ask_human": true },
        "gated_tools": ["update_contact"],
    });
    let reply = tried(&desk, &browser, request);
    assert_eq!(reply["reply"], "Done.");
    let used = tools(&reply);
    let marks: Vec<(&str, bool, bool, bool)> = used
        .iter()
        .map(|call| {
            has_fields(call, "tool arguments content is_error simulated gated");
            (text(&call["tool"]), call["simulated"] == true, call["gated"] == true, call["is_error"] == true)
        })
        .collect();
    assert_eq!(
        marks,
        [
            ("search_contacts", false, false, false),
            // Nobody is there whom it could be about.
            ("get_contact", false, false, true),
            ("add_tag", true, false, false),
            ("update_contact", true, true, false),
            ("ask_human", true, false, false),
            ("fly", false, false, true),
        ]
    );
    assert!(text(&used[0]["content"]).contains("Ann Weber"), "{reply}");
    assert_eq!(used[2]["arguments"], json!({ "tag": "VIP" }));
    let contact = desk.client.get(&format!("/contacts/{ann}")).expect(200);
    assert_eq!((&contact.data()["name"], &contact.data()["tags"]), (&json!("Ann Weber"), &json!([])));
    assert_eq!(desk.pending(), Vec::<Value>::new());
}

fn a_trial_that_hands_off_has_no_reply(desk: Desk) {
    let browser = admin(&desk);
    desk.script(json!([
        calls(&[("hand_off", json!({ "message": "A person will answer." }))]),
        says("Not sent.")
    ]));
    let reply = tried(&desk, &browser, asks("A person, please."));
    assert_eq!((&reply["reply"], &reply["error"]), (&Value::Null, &Value::Null));
    assert_eq!(tools(&reply).len(), 1);
}

fn a_trial_comes_to_an_end(desk: Desk) {
    let browser = admin(&desk);
    let turn = calls(&[("list_templates", json!({}))]);
    desk.inbox.sandbox().put("/sandbox/model", json!({ "turns": [turn], "repeat": true })).expect(200);
    let reply = tried(&desk, &browser, asks("Go on and on."));
    assert_eq!(reply["reply"], Value::Null);
    assert!(text(&reply["error"]).contains("8 times"), "{reply}");
    let steps = reply["steps"].as_array().expect("a list");
    assert_eq!(steps.iter().filter(|step| step["type"] == "model_called").count(), 8);
}

fn a_trial_stays_within_the_budget(desk: Desk) {
    let browser = admin(&desk);
    let account = &desk.inbox.tenant.account.id;
    desk.inbox.app.cli(&["account", "set", account, "--ai-budget", "0"]);
    let refused = browser.post(&path(&desk), asks("Hello")).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "ai_budget_exhausted");
    desk.inbox.app.cli(&["account", "set", account, "--ai-budget", "none", "--models", "gpt-5"]);
    let mut request = asks("Hello");
    request["draft"] = json!({ "model": "another" });
    let refused = browser.post(&path(&desk), request).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "over_operator_limit");
}

fn a_trial_that_the_model_fails_says_why(desk: Desk) {
    let browser = admin(&desk);
    desk.inbox.faults(json!([{ "on": "model", "kind": "status", "status": 400, "times": 1 }]));
    let failed = browser.post(&path(&desk), asks("Hello")).expect(503);
    assert_eq!(failed.error("internal")["reason"], "model_failed");
    assert!(text(&failed.error("internal")["message"]).contains("400"), "{}", failed.text);
    // What was reserved for the call is free again.
    assert_eq!(desk.client.get("/ai/usage").expect(200).data()["spent_usd"], 0.0);
    desk.inbox.heal();
    desk.script(json!([says("Here I am.")]));
    assert_eq!(tried(&desk, &browser, asks("Hello"))["reply"], "Here I am.");
}

fn wrong_trials_are_refused(desk: Desk) {
    let browser = admin(&desk);
    let from = |side: &str, words: &str| json!({ "from": side, "text": words });
    let many: Vec<Value> = (0..41).map(|_| from("customer", "Hello")).collect();
    for (request, paths) in [
        (json!({ "messages": [from("customer", "x")] }), vec!["draft"]),
        (json!({ "draft": {}, "messages": [] }), vec!["messages"]),
        (json!({ "draft": {}, "messages": [from("assistant", "x")] }), vec!["messages"]),
        (json!({ "draft": {}, "messages": [from("nobody", "x")] }), vec!["messages", "messages.0.from"]),
        (json!({ "draft": {}, "messages": [from("customer", &"x".repeat(4_001))] }), vec!["messages.0.text"]),
        (json!({ "draft": {}, "messages": many }), vec!["messages"]),
        (
            json!({ "draft": { "temperature": 3, "gated_tools": ["fly"] }, "messages": [from("customer", "x")] }),
            vec!["draft.temperature", "draft.gated_tools.0"],
        ),
        (
            json!({ "draft": { "targets": [format!("pwa:{NOTHING}")] }, "messages": [from("customer", "x")] }),
            vec!["draft.targets.0"],
        ),
        (
            json!({ "draft": {}, "instruction_ids": [NOTHING], "messages": [from("customer", "x")] }),
            vec!["instruction_ids.0"],
        ),
    ] {
        browser.post(&path(&desk), request).expect(400).details_at(&paths);
    }
    browser.post(&format!("/assistants/{NOTHING}/trial"), asks("x")).expect(404).error("not_found");
    let app = &desk.inbox.app;
    assert_eq!(agent(&desk).post(&path(&desk), asks("x")).expect(403).error("forbidden")["reason"], "scope");
    stranger(app).post(&path(&desk), asks("x")).expect(404).error("not_found");
    Browser::new(app).post(&path(&desk), asks("x")).expect(401).error("unauthorized");
    assert_eq!(desk.client.get("/ai/usage").expect(200).data()["calls"], 0);
}

fn versions_of(desk: &Desk, browser: &Browser) -> Vec<Value> {
    let listed = browser.get(&format!("/assistants/{}/versions", desk.assistant)).expect(200);
    listed.data().as_array().expect("a list").clone()
}

fn version_path(desk: &Desk, version: &Value) -> String {
    format!("/assistants/{}/versions/{}", desk.assistant, id(version))
}

fn numbers(versions: &[Value]) -> Vec<(i64, Vec<&str>)> {
    versions
        .iter()
        .map(|version| {
            let changed = version["changed"].as_array().expect("a list").iter().map(text).collect();
            (version["number"].as_i64().expect("a number"), changed)
        })
        .collect()
}

fn every_change_of_an_assistant_is_a_version(desk: Desk) {
    let browser = admin(&desk);
    let assistant = format!("/assistants/{}", desk.assistant);
    desk.set(json!({ "system_prompt": "Be brief.", "name": "Kim" }));
    // A change that changes nothing is none.
    desk.set(json!({ "name": "Kim" }));
    let settings = json!({ "tool_access": { "add_tag": false }, "gated_tools": [], "unconfined_tools": ["get_contact"] });
    browser.client.put(&format!("/app/api/v1{assistant}/tools"), settings).expect(200);
    let refunds = desk.client.post("/instructions", json!({ "title": "Refunds", "body": "30 days." }));
    let refunds = refunds.expect(201).id();
    desk.client
        .put(&format!("{assistant}/instructions"), json!({ "instruction_ids": [refunds] }))
        .expect(200);
    let versions = versions_of(&desk, &browser);
    for version in &versions {
        has_fields(version, "id number created_at author_user_id restored_from changed");
    }
    assert_eq!(
        numbers(&versions),
        [
            (4, vec!["instruction_ids"]),
            (3, vec!["tool_access", "unconfined_tools"]),
            (2, vec!["name", "system_prompt"]),
            (1, vec![]),
        ]
    );
    // A key made the others, a member this one.
    let member = browser.get("/session").expect(200).data()["user"]["id"].clone();
    assert_eq!((&versions[1]["author_user_id"], &versions[2]["author_user_id"]), (&member, &Value::Null));
    let shown = browser.get(&version_path(&desk, &versions[1])).expect(200).data().clone();
    has_fields(&shown["assistant"], ASSISTANT);
    assert_eq!(
        (&shown["number"], &shown["assistant"]["name"], &shown["assistant"]["tool_access"]),
        (&json!(3), &json!("Kim"), &json!({ "add_tag": false }))
    );
    assert_eq!(
        (&shown["unconfined_tools"], &shown["instruction_ids"]),
        (&json!(["get_contact"]), &json!([]))
    );
    let page = browser.get(&format!("{assistant}/versions?limit=2")).expect(200);
    assert_eq!(page.json["meta"]["has_more"], true);
    let next = text(&page.json["meta"]["next_cursor"]).to_owned();
    let rest = browser.get(&format!("{assistant}/versions?limit=2&cursor={next}")).expect(200);
    assert_eq!(numbers(rest.data().as_array().expect("a list"))[0].0, 2);
}

fn a_version_is_restored_without_what_is_gone(desk: Desk) {
    let browser = admin(&desk);
    let assistant = format!("/assistants/{}", desk.assistant);
    let account = &desk.inbox.tenant.account;
    let helper = crate::app_scene::member(&desk.inbox.app, account, "helper@example.com", "agent");
    let instruction = |title: &str| {
        desk.client.post("/instructions", json!({ "title": title, "body": "x" })).expect(201).id()
    };
    let (kept, gone) = (instruction("Kept"), instruction("Gone"));
    desk.set(json!({ "name": "First", "default_handoff_user_id": helper, "model": "gpt-5" }));
    desk.client
        .put(&format!("{assistant}/instructions"), json!({ "instruction_ids": [gone, kept] }))
        .expect(200);
    let first = versions_of(&desk, &browser)[0].clone();
    desk.set(json!({ "name": "Second", "default_handoff_user_id": null, "model": null, "targets": [] }));
    desk.client.put(&format!("{assistant}/instructions"), json!({ "instruction_ids": [] })).expect(200);
    desk.client.delete(&format!("/instructions/{gone}")).expect(200);
    desk.inbox.app.cli(&["member", "remove", &helper]);

    let restored = browser.send("POST", &format!("{}/restore", version_path(&desk, &first))).expect(200);
    has_fields(restored.data(), ASSISTANT);
    assert_eq!(restored.data(), desk.client.get(&assistant).expect(200).data());
    assert_eq!(
        (&restored.data()["name"], &restored.data()["model"], &restored.data()["targets"]),
        (&json!("First"), &json!("gpt-5"), &json!(["whatsapp"]))
    );
    assert_eq!(restored.data()["default_handoff_user_id"], Value::Null);
    assert_eq!(restored.data()["instruction_count"], 1);
    let bound = desk.client.get(&format!("{assistant}/instructions")).expect(200);
    assert_eq!(bound.data()[0]["id"], json!(kept));
    let versions = versions_of(&desk, &browser);
    assert_eq!(versions[0]["restored_from"], first["number"]);
    // It answers on its channel again.
    desk.script(json!([says("Hello again.")]));
    let conversation = desk.hears(crate::inbox_scene::ANN, "Are you there?");
    assert_eq!(conversation["assistant_id"], json!(desk.assistant));
    // The same once more changes nothing, and is no version.
    let again = browser.send("POST", &format!("{}/restore", version_path(&desk, &versions[0])));
    again.expect(200);
    assert_eq!(versions_of(&desk, &browser).len(), versions.len());
}

fn the_oldest_versions_are_deleted(desk: Desk) {
    let browser = admin(&desk);
    for number in 0..205 {
        desk.set(json!({ "name": format!("Robin {number}") }));
    }
    let all = format!("/app/api/assistants/{}/versions", desk.assistant);
    let numbers: Vec<i64> =
        walk(&browser.client, &all).iter().map(|one| one["number"].as_i64().expect("a number")).collect();
    assert_eq!((numbers.len(), numbers[0], numbers[199]), (200, 206, 7));
}

fn versions_belong_to_their_assistant_and_account(desk: Desk) {
    let (app, browser) = (&desk.inbox.app, admin(&desk));
    let version = versions_of(&desk, &browser)[0].clone();
    let list = format!("/assistants/{}/versions", desk.assistant);
    let one = version_path(&desk, &version);
    let (stranger, nobody, agent) = (stranger(app), Browser::new(app), agent(&desk));
    for path in [&list, &one] {
        agent.get(path).expect(200);
        stranger.get(path).expect(404).error("not_found");
        nobody.get(path).expect(401).error("unauthorized");
    }
    let restore = format!("{one}/restore");
    assert_eq!(agent.send("POST", &restore).expect(403).error("forbidden")["reason"], "scope");
    stranger.send("POST", &restore).expect(404).error("not_found");
    nobody.send("POST", &restore).expect(401).error("unauthorized");
    // Another assistant's version is not this one's.
    let other = new_assistant(&desk.client, json!({}));
    browser.get(&format!("/assistants/{other}/versions/{}", id(&version))).expect(404);
    browser.send("POST", &format!("/assistants/{other}/versions/{}/restore", id(&version))).expect(404);
    browser.get(&format!("{list}/nothing")).expect(404).error("not_found");
    // They go with their assistant.
    desk.client.delete(&format!("/assistants/{}", desk.assistant)).expect(200);
    browser.get(&list).expect(404);
    browser.get(&one).expect(404);
}

fn runs_are_counted_while_they_are_not_over(desk: Desk) {
    let browser = admin(&desk);
    let counted = |query: &str| browser.get(&format!("/runs/counts{query}")).expect(200).data().clone();
    assert_eq!(counted(""), json!({ "queued": 0, "running": 0, "waiting": 0 }));
    desk.script(json!([calls(&[("ask_human", json!({ "question": "May I?" }))]), says("Done.")]));
    let waiting = desk.starts(json!({}));
    desk.becomes(&waiting, "waiting");
    assert_eq!(counted(""), json!({ "queued": 0, "running": 0, "waiting": 1 }));
    let other = new_assistant(&desk.client, json!({}));
    assert_eq!(counted(&format!("?assistant_id={other}"))["waiting"], 0);
    assert_eq!(counted(&format!("?assistant_id={}", desk.assistant))["waiting"], 1);
    desk.client.send("POST", &format!("/runs/{}/cancel", id(&waiting)), None).expect(200);
    assert_eq!(counted("")["waiting"], 0);
    browser.get("/runs/counts?assistant_id=x").expect(400).error("bad_request");
    assert_eq!(agent(&desk).get("/runs/counts").expect(200).data()["waiting"], 0);
    Browser::new(&desk.inbox.app).get("/runs/counts").expect(401).error("unauthorized");
}

fn the_dearest_runs_come_first(desk: Desk) {
    let browser = admin(&desk);
    desk.set(json!({ "model": "gpt-5" }));
    let turn = |tokens: i64| json!({ "text": "Done.", "usage": { "input": tokens, "output": 100 } });
    let run = |tokens: i64| {
        desk.script(json!([turn(tokens)]));
        let run = desk.starts(json!({}));
        desk.becomes(&run, "succeeded")
    };
    let (cheap, dear) = (run(1_000), run(40_000));
    assert!(dear["cost_usd"].as_f64() > cheap["cost_usd"].as_f64(), "{dear} {cheap}");
    // A trial costs more, and is no run.
    desk.script(json!([turn(80_000)]));
    assert!(tried(&desk, &browser, asks("Hello"))["cost_usd"].as_f64() > dear["cost_usd"].as_f64());
    let listed = |query: &str| -> Vec<String> {
        let found = browser.get(&format!("/spend/runs{query}")).expect(200);
        found.data().as_array().expect("a list").iter().map(|run| id(run).to_owned()).collect()
    };
    assert_eq!(listed(""), [id(&dear), id(&cheap)]);
    assert_eq!(listed("?limit=1"), [id(&dear)]);
    assert_eq!(listed("?from=2020-01-01&to=2020-01-31"), [""; 0]);
    assert_eq!(listed("?from=2020-01-01"), [id(&dear), id(&cheap)]);
    for (query, status) in [("?limit=0", 400), ("?limit=51", 400), ("?limit=x", 400), ("?from=soon", 400)] {
        browser.get(&format!("/spend/runs{query}")).expect(status);
    }
    browser.get("/spend/runs?from=2026-02-02&to=2026-02-01").expect(400).details_at(&["to"]);
    assert_eq!(agent(&desk).get("/spend/runs").expect(403).error("forbidden")["reason"], "scope");
    assert_eq!(stranger(&desk.inbox.app).get("/spend/runs").expect(200).data(), &json!([]));
    Browser::new(&desk.inbox.app).get("/spend/runs").expect(401).error("unauthorized");
}

fn a_run_tells_its_prompt_and_how_long_the_model_took(desk: Desk) {
    desk.set(json!({ "system_prompt": "You sell oak tables." }));
    desk.inbox.faults(json!([{ "on": "model", "kind": "delay", "millis": 30, "times": 1 }]));
    desk.script(json!([says("Done.")]));
    let run = desk.starts(json!({ "goal": "Count the tables." }));
    let run = desk.becomes(&run, "succeeded");
    let steps = eventually("all steps", || Some(desk.steps(&run)).filter(|steps| steps.len() >= 3));
    assert_eq!(steps[0]["type"], "started");
    let started = &steps[0]["data"];
    assert!(text(&started["system"]).contains("You sell oak tables."), "{started}");
    assert_eq!(started["goal"], "Count the tables.");
    assert_eq!(steps[1]["type"], "model_called");
    assert!(steps[1]["data"]["duration_ms"].as_i64() >= Some(30), "{}", steps[1]);
}
