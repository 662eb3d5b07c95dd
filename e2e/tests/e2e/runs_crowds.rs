//! Many runs at once: every step of each is stored once, the budget holds to the last call, and customers do not wait.

use std::collections::BTreeMap;

use frontdesk_e2e::{Engine, ModelProvider, Reply, at_once, on_every_engine, on_shared_stores};
use serde_json::json;

use crate::agent_scene::Desk;
use crate::inbox_scene::{ANN, eventually, id};
use crate::people::walk;
use crate::runs_providers::desk_with;
use crate::shapes::text;

on_every_engine! {
    alone every_step_of_many_runs_is_stored_once,
    alone hundreds_of_runs_that_use_a_tool_at_once_do_not_pause,
    alone many_calls_at_once_never_pass_the_budget,
    alone runs_without_a_customer_keep_no_customer_waiting,
}

on_shared_stores! {
    alone calls_of_two_servers_at_once_never_pass_the_budget,
}

const STARTERS: usize = 8;
/// What the provider reports of a call in the tests of the budget. With gpt-5, at 1.25 and 10 dollars for a million tokens,
/// a call costs 5.25 cents, and a little more is reserved for it.
pub(crate) const USAGE: (u64, u64) = (10_000, 4_000);
pub(crate) const CALL_MICROS: u64 = 52_500;
const BUDGET_MICROS: u64 = 500_000;

/// Starts runs over several connections: their ids.
#[track_caller]
fn start(desk: &Desk, many: usize) -> Vec<String> {
    let started = at_once(STARTERS, |_| {
        (0..many / STARTERS).map(|_| id(&desk.starts(json!({}))).to_owned()).collect::<Vec<_>>()
    });
    started.concat()
}

/// How many runs have each status.
#[track_caller]
fn statuses(desk: &Desk) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for run in walk(&desk.client, "/runs") {
        *counts.entry(text(&run["status"]).to_owned()).or_default() += 1;
    }
    counts
}

fn every_step_of_many_runs_is_stored_once(engine: Engine) {
    const RUNS: usize = 64;
    let provider = ModelProvider::openai();
    let desk = desk_with(engine, &provider, "OPENAI");
    let (look, done) =
        (provider.tool_calls(&[("call_1", "list_templates", json!({}))]), provider.text("Done."));
    provider.sink().answer_by(provider.chat_path(), move |request| {
        let has_looked = String::from_utf8_lossy(&request.body).contains("\"tool_call_id\":\"call_1\"");
        if has_looked { done.clone() } else { look.clone() }
    });
    let runs = start(&desk, RUNS);
    for run in &runs {
        let ended = desk.becomes(&json!({ "id": run }), "succeeded");
        assert_eq!(
            (&ended["tick_count"], &ended["tokens_in"], &ended["tokens_out"], &ended["result"]),
            (&json!(2), &json!(200), &json!(20), &json!("Done.")),
            "{ended}"
        );
        assert_eq!(
            desk.kinds(&ended),
            ["started", "model_called", "tool_called", "tool_returned", "model_called", "finished"]
        );
    }
    assert_eq!(provider.received().len(), 2 * RUNS);
    for event in ["run.started", "run.finished"] {
        let mut told: Vec<String> =
            desk.inbox.events(event).iter().map(|data| text(&data["run"]["id"]).to_owned()).collect();
        told.sort_unstable();
        let mut wanted = runs.clone();
        wanted.sort_unstable();
        assert_eq!(told, wanted, "{event}");
    }
    let finished = &desk.inbox.events("run.finished")[0]["run"];
    assert_eq!((&finished["tokens_in"], &finished["status"]), (&json!(200), &json!("succeeded")));
    let usage = desk.client.get("/ai/usage").expect(200).data().clone();
    assert_eq!(
        (&usage["calls"], &usage["tokens_in"], &usage["tokens_out"]),
        (&json!(2 * RUNS), &json!(200 * RUNS), &json!(20 * RUNS))
    );
}

/// An account may have 128 searches waiting. The runs beyond them used to pause for seconds.
fn hundreds_of_runs_that_use_a_tool_at_once_do_not_pause(engine: Engine) {
    const RUNS: usize = 400;
    let provider = ModelProvider::openai();
    let desk = desk_with(engine, &provider, "OPENAI");
    let look = provider.tool_calls(&[("call_1", "list_templates", json!({}))]).held();
    let done = provider.text("Done.");
    provider.sink().answer_by(provider.chat_path(), move |request| {
        let has_looked = String::from_utf8_lossy(&request.body).contains("\"tool_call_id\":\"call_1\"");
        if has_looked { done.clone() } else { look.clone() }
    });
    start(&desk, RUNS);
    eventually("a call of every run", || (provider.received().len() == RUNS).then_some(()));
    provider.sink().release();
    eventually("the end of all runs", || (statuses(&desk).get("succeeded") == Some(&RUNS)).then_some(()));
    // A worker took each run once: none was given back.
    let taken = || {
        let page = desk.inbox.app.anonymous().vendors().get("/metrics").expect(200).text;
        page.lines().find_map(|line| {
            line.strip_prefix("frontdesk_jobs_total{kind=\"runs\",outcome=\"done\"} ")?.parse::<usize>().ok()
        })
    };
    let times = eventually("the last report", || taken().filter(|times| *times >= RUNS));
    assert_eq!(times, RUNS);
}

