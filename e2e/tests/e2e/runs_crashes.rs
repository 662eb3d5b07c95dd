//! Servers that are killed while runs are at work: every run ends, what it did was done once, and nothing is paid twice.

use std::thread::sleep;
use std::time::Duration;

use frontdesk_e2e::{Engine, ModelProvider, Reply, on_every_engine, on_shared_stores};
use serde_json::{Value, json};

use crate::agent_scene::{Desk, calls, says};
use crate::inbox_scene::{ANN, Inbox, eventually, id, start};
use crate::people::walk;
use crate::runs_crowds::{CALL_MICROS, USAGE, set_budget, short_of_money};
use crate::runs_providers::desk_with;
use crate::shapes::text;

on_every_engine! {
    a_run_survives_a_kill_at_every_step,
    runs_that_were_just_started_survive_a_kill,
    a_call_that_is_lost_with_its_server_costs_its_worst_case,
}

on_shared_stores! {
    two_servers_never_work_on_one_run,
}

/// Seconds after which a run of a server that died is taken up again.
const LEASE: u64 = 61;
/// How long the model of these tests thinks.
const THINKING: Duration = Duration::from_millis(40);
/// What the model of these tests calls, one tool a turn; then it says goodbye.
const TURNS: [&str; 3] = ["add_note", "send_message", "opt_out_contact"];
/// Milliseconds after a reply of the model at which a server is killed: while a tool is used, while the next step is stored.
const PAUSES: [u64; 4] = [0, 3, 8, 20];

/// When a server is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// While the model is called for the nth time.
    During(usize),
    /// So long after the model's nth reply.
    After(usize, Duration),
    /// While the run waits for a person.
    Waiting,
    /// When a person has just approved.
    Approved,
}

fn a_run_survives_a_kill_at_every_step(engine: Engine) {
    let provider = ModelProvider::openai();
    let desk = desk_with(engine, &provider, "OPENAI");
    desk.set(json!({ "tool_access": { "opt_out_contact": true }, "targets": [] }));
    let during = (1..=4).map(Moment::During);
    let after =
        (1..=4).flat_map(|call| PAUSES.map(|millis| Moment::After(call, Duration::from_millis(millis))));
    let moments = during.chain(after).chain([Moment::Waiting, Moment::Approved]);
    for (round, moment) in moments.enumerate() {
        survives(&desk, &provider, round, moment);
    }
}

/// A run is stored as claimed by the server that starts it, which dies before or after the first step.
fn runs_that_were_just_started_survive_a_kill(engine: Engine) {
    const RUNS: usize = 12;
    let provider = ModelProvider::openai();
    let desk = desk_with(engine, &provider, "OPENAI");
    provider.sink().respond(provider.chat_path(), provider.text("Done.").after(THINKING));
    let runs: Vec<Value> = (0..RUNS).map(|_| desk.starts(json!({}))).collect();
    desk.inbox.app.kill();
    desk.inbox.app.restart();
    for run in &runs {
        let ended = eventually("the run's end", || {
            desk.inbox.settle();
            desk.inbox.advance(LEASE);
            Some(desk.run(id(run))).filter(|run| !run["finished_at"].is_null())
        });
        assert_eq!(ended["status"], "succeeded", "{ended}");
        assert_eq!(desk.kinds(&ended), ["started", "model_called", "finished"]);
    }
}

/// The ask that the run raises.
#[track_caller]
fn asked(desk: &Desk) -> Value {
    eventually("an ask", || desk.pending().into_iter().next())
}

#[track_caller]
fn approve(desk: &Desk, ask: &Value) {
    desk.responses(ask, json!({ "decision": "approve" })).expect(200);
}

/// Lets a run answer a customer, kills the server at this moment, and checks that everything was done once.
#[track_caller]
fn survives(desk: &Desk, provider: &ModelProvider, round: usize, moment: Moment) {
    let (path, before) = (provider.chat_path(), provider.received().len());
    // A model that is called again with the same messages says the same, late enough to be met by a kill.
    let words = provider.text("You are out.").after(THINKING);
    let turns = TURNS.map(|tool| turn(provider, tool));
    provider.sink().answer_by(path, move |request| {
        let text = String::from_utf8_lossy(&request.body).into_owned();
        let is_done = |tool: &&&str| text.contains(&format!("\"tool_call_id\":\"{tool}\""));
        turns.get(TURNS.iter().filter(is_done).count()).unwrap_or(&words).clone()
    });
    let customer = format!("{}{round:02}", &ANN[..ANN.len() - 2]);
    let conversation = desk.inbox.hears(&customer, "Opt me out, please.");
    let handover = json!({ "to": "assistant", "assistant_id": desk.assistant });
    desk.client.post(&format!("/conversations/{}/handover", id(&conversation)), handover).expect(200);
    let is_called = |times: usize| {
        if times == 4 {
            approve(desk, &asked(desk));
        }
        provider.sink().wait(path, before + times);
    };
    match moment {
        Moment::During(call) => is_called(call),
        Moment::After(call, pause) => {
            is_called(call);
            sleep(THINKING + pause);
        }
        Moment::Waiting => drop(asked(desk)),
        Moment::Approved => approve(desk, &asked(desk)),
    }
    desk.inbox.app.kill();
    desk.inbox.app.restart();
    let run = desk.runs_of(&conversation)[0].clone();
    let ended = eventually("the run's end", || {
        // Nothing is under way when the clock moves: otherwise a live worker would lose its lease, and the model would be
        // called, and paid, twice.
        desk.inbox.settle();
        desk.inbox.advance(LEASE);
        desk.pending().iter().for_each(|ask| approve(desk, ask));
        Some(desk.run(id(&run))).filter(|run| !run["finished_at"].is_null())
    });
    assert_eq!(ended["status"], "succeeded", "round {round} ({moment:?}): {ended}");
    assert_eq!(desk.runs_of(&conversation).len(), 1, "round {round} ({moment:?})");
    let notes = walk(&desk.client, &format!("/contacts/{}/notes", text(&conversation["contact_id"])));
    assert_eq!(notes.len(), 1, "round {round} ({moment:?}): {notes:?}");
    assert_eq!(desk.said(&conversation), ["One moment.", "You are out."], "round {round} ({moment:?})");
    let kinds = desk.kinds(&ended);
    for (kind, times) in [("model_called", 4), ("tool_returned", 3), ("ask_raised", 1), ("ask_answered", 1)] {
        assert_eq!(
            kinds.iter().filter(|one| *one == kind).count(),
            times,
            "round {round} ({moment:?}): {kind} in {kinds:?}"
        );
    }
    // Each reply is counted once. What was lost with the server is paid for too, as no call more than there were.
    assert_eq!(ended["tokens_in"], 400, "round {round} ({moment:?}): {ended}");
    let usage = desk.client.get("/ai/usage").expect(200).data().clone();
    let sum: f64 =
        walk(&desk.client, "/runs").iter().map(|run| run["cost_usd"].as_f64().expect("a cost")).sum();
    let spent = usage["spent_usd"].as_f64().expect("a sum");
    assert!((sum - spent).abs() < 1e-9, "round {round} ({moment:?}): {sum} is not {spent}");
}

