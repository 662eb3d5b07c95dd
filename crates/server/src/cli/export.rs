//! `frontdesk export`: everything that an account owns, or everything about one contact, as a ZIP archive.

mod archive_file;

use std::io::{IsTerminal, Write as _};
use std::path::PathBuf;

use clap::Args;
use frontdesk_app::export::{Export, ExportError, Origin, Progress};
use frontdesk_crm::contacts::{self, Contact, ContactId};
use frontdesk_db::Store;
use frontdesk_kernel::Timestamp;
use frontdesk_platform::accounts::{self, AccountError};
use frontdesk_platform::export::Subject;
use serde_json::json;

use self::archive_file::ArchiveFile;
use super::account_arg::AccountArg;
use super::print;
use super::values::id;
use crate::error::{Error, Result};
use crate::installation::Installation;
use crate::{clock, media_files, routes};

/// How often the progress is printed at a terminal.
const PROGRESS_MILLIS: i64 = 200;

#[derive(Args)]
pub(super) struct Command {
    #[command(flatten)]
    account: AccountArg,
    /// Only what is about this contact
    #[arg(long, value_name = "ID", value_parser = id::<Contact>)]
    contact: Option<ContactId>,
    /// The file to write, which must not exist; a file in this directory, named after the account and the day, when unset
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        let account = self.account.choose(installation)?;
        let subject = Subject { account, contact: self.contact.map(|id| id.uuid()) };
        let at = clock::now();
        let (path, progress) = installation.work(async |store| {
            let account_name = self.find_account_name(store, subject).await?;
            let output = self.output.clone().unwrap_or_else(|| default_output(&account_name, subject, at));
            let file = ArchiveFile::create(output)?;
            let origin = Origin { account_name, version: env!("CARGO_PKG_VERSION"), at };
            let export = Export::new(media_files::of_command(store)?, subject, routes::exports(), origin);
            Box::pin(write(export, file)).await
        })?;
        let Progress { rows, files, bytes, .. } = progress;
        let shown = json!({ "path": path, "rows": rows, "files": files, "bytes": bytes });
        print::output(installation.json, &shown, || {
            format!("Wrote {}: {rows} rows and {files} files, {bytes} bytes.", path.display())
        })
    }

    /// The name of the account, if it and the contact exist.
    async fn find_account_name(&self, store: &Store, subject: Subject) -> Result<String> {
        let (account, contact) = (subject.account, self.contact);
        let found = store.scan(move |tx| {
            let is_there = contact.map_or(Ok(true), |id| contacts::exists(tx, account, id))?;
            Ok::<_, frontdesk_db::Error>((accounts::find(tx, account)?, is_there))
        });
        let (found, is_there) = found.await?;
        let found = found.ok_or(AccountError::NoAccount(account))?;
        match self.contact.filter(|_| !is_there) {
            Some(id) => Err(Error::Invalid(format!(
                "there is no contact {id} in this account. It may have been erased or merged; check the id, and --account"
            ))),
            None => Ok(found.name),
        }
    }
}

/// Writes the archive. If that fails or is interrupted, the incomplete file is removed.
async fn write(mut export: Export, mut file: ArchiveFile) -> Result<(PathBuf, Progress)> {
    let is_shown = std::io::stderr().is_terminal();
    let mut shown_at = clock::now();
    loop {
        let piece = tokio::select! {
            piece = export.next() => piece.map_err(failed)?,
            _ = tokio::signal::ctrl_c() => {
                return Err(Error::Invalid("interrupted; the incomplete file was removed".to_owned()));
            }
        };
        let Some(piece) = piece else { break };
        file.write(&piece)?;
        let now = clock::now();
        if is_shown && now.millis() - shown_at.millis() >= PROGRESS_MILLIS {
            shown_at = now;
            show(export.progress(), "\r\u{1b}[K", "");
        }
    }
    let path = file.complete()?;
    if is_shown {
        show(export.progress(), "\r\u{1b}[K", "\n");
    }
    Ok((path, export.progress()))
}

fn failed(error: ExportError) -> Error {
    match error {
        ExportError::Store(error) => error.into(),
        other => Error::Invalid(other.to_string()),
    }
}

/// Prints the progress. Standard error may be closed.
fn show(progress: Progress, before: &str, after: &str) {
    let Progress { part, rows, files, bytes } = progress;
    let megabytes = bytes as f64 / 1e6;
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "{before}{part}: {rows} rows, {files} files, {megabytes:.1} MB{after}");
    let _ = stderr.flush();
}

/// Such as `frontdesk-acme-gmbh-2027-01-15.zip`.
fn default_output(account_name: &str, subject: Subject, at: Timestamp) -> PathBuf {
    let words: Vec<String> = account_name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let name = if words.is_empty() { subject.account.to_string() } else { words.join("-") };
    let contact = subject.contact.map_or_else(String::new, |id| format!("-contact-{id}"));
    PathBuf::from(format!("frontdesk-{name}{contact}-{}.zip", &at.to_string()[..10]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_kernel::ids::AccountId;

    #[test]
    fn a_file_is_named_after_its_account_and_day() {
        let at = Timestamp::from_millis(1_800_000_000_000);
        let nil: AccountId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
        let all = Subject { account: nil, contact: None };
        let named = |name: &str, subject| default_output(name, subject, at).display().to_string();
        assert_eq!(named("Acme & Söhne GmbH", all), "frontdesk-acme-s-hne-gmbh-2027-01-15.zip");
        assert_eq!(named("../../x", all), "frontdesk-x-2027-01-15.zip");
        assert_eq!(named("株式会社", all), format!("frontdesk-{nil}-2027-01-15.zip"));
        let one = Subject { contact: Some(nil.uuid()), ..all };
        assert_eq!(named("Acme", one), format!("frontdesk-acme-contact-{nil}-2027-01-15.zip"));
    }
}
