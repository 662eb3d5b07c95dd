//! The rows that the POST of a contact writes, for the ceilings that write them without the server.

use frontdesk_crm::contacts::{Contact, ContactId};
use frontdesk_kernel::Ids;
use frontdesk_platform::events::EventId;
use serde::Serialize;

use super::Account;
use crate::clock;
use crate::error::Result;
use crate::people::{self, Person};

/// The rows of one POST.
pub(crate) struct Newcomer<'s> {
    pub(crate) account: &'s Account,
    pub(crate) id: ContactId,
    pub(crate) person: Person,
    pub(crate) words: String,
    pub(crate) event_id: EventId,
    pub(crate) event: String,
}

#[derive(Serialize)]
struct ContactEvent<'a> {
    contact: &'a Contact,
}

impl<'s> Newcomer<'s> {
    pub(crate) fn new(account: &'s Account, ids: &Ids) -> Result<Self> {
        let person = people::newcomer(people::reserve(1));
        let now = clock::now();
        let id: ContactId = ids.next(now);
        let words = frontdesk_search::words(&person.search_text(), account.num);
        let contact = Contact {
            id,
            name: Some(person.name.clone()),
            phone: Some(person.phone.clone()),
            email: Some(person.email.to_string()),
            company: Some(person.company.clone()),
            avatar_url: None,
            tags: Vec::new(),
            custom_fields: account.blank_fields(),
            created_at: id.created_at(),
            updated_at: id.created_at(),
        };
        let event = serde_json::to_string(&ContactEvent { contact: &contact })?;
        Ok(Self { account, id, person, words, event_id: ids.next(now), event })
    }
}
