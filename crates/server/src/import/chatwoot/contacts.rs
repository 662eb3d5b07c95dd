//! Brings contacts, with their tags and custom fields.

use std::collections::HashMap;
use std::sync::Arc;

use frontdesk_crm::custom_fields::{CustomField, FieldType};
use frontdesk_crm::imports::{self, BroughtContact, PastContact};
use frontdesk_kernel::Country;
use frontdesk_platform::By;

use super::contact_rows::TheirContact;
use super::fields::name_of_key;
use super::import::{Import, Progress, told};
use crate::error::Result;

const KIND: &str = "contacts";
/// The contacts that have become one that was there.
pub(super) const JOINED: &str = "joined contact";
/// Contacts that are read at once, and written in one transaction.
const PAGE_ROWS: i64 = 500;
const BATCH_ROWS: usize = 100;

/// A contact to be written.
struct Wanted {
    number: i64,
    by: By,
    past: PastContact,
}

impl Import<'_> {
    pub(super) async fn bring_contacts(&mut self, progress: Progress<'_>) -> Result<()> {
        let mut after = 0;
        loop {
            let page = TheirContact::page(self.source, self.theirs.id, after, PAGE_ROWS)?;
            let Some(last) = page.last().map(|contact| contact.id) else { return Ok(()) };
            after = last;
            progress(page.len() as u64);
            let new = self.not_there(page).await?;
            let mut wanted = Vec::with_capacity(new.len());
            for contact in new {
                wanted.push(self.wanted(&contact).await?);
            }
            while !wanted.is_empty() {
                let rest = wanted.split_off(wanted.len().min(BATCH_ROWS));
                self.write_contacts(Arc::new(wanted)).await?;
                wanted = rest;
            }
        }
    }

    /// The contacts that were not brought before.
    async fn not_there(&mut self, page: Vec<TheirContact>) -> Result<Vec<TheirContact>> {
        let (kind, numbers) =
            (self.kind("contact"), page.iter().map(|contact| contact.id).collect::<Vec<_>>());
        let known = self.server.store.scan(move |tx| kind.find_all(tx, &numbers)).await?;
        let all = page.len();
        let new: Vec<TheirContact> = page
            .into_iter()
            .zip(known)
            .filter_map(|(contact, known)| known.is_none().then_some(contact))
            .collect();
        self.tally.there_before(KIND, all - new.len());
        Ok(new)
    }

    async fn wanted(&mut self, contact: &TheirContact) -> Result<Wanted> {
        for (key, _) in contact.values() {
            self.field(&key, name_of_key(&key), FieldType::Text, Vec::new()).await?;
        }
        let tags = self.tags_of(contact.labels.as_deref()).await?;
        let left_out = &mut |reason: &'static str, example: String| self.tally.left_out(reason, example);
        let past = PastContact { tags, ..past_of(contact, self.country, &self.fields, left_out) };
        Ok(Wanted { number: contact.id, by: self.by_telling(contact.created), past })
    }

    async fn write_contacts(&mut self, batch: Arc<Vec<Wanted>>) -> Result<()> {
        let (kind, joined) = (self.kind("contact"), self.kind(JOINED));
        let written = self
            .write(move |tx| {
                let mut written = Vec::with_capacity(batch.len());
                for wanted in &*batch {
                    let brought = imports::contact(tx, &wanted.by, &wanted.past).map_err(told)?;
                    kind.note(tx, wanted.number, brought.id().uuid())?;
                    if let BroughtContact::Joined(id) = brought {
                        joined.note(tx, wanted.number, id.uuid())?;
                    }
                    written.push(brought);
                }
                Ok(written)
            })
            .await?;
        let made = written.iter().filter(|brought| matches!(brought, BroughtContact::Made(_))).count();
        self.tally.brought(KIND, made);
        self.tally.joined(KIND, written.len() - made);
        Ok(())
    }
}

/// What a contact becomes, without its tags. What cannot come along is told with its reason.
pub(super) fn past_of(
    contact: &TheirContact,
    country: Option<Country>,
    fields: &HashMap<String, CustomField>,
    left_out: &mut dyn FnMut(&'static str, String),
) -> PastContact {
    let phone = contact.phone(country).unwrap_or_else(|wrong| {
        left_out("numbers that cannot exist; their contacts come without", wrong);
        None
    });
    let email = contact.email().unwrap_or_else(|wrong| {
        left_out("addresses that cannot exist; their contacts come without", wrong);
        None
    });
    let mut values = Vec::new();
    for (key, written) in contact.values() {
        let Some(field) = fields.get(&key) else { continue };
        match imports::fitting(field, &written) {
            Ok(Some(value)) => values.push((field.id.to_string(), value)),
            Ok(None) => {}
            Err(wrong) => left_out(
                "values that do not fit their field",
                format!("contact {} {key} {wrong}", contact.id),
            ),
        }
    }
    PastContact { name: contact.name(), phone, email, company: contact.company(), tags: Vec::new(), values }
}
