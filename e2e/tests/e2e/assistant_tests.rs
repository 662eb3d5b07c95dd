//! `frontdesk assistant test`: test conversations of an assistant that is kept in files, and the trial that they use.

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::agent_scene::{Desk, calls, says};
use crate::assistant_files::Files;
use crate::people::walk;
use crate::shapes::{has_fields, text};

on_every_engine! {
    conversations_are_tried_out_and_judged,
    a_test_that_is_not_met_fails_and_says_why,
    a_test_tries_out_the_files_and_stores_nothing,
    mistakes_in_tests_are_no_success,
    a_trial_of_an_assistant_that_is_not_stored_uses_the_keys_scopes,
    wrong_trials_of_assistants_are_refused,
}

const KIM: &str = "name = 'Kim'\ninstructions = ['refunds']\n[tool_access]\nsearch_contacts = true\n";

fn files(desk: &Desk) -> Files {
    let files = Files::of(&desk.inbox.app, &desk.inbox.tenant);
    files.write("assistant.toml", KIM);
    files.write("prompt.md", "You sell oak tables.\n");
    files.write("instructions/refunds.md", "# Refunds\n\nWithin 30 days.\n");
    files
}

fn conversations_are_tried_out_and_judged(desk: Desk) {
    let (app, files) = (&desk.inbox.app, files(&desk));
    files.write(
        "tests/refund.toml",
        r#"
about = "Refunds are possible for a month"
cost_under_usd = 1
[[turn]]
customer = "I want my money back."
expect.tools = ["search_contacts"]
expect.not_tools = ["close_deal"]
expect.contains = ["30 DAYS"]
expect.judge_yes = ["Is it polite?"]
expect.judge_no = ["Does it promise too much?"]
expect.hands_off = false
[[turn]]
assistant = "Anything else?"
[[turn]]
customer = "A person, please."
expect.tools = ["hand_off"]
expect.contains = ["a person will"]
expect.not_contains = ["30 days"]
expect.judge_yes = ["Is the customer told who answers?"]
expect.hands_off = true
"#,
    );
    desk.script(json!([
        calls(&[("search_contacts", json!({ "q": "Ann" }))]),
        says("Yes, within 30 days."),
        says("Yes."),
        says("NO, it does not."),
        calls(&[("hand_off", json!({ "message": "A person will answer." }))]),
        says("Yes."),
    ]));
    let done = files.done(app, "test", &[]);
    assert_eq!((&done["passed"], &done["tests"][0]["name"]), (&json!(true), &json!("refund")), "{done}");
    assert!(done["cost_usd"].as_f64().is_some(), "{done}");
    let heard = desk.inbox.sandbox().get("/sandbox/model/calls").expect(200).text;
    for words in [
        "You sell oak tables.",
        "Within 30 days.",
        "Is it polite?",
        "You judge a conversation",
        "Anything else?",
        // The judge reads the words of the hand-off.
        "Is the customer told who answers?",
        "A person will answer.",
    ] {
        assert!(heard.contains(words), "{words}");
    }
    desk.script(json!([
        calls(&[("search_contacts", json!({ "q": "Ann" }))]),
        says("Yes, within 30 days."),
        says("Yes."),
        says("No."),
        calls(&[("hand_off", json!({ "message": "A person will answer." }))]),
        says("Yes."),
    ]));
    let shown = files.run(app, "test", &[]).expect_success();
    assert!(shown.out.contains("passed  refund: Refunds are possible for a month"), "{}", shown.out);
    assert!(shown.out.contains("1 of 1 tests passed"), "{}", shown.out);
}

