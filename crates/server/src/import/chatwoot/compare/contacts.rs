//! Contacts: their names, numbers, addresses, companies and the values of their fields.

use frontdesk_crm::contacts::{self, Contact};
use frontdesk_crm::custom_fields::{self, CustomField};
use frontdesk_crm::imports::PastContact;
use frontdesk_db as db;
use frontdesk_kernel::{Id, Phone, Text};

use super::super::contact_rows::TheirContact;
use super::super::contacts::{JOINED, past_of};
use super::super::fields::{cut, name_of_key};
use super::super::import::{Import, Progress};
use super::{ComparedRows, Comparison, Said};
use crate::error::Result;

const PAGE_ROWS: i64 = 200;

/// What a contact there has become here. None if it was deleted here.
struct Ours {
    contact: Option<Contact>,
    /// Whether it has become one that was there: a part of what it says may be from another one.
    is_joined: bool,
}

impl Import<'_> {
    pub(super) async fn compare_contacts(&mut self, progress: Progress<'_>) -> Result<ComparedRows> {
        let (mut comparison, mut after) = (Comparison::default(), 0);
        let account = self.account;
        let there = self.server.store.read(move |tx| custom_fields::list(tx, account)).await?;
        loop {
            let page = TheirContact::page(self.source, self.theirs.id, after, PAGE_ROWS)?;
            let Some(last) = page.last() else { return Ok(comparison.end()) };
            after = last.id;
            progress(page.len() as u64);
            self.know_fields(&page, &there);
            let ours = self.our_contacts(&page).await?;
            for (theirs, ours) in page.iter().zip(ours) {
                let Some(ours) = ours else {
                    comparison.missing();
                    continue;
                };
                let Some(contact) = ours.contact else { continue };
                let past = past_of(theirs, self.country, &self.fields, &mut |_, _| ());
                let (their_fields, our_fields) = said(&past, &contact, ours.is_joined);
                comparison.row(contact.id.uuid(), &their_fields, &our_fields);
            }
        }
    }

    /// Finds the fields of attributes that have no definition. A later run has not brought them itself.
    fn know_fields(&mut self, page: &[TheirContact], there: &[CustomField]) {
        for (key, _) in page.iter().flat_map(TheirContact::values) {
            if !self.fields.contains_key(&key) {
                let name = cut(name_of_key(&key)).to_lowercase();
                let known = there.iter().find(|field| field.name.to_lowercase() == name);
                self.fields.extend(known.map(|field| (key, field.clone())));
            }
        }
    }

    async fn our_contacts(&self, page: &[TheirContact]) -> Result<Vec<Option<Ours>>> {
        let (kind, joined, account) = (self.kind("contact"), self.kind(JOINED), self.account);
        let numbers: Vec<i64> = page.iter().map(|contact| contact.id).collect();
        let found = self.server.store.scan(move |tx| {
            let mut found = Vec::with_capacity(numbers.len());
            for (known, joined) in
                kind.find_all(tx, &numbers)?.into_iter().zip(joined.find_all(tx, &numbers)?)
            {
                let ours = match known {
                    Some(id) => {
                        let contact = contacts::find(tx, account, Id::from_uuid(id))?;
                        Some(Ours { contact, is_joined: joined.is_some() })
                    }
                    None => None,
                };
                found.push(ours);
            }
            Ok::<_, db::Error>(found)
        });
        Ok(found.await?)
    }
}

