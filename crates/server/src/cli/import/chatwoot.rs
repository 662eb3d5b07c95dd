//! `frontdesk import chatwoot`: everything of a Chatwoot installation.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use frontdesk_db::Store;
use frontdesk_kernel::Country;
use frontdesk_kernel::ids::{Account, AccountId};
use frontdesk_platform::accounts;
use serde_json::{Value, json};

use super::super::channel::server;
use super::super::print;
use super::super::progress::ProgressLine;
use super::super::values::id;
use super::{report, tell};
use crate::backup::{Phase, Step};
use crate::error::{Error, Result};
use crate::import::chatwoot::{
    self, Compared, ComparedRows, FileDirectory, Import, Options, Source, TheirAccount,
};
use crate::import::{Tally, under_lease};
use crate::installation::{Installation, read_database};
use crate::media_files;

#[derive(Args)]
#[command(after_help = "\
Chatwoot's database is read on a connection that cannot write, and may be in use meanwhile. Each of its accounts becomes an
account here, with members, channels (disconnected: connect them here when you move them), contacts with attributes and labels,
conversations, messages, files, notes and canned replies, all with their times. Nothing is sent, and no webhook, trigger or
assistant learns of it. An import that was interrupted goes on when it is run again, and a later run brings what is new since.
At the end everything is read again on both sides and compared. Try it with --dry-run first.")]
pub(in crate::cli) struct Command {
    /// Chatwoot's database: `postgres://USER:PASSWORD@HOST/NAME`
    #[arg(value_name = "URL", env = "FRONTDESK_IMPORT_FROM", hide_env_values = true)]
    from: String,
    /// Chatwoot's `storage` directory, or a copy of its bucket; without it, files do not come along
    #[arg(long, value_name = "DIRECTORY")]
    files: Option<PathBuf>,
    /// Bring only the account with this number in Chatwoot
    #[arg(long, value_name = "NUMBER")]
    only: Option<i64>,
    /// Bring it into this account, and not into a new one; with --only if there are several in Chatwoot
    #[arg(long, value_name = "ID", value_parser = id::<Account>)]
    account: Option<AccountId>,
    /// The country of numbers without a country code, such as DE, which a new account gets; the account's when left out
    #[arg(long, value_name = "CC")]
    country: Option<Country>,
    /// Count what there is and what will not come along, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write `contact.created` for each new contact, so that webhooks and triggers learn of it
    #[arg(long)]
    events: bool,
}

