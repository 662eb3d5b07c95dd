//! Rows of notes about contacts.

use std::sync::Arc;

use frontdesk_crm::contacts::{self, ContactId};
use frontdesk_crm::notes::{self, About, BODY_CHARS_MAX};
use frontdesk_db::{ReadTx, Tx};
use frontdesk_kernel::ids::UserId;
use frontdesk_kernel::{Text, Timestamp};
use frontdesk_platform::imports::ImportedKind;

use super::batch::{Import, Refused, Summary};
use super::people;
use super::reader::CsvRow;
use crate::error::Result;

const SOURCE: &str = "csv";

/// A note to be written.
struct Wanted {
    contact: ContactId,
    body: Text<BODY_CHARS_MAX>,
    author: Option<UserId>,
    at: Option<Timestamp>,
}

impl Import {
    pub(crate) async fn notes(&self, rows: Vec<CsvRow>) -> Result<Summary> {
        let (import, rows) = (self.clone(), Arc::new(rows));
        if self.dry_run {
            return self.store.scan(move |tx| import.preview_notes(tx, &rows)).await;
        }
        self.store.write(move |tx| import.write_notes(tx, &rows)).await
    }

    fn kind_of_notes(&self) -> ImportedKind {
        ImportedKind { account: self.account, source: SOURCE.to_owned(), kind: "note" }
    }

    fn preview_notes(&self, tx: &mut ReadTx<'_>, rows: &[CsvRow]) -> Result<Summary> {
        let (mut summary, kind) = (Summary::default(), self.kind_of_notes());
        for row in rows {
            if kind.find(tx, self.number_of(row))?.is_some() {
                summary.unchanged += 1;
                continue;
            }
            match self.note(tx, row)? {
                Ok(_) => summary.created += 1,
                Err(refused) => summary.refuse(row, vec![refused]),
            }
        }
        Ok(summary)
    }

    fn write_notes(&self, tx: &mut Tx<'_>, rows: &[CsvRow]) -> Result<Summary> {
        let (mut summary, kind) = (Summary::default(), self.kind_of_notes());
        for row in rows {
            let number = self.number_of(row);
            if kind.find(tx, number)?.is_some() {
                summary.unchanged += 1;
                continue;
            }
            let wanted = match self.note(tx, row)? {
                Ok(wanted) => wanted,
                Err(refused) => {
                    summary.refuse(row, vec![refused]);
                    continue;
                }
            };
            if !contacts::hold(tx, self.account, wanted.contact)? {
                return Err(tx.again().into());
            }
            let mut by =
                wanted.author.map_or_else(|| self.by.clone(), |author| self.by.attributed_to(author));
            if let Some(at) = wanted.at.filter(|at| *at < self.by.now) {
                by = by.at(at);
            }
            let made = notes::write(tx, &by, About::Contact(wanted.contact), wanted.body.as_str(), &[])?;
            kind.note(tx, number, made.id.uuid())?;
            summary.created += 1;
        }
        Ok(summary)
    }

    fn note(&self, tx: &mut ReadTx<'_>, row: &CsvRow) -> Result<std::result::Result<Wanted, Refused>> {
        let contact = match people::contact(tx, self, row)? {
            Ok(Some(contact)) => contact,
            Ok(None) => {
                return Ok(Err(Refused::new(
                    row.line,
                    "contact_phone",
                    "is needed to find the contact",
                    None,
                )));
            }
            Err(refused) => return Ok(Err(refused)),
        };
        let author = match people::member(tx, self, row, "author_email")? {
            Ok(author) => author,
            Err(refused) => return Ok(Err(refused)),
        };
        let Some(body) = self.cell(row, "body") else {
            return Ok(Err(Refused::new(row.line, "body", "is needed", None)));
        };
        let body = match body.parse() {
            Ok(body) => body,
            Err(wrong) => {
                let wrong: frontdesk_kernel::text::NotAText = wrong;
                return Ok(Err(Refused::new(row.line, "body", wrong.to_string(), None)));
            }
        };
        let Ok(at) = self.cell(row, "created_at").map(str::parse::<Timestamp>).transpose() else {
            let reason = "must be a time such as 2026-01-31T09:30:00Z, or a date";
            return Ok(Err(Refused::new(row.line, "created_at", reason, self.cell(row, "created_at"))));
        };
        Ok(Ok(Wanted { contact, body, author, at }))
    }
}
