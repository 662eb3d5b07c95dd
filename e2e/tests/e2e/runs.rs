//! Runs: what they do, and what stops them.

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::agent_scene::{Desk, RUN, calls, new_assistant, says};
use crate::inbox_scene::{eventually, id};
use crate::people::{add, walk};
use crate::shapes::{NOTHING, has_fields, is_moment, text};

on_every_engine! {
    a_run_works_on_its_goal_and_records_every_step,
    a_tools_error_is_passed_to_the_model,
    arguments_are_checked_against_the_schema,
    a_run_that_does_not_start_says_why,
    a_run_is_cancelled_wherever_it_stands,
    a_run_that_never_ends_is_ended,
    a_model_that_fails_for_a_moment_is_asked_again,
    work_is_delegated_within_limits,
    a_follow_up_starts_at_its_time,
    the_budget_holds_and_warns_once,
    usage_is_summed_by_day_model_and_assistant,
    days_of_usage_are_the_accounts_own,
    the_command_line_starts_and_shows_runs,
}

fn a_run_works_on_its_goal_and_records_every_step(desk: Desk) {
    let ann = add(&desk.client, json!({ "name": "Ann" }));
    desk.client.post("/tags", json!({ "name": "VIP" })).expect(201);
    desk.script(json!([
        calls(&[("get_contact", json!({})), ("add_tag", json!({ "tag": "vip" }))]),
        calls(&[("create_deal", json!({ "title": "Forty chairs", "value": 1200.5 }))]),
        says("Ann is a VIP with a deal."),
    ]));
    let started = desk.starts(json!({ "goal": "Make Ann a VIP.", "contact_id": ann }));
    has_fields(&started, RUN);
    assert_eq!((&started["status"], &started["pending_asks"]), (&json!("queued"), &json!([])));
    let run = desk.becomes(&started, "succeeded");
    has_fields(&run, RUN);
    is_moment(&run["finished_at"]);
    assert_eq!(
        (&run["result"], &run["tick_count"], &run["error"]),
        (&json!("Ann is a VIP with a deal."), &json!(3), &Value::Null)
    );
    assert_eq!(
        desk.kinds(&run),
        [
            "started",
            "model_called",
            "tool_called",
            "tool_returned",
            "tool_called",
            "tool_returned",
            "model_called",
            "tool_called",
            "tool_returned",
            "model_called",
            "finished"
        ]
    );
    let contact = desk.client.get(&format!("/contacts/{ann}")).expect(200);
    assert_eq!(contact.data()["tags"][0]["name"], "VIP");
    let deals = walk(&desk.client, &format!("/deals?contact_id={ann}"));
    assert_eq!((deals.len(), &deals[0]["value"]), (1, &json!(1200.5)));
    for event in ["run.started", "run.finished"] {
        let told = desk.inbox.events(event);
        assert_eq!((told.len(), &told[0]["run"]["id"]), (1, &run["id"]), "{event}");
    }
    assert_eq!(desk.inbox.events("run.finished")[0]["run"], run);
}

fn a_tools_error_is_passed_to_the_model(desk: Desk) {
    desk.script(json!([
        calls(&[
            ("get_contact", json!({ "contact_id": NOTHING })),
            ("get_contact", json!({})),
            ("add_tag", json!({ "contact_id": NOTHING, "tag": "none" }))
        ]),
        says("I could not."),
    ]));
    let run = desk.becomes(&desk.starts(json!({})), "succeeded");
    let returned: Vec<String> = desk
        .steps(&run)
        .iter()
        .filter(|step| step["type"] == "tool_returned")
        .map(|step| {
            assert_eq!(step["data"]["is_error"], true, "{step}");
            text(&step["data"]["content"]).to_owned()
        })
        .collect();
    assert!(returned[0].contains("not_found"), "{returned:?}");
    assert!(returned[1].contains("contact_id is required"), "{returned:?}");
    assert!(returned[2].contains("There is no tag"), "{returned:?}");
}

