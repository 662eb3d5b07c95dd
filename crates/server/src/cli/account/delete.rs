//! `frontdesk account delete`: an account with everything that it owns.

use clap::Args;
use frontdesk_kernel::ids::{Account, AccountId};
use serde_json::json;

use super::super::print;
use super::super::progress::ProgressLine;
use super::super::prompt;
use super::super::values::id;
use crate::account_deletion::{self, Deleted};
use crate::clock;
use crate::error::{Error, Result};
use crate::installation::Installation;
use crate::redis;

#[derive(Args)]
#[command(after_help = "\
The account is suspended at once, and its channels, forms, calendars and addresses take nothing more. Then every row is deleted:
contacts, conversations, messages, files, events, webhooks, runs, keys, members and the account itself. People who are members
of other accounts keep their logins. Servers may run. A deletion that was interrupted goes on when it is run again; it cannot
be undone. Backups and exports that were made before still have the account.")]
pub(in crate::cli) struct Command {
    /// The account's id, as `frontdesk account list` shows it
    #[arg(value_name = "ACCOUNT_ID", value_parser = id::<Account>)]
    account: AccountId,
    /// The account's name, which is asked for at a terminal when unset
    #[arg(long, value_name = "NAME")]
    yes_delete: Option<String>,
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        let account = self.account;
        let name = installation.look(move |tx| account_deletion::name_of(tx, account))?;
        self.confirm(&name)?;
        let database = installation.database()?;
        let deleted = installation.work(async |store| {
            let closed = account_deletion::begin(store, account, clock::now()).await?;
            redis::tell_servers(store, &database, installation.redis()).await;
            let mut line = ProgressLine::new();
            let deleted = account_deletion::delete(store, account, closed, &mut |step| line.show(step)).await;
            redis::tell_servers(store, &database, installation.redis()).await;
            deleted
        })?;
        report(installation, account, &deleted)
    }

    /// Fails unless a person has given the account's name.
    fn confirm(&self, name: &str) -> Result<()> {
        let given = match &self.yes_delete {
            Some(given) => Some(given.clone()),
            None if prompt::is_possible() => {
                let shown = print::printable(name);
                let question = format!(
                    "This deletes {shown} and everything that it owns, for good. Type its name to go on:"
                );
                prompt::ask::<String>(&question).map_err(Error::doing("read the account's name"))?
            }
            None => {
                return Err(Error::Invalid(format!(
                    "this deletes the account and everything that it owns: confirm with --yes-delete {name:?}"
                )));
            }
        };
        if given.as_deref().map(str::trim) == Some(name.trim()) {
            return Ok(());
        }
        Err(Error::Invalid(format!("nothing was deleted: the account's name is {name:?}")))
    }
}

fn report(installation: &Installation, account: AccountId, deleted: &Deleted) -> Result<()> {
    let Deleted { name, rows, tables, logins_kept } = deleted;
    // For the operator's log, where standard output goes to a program.
    eprintln!(
        "{} deleted account {account} ({:?}): {rows} rows, {logins_kept} logins kept",
        clock::now(),
        print::printable(name)
    );
    let counts: serde_json::Map<String, serde_json::Value> =
        tables.iter().map(|(table, rows)| (table.clone(), json!(rows))).collect();
    let response = json!({
        "account_id": account, "name": name, "rows": rows, "tables": counts, "logins_kept": logins_kept,
    });
    print::output(installation.json, &response, || {
        let lines = tables.iter().map(|(table, rows)| vec![table.clone(), rows.to_string()]);
        let listed = print::table(&["table", "rows"], lines.collect(), "This run found no rows.");
        let kept = match logins_kept {
            0 => String::new(),
            kept => format!(" {kept} login(s) of people who belong to other accounts stay."),
        };
        format!(
            "{listed}\n\nDeleted {}: {rows} rows. No table has a row of it any more.{kept}",
            print::printable(name)
        )
    })
}
