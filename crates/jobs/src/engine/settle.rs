//! Settles a batch of outcomes. If one of them cannot be written, the batch is split until it is found, so that it
//! keeps no other outcome from being settled.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_db as db;
use tokio::time::sleep;

use crate::drain::Context;
use crate::kind::{Done, Kind};

/// How often an outcome that cannot be written is tried, and the pause between two tries.
const TRIES_MAX: u32 = 3;
const TRY_PAUSE: Duration = Duration::from_millis(50);

/// What became of a batch.
pub(super) struct Settling<K: Kind> {
    /// What the transactions returned.
    pub(super) settled: Vec<K::Settled>,
    /// The lanes of outcomes that were written.
    pub(super) lanes: Vec<K::Lane>,
    /// The store failed, so these are tried again.
    pub(super) again: Vec<Arc<Done<K>>>,
}

/// Settles a batch. An outcome that can never be written is given up ([`Kind::give_up`]): its job is claimed again, or
/// swept, when its lease expires.
pub(super) async fn settle<K: Kind>(
    kind: &Arc<K>,
    context: &Context,
    batch: Vec<Arc<Done<K>>>,
) -> Settling<K> {
    let mut settling = Settling { settled: Vec::new(), lanes: Vec::new(), again: Vec::new() };
    let mut parts = vec![batch];
    while let Some(mut part) = parts.pop() {
        match write(kind, context, &part).await {
            Ok(settled) => {
                settling.settled.push(settled);
                settling.lanes.extend(part.iter().map(|done| done.lane));
            }
            Err(error) if !error.is_lasting() => {
                tracing::warn!(kind = K::NAME, %error, "settling outcomes failed; retrying with the next batch");
                settling.again.extend(part);
            }
            Err(_) if part.len() > 1 => {
                let rest = part.split_off(part.len() / 2);
                parts.extend([rest, part]);
            }
            Err(error) => {
                let lane = part[0].lane;
                tracing::error!(kind = K::NAME, ?lane, %error, "an outcome cannot be stored; its job is released");
                give_up(kind, context, part[0].job.clone()).await;
                metrics::counter!("frontdesk_jobs_total", "kind" => K::NAME, "outcome" => "unsettled")
                    .increment(1);
            }
        }
    }
    settling
}

/// Writes outcomes in one transaction. A single outcome is tried a few times.
async fn write<K: Kind>(kind: &Arc<K>, context: &Context, part: &[Arc<Done<K>>]) -> db::Result<K::Settled> {
    let mut tries = 1;
    loop {
        let (kind, ours, now) = (kind.clone(), part.to_vec(), (context.clock)());
        let written = context.store.write(move |tx| kind.settle(tx, &ours, now)).await;
        match written {
            Err(error) if error.is_lasting() && part.len() == 1 && tries < TRIES_MAX => {
                tries += 1;
                sleep(TRY_PAUSE).await;
            }
            written => return written,
        }
    }
}

async fn give_up<K: Kind>(kind: &Arc<K>, context: &Context, job: Arc<K::Job>) {
    let kind = kind.clone();
    if let Err(error) = context.store.write(move |tx| kind.give_up(tx, &job)).await {
        tracing::error!(kind = K::NAME, %error, "releasing a job failed; it stays claimed until the server restarts");
    }
}
