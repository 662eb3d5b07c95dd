//! `frontdesk doctor`: checks everything that the server needs, and says how to fix problems.
//!
//! It reads the same options and environment variables as `serve`. It commits a row and removes it, and calls
//! every connected channel, every model provider and the SMTP server. It creates no database and no secret key, applies no
//! migration and leaves nothing behind.

mod bundle;
mod channels;
mod checks;
mod disk;
mod files;
mod mail;
mod models;
mod openid;
mod servers;

use std::fmt;

use frontdesk_db::{self as db, DatabaseUrl, Options, Store};
use serde::Serialize;

use crate::clock;
use crate::config::{self, Config, ServeArgs};
use crate::error::{Error, Result};
use crate::installation::Installation;
use crate::store_options::store_options;

pub(crate) use bundle::write as write_bundle;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    Ok,
    Warning,
    Failed,
}

/// The result of one check.
#[derive(Debug, Serialize)]
pub(crate) struct Check {
    name: &'static str,
    status: Status,
    message: String,
    /// What may be given away in a bug report: no path, no address, no name.
    #[serde(skip)]
    shared: Option<String>,
}

impl Check {
    fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, status: Status::Ok, message: message.into(), shared: None }
    }

    fn warning(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, status: Status::Warning, message: message.into(), shared: None }
    }

    fn failed(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, status: Status::Failed, message: message.into(), shared: None }
    }

    /// The whole message may be given away.
    fn shared(self) -> Self {
        Self { shared: Some(self.message.clone()), ..self }
    }

    /// This may be given away in place of the message.
    fn sharing(self, shared: impl Into<String>) -> Self {
        Self { shared: Some(shared.into()), ..self }
    }

    /// A check that the store failed, with what to do about it.
    fn store_failed(name: &'static str, error: &db::Error) -> Self {
        let advice = match error {
            db::Error::Disk(_) => "make room on the disk that holds the database, and see that it is healthy",
            db::Error::ReadOnly(_) => {
                "give this user the right to change the database, or point --database at the primary, not at a replica"
            }
            db::Error::Unavailable(_) | db::Error::Closed => "start the database, or correct --database",
            db::Error::Busy => "another process holds the database for long: end it, or try again",
            _ => "see that this user may read and change the database",
        };
        // The database's own words may repeat a value.
        Self::failed(name, format!("{error}: {advice}")).sharing(advice)
    }
}

/// The results of all checks.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Whether no check failed. Warnings are not failures.
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
        f.write_str(if self.ok {
            "Nothing failed."
        } else {
            "Correct what failed above, and run this again."
        })
    }
}

pub(crate) fn examine(args: &ServeArgs, installation: &Installation) -> Result<Report> {
    let config = Config::read(args, installation, config::environment);
    if let Ok(config) = &config {
        clock::pretend_ahead(config.clock_ahead_seconds);
    }
    let mut found = checks::configuration(&config);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Error::doing("start the program's runtime"))?;
    if let Ok(config) = &config {
        found.extend(runtime.block_on(models::examine(&config.models)));
        found.extend(runtime.block_on(openid::examine(config.openid.as_ref())));
        found.push(runtime.block_on(mail::examine(config.smtp.as_ref())));
        found.extend(runtime.block_on(files::target(&config.files)));
    }
    let Ok(database) = installation.database() else { return Ok(Report::new(found)) };
    if let DatabaseUrl::Sqlite(path) = &database {
        found.extend(disk::examine(path));
        if !path.exists() {
            let message =
                format!("there is none at {} yet; the first `frontdesk serve` makes it", path.display());
            let missing = Check::warning("database", message).sharing("there is none yet");
            return Ok(with_clock(found, missing));
        }
    }
    // A wrong one is reported with the configuration.
    if let Ok(Some(replica)) = installation.replica() {
        found.push(checks::replica(&database, &replica));
    }
    let pending = match db::pending_migrations(&database) {
        Ok(pending) => pending,
        Err(error) => return Ok(with_clock(found, Check::store_failed("database", &error))),
    };
    if let Some(check) = checks::migrations(&pending) {
        return Ok(with_clock(found, check));
    }
    // One connection is enough for the checks.
    let store = match Store::open(&Options { pool: 1, create: false, ..store_options(database.clone()) }) {
        Ok(store) => store,
        Err(error) => {
            let name = if error.refuses_writes() { "writes" } else { "database" };
            return Ok(with_clock(found, Check::store_failed(name, &error)));
        }
    };
    found.extend(runtime.block_on(checks::of_store(&store, &database, installation.redis())));
    found.extend(runtime.block_on(servers::examine(&store)));
    if let Ok(config) = &config {
        found.extend(runtime.block_on(files::of_store(&store, &config.files)));
    }
    let declared = config.map(|config| config.proxies).unwrap_or_default();
    found.extend(runtime.block_on(checks::proxies(&store, &declared)));
    store.close();
    Ok(Report::new(found))
}

/// The report if no further check is possible.
fn with_clock(mut found: Vec<Check>, last: Check) -> Report {
    found.extend([last, checks::year()]);
    Report::new(found)
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
