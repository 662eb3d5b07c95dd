//! `frontdesk doctor`: looks at everything the server needs, and says what to do about what is amiss.
//!
//! It reads the options and the environment that `serve` would. It makes no database and no secret key, and leaves no
//! row behind; a database that is there is brought up to date, as every command does.

mod checks;
mod disk;

use std::fmt;

use frontdesk_db::{DatabaseUrl, Options, Store};
use serde::Serialize;

use crate::config::{self, Config, ServeArgs};
use crate::error::{Error, Result};
use crate::installation::Installation;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    Ok,
    Warning,
    Failed,
}

/// What one look found.
#[derive(Debug, Serialize)]
pub(crate) struct Check {
    name: &'static str,
    status: Status,
    message: String,
}

impl Check {
    fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, status: Status::Ok, message: message.into() }
    }

    fn warning(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, status: Status::Warning, message: message.into() }
    }

    fn failed(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, status: Status::Failed, message: message.into() }
    }
}

/// What all looks found.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Whether nothing failed. Warnings are no failures.
    pub(crate) ok: bool,
    checks: Vec<Check>,
}

impl Report {
    fn new(checks: Vec<Check>) -> Self {
        Self { ok: checks.iter().all(|check| check.status != Status::Failed), checks }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for check in &self.checks {
            let status = match check.status {
                Status::Ok => "ok",
                Status::Warning => "warning",
                Status::Failed => "failed",
            };
            writeln!(f, "{status:<8} {:<14} {}", check.name, check.message)?;
        }
        f.write_str(if self.ok { "Nothing failed." } else { "Something failed: see above." })
    }
}

pub(crate) fn examine(args: &ServeArgs, installation: &Installation) -> Result<Report> {
    let config = Config::read(args, installation, config::environment);
    let mut found = checks::configuration(&config);
    let Ok(database) = installation.database() else { return Ok(Report::new(found)) };
    if let DatabaseUrl::Sqlite(path) = &database {
        found.extend(disk::examine(path));
        if !path.exists() {
            let message =
                format!("there is none at {} yet; the first `frontdesk serve` makes it", path.display());
            found.push(Check::warning("database", message));
            found.push(checks::year());
            return Ok(Report::new(found));
        }
    }
    // One connection is enough to look around.
    let store = match Store::open(&Options { pool: 1, create: false, ..Options::new(database.clone()) }) {
        Ok(store) => store,
        Err(error) => {
            found
                .push(Check::failed("database", format!("{error}; check --database and that it is running")));
            found.push(checks::year());
            return Ok(Report::new(found));
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Error::doing("start the program's runtime"))?;
    found.extend(runtime.block_on(checks::of_store(&store, &database, installation.redis())));
    store.close();
    Ok(Report::new(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_do_not_fail_a_report_and_every_look_is_a_line() {
        let report = Report::new(vec![Check::ok("clock", "right"), Check::warning("disk", "nearly full")]);
        assert!(report.ok);
        assert_eq!(
            report.to_string(),
            "ok       clock          right\nwarning  disk           nearly full\nNothing failed."
        );
        let report = Report::new(vec![Check::failed("database", "gone")]);
        assert_eq!(
            serde_json::to_value(&report).unwrap(),
            serde_json::json!({
                "ok": false,
                "checks": [{ "name": "database", "status": "failed", "message": "gone" }],
            })
        );
    }
}