fn arguments_are_checked_against_the_schema(desk: Desk) {
    desk.script(json!([
        { "tool_calls": [
            { "name": "create_deal", "arguments": { "title": 7, "hack": true } },
            { "name": "create_deal", "arguments": "{\"title\": " },
            { "name": "fly", "arguments": {} },
        ] },
        says("Sorry."),
    ]));
    let run = desk.becomes(&desk.starts(json!({})), "succeeded");
    let returned: String = desk
        .steps(&run)
        .iter()
        .filter(|step| step["type"] == "tool_returned")
        .map(ToString::to_string)
        .collect();
    for part in ["title must be a string", "hack is not an argument", "not valid JSON", "You have no tool"] {
        assert!(returned.contains(part), "{part} is not in {returned}");
    }
    assert_eq!(walk(&desk.client, "/deals"), [Value::Null; 0]);
}

fn a_run_that_does_not_start_says_why(desk: Desk) {
    let start = |body: Value| desk.client.post("/runs", body);
    let goal = "Do it.";
    start(json!({ "assistant_id": NOTHING, "goal": goal })).expect(404);
    start(json!({ "assistant_id": desk.assistant, "goal": goal, "contact_id": NOTHING })).expect(404);
    start(json!({ "assistant_id": desk.assistant })).expect(400).details_at(&["goal"]);
    desk.set(json!({ "enabled": false }));
    let refused = start(json!({ "assistant_id": desk.assistant, "goal": goal })).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "assistant_disabled");
    desk.set(json!({ "enabled": true }));
    desk.inbox.app.cli(&["account", "set", &desk.inbox.tenant.account.id, "--ai-budget", "0"]);
    let refused = start(json!({ "assistant_id": desk.assistant, "goal": goal })).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "ai_budget_exhausted");
}

fn a_run_is_cancelled_wherever_it_stands(desk: Desk) {
    desk.script(json!([calls(&[("ask_human", json!({ "question": "May I?" }))])]));
    let waiting = desk.becomes(&desk.starts(json!({})), "waiting");
    let cancel = |run: &Value| desk.client.send("POST", &format!("/runs/{}/cancel", id(run)), None);
    assert_eq!(cancel(&waiting).expect(200).data()["status"], "cancelled");
    cancel(&waiting).expect(409).error("conflict");
    assert_eq!(desk.pending(), [Value::Null; 0]);
    let asks = walk(&desk.client, "/asks");
    assert_eq!(asks[0]["status"], "cancelled");
    desk.responses(&asks[0], json!({ "answer": "Yes." })).expect(409).error("conflict");
    // A run whose model thinks for long ends at once.
    desk.inbox.faults(json!([{ "on": "model", "kind": "delay", "millis": 20_000 }]));
    let running = desk.becomes(&desk.starts(json!({})), "running");
    assert_eq!(cancel(&running).expect(200).data()["status"], "cancelled");
    desk.inbox.heal();
    assert_eq!(desk.run(id(&running))["status"], "cancelled");
}

fn a_run_that_never_ends_is_ended(desk: Desk) {
    let turn = calls(&[("list_templates", json!({}))]);
    desk.inbox.sandbox().put("/sandbox/model", json!({ "turns": [turn], "repeat": true })).expect(200);
    let run = desk.becomes(&desk.starts(json!({})), "failed");
    assert_eq!(run["tick_count"], 25);
    assert!(text(&run["error"]).contains("25 times"), "{run}");
}

fn a_model_that_fails_for_a_moment_is_asked_again(desk: Desk) {
    desk.script(json!([{ "error_status": 400 }]));
    let failed = desk.becomes(&desk.starts(json!({})), "failed");
    assert!(!text(&failed["error"]).is_empty());
    // The client itself tries a few times; what is left is tried by the run, later.
    desk.script(json!(vec![json!({ "error_status": 503 }); 6]));
    let run = desk.starts(json!({}));
    let done = eventually("a run that ends", || {
        desk.inbox.advance(30);
        Some(desk.run(id(&run))).filter(|run| run["status"] == "succeeded")
    });
    assert_eq!(done["error"], Value::Null);
}

