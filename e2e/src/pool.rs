//! Running servers that tests use one after the other.
//!
//! Starting a server costs more than most tests do with it, so a test that asks for nothing special gets one that tests
//! before it have used. It is the only one to use it meanwhile. It finds the sandbox as it was at the start, and a clock that
//! was not moved. What tests before it left is in other accounts, which are suspended.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::json;

use crate::caller::CallerAddress;
use crate::client::Client;
use crate::installation::{Installation, Start};
use crate::setup;

/// Servers that wait for a test, at most. Each holds connections to PostgreSQL.
const IDLE_MAX: usize = 8;

/// The one that was used last is last.
static IDLE: Mutex<VecDeque<Installation>> = Mutex::new(VecDeque::new());

/// A server that was started like this one would be.
pub(crate) fn take(start: &Start) -> Option<Installation> {
    loop {
        let found = {
            let mut idle = idle();
            let place = idle.iter().rposition(|one| one.start.is_like(start))?;
            idle.remove(place)?
        };
        // One that has ended is dropped.
        if found.is_running() {
            reset_sandbox(&Client::new(found.base.clone(), CallerAddress::Usual).vendors());
            found.begin_log();
            return Some(found);
        }
    }
}

/// Keeps a server for the next test.
pub(crate) fn give_back(used: Installation) {
    // Commands, vendors and tests go by the real clock, so a moved one would confuse the next test.
    if !matches!(setup::leave(used.start.database()), Ok(0)) {
        return;
    }
    let mut idle = idle();
    idle.push_back(used);
    let oldest = if idle.len() > IDLE_MAX { idle.pop_front() } else { None };
    drop(idle);
    // This takes a while.
    drop(oldest);
}

fn idle() -> MutexGuard<'static, VecDeque<Installation>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn reset_sandbox(sandbox: &Client) {
    // It is closed while no channel uses it.
    if sandbox.get("/sandbox/settings").status == 404 {
        return;
    }
    // Calls of an earlier test may still be under way, and would meet the faults of this one. Where the clock can be moved,
    // this returns when they are over; elsewhere it is not found.
    let _ = sandbox.post("/sandbox/clock", json!({ "advance_seconds": 0 }));
    for path in ["/sandbox/faults", "/sandbox/model", "/sandbox/model/calls", "/sandbox/messages"] {
        sandbox.delete(path).expect(200);
    }
    let usual = json!({ "statuses": "auto", "scan": "auto", "window": "lenient" });
    sandbox.put("/sandbox/settings", usual).expect(200);
}
