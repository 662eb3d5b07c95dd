//! `frontdesk import csv`: contacts, deals and notes of a CSV file.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use frontdesk_crm::custom_fields;
use frontdesk_platform::By;
use frontdesk_platform::accounts::{self, AccountError};
use frontdesk_platform::events::Recorder;
use serde_json::json;

use super::super::account_arg::AccountArg;
use super::super::print;
use super::super::progress::ProgressLine;
use super::tell;
use crate::backup::{Phase, Step};
use crate::error::{Error, Result};
use crate::import::csv::{CsvFile, Import, Kind, Mapping, Refused, RejectedFile, Summary};
use crate::import::under_lease;
use crate::installation::Installation;
use crate::{clock, routes};

/// Rows that are read at once, and written in one transaction.
const BATCH_ROWS: usize = 200;

#[derive(Args)]
#[command(after_help = "\
A mapping is a JSON file that says where each column goes, by its heading:

  { \"kind\": \"contacts\", \"country\": \"DE\", \"columns\": { \"Vorname\": \"first_name\", \"Telefon\": \"phone\", \"Tarif\": \"field:Plan\" } }

--guess prints one for the file, to begin with. Contacts: name, first_name, last_name, phone, email, company, tags, field:NAME.
Deals: id, title, value, currency, pipeline, stage, status, lost_reason, contact_phone, contact_email, owner_email,
expected_close_date. Notes: id, body, contact_phone, contact_email, author_email, created_at. A number is read as people write
it, and one that cannot exist is refused with its row. No event is written. Bringing a file again adds nothing.

--rejected writes the refused rows to a new file, with a column that says why. Correct them there, and import that file with the
same mapping.")]
pub(in crate::cli) struct Command {
    /// The file; its first row has the headings
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    account: AccountArg,
    /// The mapping; guessed from the headings of contacts when left out
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// Print a mapping for the headings of the file, and bring nothing
    #[arg(long, conflicts_with_all = ["mapping", "dry_run", "events", "rejected"])]
    guess: bool,
    /// Say what would become of the rows, and bring nothing
    #[arg(long)]
    dry_run: bool,
    /// Write the refused rows to this new file, with a column that says why
    #[arg(long, value_name = "FILE")]
    rejected: Option<PathBuf>,
    /// Write events for what is new, so that webhooks and triggers learn of it
    #[arg(long)]
    events: bool,
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        let account = self.account.choose(installation)?;
        let mut file = CsvFile::open(&self.file).map_err(|error| Error::Invalid(error.to_string()))?;
        let (fields, country) = installation.look(move |tx| {
            accounts::find(tx, account)?.ok_or(AccountError::NoAccount(account))?;
            let fields =
                custom_fields::list(tx, account)?.into_iter().map(|field| field.name).collect::<Vec<_>>();
            Ok::<_, AccountError>((fields, accounts::country(tx, account)?))
        })?;
        let mapping = match &self.mapping {
            Some(path) => {
                let text = fs::read_to_string(path)
                    .map_err(|error| Error::Invalid(format!("cannot read {}: {error}", path.display())))?;
                Mapping::read(&text).map_err(Error::Invalid)?
            }
            None => Mapping::guess(&file.headings, &fields),
        };
        if self.guess {
            return print::json(&mapping);
        }
        let targets = mapping.targets(&file.headings).map_err(Error::Invalid)?;
        let country = mapping.country().map_err(Error::Invalid)?.or(country);
        let mut rejected = match &self.rejected {
            Some(path) => Some(RejectedFile::create(path, &file, &targets)?),
            None => None,
        };
        let summary = installation.work(async |store| {
            let recorder = if self.events { routes::recorder() } else { Arc::new(Recorder::of_the_past()) };
            let by = By::system(account, clock::now(), &recorder);
            let dry_run = self.dry_run;
            let import = Import { store: store.clone(), account, by, mapping, targets, country, dry_run };
            if dry_run {
                return bring(&mut file, import, rejected.as_mut()).await;
            }
            let summary = under_lease(store, bring(&mut file, import, rejected.as_mut())).await;
            tell(installation, store).await?;
            summary
        })?;
        let rejected = rejected.and_then(RejectedFile::finish);
        report(installation, &summary, rejected.as_deref(), self.dry_run)
    }
}

async fn bring(
    file: &mut CsvFile,
    mut import: Import,
    mut rejected: Option<&mut RejectedFile>,
) -> Result<Summary> {
    let (mut summary, mut line) = (Summary::default(), ProgressLine::new());
    loop {
        let mut rows = Vec::with_capacity(BATCH_ROWS);
        while rows.len() < BATCH_ROWS
            && let Some(row) = file.next_row().map_err(|error| Error::Invalid(error.to_string()))?
        {
            rows.push(row);
        }
        if rows.is_empty() {
            return Ok(summary);
        }
        import.by = import.by.at(clock::now());
        let batch = match import.mapping.kind {
            Kind::Contacts => import.contacts(rows).await?,
            Kind::Deals => import.deals(rows).await?,
            Kind::Notes => import.notes(rows).await?,
        };
        if let Some(rejected) = &mut rejected {
            rejected.add(&batch.refused_of_batch)?;
        }
        summary.add(batch);
        line.show(Step { done: file.read, total: file.bytes, bytes: file.read, phase: Phase::Check });
    }
}

fn report(
    installation: &Installation,
    summary: &Summary,
    rejected: Option<&Path>,
    is_dry: bool,
) -> Result<()> {
    let rejected = rejected.map(|path| path.display().to_string());
    let response = json!({ "dry_run": is_dry, "summary": summary, "rejected_file": rejected });
    print::output(installation.json, &response, || {
        let Summary { created, updated, unchanged, refused, .. } = summary;
        let would = if is_dry { "would be " } else { "" };
        let mut text =
            format!("{would}created {created}, updated {updated}, unchanged {unchanged}, refused {refused}");
        let mut list = |title: &str, rows: &[Refused]| {
            if !rows.is_empty() {
                let _ = write!(text, "\n\n{title}\n{}", listed(rows));
            }
        };
        list("Refused rows:", &summary.refused_rows);
        list("Values that were left out:", &summary.warned_rows);
        if let Some(path) = &rejected {
            let _ = write!(
                text,
                "\n\n{path} has the refused rows. Correct them, and import that file with the same mapping."
            );
        }
        text
    })
}

fn listed(rows: &[Refused]) -> String {
    let lines = rows.iter().map(|row| {
        let value = print::or_dash(row.value.as_deref().map(print::printable));
        vec![row.line.to_string(), row.field.clone(), value, row.reason.clone()]
    });
    print::table(&["line", "field", "value", "reason"], lines.collect(), "")
}