fn work_is_delegated_within_limits(desk: Desk) {
    desk.set(json!({ "delegation": { "enabled": true, "max_children_per_run": 1, "allowed_tools": ["list_templates"] } }));
    desk.script(json!([
        { "tool_calls": [{ "name": "delegate", "arguments": { "goal": "Look." } }], "match": "Do it." },
        { "tool_calls": [{ "name": "delete_deal", "arguments": { "deal_id": NOTHING } }], "match": "Look." },
        { "text": "There are two.", "match": "Look." },
        { "tool_calls": [{ "name": "delegate", "arguments": { "goal": "Again." } }], "match": "Do it." },
        { "text": "Two, says my helper.", "match": "Do it." },
    ]));
    let run = desk.becomes(&desk.starts(json!({})), "succeeded");
    let children = walk(&desk.client, &format!("/runs?parent_run_id={}", id(&run)));
    assert_eq!((children.len(), &children[0]["result"]), (1, &json!("There are two.")));
    assert!(desk.returned(&children[0], "delete_deal").to_string().contains("You have no tool"));
    let returned: Vec<Value> = desk
        .steps(&run)
        .into_iter()
        .filter(|step| step["data"]["tool"] == "delegate" && step["type"] == "tool_returned")
        .collect();
    assert!(returned[0].to_string().contains("There are two."), "{returned:?}");
    assert!(returned[1].to_string().contains("1 sub-runs at most"), "{returned:?}");
}

fn a_follow_up_starts_at_its_time(desk: Desk) {
    let now = desk.inbox.advance(0);
    let at = jiff::Timestamp::from_millisecond(now + 3_600_000).expect("a moment").to_string();
    desk.script(json!([
        calls(&[("schedule_follow_up", json!({ "run_at": at, "goal": "Ask again." }))]),
        says("Later."),
        says("Asked."),
    ]));
    let run = desk.becomes(&desk.starts(json!({})), "succeeded");
    let content: Value =
        serde_json::from_str(text(&desk.returned(&run, "schedule_follow_up")["content"])).unwrap();
    let follow_up = json!({ "id": content["run_id"] });
    assert_eq!(desk.run(id(&follow_up))["status"], "queued");
    desk.inbox.advance(3_601);
    assert_eq!(desk.becomes(&follow_up, "succeeded")["result"], "Asked.");
}

fn the_budget_holds_and_warns_once(desk: Desk) {
    desk.set(json!({ "model": "gpt-5" }));
    let account = &desk.inbox.tenant.account.id;
    desk.inbox.app.cli(&["account", "set", account, "--ai-budget", "0.22"]);
    // Input costs a dollar and a quarter for a million tokens, and output ten dollars: this is six cents a run.
    let dear = json!({ "text": "Done.", "usage": { "input": 40_000, "output": 1_000 } });
    desk.inbox.sandbox().put("/sandbox/model", json!({ "turns": [dear], "repeat": true })).expect(200);
    for warnings in [0, 0, 1] {
        desk.becomes(&desk.starts(json!({})), "succeeded");
        assert_eq!(desk.inbox.events("ai.budget_warning").len(), warnings);
    }
    let warned = &desk.inbox.events("ai.budget_warning")[0]["budget"];
    assert_eq!((&warned["spent_usd"], &warned["budget_usd"]), (&json!(0.18), &json!(0.22)));
    // The next call could cost more than is left, so it is not made.
    let refused = desk.becomes(&desk.starts(json!({})), "failed");
    assert!(text(&refused["error"]).contains("AI budget"), "{refused}");
    assert_eq!((&refused["cost_usd"], &refused["tick_count"]), (&json!(0.0), &json!(0)));
    let usage = desk.client.get("/ai/usage").expect(200).data().clone();
    assert_eq!(
        (&usage["spent_usd"], &usage["budget_usd"], &usage["remaining_usd"]),
        (&json!(0.18), &json!(0.22), &json!(0.04))
    );
    desk.inbox.app.cli(&["account", "set", account, "--ai-budget", "0.18"]);
    let goal = json!({ "assistant_id": desk.assistant, "goal": "More." });
    let exhausted = desk.client.post("/runs", goal).expect(422);
    assert_eq!(exhausted.error("unprocessable")["reason"], "ai_budget_exhausted");
    // The next month has a budget of its own.
    desk.inbox.advance(32 * 86_400);
    desk.becomes(&desk.starts(json!({})), "succeeded");
    assert_eq!(desk.client.get("/ai/usage").expect(200).data()["spent_usd"], 0.06);
    assert_eq!(desk.inbox.events("ai.budget_warning").len(), 1);
}

