//! Changes the tags of many contacts in the background.

use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::{Email, Phone, Scope, Text, Timestamp};
use frontdesk_platform::bulk::{self, BulkError, BulkIds, BulkJob, BulkJobId, BulkKind, BulkRequest};
use frontdesk_platform::{By, Caller, Route};
use frontdesk_web::{Body, Data, Failure, Kept, Page, Path, Problems, Result as WebResult, input};
use uuid::Uuid;

use super::contact::{Contact, ContactError, ContactId, TagIds};
use super::{ContactFilters, exists, listing, ops};
use crate::segments::SegmentId;
use crate::tags::{self, TagId};

input! {
    /// Tags to add to and take off many contacts: those with these ids, or those that a filter chooses.
    pub struct ContactBulk {
        /// At most 1,000 contacts.
        pub ids: Option<BulkIds<Contact>>,
        pub filter: Option<ContactChoice>,
        pub add_tag_ids: Option<TagIds>,
        pub remove_tag_ids: Option<TagIds>,
    }
    shape = bulk::chooses_once;
    check = changes_something;
}

input! {
    /// Which contacts, by the filters of GET /contacts.
    pub struct ContactChoice {
        pub q: Option<Text<100>>,
        pub tag_id: Option<TagId>,
        pub segment_id: Option<SegmentId>,
        pub phone: Option<Phone>,
        pub email: Option<Email>,
        pub updated_since: Option<Timestamp>,
        pub created_since: Option<Timestamp>,
    }
}

fn changes_something(request: &ContactBulk, problems: &mut Problems) {
    let any = |tags: &Option<TagIds>| tags.as_ref().is_some_and(|tags| !tags.0.is_empty());
    if !any(&request.add_tag_ids) && !any(&request.remove_tag_ids) {
        problems.add("add_tag_ids", "or remove_tag_ids must name a tag");
    }
}

impl From<&ContactChoice> for ContactFilters {
    fn from(choice: &ContactChoice) -> Self {
        Self {
            q: choice.q.clone(),
            tag_id: choice.tag_id,
            segment_id: choice.segment_id,
            phone: choice.phone.clone(),
            email: choice.email.clone(),
            updated_since: choice.updated_since,
            created_since: choice.created_since,
        }
    }
}

/// Bulk changes of contacts.
pub const BULK_CHANGES: BulkKind = BulkKind::of::<ContactBulk>("contacts");

impl ContactBulk {
    fn added(&self) -> &[TagId] {
        self.add_tag_ids.as_ref().map_or(&[], |tags| &tags.0)
    }

    fn removed(&self) -> &[TagId] {
        self.remove_tag_ids.as_ref().map_or(&[], |tags| &tags.0)
    }
}

impl BulkRequest for ContactBulk {
    fn ids(&self) -> Option<Vec<Uuid>> {
        Some(self.ids.as_ref()?.0.iter().map(ContactId::uuid).collect())
    }

    fn check(&self, tx: &mut ReadTx<'_>, by: &By) -> Result<(), BulkError> {
        let mut problems = Problems::new();
        let ids = self.ids.as_ref().map_or(&[][..], |ids| &ids.0);
        bulk::check_ids(&mut problems, "ids", ids, "contact", |id| exists(tx, by.account, id))?;
        for (field, tags) in [("add_tag_ids", self.added()), ("remove_tag_ids", self.removed())] {
            bulk::check_ids(&mut problems, field, tags, "tag", |id| {
                tags::find(tx, by.account, id).map(|tag| tag.is_some())
            })?;
        }
        bulk::refuse(problems)
    }

    fn chosen(&self, tx: &mut ReadTx<'_>, by: &By, below: Uuid, limit: i64) -> Result<Vec<Uuid>, BulkError> {
        let Some(choice) = &self.filter else { return Ok(Vec::new()) };
        // A page fetches one row more than it shows.
        let page = Page::inside(limit - 1, Some(below));
        let found = listing::rows(tx, by, &choice.into(), &page).map_err(refused)?;
        Ok(found.into_iter().map(|row| row.contact.id.uuid()).collect())
    }

    fn work(&self) -> usize {
        1 + self.added().len() + self.removed().len()
    }

    fn change(&self, tx: &mut Tx<'_>, by: &By, ids: &[Uuid]) -> db::Result<usize> {
        let mut changed = 0;
        for id in ids {
            let id = ContactId::from_uuid(*id);
            match ops::retag(tx, by, id, self.added(), self.removed()).map_err(refused) {
                Ok(_) => changed += 1,
                Err(BulkError::Store(error)) => return Err(error),
                Err(BulkError::Refused(_)) => {}
            }
        }
        Ok(changed)
    }
}

fn refused(error: ContactError) -> BulkError {
    match error {
        ContactError::Platform(error) => error.into(),
        other => BulkError::Refused(Failure::from(other)),
    }
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/contacts/bulk", "changeContacts", create)
            .scope(Scope::ContactsWrite)
            .accepted()
            .summary("Change the tags of many contacts")
            .notes("Carried out in the background; `GET /contacts/bulk/{id}` shows its progress."),
        Route::get("/contacts/bulk/{id}", "getContactsChange", get)
            .scope(Scope::ContactsRead)
            .summary("Get the progress of a change of many contacts"),
    ]
}

async fn create(caller: Caller, Body(asked): Body<Kept<ContactBulk>>) -> WebResult<Data<BulkJob>> {
    bulk::accept(&caller, BULK_CHANGES, asked).await.map(Data)
}

async fn get(caller: Caller, Path(id): Path<BulkJobId>) -> WebResult<Data<BulkJob>> {
    bulk::get(&caller, BULK_CHANGES, id).await.map(Data)
}
