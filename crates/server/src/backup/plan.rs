//! When backups are taken by themselves, and what became of the last one.

use std::time::Duration;

use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::settings;
use serde::{Deserialize, Serialize};

use super::Destination;

const EVERY_DEFAULT: Duration = Duration::from_hours(24);
const EVERY_MIN: Duration = Duration::from_mins(1);
const EVERY_MAX: Duration = Duration::from_hours(24 * 366);
const KEEP_DEFAULT: usize = 7;
const KEEP_MAX: usize = 10_000;
/// A backup that failed is tried again after this long, or after the period if that is shorter.
const RETRY_PAUSE: Duration = Duration::from_mins(15);
/// The setting with the state.
const SETTING: &str = "backups";

/// Where backups go, how often, and how many stay.
#[derive(Clone, Debug)]
pub(crate) struct BackupPlan {
    pub(crate) to: Destination,
    pub(crate) every: Duration,
    pub(crate) keep: usize,
    pub(crate) with_secret_key: bool,
    /// Whether they have files that are outside the database.
    pub(crate) with_media: bool,
}

impl BackupPlan {
    /// Reads the variables; every mistake is passed to `note`. None if no destination is set.
    pub(crate) fn read(
        variable: impl Fn(&str) -> Option<String>,
        mut note: impl FnMut(String),
    ) -> Option<Self> {
        let to = variable("FRONTDESK_BACKUP_TO")?;
        let to = Destination::read(&to, &variable).map_err(&mut note);
        let every = variable("FRONTDESK_BACKUP_EVERY").map_or(Ok(EVERY_DEFAULT), |text| {
            let every = read_span(&text).filter(|every| (EVERY_MIN..=EVERY_MAX).contains(every));
            every.ok_or_else(|| {
                note(format!(
                    "FRONTDESK_BACKUP_EVERY is a time such as 30m, 24h or 7d, at least 1m, not {text:?}"
                ));
            })
        });
        let keep = variable("FRONTDESK_BACKUP_KEEP").map_or(Ok(KEEP_DEFAULT), |text| {
            let keep = text.parse().ok().filter(|keep| (1..=KEEP_MAX).contains(keep));
            keep.ok_or_else(|| {
                note(format!("FRONTDESK_BACKUP_KEEP is a number from 1 to {KEEP_MAX}, not {text:?}"));
            })
        });
        let mut switch = |name: &str, usual: bool| match variable(name).as_deref() {
            Some("true" | "1" | "yes") => true,
            Some("false" | "0" | "no") => false,
            None => usual,
            Some(other) => {
                note(format!("{name} is true or false, not {other:?}"));
                usual
            }
        };
        let with_secret_key = switch("FRONTDESK_BACKUP_SECRET_KEY", false);
        let with_media = switch("FRONTDESK_BACKUP_MEDIA", true);
        Some(Self { to: to.ok()?, every: every.ok()?, keep: keep.ok()?, with_secret_key, with_media })
    }
}

/// Reads a number of minutes, hours or days.
fn read_span(text: &str) -> Option<Duration> {
    let unit = text.chars().next_back()?;
    let seconds = match unit {
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return None,
    };
    let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
    Some(Duration::from_secs(number.checked_mul(seconds)?))
}

/// A period in words.
fn span(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..7_200 => format!("{} minutes", seconds / 60),
        seconds @ 7_200..172_800 => format!("{} hours", seconds / 3_600),
        seconds => format!("{} days", seconds / 86_400),
    }
}

/// What became of the last backup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BackupState {
    /// How often backups are taken.
    pub(crate) every_millis: i64,
    pub(crate) attempted_at_millis: i64,
    pub(crate) succeeded_at_millis: Option<i64>,
    /// The last complete one.
    pub(crate) name: Option<String>,
    pub(crate) bytes: u64,
    pub(crate) took_millis: u64,
    /// Why the last attempt failed.
    pub(crate) error: Option<String>,
}

impl BackupState {
    pub(crate) fn recall(tx: &mut ReadTx<'_>) -> db::Result<Option<Self>> {
        let stored = settings::get(tx, SETTING)?;
        Ok(stored.and_then(|text| serde_json::from_str(&text).ok()))
    }