/// What both sides say, of what the other side has.
fn said(past: &PastContact, ours: &Contact, is_joined: bool) -> (Said, Said) {
    let text = |text: Option<&str>| text.map(ToOwned::to_owned);
    let mut fields = vec![
        (text(past.name.as_ref().map(Text::as_str)), ours.name.clone()),
        (text(past.company.as_ref().map(Text::as_str)), ours.company.clone()),
    ];
    for (at, (field, value)) in past.values.iter().enumerate() {
        // Of two attributes with the name of one field, one is kept.
        if past.values.iter().enumerate().any(|(other, (known, _))| other != at && known == field) {
            continue;
        }
        let known = ours.custom_fields.iter().find(|known| known.field_id.to_string() == *field);
        fields.push((Some(value.as_str().to_owned()), known.and_then(|known| known.value.clone())));
    }
    let phones = (past.phone.as_ref(), ours.phone.as_ref());
    let emails = (past.email.as_ref().map(ToString::to_string), ours.email.clone());
    if is_joined {
        // What was there stays; what it lacked came along. It was found by its number or by its address.
        for (theirs, ours) in &mut fields {
            if theirs.is_some() && ours.is_some() {
                theirs.clone_from(ours);
            }
        }
        let has_phone = phones.0.zip(phones.1).is_some_and(|(theirs, ours)| theirs.key() == ours.key());
        let is_known = has_phone || emails.0.is_some() && emails.0 == emails.1;
        fields.push((Some(true.to_string()), Some(is_known.to_string())));
    } else {
        fields.push((text(phones.0.map(Phone::as_str)), text(phones.1.map(Phone::as_str))));
        fields.push(emails);
    }
    fields.into_iter().filter(|(theirs, _)| theirs.is_some()).unzip()
}

#[cfg(test)]
mod tests {
    use frontdesk_crm::contacts::ContactField;
    use frontdesk_web::example::Example;

    use super::*;

    fn theirs() -> PastContact {
        let field = ours().custom_fields[0].field_id.to_string();
        PastContact {
            name: "Ann".parse().ok(),
            phone: "+491510000489".parse().ok(),
            email: "ann@example.com".parse().ok(),
            company: "Acme".parse().ok(),
            tags: Vec::new(),
            values: vec![(field, "Gold".parse().unwrap())],
        }
    }

    fn ours() -> Contact {
        let contact = Contact::example();
        Contact {
            name: Some("Ann".to_owned()),
            phone: "+491510000489".parse().ok(),
            email: Some("ann@example.com".to_owned()),
            company: Some("Acme".to_owned()),
            custom_fields: vec![ContactField {
                value: Some("Gold".to_owned()),
                ..contact.custom_fields[0].clone()
            }],
            ..contact
        }
    }

    fn is_equal(past: &PastContact, ours: &Contact, is_joined: bool) -> bool {
        let (theirs, ours) = said(past, ours, is_joined);
        theirs == ours
    }

    /// What may become of a contact.
    type Change = (&'static str, fn(&mut Contact));

    const CHANGES: [Change; 8] = [
        ("name", |ours| ours.name = Some("Mallory".to_owned())),
        ("no name", |ours| ours.name = None),
        ("phone", |ours| ours.phone = "+491510000490".parse().ok()),
        ("no phone", |ours| ours.phone = None),
        ("email", |ours| ours.email = Some("mallory@example.com".to_owned())),
        ("company", |ours| ours.company = None),
        ("value", |ours| ours.custom_fields[0].value = Some("Tin".to_owned())),
        ("no value", |ours| ours.custom_fields.clear()),
    ];

    #[test]
    fn every_field_that_came_along_is_compared() {
        assert!(is_equal(&theirs(), &ours(), false));
        for (what, change) in CHANGES {
            let mut ours = ours();
            change(&mut ours);
            assert!(!is_equal(&theirs(), &ours, false), "{what}");
        }
        // What was added here is no difference.
        assert!(is_equal(&PastContact::default(), &ours(), false));
    }

    #[test]
    fn a_contact_that_was_joined_may_say_something_else_and_lacks_nothing() {
        let differs: Vec<&str> = CHANGES
            .iter()
            .filter(|(_, change)| {
                let mut ours = ours();
                change(&mut ours);
                !is_equal(&theirs(), &ours, true)
            })
            .map(|(what, _)| *what)
            .collect();
        assert_eq!(differs, ["no name", "company", "no value"]);
        let stranger = Contact { phone: None, email: Some("x@example.com".to_owned()), ..ours() };
        assert!(!is_equal(&theirs(), &stranger, true));
    }
}
