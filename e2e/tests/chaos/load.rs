//! The load: a few callers of each kind, each with one request at a time.
//!
//! A caller repeats a request until it is acknowledged, and notes it then. It ends after a request that was acknowledged,
//! so in the end everything that was asked for has been acknowledged.

pub(crate) mod budget;
mod customers;
mod people;
mod runs;
mod sending;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, sleep};
use std::time::Duration;

use serde_json::json;

use crate::caller::Caller;
use crate::dice::Dice;
use crate::ledger::Ledger;
use crate::scene::Scene;

/// How long reports of the channel are collected.
const REPORT_PAUSE: Duration = Duration::from_millis(150);

/// What a caller does: one step, repeated until the time is over. `pause` is between two steps, on average.
pub(crate) struct Worker<'a> {
    scene: &'a Scene<'a>,
    ledger: &'a Ledger,
    caller: Caller<'a>,
    /// Begins every name that this caller gives.
    name: String,
    step: usize,
}

type Step = fn(&mut Worker<'_>) -> Result<(), String>;

/// The kinds of callers: how many there are, and how long they pause.
const KINDS: [(&str, usize, u64, Step); 6] = [
    ("person", 2, 150, people::step),
    ("customer", 2, 150, customers::step),
    ("sender", 2, 200, sending::step),
    ("run", 1, 900, runs::start),
    ("trigger", 1, 1_500, runs::trigger),
    ("read", 1, 300, budget::step),
];

/// Starts all of it. It ends when `over` is raised.
pub(crate) fn start<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    scene: &'env Scene<'env>,
    ledger: &'env Ledger,
    dice: &Dice,
    over: &'env AtomicBool,
) {
    let mut part = 1_000;
    for (kind, many, pause, step) in KINDS {
        for number in 0..many {
            part += 1;
            let key = if kind == "read" { &scene.counted_key } else { &scene.key };
            let caller = scene.caller(&dice.of(part), Some(key));
            let name = format!("{kind}-{number}");
            let mut worker = Worker { scene, ledger, caller, name, step: 0 };
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    worker.take(step, pause);
                }
            });
        }
    }
    let mut caller = scene.caller(&dice.of(part + 1), Some(&scene.key));
    scope.spawn(move || sending::broadcast(scene, ledger, &mut caller));
}

impl Worker<'_> {
    fn take(&mut self, step: Step, pause: u64) {
        self.step += 1;
        if self.caller.dice().percent(10) {
            self.caller.wander();
        }
        if let Err(why) = step(self) {
            self.ledger.entries().unacknowledged.push(why);
        }
        sleep(Duration::from_millis(pause / 2 + self.caller.dice().below(pause)));
    }

    /// A name that nothing else has.
    fn unique(&self) -> String {
        format!("{}-{}", self.name, self.step)
    }
}

/// The channel reports what it has taken, in order, each until it is acknowledged.
pub(crate) fn reports(scene: &Scene<'_>, ended: &AtomicBool) {
    let mut caller = scene.caller(&Dice::new(1), None);
    while !ended.load(Ordering::Relaxed) {
        let taken = scene.outside.unreported();
        if taken.is_empty() {
            sleep(REPORT_PAUSE);
            continue;
        }
        let statuses: Vec<_> = taken
            .iter()
            .flat_map(|taken| ["sent", "delivered"].map(|status| (taken, status)))
            .map(|(taken, status)| {
                json!({ "id": taken.channel_id, "status": status, "timestamp": "1780000000",
                    "recipient_id": taken.to, "biz_opaque_callback_data": taken.our_id })
            })
            .collect();
        let told = scene.told(&json!({ "statuses": statuses }));
        match caller.acknowledged(&told) {
            Ok(_) => scene.outside.reported(taken.len()),
            Err(why) => eprintln!("a report of the channel was not taken: {why}"),
        }
        sleep(REPORT_PAUSE);
    }
}
