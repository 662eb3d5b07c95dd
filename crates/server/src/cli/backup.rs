//! `frontdesk backup`: everything in one file.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use clap::Args;
use serde_json::json;

use super::print;
use super::progress::{ProgressLine, size};
use crate::backup::{self, Contents, OutsideSummary, Summary};
use crate::error::Result;
use crate::installation::Installation;
use crate::{clock, media_files};

#[derive(Args)]
#[command(after_help = "\
The file has everything as it was at one moment: every write that was acknowledged before the command began. Servers may
run meanwhile. `frontdesk restore FILE` makes a database from it. It has all data of all accounts, so keep it safe; only
its owner can read it.")]
pub(super) struct Command {
    /// The file to write, which must not exist yet
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Add the secret key, so that whoever has the file can read its secrets
    #[arg(long)]
    with_secret_key: bool,
    /// Leave out the files that are in a directory or a bucket; the restored database looks for them there
    #[arg(long)]
    without_media: bool,
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        let database = installation.database()?;
        let mut line = ProgressLine::new();
        let never = AtomicBool::new(false);
        let places = if self.without_media { None } else { Some(media_files::places()?) };
        let contents = Contents { secret_key: self.with_secret_key, files: places.as_ref() };
        let written =
            backup::write(&database, &self.file, contents, clock::now(), &never, &mut |step| line.show(step));
        drop(line);
        self.report(installation, &written?)
    }

    fn report(&self, installation: &Installation, summary: &Summary) -> Result<()> {
        let Summary { header, bytes, rows, took, tables, outside } = summary;
        let created_at = frontdesk_kernel::Timestamp::from_millis(header.created_at_millis);
        let response = json!({
            "file": self.file, "bytes": bytes, "rows": rows, "tables": tables, "seconds": took.as_secs_f64(),
            "created_at": created_at.to_string(), "version": header.version, "schema": header.migrations.last(),
            "engine": header.engine, "has_outside_files": header.has_outside_files, "outside": outside,
            "has_secret_key": header.has_secret_key, "secret_key_id": header.secret_key_id,
        });
        print::output(installation.json, &response, || {
            let id = header.secret_key_id.as_deref();
            let key = match (header.has_secret_key, id) {
                (true, _) => "included".to_owned(),
                (false, Some(id)) => format!("not included; a restore needs key {id}"),
                (false, None) => "not needed".to_owned(),
            };
            let fields = print::fields(&[
                ("file", self.file.display().to_string()),
                ("rows", rows.to_string()),
                ("size", size(*bytes)),
                ("took", format!("{:.1} s", took.as_secs_f64())),
                ("secret key", key),
                ("other files", files_in_words(outside)),
            ]);
            let advice = match (header.has_secret_key, id) {
                (true, _) => {
                    "\n\nWARNING: this file has the secret key. Whoever has the file has every channel's token and every \
                     webhook's secret."
                }
                (false, Some(_)) => {
                    "\n\nKeep the secret key too, in another place: without it the channels' tokens cannot be read."
                }
                (false, None) => "",
            };
            format!("{fields}{advice}{}", warning_of(outside))
        })
    }
}

/// What the backup has of the files outside the database.
fn files_in_words(outside: &OutsideSummary) -> String {
    match outside {
        OutsideSummary { left_out_files: 0, files: 0, damaged_files: 0, .. } => {
            "none outside the database".to_owned()
        }
        OutsideSummary { left_out_files: 0, files, bytes, .. } => {
            format!("{files} from outside the database, {}", size(*bytes))
        }
        OutsideSummary { left_out_files, .. } => {
            format!("{left_out_files} outside the database are left out")
        }
    }
}

fn warning_of(outside: &OutsideSummary) -> String {
    if outside.left_out_files > 0 {
        return "\n\nWARNING: the files outside the database are not in this backup. Back up their directory or bucket too."
            .to_owned();
    }
    if outside.damaged_files > 0 {
        return format!(
            "\n\nWARNING: {} files outside the database are lost or damaged, and not in this backup:\n{}",
            outside.damaged_files,
            outside.damaged.join("\n")
        );
    }
    String::new()
}