fn a_test_that_is_not_met_fails_and_says_why(desk: Desk) {
    let (app, files) = (&desk.inbox.app, files(&desk));
    files.write(
        "tests/a.toml",
        "[[turn]]\ncustomer = 'Hello'\n[turn.expect]\ntools = ['search_deals']\ncontains = ['oak']\njudge_yes = ['Is it polite?']\n\
         judge_no = ['Is it rude?']\nhands_off = true\ncost_under_usd = 0\n",
    );
    files.write("tests/b.toml", "[[turn]]\ncustomer = 'Hello'\n");
    desk.script(json!([says("Buy pine."), says("No."), says("That depends."), says("Hello.")]));
    let failed = files.run(app, "test", &["--json"]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    let told = failed.json();
    assert_eq!((&told["passed"], &told["tests"][1]["passed"]), (&json!(false), &json!(true)), "{told}");
    let failures = told["tests"][0]["failures"].to_string();
    for words in [
        "turn 1: the tool search_deals was not called (none was)",
        "does not contain",
        "Buy pine.",
        "the judge says no to",
        "the judge says neither yes nor no to",
        "did not hand the conversation off",
        "is not under $0",
    ] {
        assert!(failures.contains(words), "{words}: {failures}");
    }
    let shown = files.run(app, "test", &["--only", "b"]).expect_success();
    assert!(shown.out.contains("1 of 1 tests passed"), "{}", shown.out);
    // A model that fails is no test that fails, and no success.
    desk.inbox.faults(json!([{ "on": "model", "kind": "status", "status": 400 }]));
    assert!(files.run(app, "test", &["--only", "b"]).expect_failure().contains("model failed"));
    desk.inbox.heal();
    // A hand-off without words leaves nothing to judge, and ends the conversation as one with words does.
    files.write(
        "tests/b.toml",
        "[[turn]]\ncustomer = 'Hello'\nexpect.judge_yes = ['Is it polite?']\n[[turn]]\ncustomer = 'And?'\n",
    );
    desk.script(json!([calls(&[("hand_off", json!({}))])]));
    let failed = files.run(app, "test", &["--only", "b"]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(
        failed.out.contains("no reply to judge") && failed.out.contains("the conversation ends here"),
        "{failed:?}"
    );
    desk.script(json!([calls(&[("hand_off", json!({ "message": "A person will answer." }))]), says("Yes.")]));
    let failed = files.run(app, "test", &["--only", "b"]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(
        !failed.out.contains("judge") && failed.out.contains("has handed off, so the conversation ends here"),
        "{failed:?}"
    );
    // Silence is no hand-off.
    files.write("tests/b.toml", "[[turn]]\ncustomer = 'Hello'\nexpect.hands_off = true\n");
    desk.script(json!([says("")]));
    let failed = files.run(app, "test", &["--only", "b"]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(
        failed.out.contains("did not hand the conversation off") && failed.out.contains("said nothing"),
        "{failed:?}"
    );
}

fn a_test_tries_out_the_files_and_stores_nothing(desk: Desk) {
    let (app, files) = (&desk.inbox.app, files(&desk));
    files.done(app, "push", &["--yes"]);
    files.write("prompt.md", "You sell pine tables.\n");
    files.write("tests/a.toml", "[[turn]]\ncustomer = 'Hello'\n");
    let before = walk(&desk.client, "/assistants");
    desk.script(json!([says("Hello.")]));
    files.done(app, "test", &["--model", "gpt-5-nano", "--max-cost-usd", "1"]);
    let heard = desk.inbox.sandbox().get("/sandbox/model/calls").expect(200).text;
    assert!(heard.contains("pine") && heard.contains("gpt-5-nano"), "{heard}");
    assert_eq!(walk(&desk.client, "/assistants"), before);
    for list in ["/runs", "/conversations", "/memories", "/asks"] {
        assert_eq!(walk(&desk.client, list), Vec::<Value>::new(), "{list}");
    }
    assert_eq!(desk.client.get("/ai/usage").expect(200).data()["calls"], 1);
}

fn mistakes_in_tests_are_no_success(desk: Desk) {
    let (app, files) = (&desk.inbox.app, files(&desk));
    assert!(files.run(app, "test", &[]).expect_failure().contains("tests/NAME.toml"));
    files.write("tests/a.toml", "[[turn]]\ncustomer = 'Hello'\nexpect.contain = ['x']\n");
    let refused = files.run(app, "test", &[]).expect_failure();
    assert!(
        refused.contains(
            "tests/a.toml: turn 1: expect: there is no field \"contain\". Did you mean \"contains\"?"
        ),
        "{refused}"
    );
    files.write("tests/a.toml", "[[turn]]\ncustomer = 'Hello'\n");
    assert!(files.run(app, "test", &["--only", "zzz"]).expect_failure().contains("no such test"));
    files.write("assistant.toml", "name = 'Kim'\ninstructions = ['refunds']\ndefault_handoff_user_id = '01890a5d-ac96-774b-bcce-b302099a8057'\n");
    files.run(app, "test", &[]).expect_failure();
    assert_eq!(desk.client.get("/ai/usage").expect(200).data()["calls"], 0);
}

fn a_trial_of_an_assistant_that_is_not_stored_uses_the_keys_scopes(desk: Desk) {
    desk.client.post("/contacts", json!({ "name": "Ann Weber" })).expect(201);
    let request = json!({
        "assistant_id": desk.assistant,
        "assistant": { "name": "Kim", "tool_access": { "search_contacts": true, "add_tag": true } },
        "messages": [{ "from": "customer", "text": "Who am I?" }],
    });
    let trial = |client: &frontdesk_e2e::Client| {
        desk.script(json!([
            calls(&[("search_contacts", json!({ "q": "Weber" })), ("add_tag", json!({ "tag": "VIP" }))]),
            says("Ann."),
        ]));
        let replied = client.post("/assistants/trial", request.clone()).expect(200);
        has_fields(replied.data(), "reply error steps cost_usd tokens_in tokens_out");
        replied.data().clone()
    };
    let all = trial(&desk.client);
    assert!(all["steps"].to_string().contains("Ann Weber"), "{all}");
    let narrow = desk.inbox.app.key(&desk.inbox.tenant.account, "assistants:write");
    let few = trial(&desk.inbox.app.client(&narrow));
    assert_eq!(few["reply"], "Ann.");
    assert!(!few["steps"].to_string().contains("Ann Weber"), "{few}");
    let tools = few["steps"].as_array().expect("a list").iter().filter(|step| step["type"] == "tool_called");
    let marks: Vec<(&str, bool)> =
        tools.map(|step| (text(&step["data"]["tool"]), step["data"]["simulated"] == true)).collect();
    assert_eq!(marks, [("search_contacts", false), ("add_tag", true)]);
}

fn wrong_trials_of_assistants_are_refused(desk: Desk) {
    let hello = json!([{ "from": "customer", "text": "Hello" }]);
    let many = json!(vec![json!({ "from": "customer", "text": "Hello" }); 41]);
    for (request, paths) in [
        (json!({ "messages": hello }), vec!["assistant"]),
        (json!({ "assistant": { "name": "K" } }), vec!["messages"]),
        (json!({ "assistant": { "name": "K" }, "messages": [] }), vec!["messages"]),
        (json!({ "assistant": { "name": "K" }, "messages": many }), vec!["messages"]),
        (
            json!({ "assistant": { "name": "K", "targets": ["sms"] }, "messages": hello }),
            vec!["assistant.targets.0"],
        ),
        (
            json!({ "assistant": { "name": "K" }, "instructions": [{ "title": "T" }], "messages": hello }),
            vec!["instructions.0.body"],
        ),
    ] {
        desk.client.post("/assistants/trial", request).expect(400).details_at(&paths);
    }
    let other = desk.inbox.app.tenant();
    let request = json!({ "assistant_id": desk.assistant, "assistant": { "name": "K" }, "messages": hello });
    other.client.post("/assistants/trial", request.clone()).expect(404);
    let reader = desk.inbox.app.key(&desk.inbox.tenant.account, "assistants:read");
    desk.inbox.app.client(&reader).post("/assistants/trial", request).expect(403);
}
