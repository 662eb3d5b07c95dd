//! The servers of this installation: whether one has died, and whether their versions, roles and clocks fit together.

use std::collections::BTreeSet;

use frontdesk_db::Store;
use frontdesk_platform::servers::{self, Report, Seen, Status};

use super::Check;
use crate::clock;

const NAME: &str = "servers";

pub(super) async fn examine(store: &Store) -> Vec<Check> {
    let found = async {
        let now = store.database_time().await?.unwrap_or_else(clock::now);
        store.read(move |tx| servers::list(tx, now)).await
    };
    match found.await {
        Ok(found) => judge(&found),
        Err(error) => vec![Check::store_failed(NAME, &error)],
    }
}

/// What is wrong; one line if nothing is. Nothing if no server runs.
fn judge(found: &[Seen]) -> Vec<Check> {
    let living: Vec<&Report> = found
        .iter()
        .filter(|seen| seen.status != Status::Dead)
        .filter_map(|seen| seen.report.as_ref())
        .collect();
    let mut problems = Vec::new();
    let dead = found.iter().filter(|seen| seen.status == Status::Dead).count();
    if dead > 0 {
        problems.push(format!(
            "{dead} died within the last hour, and their work was taken over: `frontdesk servers` lists them, and their logs \
             say why"
        ));
    }
    let versions: BTreeSet<&str> = living.iter().map(|report| report.version.as_str()).collect();
    if versions.len() > 1 {
        let versions: Vec<&str> = versions.into_iter().collect();
        problems.push(format!("servers of the versions {} run: finish the upgrade", versions.join(" and ")));
    }
    let has_role = |roles: [&str; 2]| living.iter().any(|report| roles.contains(&report.role.as_str()));
    if !living.is_empty() && !has_role(["all", "worker"]) {
        problems.push(
            "none does background work, so nothing is sent: start one with --role worker or all".to_owned(),
        );
    }
    for report in living.iter().filter(|report| report.clock_ahead_ms != 0) {
        problems.push(format!(
            "the clock of {} ({}) is {}, which this server corrects: let both machines follow a time server",
            report.host,
            report.address,
            clock::describe(report.clock_ahead_ms)
        ));
    }
    if problems.is_empty() && !living.is_empty() {
        let count = living.len();
        return vec![Check::ok(NAME, format!("{count} run{}", if count == 1 { "s" } else { "" }))];
    }
    problems.into_iter().map(|problem| Check::warning(NAME, problem)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_kernel::{Ids, Timestamp};

    fn seen(status: Status, role: &str, version: &str, clock_ahead_ms: i64) -> Seen {
        let at = Timestamp::from_millis(1_800_000_000_000);
        let report = Report {
            role: role.to_owned(),
            version: version.to_owned(),
            clock_ahead_ms,
            ..Report::default()
        };
        Seen { id: Ids::new().next(at), status, seen_at: at, report: Some(report) }
    }

    #[track_caller]
    fn warns(found: &[Seen], words: &[&str]) {
        let checks = judge(found);
        assert_eq!(checks.len(), words.len(), "{checks:?}");
        for (check, words) in checks.iter().zip(words) {
            assert!(check.message.contains(words), "{check:?}");
        }
    }

    #[test]
    fn servers_that_fit_together_are_fine() {
        assert!(judge(&[]).is_empty());
        let fine = [seen(Status::Serving, "api", "1", 0), seen(Status::Draining, "worker", "1", 0)];
        warns(&fine, &["2 run"]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        warns(&[seen(Status::Serving, "api", "1", 0)], &["--role worker"]);
        let mixed = [seen(Status::Serving, "all", "1", 0), seen(Status::Serving, "all", "2", -600_000)];
        warns(&mixed, &["1 and 2", "600 s behind"]);
        // A dead server's version and clock do not matter.
        let died = [seen(Status::Serving, "all", "2", 0), seen(Status::Dead, "all", "1", 5_000)];
        warns(&died, &["1 died"]);
    }
}
