//! Requests against a small budget, which every minute uses up.

use std::time::Instant;

use frontdesk_e2e::Response;

use super::Worker;
use crate::caller::{Caller, Request};
use crate::dice::Dice;
use crate::ledger::{Counted, Ledger, Read};
use crate::scene::{Scene, TINY_BUDGET};

const MINUTE_SECONDS: u64 = 60;
/// More requests than the tiny budget has. They take a second or two, in which Redis must respond to every server within 250 ms.
const QUIET_REQUESTS: u64 = TINY_BUDGET + 6;
/// A busy machine may need several such seconds.
const QUIET_MINUTES_MAX: usize = 60;

pub(super) fn step(worker: &mut Worker<'_>) -> Result<(), String> {
    let read = read(&mut worker.caller)?;
    worker.ledger.entries().reads.push(read);
    Ok(())
}

/// Uses up a budget when nothing is broken any more. The servers' clock is moved to another minute until there is one in which no
/// server missed Redis. With `is_sabotaged` Redis forgets what it has counted, in the middle of it.
pub(crate) fn quiet_minute(scene: &Scene<'_>, ledger: &Ledger, is_sabotaged: bool) {
    let mut caller = scene.caller(&Dice::new(3), Some(&scene.tiny_key));
    for _ in 0..QUIET_MINUTES_MAX {
        let misses = scene.cluster.redis_misses();
        let minute = scene.advance(MINUTE_SECONDS) / MINUTE_SECONDS;
        let one = |number: u64| {
            if is_sabotaged && number == QUIET_REQUESTS / 2 {
                scene.cluster.forget_counts();
            }
            read(&mut caller)
        };
        let reads: Result<Vec<Read>, String> = (0..QUIET_REQUESTS).map(one).collect();
        let reads = match reads {
            Ok(reads) => reads,
            Err(why) => return ledger.entries().unacknowledged.push(why),
        };
        let is_of_the_minute = |read: &Read| match read.outcome {
            Counted::Served { reset, .. } | Counted::Refused { reset } => {
                reset == (minute + 1) * MINUTE_SECONDS
            }
            Counted::Unknown => false,
        };
        if scene.cluster.redis_misses() == misses && reads.iter().all(is_of_the_minute) {
            ledger.entries().quiet_reads = reads;
            return;
        }
    }
}

fn read(caller: &mut Caller<'_>) -> Result<Read, String> {
    caller.wander();
    let response = caller.attempt(&Request::get("/api/v1/contacts?limit=1"));
    let outcome = match &response {
        Some(served) if served.status == 200 => Counted::Served {
            reset: header(served, "x-ratelimit-reset")?,
            remaining: header(served, "x-ratelimit-remaining")?,
        },
        Some(refused) if refused.status == 429 => {
            Counted::Refused { reset: header(refused, "x-ratelimit-reset")? }
        }
        Some(other) if !matches!(other.status, 500 | 503) => {
            return Err(format!("a read came to {} {}", other.status, other.text));
        }
        _ => Counted::Unknown,
    };
    Ok(Read { at: Instant::now(), outcome })
}

fn header(response: &Response, name: &str) -> Result<u64, String> {
    let value = response.header(name).and_then(|value| value.parse().ok());
    value.ok_or_else(|| format!("a response without {name}"))
}