fn a_call_that_is_lost_with_its_server_costs_its_worst_case(engine: Engine) {
    /// A day has a longer name than another, so the prompt of the last run may have a few bytes more or less.
    const SLACK_MICROS: u64 = 50;
    let (provider, desk) = short_of_money(engine);
    desk.inbox.app.cli(&["account", "set", &desk.inbox.tenant.account.id, "--ai-budget", "none"]);
    let run = desk.starts(json!({}));
    provider.sink().wait(provider.chat_path(), 1);
    desk.inbox.app.kill();
    provider.sink().release();
    desk.inbox.app.restart();
    let ended = eventually("the run's end", || {
        desk.inbox.settle();
        desk.inbox.advance(LEASE);
        Some(desk.run(id(&run))).filter(|run| !run["finished_at"].is_null())
    });
    assert_eq!(ended["status"], "succeeded", "{ended}");
    // The timeline tells of the call that was answered, and the run pays for both.
    assert_eq!(desk.kinds(&ended), ["started", "model_called", "finished"]);
    assert_eq!(
        (&ended["tick_count"], &ended["tokens_in"], &ended["tokens_out"]),
        (&json!(1), &json!(USAGE.0), &json!(USAGE.1))
    );
    let cost = (ended["cost_usd"].as_f64().expect("a cost") * 1e6).round() as u64;
    let worst = cost - CALL_MICROS;
    assert!(worst >= CALL_MICROS, "{cost} does not hold the worst case of the call that was lost");
    let usage = desk.client.get("/ai/usage").expect(200).data().clone();
    assert_eq!((&usage["calls"], &usage["spent_usd"]), (&json!(2), &json!(cost as f64 / 1e6)), "{usage}");
    // Nothing stays reserved: a call with the same worst case just fits into what is left.
    set_budget(&desk, cost + worst - SLACK_MICROS);
    assert!(text(&desk.becomes(&desk.starts(json!({})), "failed")["error"]).contains("AI budget"));
    set_budget(&desk, cost + worst + SLACK_MICROS);
    desk.becomes(&desk.starts(json!({})), "succeeded");
}

fn turn(provider: &ModelProvider, tool: &str) -> Reply {
    let arguments = match tool {
        "add_note" => json!({ "body": "Wants out." }),
        "send_message" => json!({ "text": "One moment." }),
        _ => json!({}),
    };
    // The id of the call is the tool, so that a request tells which were used.
    provider.tool_calls(&[(tool, tool, arguments)]).after(THINKING)
}

fn two_servers_never_work_on_one_run(engine: Engine) {
    let desk = Desk::of(Inbox::of(start(engine)));
    let _second = desk.inbox.app.second_server();
    let turns: Vec<Value> = (0..30)
        .flat_map(|_| [calls(&[("remember", json!({ "content": "Seen." }))]), says("Done.")])
        .collect();
    desk.script(json!(turns));
    // A server works on the runs that are started through it. Both servers try to claim those that the command line starts.
    let mut runs: Vec<Value> = (0..20).map(|_| desk.starts(json!({}))).collect();
    let account = &desk.inbox.tenant.account.id;
    let by_command =
        ["run", "start", "--account", account, "--assistant", &desk.assistant, "--goal", "Do it."];
    runs.extend((0..10).map(|_| desk.inbox.app.cli(&by_command)));
    for run in &runs {
        eventually("the run's end", || Some(desk.run(id(run))).filter(|run| !run["finished_at"].is_null()));
        let kinds = desk.kinds(run);
        for once in ["started", "finished"] {
            assert_eq!(kinds.iter().filter(|kind| *kind == once).count(), 1, "{kinds:?}");
        }
        // Every step follows from the one before: a tool that was called has returned before the next call of the model.
        let called = kinds.iter().filter(|kind| *kind == "tool_called").count();
        assert_eq!(kinds.iter().filter(|kind| *kind == "tool_returned").count(), called, "{kinds:?}");
    }
    let returned: usize =
        runs.iter().map(|run| desk.kinds(run).iter().filter(|kind| *kind == "memory_written").count()).sum();
    assert_eq!(walk(&desk.client, "/memories").len(), returned, "what a tool did is told once");
}
