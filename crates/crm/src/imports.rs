//! Brings contacts with their tags and custom fields from another system. An import calls this with a silent
//! [`By`], at the time at which a row was made there.

use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::text::NotAText;
use frontdesk_kernel::{Email, Patch, Phone, Text};
use frontdesk_platform::{By, Error as PlatformError};
use frontdesk_web::{Entries, Items};

use crate::contacts::{
    self, ContactError, ContactId, ContactPatch, ContactTag, KnownBy, NewContact, Person, create_tagged,
    patch_tagged,
};
use crate::custom_fields::{self, CustomField, FieldError, FieldType, FieldValue, NewCustomField};
use crate::desk::{means_nothing, normalized};
use crate::tags::{self, Color, NewTag, Tag, TagError};

/// A contact as another system has it.
#[derive(Clone, Debug, Default)]
pub struct PastContact {
    pub name: Option<Text<200>>,
    pub phone: Option<Phone>,
    pub email: Option<Email>,
    pub company: Option<Text<200>>,
    pub tags: Vec<ContactTag>,
    /// Values that fit their fields: [`fitting`].
    pub values: Vec<(String, FieldValue)>,
}

/// What a contact has become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BroughtContact {
    Made(ContactId),
    /// A contact of ours has its number or its address.
    Joined(ContactId),
}

impl BroughtContact {
    pub fn id(self) -> ContactId {
        match self {
            Self::Made(id) | Self::Joined(id) => id,
        }
    }
}

/// Creates a contact, or adds to the one that has its number or its address what that lacks.
pub fn contact(tx: &mut Tx<'_>, by: &By, past: &PastContact) -> Result<BroughtContact, ContactError> {
    let by_phone = match &past.phone {
        Some(phone) => contacts::find_by_phone(tx, by.account, phone)?,
        None => None,
    };
    let found = match (by_phone, &past.email) {
        (None, Some(email)) => contacts::find_by_email(tx, by.account, email)?,
        (found, _) => found,
    };
    if let Some(id) = found {
        let person = Person { name: past.name.clone(), phone: past.phone.clone(), email: past.email.clone() };
        contacts::fill_in(tx, by, id, &person, KnownBy::PhoneThenEmail)?;
        add(tx, by, id, past)?;
        return Ok(BroughtContact::Joined(id));
    }
    let values = past.values.iter().map(|(id, value)| (id.clone(), Some(value.clone()))).collect();
    let new = NewContact {
        phone: past.phone.clone(),
        country: None,
        name: past.name.clone(),
        email: past.email.clone(),
        company: past.company.clone(),
        tag_ids: None,
        custom_fields: Some(Entries(values)),
    };
    create_tagged(tx, by, &new, past.tags.clone()).map(|made| BroughtContact::Made(made.id))
}

/// Adds the tags, and the values of fields that have none.
fn add(tx: &mut Tx<'_>, by: &By, id: ContactId, past: &PastContact) -> Result<(), ContactError> {
    let Some(known) = contacts::find(tx, by.account, id)? else { return Ok(()) };
    let has = |field: &str| {
        known.custom_fields.iter().any(|known| known.value.is_some() && known.field_id.to_string() == field)
    };
    let values = past.values.iter().filter(|(field, _)| !has(field));
    let values: Vec<_> = values.map(|(field, value)| (field.clone(), Some(value.clone()))).collect();
    let company = past.company.clone().filter(|_| known.company.is_none());
    if past.tags.is_empty() && values.is_empty() && company.is_none() {
        return Ok(());
    }
    let patch = ContactPatch {
        phone: Patch::Keep,
        country: None,
        name: Patch::Keep,
        email: Patch::Keep,
        company: company.map_or(Patch::Keep, Patch::Set),
        tag_ids: Patch::Keep,
        custom_fields: Some(Entries(values)),
    };
    patch_tagged(tx, by, id, &patch, past.tags.clone()).map(drop)
}

/// Adds tags to a contact. False if it is gone.
pub fn tag(tx: &mut Tx<'_>, by: &By, id: ContactId, tagged: Vec<ContactTag>) -> Result<bool, ContactError> {
    let past = PastContact { tags: tagged, ..PastContact::default() };
    match add(tx, by, id, &past) {
        Ok(()) => Ok(true),
        Err(ContactError::Platform(PlatformError::Missing(_))) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The oldest contact with an address.
pub fn find_by_email(tx: &mut ReadTx<'_>, by: &By, email: &Email) -> db::Result<Option<ContactId>> {
    contacts::find_by_email(tx, by.account, email)
}

/// The account's tags.
pub fn tags_of(tx: &mut ReadTx<'_>, by: &By) -> db::Result<Vec<ContactTag>> {
    Ok(tags::list(tx, by.account)?.into_iter().map(tagged).collect())
}

fn tagged(tag: Tag) -> ContactTag {
    ContactTag { id: tag.id, name: tag.name, color: tag.color }
}

/// The tag with a name, regardless of case, which is created if there is none.
pub fn tag_named(
    tx: &mut Tx<'_>,
    by: &By,
    name: &Text<100>,
    color: Option<&str>,
) -> Result<ContactTag, TagError> {
    let known = tags::list(tx, by.account)?;
    let key = tags::key(name.as_str());
    if let Some(tag) = known.into_iter().find(|tag| tags::key(&tag.name) == key) {
        return Ok(tagged(tag));
    }
    let color: Option<Color> = color.and_then(|color| color.parse().ok());
    tags::create(tx, by, &NewTag { name: name.clone(), color }).map(tagged)
}

/// The custom field with a name, regardless of case, which is created if there is none.
pub fn field_named(
    tx: &mut Tx<'_>,
    by: &By,
    name: &Text<100>,
    kind: FieldType,
    options: Vec<Text<100>>,
) -> Result<CustomField, FieldError> {
    let key = name.as_str().to_lowercase();
    let known = custom_fields::list(tx, by.account)?;
    if let Some(field) = known.into_iter().find(|field| field.name.to_lowercase() == key) {
        return Ok(field);
    }
    let options = (kind == FieldType::Select).then_some(Items(options));
    custom_fields::create(tx, by, &NewCustomField { name: name.clone(), r#type: Some(kind), options })
}

/// A value as its field takes it. None if it means nothing, and an error if it does not fit.
pub fn fitting(field: &CustomField, written: &str) -> Result<Option<FieldValue>, String> {
    if means_nothing("", &serde_json::Value::from(written)) {
        return Ok(None);
    }
    let usual = normalized(field, written).filter(|text| field.refuses(text).is_none());
    let text = usual.unwrap_or_else(|| written.trim().to_owned());
    if let Some(wrong) = field.refuses(&text) {
        return Err(wrong);
    }
    text.parse().map(Some).map_err(|wrong: NotAText| wrong.to_string())
}