    pub(crate) fn remember(&self, tx: &mut Tx<'_>) -> db::Result<()> {
        settings::put(tx, SETTING, &serde_json::to_string(self).expect("a state is plain data"))
    }

    pub(crate) fn is_due(&self, every: Duration, now: Timestamp) -> bool {
        let pause = if self.error.is_some() { every.min(RETRY_PAUSE) } else { every };
        let since = now.millis() - self.attempted_at_millis;
        // A clock that was set back must not keep backups from being taken.
        since >= pause.as_millis() as i64 || since < -(every.as_millis() as i64)
    }

    /// The last success, in words.
    pub(crate) fn last(&self, now: Timestamp) -> String {
        match self.succeeded_at_millis {
            None => "there is no backup yet".to_owned(),
            Some(at) => {
                let age = Duration::from_millis((now.millis() - at).max(0) as u64);
                format!("the last backup is {} old", span(age))
            }
        }
    }

    /// What is wrong with the backups, if anything is.
    pub(crate) fn problem(&self, now: Timestamp) -> Option<String> {
        if let Some(error) = &self.error {
            return Some(format!("the last attempt at a backup failed ({error}); {}", self.last(now)));
        }
        let late = self.every_millis.saturating_mul(2);
        let last = self.succeeded_at_millis.unwrap_or(self.attempted_at_millis);
        (now.millis() - last > late).then(|| {
            format!(
                "{}, and one is taken every {}",
                self.last(now),
                span(Duration::from_millis(self.every_millis as u64))
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(variables: &[(&str, &str)]) -> (Option<BackupPlan>, Vec<String>) {
        let mut wrong = Vec::new();
        let find =
            |name: &str| variables.iter().find(|(it, _)| *it == name).map(|(_, text)| (*text).to_owned());
        let plan = BackupPlan::read(find, |problem| wrong.push(problem));
        (plan, wrong)
    }

    #[test]
    fn a_plan_has_defaults_and_names_every_mistake() {
        assert!(plan(&[("FRONTDESK_BACKUP_EVERY", "x")]).0.is_none(), "there is no destination");
        let (made, wrong) = plan(&[("FRONTDESK_BACKUP_TO", "/backups")]);
        let made = made.unwrap();
        assert_eq!((made.every, made.keep, made.with_secret_key), (EVERY_DEFAULT, KEEP_DEFAULT, false));
        assert!(wrong.is_empty());
        let (none, wrong) = plan(&[
            ("FRONTDESK_BACKUP_TO", "s3://"),
            ("FRONTDESK_BACKUP_EVERY", "10s"),
            ("FRONTDESK_BACKUP_KEEP", "0"),
            ("FRONTDESK_BACKUP_SECRET_KEY", "maybe"),
        ]);
        assert!(none.is_none());
        assert_eq!(wrong.len(), 4, "{wrong:?}");
        let spans: Vec<_> = ["90m", "24h", "7d", "7", "h", "-1h"].into_iter().map(read_span).collect();
        let secs = |n| Some(Duration::from_secs(n));
        assert_eq!(spans, [secs(5_400), secs(86_400), secs(604_800), None, None, None]);
    }

    #[test]
    fn a_backup_is_due_after_its_period_and_sooner_after_a_failure() {
        let (day, hour) = (Duration::from_hours(24), 3_600_000);
        let mut state = BackupState {
            every_millis: 24 * hour,
            attempted_at_millis: 100 * hour,
            succeeded_at_millis: Some(100 * hour),
            ..BackupState::default()
        };
        let at = |hours: i64| Timestamp::from_millis(hours * hour);
        assert!(!state.is_due(day, at(123)) && state.is_due(day, at(124)));
        assert!(state.is_due(day, at(75)), "the clock was set back");
        assert_eq!(state.problem(at(147)), None);
        assert_eq!(
            state.problem(at(172)).unwrap(),
            "the last backup is 3 days old, and one is taken every 24 hours"
        );
        state.error = Some("the disk is full".to_owned());
        assert!(state.is_due(day, at(101)));
        assert!(state.problem(at(101)).unwrap().contains("the disk is full"));
    }
}