/// A desk with a budget and a provider that keeps every reply until it is told to let go.
pub(crate) fn short_of_money(engine: Engine) -> (ModelProvider, Desk) {
    let provider = ModelProvider::openai();
    let desk = desk_with(engine, &provider, "OPENAI");
    desk.set(json!({ "model": "gpt-5" }));
    set_budget(&desk, BUDGET_MICROS);
    let body = json!({
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": "Done." }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": USAGE.0, "completion_tokens": USAGE.1 },
    });
    let reply = Reply::status(200).header("content-type", "application/json").body(body.to_string());
    provider.sink().respond(provider.chat_path(), reply.held());
    (provider, desk)
}

#[track_caller]
pub(crate) fn set_budget(desk: &Desk, micros: u64) {
    let budget = format!("{}", micros as f64 / 1e6);
    desk.inbox.app.cli(&["account", "set", &desk.inbox.tenant.account.id, "--ai-budget", &budget]);
}

fn many_calls_at_once_never_pass_the_budget(engine: Engine) {
    let (provider, desk) = short_of_money(engine);
    holds(&provider, &desk);
}

fn calls_of_two_servers_at_once_never_pass_the_budget(engine: Engine) {
    let (provider, desk) = short_of_money(engine);
    let _second = desk.inbox.app.second_server();
    holds(&provider, &desk);
}

/// Starts far more runs than the budget admits calls, none of which has ended before all were asked for.
#[track_caller]
fn holds(provider: &ModelProvider, desk: &Desk) {
    const RUNS: usize = 64;
    start(desk, RUNS);
    let failed = eventually("a decision about every run", || {
        let counts = statuses(desk);
        let failed = counts.get("failed").copied().unwrap_or(0);
        let called = provider.received().len();
        assert!(called + failed <= RUNS, "{counts:?}");
        (called + failed == RUNS).then_some(failed)
    });
    let admitted = (RUNS - failed) as u64;
    assert!(admitted > 0 && admitted * CALL_MICROS <= BUDGET_MICROS, "{admitted} calls were admitted");
    provider.sink().release();
    eventually("the end of all runs", || {
        (statuses(desk).get("succeeded").copied() == Some(admitted as usize)).then_some(())
    });
    for run in walk(&desk.client, "/runs?status=failed") {
        assert!(text(&run["error"]).contains("AI budget"), "{run}");
        assert_eq!(run["cost_usd"], 0.0, "{run}");
    }
    let spent = |desk: &Desk| desk.client.get("/ai/usage").expect(200).data()["spent_usd"].clone();
    assert_eq!(spent(desk), json!((admitted * CALL_MICROS) as f64 / 1e6));
    // Nothing stays reserved: what is left beside the spent money is free for the next call.
    set_budget(desk, admitted * CALL_MICROS + 2 * CALL_MICROS);
    desk.becomes(&desk.starts(json!({})), "succeeded");
    assert_eq!(spent(desk), json!(((admitted + 1) * CALL_MICROS) as f64 / 1e6));
}

fn runs_without_a_customer_keep_no_customer_waiting(engine: Engine) {
    /// More than may be at work at a time in one account.
    const RUNS: usize = 520;
    let provider = ModelProvider::openai();
    let desk = desk_with(engine, &provider, "OPENAI");
    let (quick, held) = (provider.text("Hello Ann."), provider.text("Done.").held());
    provider.sink().answer_by(provider.chat_path(), move |request| {
        let is_asked = String::from_utf8_lossy(&request.body).contains("Are you there?");
        if is_asked { quick.clone() } else { held.clone() }
    });
    start(&desk, RUNS);
    eventually("all room taken", || (provider.received().len() >= 512).then_some(()));
    let conversation = desk.inbox.hears(ANN, "Are you there?");
    eventually("an answer", || (desk.said(&conversation) == ["Hello Ann."]).then_some(()));
    assert_eq!(provider.received().len(), 512 + 1, "the others wait for room");
    provider.sink().release();
}
