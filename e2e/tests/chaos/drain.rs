//! Waits until nothing waits any more: no message, delivery, run or event.

use std::thread::sleep;
use std::time::{Duration, Instant};

use postgres::{Client, NoTls};

use crate::report::Report;
use crate::scene::Scene;

/// How long the queues may take to empty, for each second of the load and in all.
const WAIT_MIN: Duration = Duration::from_mins(5);
const LOOK_AGAIN: Duration = Duration::from_millis(500);
/// A call whose outcome nobody knows has failed after this time. So has a second try of a webhook come.
const DOUBT_SECONDS: u64 = 11 * 60;
/// A look must find nothing so many times in a row: what ends may begin something else.
const QUIET_LOOKS: usize = 4;

/// What waits: a name, and a statement that counts it.
const WAITING: [(&str, &str); 6] = [
    ("messages", "SELECT count(*) FROM sends WHERE state = 'queued' OR lease IS NOT NULL"),
    (
        "deliveries",
        "SELECT count(*) FROM deliveries WHERE status IN ('pending', 'claimed') AND (next_attempt_at IS NULL OR step <= 1)",
    ),
    ("runs", "SELECT count(*) FROM runs WHERE finished_at IS NULL"),
    ("events for triggers", "SELECT count(*) FROM trigger_events"),
    ("triggers", "SELECT count(*) FROM triggers WHERE kind = 'once' AND enabled AND last_fired_at IS NULL"),
    ("recipients", "SELECT count(*) FROM broadcast_recipients WHERE status = 'pending'"),
];
/// What waits only for time to pass.
const IN_DOUBT: [(&str, &str); 3] = [
    ("messages in doubt", "SELECT count(*) FROM sends"),
    // A broadcast has been sent when nothing of it is in doubt any more.
    ("broadcasts", "SELECT count(*) FROM broadcasts WHERE status = 'sending'"),
    ("deliveries", "SELECT count(*) FROM deliveries WHERE status IN ('pending', 'claimed')"),
];

pub(crate) fn until_nothing_waits(scene: &Scene<'_>, report: &mut Report) {
    let wait = WAIT_MIN + 2 * report.length;
    let mut client = Client::connect(&scene.cluster.postgres.url(), NoTls).expect("PostgreSQL is back");
    if let Err(left) = empties(&mut client, &WAITING, wait) {
        report.problem(format!("after {} s there still waited {left}", wait.as_secs()));
    }
    report.in_doubt = client.query_one(IN_DOUBT[0].1, &[]).expect("a count").get::<_, i64>(0) as usize;
    // What is in doubt has an outcome when the time for the channel's report is over.
    for _ in 0..3 {
        scene.advance(DOUBT_SECONDS);
        if empties(&mut client, &IN_DOUBT, WAIT_MIN / 5).is_ok() {
            return;
        }
    }
    if let Err(left) = empties(&mut client, &IN_DOUBT, Duration::ZERO) {
        report.problem(format!("though time has passed there still waited {left}"));
    }
}

/// Waits until all of these are none; what is left otherwise.
fn empties(client: &mut Client, waiting: &[(&str, &str)], wait: Duration) -> Result<(), String> {
    let deadline = Instant::now() + wait;
    let mut quiet = 0;
    loop {
        let mut left = Vec::new();
        for (name, statement) in waiting {
            let count: i64 = client.query_one(*statement, &[]).expect("a count").get(0);
            if count > 0 {
                left.push(format!("{count} {name}"));
            }
        }
        quiet = if left.is_empty() { quiet + 1 } else { 0 };
        if quiet == QUIET_LOOKS {
            return Ok(());
        }
        if !left.is_empty() && Instant::now() > deadline {
            return Err(left.join(", "));
        }
        sleep(LOOK_AGAIN);
    }
}