/// An account that was brought or counted.
struct Brought {
    theirs: TheirAccount,
    account: Option<AccountId>,
    tally: Tally,
    compared: Option<Compared>,
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        let url = read_database(&self.from).map_err(Error::Invalid)?;
        let files = self.files.as_deref().map(FileDirectory::open).transpose().map_err(Error::Invalid)?;
        let mut source = Source::open(&url)?;
        let theirs = self.chosen(&mut source)?;
        let brought = installation.work(async |store| {
            if self.dry_run {
                return self.count(&mut source, store, theirs).await;
            }
            let brought =
                under_lease(store, self.bring(&mut source, installation, store, theirs, files)).await;
            tell(installation, store).await?;
            brought
        })?;
        self.report(installation, &brought)
    }

    /// The accounts there that are wanted.
    fn chosen(&self, source: &mut Source) -> Result<Vec<TheirAccount>> {
        let mut theirs = TheirAccount::all(source)?;
        let listed: Vec<String> = theirs
            .iter()
            .map(|one| format!("    --only {}    {}", one.id, print::printable(&one.name)))
            .collect();
        theirs.retain(|one| self.only.is_none_or(|only| one.id == only));
        if theirs.is_empty() {
            return Err(Error::Invalid(format!(
                "Chatwoot has no such account. It has:\n\n{}",
                listed.join("\n")
            )));
        }
        if self.account.is_some() && theirs.len() > 1 {
            return Err(Error::Invalid(format!(
                "Chatwoot has {} accounts, and --account takes one. Add one of these:\n\n{}",
                theirs.len(),
                listed.join("\n")
            )));
        }
        Ok(theirs)
    }

    /// The country of numbers without a country code, in an account here or in one that is to be made.
    async fn country_of(&self, store: &Store, account: Option<AccountId>) -> Result<Option<Country>> {
        match (self.country, account) {
            (None, Some(account)) => Ok(store.read(move |tx| accounts::country(tx, account)).await?),
            (country, _) => Ok(country),
        }
    }

    async fn count(
        &self,
        source: &mut Source,
        store: &Store,
        theirs: Vec<TheirAccount>,
    ) -> Result<Vec<Brought>> {
        let mut brought = Vec::new();
        for theirs in theirs {
            let known = theirs.known(store).await?;
            let place = known.or(self.account);
            let country = self.country_of(store, place).await?;
            let tally = chatwoot::count(source, store, &theirs, (known, country)).await?;
            brought.push(Brought { theirs, account: place, tally, compared: None });
        }
        Ok(brought)
    }

    async fn bring(
        &self,
        source: &mut Source,
        installation: &Installation,
        store: &Store,
        theirs: Vec<TheirAccount>,
        files: Option<FileDirectory>,
    ) -> Result<Vec<Brought>> {
        let server = server(installation, store).await?;
        let moves = media_files::places()?.target().is_some();
        let options = Options { files, tells: self.events, moves };
        let (mut line, mut done, mut total) = (ProgressLine::new(), 0, 0);
        for one in &theirs {
            total += chatwoot::steps(source, one)?;
        }
        let mut brought = Vec::new();
        for theirs in theirs {
            let account = theirs.place(store, source, self.account, self.country).await?;
            let country = self.country_of(store, Some(account)).await?;
            let import = Import::new(source, &server, options.clone(), theirs.clone(), (account, country));
            let progress = &mut |rows| {
                done += rows;
                line.show(Step { done, total: total.max(done), bytes: 0, phase: Phase::Import });
            };
            let (tally, compared) = import.run(progress).await?;
            brought.push(Brought { theirs, account: Some(account), tally, compared: Some(compared) });
        }
        Ok(brought)
    }

    fn report(&self, installation: &Installation, brought: &[Brought]) -> Result<()> {
        let response: Vec<Value> = brought
            .iter()
            .map(|one| {
                json!({
                    "chatwoot_account": one.theirs.id, "name": one.theirs.name, "account_id": one.account,
                    "dry_run": self.dry_run, "rows": one.tally.lines, "left_out": one.tally.left_out,
                    "is_anything_new": one.tally.is_anything_new(), "compared": one.compared,
                })
            })
            .collect();
        print::output(installation.json, &response, || {
            let told = brought.iter().map(|one| self.in_words(one));
            told.collect::<Vec<_>>().join("\n\n")
        })
    }

    fn in_words(&self, one: &Brought) -> String {
        let name = print::printable(&one.theirs.name);
        let place = match one.account {
            Some(account) => format!("account {account}"),
            None => "a new account".to_owned(),
        };
        let mut text = format!(
            "{name} (account {} of Chatwoot) into {place}\n\n{}",
            one.theirs.id,
            report::in_words(&one.tally, self.dry_run)
        );
        if let Some(compared) = &one.compared {
            let _ = write!(text, "\n\n{}", compared_in_words(compared));
        }
        if !self.dry_run
            && let Some(account) = one.account
        {
            let _ = write!(
                text,
                "\n\nMembers set a password by a link: frontdesk member invite EMAIL --account {account}"
            );
        }
        text
    }
}

fn compared_in_words(compared: &Compared) -> String {
    let lines = compared.kinds().into_iter().map(|(kind, compared)| {
        let numbers = [compared.rows, compared.changed, compared.missing].map(|number| number.to_string());
        std::iter::once(kind.to_owned()).chain(numbers).collect()
    });
    let mut text = print::table(&["compared", "rows", "changed", "missing"], lines.collect(), "");
    let sum = |number: fn(&ComparedRows) -> u64| {
        compared.kinds().into_iter().map(|(_, compared)| number(compared)).sum::<u64>()
    };
    match sum(|compared| compared.changed) {
        0 => text.push_str("\n\nBoth sides are equal."),
        changed => {
            let _ = write!(
                text,
                "\n\n{changed} rows were changed in Chatwoot or here since they were brought, the others are equal."
            );
        }
    }
    let missing = sum(|compared| compared.missing);
    if missing > 0 {
        let _ = write!(text, " {missing} came meanwhile: run this again to bring them.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_compared_is_told_with_what_to_do() {
        let mut compared = Compared::default();
        compared.notes.rows = 7;
        assert!(compared_in_words(&compared).ends_with("Both sides are equal."));
        (compared.contacts.changed, compared.messages.missing) = (3, 2);
        let text = compared_in_words(&compared);
        for part in ["notes", "7", "3 rows were changed", "2 came meanwhile"] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }
}
