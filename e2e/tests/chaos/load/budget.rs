//! Requests against a small budget, which every minute uses up.

use std::time::Instant;

use frontdesk_e2e::Response;

use super::Worker;
use crate::caller::Request;
use crate::ledger::{Counted, Read};

pub(super) fn step(worker: &mut Worker<'_>) -> Result<(), String> {
    worker.caller.wander();
    let response = worker.caller.attempt(&Request::get("/api/v1/contacts?limit=1"));
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
    worker.ledger.entries().reads.push(Read { at: Instant::now(), outcome });
    Ok(())
}

fn header(response: &Response, name: &str) -> Result<u64, String> {
    let value = response.header(name).and_then(|value| value.parse().ok());
    value.ok_or_else(|| format!("a response without {name}"))
}
