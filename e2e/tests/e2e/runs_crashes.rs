//! Servers that are killed while runs are at work: every run ends, what it did was done once, and nothing is paid twice.

use std::thread::sleep;
use std::time::Duration;

use frontdesk_e2e::{Engine, on_every_engine, on_shared_stores};
use serde_json::{Value, json};

use crate::agent_scene::{Desk, calls, says};
use crate::inbox_scene::{ANN, Inbox, eventually, id, start};
use crate::people::walk;
use crate::shapes::text;

on_every_engine! {
    a_run_survives_a_kill_at_every_step,
}

on_shared_stores! {
    two_servers_never_work_on_one_run,
}

/// Seconds after which a run of a server that died is taken up again.
const LEASE: u64 = 61;

fn a_run_survives_a_kill_at_every_step(engine: Engine) {
    let desk = Desk::of(Inbox::of(start(engine)));
    desk.set(json!({ "tool_access": { "opt_out_contact": true }, "model": "gpt-5" }));
    // Delays make every step long enough to be met by a kill; they grow, so that each kill meets another step.
    for round in 0..8_u64 {
        let customer = format!("{}{round:02}", &ANN[..ANN.len() - 2]);
        let talk = desk.inbox.hears(&customer, "Opt me out, please.");
        desk.script(json!([
            calls(&[("add_note", json!({ "body": "Wants out." }))]),
            calls(&[("send_message", json!({ "text": "One moment." }))]),
            calls(&[("opt_out_contact", json!({}))]),
            says("You are out."),
        ]));
        desk.inbox.faults(json!([{ "on": "model", "kind": "delay", "millis": 150 }]));
        desk.inbox.advance(2);
        sleep(Duration::from_millis(60 * round));
        desk.inbox.app.kill();
        desk.inbox.app.restart();
        desk.inbox.advance(LEASE);
        // The sandbox's script died with the server, so it is told again what is left to say.
        let run = desk.runs_of(&talk)[0].clone();
        let done: Vec<String> = desk
            .steps(&run)
            .iter()
            .filter(|step| step["type"] == "tool_returned")
            .map(|step| text(&step["data"]["tool"]).to_owned())
            .collect();
        let rest: Vec<Value> = [
            ("add_note", calls(&[("add_note", json!({ "body": "Wants out." }))])),
            ("send_message", calls(&[("send_message", json!({ "text": "One moment." }))])),
            ("opt_out_contact", calls(&[("opt_out_contact", json!({}))])),
        ]
        .into_iter()
        .filter(|(tool, _)| !done.iter().any(|one| one == tool))
        .map(|(_, turn)| turn)
        .chain([says("You are out.")])
        .collect();
        desk.script(json!(rest));
        let ended = eventually("the run's end", || {
            desk.inbox.advance(LEASE);
            for ask in desk.pending() {
                desk.answers(&ask, json!({ "decision": "approve" }));
            }
            Some(desk.run(id(&run))).filter(|run| !run["finished_at"].is_null())
        });
        assert_eq!(ended["status"], "succeeded", "round {round}: {ended}");
        let contact = text(&talk["contact_id"]);
        let notes = walk(&desk.client, &format!("/contacts/{contact}/notes"));
        assert_eq!(notes.len(), 1, "round {round}: {notes:?}");
        let said = desk.said(&talk);
        assert_eq!(said.iter().filter(|words| *words == "One moment.").count(), 1, "round {round}: {said:?}");
        assert_eq!(
            said.iter().filter(|words| *words == "You are out.").count(),
            1,
            "round {round}: {said:?}"
        );
        // What the calls of the run cost is what the run cost.
        let usage = desk.client.get("/ai/usage").expect(200).data().clone();
        let runs = walk(&desk.client, "/runs");
        let sum: f64 = runs.iter().map(|run| run["cost_usd"].as_f64().expect("a cost")).sum();
        let spent = usage["spent_usd"].as_f64().expect("a sum");
        assert!((sum - spent).abs() < 1e-9, "round {round}: {sum} is not {spent}");
    }
}

fn two_servers_never_work_on_one_run(engine: Engine) {
    let desk = Desk::of(Inbox::of(start(engine)));
    let _second = desk.inbox.app.second_server();
    let turns: Vec<Value> = (0..20)
        .flat_map(|_| [calls(&[("remember", json!({ "content": "Seen." }))]), says("Done.")])
        .collect();
    desk.script(json!(turns));
    let runs: Vec<Value> = (0..20).map(|_| desk.starts(json!({}))).collect();
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
