//! The dry run of an import: what [`run`](super::run) would do, from reads alone. The contacts that earlier rows would
//! create or change are kept in memory.

use std::collections::{HashMap, HashSet};

use frontdesk_db::ReadTx;
use frontdesk_kernel::Phone;
use frontdesk_platform::By;
use frontdesk_web::{Page, Problems};

use super::row::{ImportRow, WantedContact, error};
use super::{ImportError, ImportOutcome, ImportResult, at_limit, phone_taken};
use crate::contacts::{self, Contact, ContactError, ContactId, Values, check_values, patched, room};
use crate::custom_fields::{self, CustomField, FieldId};
use crate::tags;

/// Tells what would become of the rows.
pub(super) fn preview(
    tx: &mut ReadTx<'_>,
    by: &By,
    rows: &[ImportRow],
    update_existing: bool,
) -> Result<Vec<ImportResult>, ContactError> {
    let mut preview = Preview {
        by,
        update_existing,
        fields: custom_fields::list(tx, by.account)?,
        tags: tags::list(tx, by.account)?.iter().map(|tag| tags::key(&tag.name)).collect(),
        room: room(tx, by.account)?,
        people: Vec::new(),
        by_id: HashMap::new(),
        by_phone: HashMap::new(),
        by_email: HashMap::new(),
    };
    let mut results = Vec::with_capacity(rows.len());
    for row in rows {
        let told = match &row.wanted {
            Ok(wanted) => preview.row(tx, wanted)?,
            Err(errors) => Err(errors.clone()),
        };
        results.push(match told {
            Ok((outcome, id, left_out)) => ImportResult::imported(row, outcome, id, left_out),
            Err(errors) => ImportResult::rejected(row, errors),
        });
    }
    Ok(results)
}

/// The outcome of a row, its contact, which has no id before it is created, and what was left out; or why the row is
/// rejected.
type RowPreview = Result<(ImportOutcome, Option<ContactId>, Vec<ImportError>), Vec<ImportError>>;

/// The account as the rows so far would leave it.
struct Preview<'a> {
    by: &'a By,
    update_existing: bool,
    fields: Vec<CustomField>,
    /// The keys of the tags' names.
    tags: HashSet<String>,
    /// How many more contacts the account may have; none for unlimited.
    room: Option<i64>,
    /// The contacts of earlier rows, and where they are.
    people: Vec<Person>,
    by_id: HashMap<ContactId, usize>,
    by_phone: HashMap<String, usize>,
    by_email: HashMap<String, usize>,
}

/// A contact as it would be.
struct Person {
    contact: Contact,
    is_new: bool,
    /// The number by which [`Preview::by_phone`] has it.
    indexed_phone: Option<String>,
    /// The keys of its tags' names.
    tags: HashSet<String>,
    values: HashMap<FieldId, String>,
}