fn usage_is_summed_by_day_model_and_assistant(desk: Desk) {
    desk.set(json!({ "model": "gpt-5" }));
    let other = new_assistant(&desk.client, json!({ "name": "Kim", "model": "gpt-5-mini" }));
    let turn = json!({ "text": "Done.", "usage": { "input": 1_000, "output": 100 } });
    desk.script(json!([turn, turn]));
    desk.becomes(&desk.starts(json!({})), "succeeded");
    let run = desk.client.post("/runs", json!({ "assistant_id": other, "goal": "Do it." })).expect(202);
    desk.becomes(run.data(), "succeeded");
    let usage = desk.client.get("/ai/usage").expect(200).data().clone();
    has_fields(
        &usage,
        "from to spent_usd budget_usd remaining_usd calls tokens_in tokens_out by_day by_model by_assistant",
    );
    assert_eq!(
        (&usage["calls"], &usage["tokens_in"], &usage["tokens_out"]),
        (&json!(2), &json!(2_000), &json!(200))
    );
    // 1,000 tokens at $1.25 and 100 at $10 a million; 1,000 at $0.25 and 100 at $2.
    assert_eq!(usage["spent_usd"], json!(0.0027));
    assert_eq!((&usage["budget_usd"], &usage["remaining_usd"]), (&Value::Null, &Value::Null));
    assert_eq!(usage["by_day"].as_array().map(Vec::len), Some(1));
    assert_eq!(usage["by_model"].as_array().map(Vec::len), Some(2));
    assert_eq!(usage["by_assistant"].as_array().map(Vec::len), Some(2));
    let past = desk.client.get("/ai/usage?from=2020-01-01&to=2020-01-31").expect(200);
    assert_eq!(past.data()["calls"], 0);
    desk.client.get("/ai/usage?from=2020-02-01&to=2020-01-31").expect(400).details_at(&["to"]);
}

fn days_of_usage_are_the_accounts_own(desk: Desk) {
    let account = &desk.inbox.tenant.account.id;
    desk.script(json!([says("Done."), says("Done.")]));
    let now = desk.inbox.advance(0);
    // Kiritimati is fourteen hours ahead of UTC, and Pago Pago eleven behind: a moment is never of one day in both.
    let mut days = Vec::new();
    for zone in ["Pacific/Kiritimati", "Pacific/Pago_Pago"] {
        desk.inbox.app.cli(&["account", "set", account, "--timezone", zone]);
        desk.becomes(&desk.starts(json!({})), "succeeded");
        let local =
            jiff::Timestamp::from_millisecond(now).unwrap().to_zoned(jiff::tz::TimeZone::get(zone).unwrap());
        days.push(local.date().to_string());
    }
    days.reverse();
    let path = format!("/ai/usage?from={}&to={}", days[0], days[1]);
    let usage = desk.client.get(&path).expect(200).data().clone();
    let told: Vec<&str> =
        usage["by_day"].as_array().expect("days").iter().map(|day| text(&day["date"])).collect();
    assert_eq!(told, days);
    let one = desk.client.get(&format!("/ai/usage?from={0}&to={0}", days[0])).expect(200);
    assert_eq!(one.data()["calls"], 1);
}

fn the_command_line_starts_and_shows_runs(desk: Desk) {
    desk.script(json!([says("Done.")]));
    let (app, account) = (&desk.inbox.app, &desk.inbox.tenant.account.id);
    let started =
        app.cli(&["run", "start", "--account", account, "--assistant", &desk.assistant, "--goal", "Do it."]);
    let run = desk.becomes(&started, "succeeded");
    let listed = app.cli(&["run", "list", "--account", account]);
    assert_eq!((listed.as_array().map(Vec::len), &listed[0]["id"]), (Some(1), &run["id"]));
    let shown = app.cli(&["run", "show", id(&run)]);
    assert_eq!((&shown["run"]["result"], &shown["events"][0]["type"]), (&json!("Done."), &json!("started")));
    let text = app.run(&["run", "show", id(&run), "--watch"]).expect_success();
    assert!(format!("{text:?}").contains("model_called"), "{text:?}");
}
