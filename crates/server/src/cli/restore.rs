//! `frontdesk restore`: a new database from a backup.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::print;
use super::progress::ProgressLine;
use crate::backup::{self, Restored};
use crate::error::Result;
use crate::installation::Installation;
use crate::redis;
use crate::secret_key::{PlacedKey, VARIABLE};

#[derive(Args)]
#[command(after_help = "\
The database of --database must not exist yet, or have no accounts. The whole file is checked before anything is written,
and an interrupted restore leaves nothing; run it again. Backups of older versions are brought up to date.

What was queued at the time of the backup (messages, webhooks, runs, triggers, broadcasts) may have been done since by the
servers of the lost database. So it waits after the restore, until `frontdesk resume-sending` is run. People sign in again.")]
pub(super) struct Command {
    /// The backup
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Do what was queued at the time of the backup, even if it has been done since
    #[arg(long)]
    resume_sending: bool,
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        let database = installation.database()?;
        let mut line = ProgressLine::new();
        let restored =
            backup::restore(&database, &self.file, self.resume_sending, &mut |step| line.show(step));
        drop(line);
        let restored = restored?;
        if let Some(url) = installation.redis() {
            installation.work(async |store| {
                redis::tell_servers(store, &database, Some(url)).await;
                Ok(())
            })?;
        }
        report(installation, &restored)
    }
}

fn report(installation: &Installation, restored: &Restored) -> Result<()> {
    let Restored { header, rows, took, tables, key, is_held } = restored;
    let created_at = frontdesk_kernel::Timestamp::from_millis(header.created_at_millis);
    let (key_state, missing) = match key {
        PlacedKey::NotNeeded => ("not_needed", None),
        PlacedKey::AlreadyThere => ("already_there", None),
        PlacedKey::FromBackup => ("restored", None),
        PlacedKey::Missing(id) => ("missing", Some(id)),
    };
    let response = json!({
        "rows": rows, "tables": tables, "seconds": took.as_secs_f64(), "created_at": created_at.to_string(),
        "version": header.version, "secret_key": key_state, "missing_key_id": missing, "is_held": is_held,
        "has_outside_files": header.has_outside_files,
    });
    print::output(installation.json, &response, || {
        let fields = print::fields(&[
            ("backup of", created_at.to_string()),
            ("rows", rows.to_string()),
            ("took", format!("{:.1} s", took.as_secs_f64())),
            ("secret key", key_state.replace('_', " ")),
        ]);
        let mut next = Vec::new();
        if let Some(id) = missing {
            next.push(format!(
                "Before you start a server, set {VARIABLE} to key {id}, or put it into the file .key beside a SQLite \
                 database. Without it, no server starts."
            ));
        }
        if *is_held {
            next.push(
                "What was queued at the time of the backup waits. When the servers of the lost database are gone, run \
                 `frontdesk resume-sending`, or `frontdesk resume-sending --give-up-queued` if those messages were sent."
                    .to_owned(),
            );
        }
        if !header.has_outside_files {
            next.push(
                "The backup was taken with --without-media. Files that were in a directory or a bucket are looked for there; \
                 `frontdesk media status` counts them. Do not let two installations use the same files: one would delete \
                 those of the other."
                    .to_owned(),
            );
        }
        next.insert(0, fields);
        next.join("\n\n")
    })
}
