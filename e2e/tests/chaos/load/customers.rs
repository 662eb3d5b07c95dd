//! Customers who write to us. The channel tells of a message until that is acknowledged, and sometimes once more.

use super::Worker;
use crate::ledger::Inbound;
use crate::scene::{QUIET, WRITTEN_TO, customer};

/// So many messages in a hundred are told twice.
const AGAIN_PERCENT: u64 = 10;

pub(super) fn step(worker: &mut Worker<'_>) -> Result<(), String> {
    let words = worker.unique();
    let from = customer(worker.caller.dice().below((WRITTEN_TO + QUIET) as u64) as usize);
    let channel_id = format!("wamid.in.{words}");
    let told = worker.scene.inbound(&from, &channel_id, &words);
    worker.caller.acknowledged(&told)?;
    worker.ledger.entries().inbound.push(Inbound { channel_id, from, text: words });
    if worker.caller.dice().percent(AGAIN_PERCENT) {
        worker.caller.wander();
        worker.caller.acknowledged(&told)?;
    }
    Ok(())
}
