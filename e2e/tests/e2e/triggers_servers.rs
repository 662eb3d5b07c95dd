//! Several servers with the same triggers.

use std::collections::HashMap;
use std::thread::sleep;
use std::time::Duration;

use frontdesk_e2e::{Given, at_once, on_shared_stores};
use serde_json::{Value, json};

use crate::inbox_scene::eventually;
use crate::people::walk;
use crate::shapes::text;
use crate::triggers_hooks::hook;
use crate::triggers_scene::{Business, advance, written};

on_shared_stores! {
    three_servers_fire_a_thousand_triggers_once_each_though_one_is_killed,
    calls_of_an_address_are_limited_over_all_servers,
}

const MANY: usize = 1_000;
/// Seconds after which what a dead server had claimed is due again.
const LEASE: i64 = 121;

fn three_servers_fire_a_thousand_triggers_once_each_though_one_is_killed(engine: frontdesk_e2e::Engine) {
    let business = Business::given(engine);
    let (second, third) = (business.app.second_server(), business.app.second_server());
    let due = business.now() + 3_600_000;
    at_once(8, |_| {
        for _ in 0..MANY / 8 {
            business.makes(json!({ "kind": "once", "run_at": written(due) }));
        }
    });
    let all = walk(&business.client, "/triggers");
    assert_eq!(all.len(), MANY);
    let client = business.client.clone();
    // All three learn that the hour has passed, and one dies while they fire.
    let (app, clock) = (&business.app, business.app.anonymous().vendors().at(&third));
    std::thread::scope(|scope| {
        scope.spawn(move || drop(clock.post("/sandbox/clock", json!({ "advance_seconds": 3_601 }))));
        sleep(Duration::from_millis(150));
        second.kill();
    });
    let fired = || {
        let mut runs: HashMap<String, usize> = HashMap::new();
        for run in walk(&client, "/runs") {
            *runs.entry(text(&run["trigger_id"]).to_owned()).or_default() += 1;
        }
        runs
    };
    eventually("every trigger's run", || {
        let runs = fired();
        assert!(runs.values().all(|count| *count == 1), "a trigger fired twice");
        if runs.len() < MANY {
            advance(app, LEASE);
        }
        (runs.len() == MANY).then_some(())
    });
    // Once more, after every lease has ended: nothing fires again.
    advance(app, LEASE);
    assert!(fired().values().all(|count| *count == 1));
    let errors: Vec<Value> =
        walk(&client, "/triggers").into_iter().filter(|trigger| !trigger["last_error"].is_null()).collect();
    assert_eq!(errors, [Value::Null; 0]);
}

fn calls_of_an_address_are_limited_over_all_servers(engine: frontdesk_e2e::Engine) {
    const PER_MINUTE: usize = 60;
    let business = Business::given(engine);
    let second = business.app.second_server();
    let (trigger, caller, path) = hook(&business, json!({}));
    business.app.begin_minute();
    let elsewhere = caller.at(&second);
    let mut statuses = Vec::new();
    for _ in 0..PER_MINUTE * 2 / 3 {
        statuses.extend([&caller, &elsewhere].map(|server| server.post(&path, json!({})).status));
    }
    let fired = statuses.iter().filter(|status| **status == 202).count();
    assert_eq!((fired, statuses.len() - fired), (PER_MINUTE, PER_MINUTE / 3), "{statuses:?}");
    let refused = elsewhere.post(&path, json!({})).expect(429);
    refused.error("rate_limited");
    assert!(refused.header("retry-after").is_some());
    business.advance(60);
    caller.post(&path, json!({})).expect(202);
    assert_eq!(business.runs(&trigger).len(), PER_MINUTE + 1);
}
