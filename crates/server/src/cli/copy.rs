//! `frontdesk copy`: moves an installation into another database.

use clap::Args;
use frontdesk_db::DatabaseUrl;
use serde_json::json;
use uuid::Uuid;

use super::print;
use super::progress::ProgressLine;
use crate::clock;
use crate::copy::{self, Copied};
use crate::error::{Error, Result};
use crate::installation::{Installation, read_database};
use crate::secret_key::{PlacedKey, VARIABLE};

#[derive(Args)]
#[command(after_help = "\
Both are sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME, in any combination. Stop all servers of the source first. The
target must be empty. From the beginning on no server starts on the source, because both would do what is queued; and none on
the target before it is complete. An interrupted copy goes on when the same command is run again. At the end every table is
counted and hashed on both sides. --undo puts a source back into service, if the target was never served.")]
pub(super) struct Command {
    /// The database to copy
    #[arg(
        long,
        value_name = "URL",
        env = "FRONTDESK_COPY_FROM",
        hide_env_values = true,
        required_unless_present = "undo"
    )]
    from: Option<String>,
    /// The database to fill
    #[arg(
        long,
        value_name = "URL",
        env = "FRONTDESK_COPY_TO",
        hide_env_values = true,
        required_unless_present = "undo"
    )]
    to: Option<String>,
    /// Put this database back into service, which was being moved or was moved
    #[arg(long, value_name = "URL")]
    undo: Option<String>,
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        if let Some(url) = &self.undo {
            return undo(installation, &read(url)?);
        }
        let (Some(from), Some(to)) = (&self.from, &self.to) else {
            return Err(Error::Invalid("name both databases, with --from and --to".to_owned()));
        };
        let (from, to) = (read(from)?, read(to)?);
        let mut line = ProgressLine::new();
        let new_id = Uuid::from_u128(rand::random());
        let copied = copy::copy(&from, &to, (new_id, clock::now()), &mut |step| {
            line.show(step);
            Ok(())
        });
        drop(line);
        report(installation, &to, &copied?)
    }
}

fn read(url: &str) -> Result<DatabaseUrl> {
    read_database(url).map_err(Error::Invalid)
}

fn undo(installation: &Installation, from: &DatabaseUrl) -> Result<()> {
    let mark = copy::undo(from)?;
    let other = mark.as_ref().map(|mark| mark.other.clone());
    let response = json!({ "database": from.place(), "was_moved_to": other });
    print::output(installation.json, &response, || match mark {
        Some(mark) if mark.completed_at.is_some() => format!(
            "Servers start on {} again. Never start one on {}: both would send what is queued. Remove it.",
            from.place(),
            mark.other
        ),
        Some(mark) => format!(
            "Servers start on {} again. What was copied to {} is not complete; remove it.",
            from.place(),
            mark.other
        ),
        None => format!("{} was not moved; nothing is changed.", from.place()),
    })
}

fn report(installation: &Installation, to: &DatabaseUrl, copied: &Copied) -> Result<()> {
    let Copied { tables, rows, copying, took, key, is_resumed } = copied;
    let total: u64 = tables.iter().map(|table| table.rows).sum();
    let rate = (*rows as f64 / copying.as_secs_f64().max(0.001)) as u64;
    let (key_state, key_advice) = match key {
        PlacedKey::NotNeeded | PlacedKey::Missing(_) => ("not_needed", String::new()),
        PlacedKey::AlreadyThere => (
            "already_there",
            format!(
                " Its secrets open with the same secret key: keep it in {VARIABLE}, or in the file beside the database."
            ),
        ),
        PlacedKey::FromBackup => ("copied", " The secret key was copied with the data.".to_owned()),
    };
    let response = json!({
        "to": to.place(), "rows": total, "rows_copied": rows, "rows_per_second": rate, "seconds": took.as_secs_f64(),
        "resumed": is_resumed, "secret_key": key_state, "identical": true, "tables": tables,
    });
    print::output(installation.json, &response, || {
        let listed = tables.iter().filter(|table| table.rows > 0);
        let lines = listed.map(|table| vec![table.table.clone(), table.rows.to_string(), table.hash.clone()]);
        let listed = print::table(&["table", "rows", "hash"], lines.collect(), "All tables are empty.");
        format!(
            "{listed}\n\nBoth databases are identical: {total} rows in {} tables. Copied {rows} rows in {:.1} s, {rate} rows a \
             second, and compared them in {:.1} s.{key_advice}\n\nStart the servers with:\n\n    --database {}",
            tables.len(),
            copying.as_secs_f64(),
            took.saturating_sub(*copying).as_secs_f64(),
            shown(to)
        )
    })
}

/// The database for a command line, without its password.
fn shown(url: &DatabaseUrl) -> String {
    match url {
        DatabaseUrl::Sqlite(path) => format!("sqlite:{}", path.display()),
        DatabaseUrl::Postgres(_) => url.place(),
    }
}
