//! The file for a bug report.
//!
//! It is text, so that whoever sends it can read it first. What goes in is listed, not what stays out: statuses, numbers,
//! and words of the program itself. Values of settings are shown only if they were parsed as a number or a choice; of all
//! others it says whether they are set. Nothing that an account stores is read.

mod metrics;
mod settings;

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use frontdesk_db::tables::{self, TableSize};
use frontdesk_db::{self as db, Options, Store};
use frontdesk_platform::servers;

use super::{Report, Status};
use crate::clock;
use crate::config::{self, Config, ServeArgs};
use crate::error::{Error, Result};
use crate::installation::{Installation, ServerUrls, runtime};
use crate::routes;
use crate::serve::telemetry::{QueueSize, read_queues};
use crate::store_options::store_options;

const INTRODUCTION: &str = "\
# Frontdesk: bug report

Written by `frontdesk doctor --bundle`. It has no key, no password, no address, no path, no log, and nothing that an
account stores. Read it before you send it.
";
const NOT_SHARED: &str = "(see `frontdesk doctor`)";

/// Writes the file. An existing one is never replaced.
pub(crate) fn write(
    path: &Path,
    report: &Report,
    args: &ServeArgs,
    installation: &Installation,
) -> Result<()> {
    let text = compose(report, args, installation)?;
    let mut file = match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(Error::Invalid(format!(
                "{} exists already: choose another file with --bundle, or move it away",
                path.display()
            )));
        }
        opened => opened.map_err(Error::doing(format!("create {}", path.display())))?,
    };
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        // The error that is reported is the one of the write.
        let _ = fs::remove_file(path);
    }
    written.map_err(Error::doing(format!("write {}", path.display())))
}

fn compose(report: &Report, args: &ServeArgs, installation: &Installation) -> Result<String> {
    let config = Config::read(args, installation, config::environment);
    let mut text = INTRODUCTION.to_owned();
    section(&mut text, "Program", &program());
    section(&mut text, "Findings", &findings(report));
    section(&mut text, "Settings", &settings::lines(&config, config::environment));
    let url = installation.database().ok();
    let pending = url.as_ref().map(db::pending_migrations);
    let migrations = match &pending {
        None => "the database's URL is not valid".to_owned(),
        Some(Ok(pending)) if pending.is_empty() => "none is pending".to_owned(),
        Some(Ok(pending)) => format!("pending: {pending:?}"),
        Some(Err(_)) => "unknown, because the database cannot be read".to_owned(),
    };
    section(&mut text, "Migrations", &migrations);
    let (Some(url), Some(Ok([]))) = (url, pending.as_ref().map(|found| found.as_deref())) else {
        section(&mut text, "Database", "not read: see the findings");
        return Ok(text);
    };
    match Store::open(&Options { pool: 1, create: false, ..store_options(url) }) {
        Ok(store) => {
            runtime()?.block_on(of_store(&mut text, &store));
            store.close();
        }
        Err(_) => section(&mut text, "Database", "not read: see the findings"),
    }
    Ok(text)
}

fn section(text: &mut String, title: &str, lines: &str) {
    let _ = write!(text, "\n## {title}\n\n{}\n", lines.trim_end());
}

fn program() -> String {
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let memory = memory.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let memory = memory.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    format!(
        "version {}\nwritten {}\nsystem {} {}, {cores} cores, {} MiB of memory",
        env!("CARGO_PKG_VERSION"),
        clock::now(),
        std::env::consts::OS,
        std::env::consts::ARCH,
        memory.unwrap_or(0) >> 10,
    )
}

fn findings(report: &Report) -> String {
    let mut text = String::new();
    for check in &report.checks {
        let status = match check.status {
            Status::Ok => "ok",
            Status::Warning => "warning",
            Status::Failed => "failed",
        };
        let shared = check.shared.as_deref().unwrap_or(NOT_SHARED);
        let _ = writeln!(text, "{status:<8} {:<14} {shared}", check.name);
    }
    text
}

/// What is read of the database. What cannot be read is left out.
async fn of_store(text: &mut String, store: &Store) {
    let tables = store.scan(tables::sizes).await;
    section(text, "Tables", &tables.map_or_else(|_| "not read".to_owned(), |tables| table_lines(&tables)));
    let now = clock::now();
    let clock: frontdesk_platform::Clock = std::sync::Arc::new(clock::now);
    let queues = read_queues(store, &routes::backlogs(), &clock).await;
    section(text, "Queues", &queues.map_or_else(|_| "not read".to_owned(), |queues| queue_lines(&queues)));
    let read =
        store.scan(move |tx| Ok::<_, db::Error>((servers::running(tx, now)?, ServerUrls::recall(tx)?)));
    let Ok((running, urls)) = read.await else { return };
    let mut lines = format!("{} run\n", running.len());
    for server in &running {
        let ago = (now.millis() - server.seen_at.millis()) / 1000;
        let _ = writeln!(lines, "started {}, seen {ago} s ago", server.id.created_at());
    }
    section(text, "Servers", &lines);
    section(text, "Metrics", &metrics::read(&urls.local_url, config::environment).await);
}

fn table_lines(tables: &[TableSize]) -> String {
    let mut lines = String::new();
    for TableSize { name, rows, is_exact, bytes } in tables {
        let rows = match (*is_exact, *bytes) {
            (true, _) => rows.to_string(),
            (false, None) => format!("{rows} or more"),
            (false, Some(_)) if *rows < 0 => "an unknown number of".to_owned(),
            (false, Some(_)) => format!("about {rows}"),
        };
        let bytes = bytes.map(|bytes| format!(", {} KiB", bytes >> 10)).unwrap_or_default();
        let _ = writeln!(lines, "{name:<24} {rows} rows{bytes}");
    }
    lines
}

fn queue_lines(queues: &[QueueSize]) -> String {
    let mut lines = String::new();
    for QueueSize { kind, waiting, oldest_seconds } in queues {
        let _ = writeln!(lines, "{kind:<16} {waiting} wait, the oldest for {oldest_seconds:.0} s");
    }
    lines
}
