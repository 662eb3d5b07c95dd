//! `frontdesk servers`: the servers of this installation, and what each of them does.

use clap::Args;
use frontdesk_kernel::Timestamp;
use frontdesk_platform::servers::{self, Report, Seen};
use serde_json::{Value, json};

use super::print;
use crate::clock;
use crate::error::Result;
use crate::installation::Installation;

const HEAD: [&str; 12] = [
    "server",
    "status",
    "role",
    "version",
    "started",
    "last beat",
    "clock",
    "requests/min",
    "jobs",
    "connections",
    "streams",
    "leases",
];

#[derive(Args)]
#[command(after_help = "\
A server renews its row every 3 seconds. One that has not done so for 10 seconds is dead; its row stays for an hour. A server
that stops in order leaves no row.

jobs is how many jobs run. leases is how many of each kind a server has claimed; those of a dead server are released within ten
seconds. clock is how far its machine's clock is from the database's, by which all servers go.")]
pub(super) struct Command;

pub(super) fn run(installation: &Installation) -> Result<()> {
    let (found, now) = installation.work(async |store| {
        // This machine's clock may be another one than that by which servers are seen.
        let now = store.database_time().await?.unwrap_or_else(clock::now);
        Ok((store.read(move |tx| servers::list(tx, now)).await?, now))
    })?;
    let shown: Vec<Value> = found.iter().map(|seen| as_json(seen, now)).collect();
    print::output(installation.json, &shown, || {
        let rows = found.iter().map(|seen| as_row(seen, now)).collect();
        print::table(&HEAD, rows, "No server runs, and none has died within the last hour.")
    })
}

fn silent_seconds(seen: &Seen, now: Timestamp) -> i64 {
    (now.millis() - seen.seen_at.millis()).max(0) / 1000
}

fn as_json(seen: &Seen, now: Timestamp) -> Value {
    let report = seen.report.clone().unwrap_or_default();
    let known = seen.report.as_ref();
    json!({
        "id": seen.id,
        "status": seen.status,
        "version": known.map(|report| &report.version),
        "role": known.map(|report| &report.role),
        "host": known.map(|report| &report.host),
        "process_id": known.map(|report| report.process_id),
        "address": known.map(|report| &report.address),
        "started_at": known.map(|report| &report.started_at),
        "last_beat_at": seen.seen_at,
        "seconds_since_last_beat": silent_seconds(seen, now),
        "clock_ahead_ms": report.clock_ahead_ms,
        "load": report.load,
        "leases": report.leases,
    })
}

fn as_row(seen: &Seen, now: Timestamp) -> Vec<String> {
    let status = seen.status.as_str().to_owned();
    let beat = format!("{} s ago", silent_seconds(seen, now));
    let Some(report) = &seen.report else {
        let mut row =
            vec![seen.id.to_string(), status, "-".to_owned(), "earlier".to_owned(), "-".to_owned(), beat];
        row.resize(HEAD.len(), "-".to_owned());
        return row;
    };
    let Report { host, address, role, version, started_at, load, .. } = report;
    let clock = match report.clock_ahead_ms {
        0 => "right".to_owned(),
        ahead => format!("{} s {}", ahead.abs() / 1000, if ahead < 0 { "behind" } else { "ahead" }),
    };
    let leases: Vec<String> = report.leases.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    vec![
        format!("{host} {address} ({})", report.process_id),
        status,
        role.clone(),
        version.clone(),
        started_at.clone(),
        beat,
        clock,
        load.requests_last_minute.to_string(),
        load.jobs_at_work.to_string(),
        load.connections.to_string(),
        load.streams.to_string(),
        if leases.is_empty() { "-".to_owned() } else { leases.join(", ") },
    ]
}