impl Preview<'_> {
    fn row(&mut self, tx: &mut ReadTx<'_>, wanted: &WantedContact) -> Result<RowPreview, ContactError> {
        let found = self.find(tx, wanted)?;
        if let Some(at) = found.filter(|_| !self.update_existing) {
            return Ok(Ok((ImportOutcome::Unchanged, self.people[at].id(), Vec::new())));
        }
        let (wanted, left_out) = match wanted.with_valid_values(&self.fields) {
            Ok((with_valid_values, left_out)) => (with_valid_values, left_out),
            Err(errors) => return Ok(Err(errors)),
        };
        let wanted = &*wanted;
        let values = wanted.new.custom_fields.as_ref();
        let values = values.map(|values| check_values(&self.fields, values, &mut Problems::new()));
        if found.is_none() && self.room == Some(0) {
            return Ok(Err(at_limit()));
        }
        for name in &wanted.tags {
            let key = tags::key(name.as_str());
            if self.tags.contains(&key) {
                continue;
            }
            if let Err(full) = tags::has_room(self.tags.len() as i64) {
                return Ok(Err(error("tags", &full.to_string())));
            }
            self.tags.insert(key);
        }
        if self.is_phone_taken(tx, found, wanted)? {
            return Ok(Err(phone_taken(wanted)));
        }
        let at = found.unwrap_or_else(|| self.create());
        let is_changed = self.people[at].change(wanted, values.unwrap_or_default());
        self.index(at);
        let outcome = match (found, is_changed) {
            (None, _) => ImportOutcome::Created,
            (Some(_), true) => ImportOutcome::Updated,
            (Some(_), false) => ImportOutcome::Unchanged,
        };
        Ok(Ok((outcome, self.people[at].id(), left_out)))
    }

    /// The contact that a row is about.
    fn find(&mut self, tx: &mut ReadTx<'_>, wanted: &WantedContact) -> Result<Option<usize>, ContactError> {
        let by_phone = wanted.key.phone.as_ref().and_then(|phone| self.by_phone.get(&phone.key()));
        let known =
            by_phone.or_else(|| wanted.key.email.as_ref().and_then(|email| self.by_email.get(&email.key())));
        if let Some(at) = known {
            return Ok(Some(*at));
        }
        let found = contacts::list(tx, self.by, &wanted.key, &Page::inside(1, None))?.into_iter().next();
        let Some(contact) = found else { return Ok(None) };
        match self.by_id.get(&contact.id) {
            // An earlier row would have given it another number.
            Some(_) if wanted.key.phone.is_some() && phone_key(&contact) == key_of(wanted) => Ok(None),
            Some(at) => Ok(Some(*at)),
            None => Ok(Some(self.add(Person::stored(contact)))),
        }
    }

    /// Whether the row's number would belong to another contact.
    fn is_phone_taken(
        &self,
        tx: &mut ReadTx<'_>,
        own: Option<usize>,
        wanted: &WantedContact,
    ) -> Result<bool, ContactError> {
        let Some(phone) = &wanted.new.phone else { return Ok(false) };
        if let Some(other) = self.by_phone.get(&phone.key()) {
            return Ok(own != Some(*other));
        }
        let stored = contacts::find_by_phone(tx, self.by.account, phone)?;
        // A contact that an earlier row would have given another number no longer has this one.
        Ok(stored.is_some_and(|id| !self.by_id.contains_key(&id)))
    }

    fn create(&mut self) -> usize {
        self.room = self.room.map(|room| room - 1);
        let id: ContactId = self.by.new_id();
        let contact = Contact {
            id,
            name: None,
            phone: None,
            email: None,
            company: None,
            avatar_url: None,
            tags: Vec::new(),
            custom_fields: Vec::new(),
            created_at: id.created_at(),
            updated_at: id.created_at(),
        };
        self.add(Person { is_new: true, ..Person::stored(contact) })
    }

    fn add(&mut self, person: Person) -> usize {
        let at = self.people.len();
        self.by_id.insert(person.contact.id, at);
        self.people.push(person);
        self.index(at);
        at
    }

    /// Makes a contact findable by its number and address, and no longer by earlier ones.
    fn index(&mut self, at: usize) {
        let contact = &self.people[at].contact;
        let (phone, email) = (phone_key(contact), contact.email.as_ref().map(|email| email.to_lowercase()));
        if let Some(before) = self.people[at].indexed_phone.take() {
            self.by_phone.remove(&before);
        }
        if let Some(phone) = phone {
            self.by_phone.insert(phone.clone(), at);
            self.people[at].indexed_phone = Some(phone);
        }
        if let Some(email) = email {
            self.by_email.insert(email, at);
        }
    }
}

fn phone_key(contact: &Contact) -> Option<String> {
    contact.phone.as_ref().map(Phone::key)
}

fn key_of(wanted: &WantedContact) -> Option<String> {
    wanted.key.phone.as_ref().map(Phone::key)
}

impl Person {
    fn stored(contact: Contact) -> Self {
        let values = contact.custom_fields.iter();
        let values = values.filter_map(|field| Some((field.field_id, field.value.clone()?))).collect();
        let tags = contact.tags.iter().map(|tag| tags::key(&tag.name)).collect();
        Self { contact, is_new: false, indexed_phone: None, tags, values }
    }

    /// The id of a contact that exists.
    fn id(&self) -> Option<ContactId> {
        (!self.is_new).then_some(self.contact.id)
    }

    /// Takes over what a row says. True if that changes anything.
    fn change(&mut self, wanted: &WantedContact, values: Values) -> bool {
        let after = patched(&self.contact, &wanted.patch());
        let mut is_changed = (&after.name, &after.phone, &after.email, &after.company)
            != (&self.contact.name, &self.contact.phone, &self.contact.email, &self.contact.company);
        self.contact = after;
        for name in &wanted.tags {
            is_changed |= self.tags.insert(tags::key(name.as_str()));
        }
        for (field, value) in values {
            let before = match &value {
                Some(value) => self.values.insert(field, value.clone()),
                None => self.values.remove(&field),
            };
            is_changed |= before != value;
        }
        is_changed
    }
}
