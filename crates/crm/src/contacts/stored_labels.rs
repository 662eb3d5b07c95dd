//! The labels of a contact as its own row stores them, so that one statement reads a page.
//!
//! The tables `contact_tags` and `contact_values` decide which labels a contact has, and filters search them. The row
//! has a copy, with the time of the change that wrote it. Every change of a contact sets the row's `updated_at`, so a
//! copy with another time is outdated and is not used: a server of an earlier version has changed the contact.
//!
//! A copy may name tags and fields that have been deleted since.

use frontdesk_db::{self as db, Cell, Column};
use frontdesk_kernel::{Id, Timestamp};
use uuid::Uuid;

use super::contact::Contact;
use crate::custom_fields::FieldId;
use crate::tags::TagId;

const UNREADABLE: db::Error = db::Error::Decode("labels");

/// Which tags a contact has, and its values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Labels {
    pub(super) tags: Vec<TagId>,
    pub(super) values: Vec<(FieldId, String)>,
}

/// The copy in a contact's row.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StoredLabels {
    labels: Labels,
    /// The row's `updated_at` when this was written.
    written_at: Timestamp,
}

impl StoredLabels {
    /// The labels, unless the row has changed since they were written.
    pub(super) fn current(self, updated_at: Timestamp) -> Option<Labels> {
        (self.written_at == updated_at).then_some(self.labels)
    }
}

/// The labels of a contact, for its row.
pub(super) fn of(contact: &Contact) -> Vec<u8> {
    let values = contact.custom_fields.iter();
    let values = values.filter_map(|field| Some((field.field_id, field.value.as_deref()?)));
    encode(contact.updated_at, contact.tags.iter().map(|tag| tag.id), values)
}

/// Labels for a row that changes at this time: the time, the number of tags, the tags, and each field with its value
/// and the value's length. Numbers are big-endian.
pub fn encode<'a>(
    updated_at: Timestamp,
    tags: impl ExactSizeIterator<Item = TagId>,
    values: impl Iterator<Item = (FieldId, &'a str)>,
) -> Vec<u8> {
    let mut bytes = updated_at.millis().to_be_bytes().to_vec();
    bytes.extend((tags.len() as u32).to_be_bytes());
    for tag in tags {
        bytes.extend(tag.uuid().as_bytes());
    }
    for (field, value) in values {
        bytes.extend(field.uuid().as_bytes());
        bytes.extend((value.len() as u32).to_be_bytes());
        bytes.extend(value.as_bytes());
    }
    bytes
}

impl Column for StoredLabels {
    fn read(cell: Cell<'_>) -> db::Result<Self> {
        let Cell::Bytes(bytes) = cell else { return Err(UNREADABLE) };
        let mut left = Bytes(bytes);
        let written_at = Timestamp::from_millis(i64::from_be_bytes(left.array()?));
        let tags = (0..left.number()?).map(|_| left.id()).collect::<db::Result<_>>()?;
        let mut values = Vec::new();
        while !left.0.is_empty() {
            let (field, length) = (left.id()?, left.number()?);
            let value = std::str::from_utf8(left.take(length)?).map_err(|_| UNREADABLE)?;
            values.push((field, value.to_owned()));
        }
        Ok(Self { labels: Labels { tags, values }, written_at })
    }
}

/// The bytes that are not read yet.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, length: usize) -> db::Result<&'a [u8]> {
        let (taken, left) = self.0.split_at_checked(length).ok_or(UNREADABLE)?;
        self.0 = left;
        Ok(taken)
    }

    fn array<const LENGTH: usize>(&mut self) -> db::Result<[u8; LENGTH]> {
        let (taken, left) = self.0.split_first_chunk().ok_or(UNREADABLE)?;
        self.0 = left;
        Ok(*taken)
    }

    fn number(&mut self) -> db::Result<usize> {
        Ok(u32::from_be_bytes(self.array()?) as usize)
    }

    fn id<T: ?Sized>(&mut self) -> db::Result<Id<T>> {
        Ok(Id::from_uuid(Uuid::from_bytes(self.array()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::contact::ContactTag;
    use super::super::labels::blank;
    use super::*;

    fn contact() -> Contact {
        let at = Timestamp::from_millis;
        let tag = |n| ContactTag { id: TagId::first_at(at(n)), name: String::new(), color: String::new() };
        let mut fields: Vec<_> = (1..4).map(|n| blank(FieldId::first_at(at(n)), "Plan".into())).collect();
        fields[0].value = Some("gold".into());
        fields[2].value = Some(String::new());
        let id = Id::first_at(at(5));
        Contact {
            id,
            name: None,
            phone: None,
            email: None,
            company: None,
            avatar_url: None,
            tags: vec![tag(2), tag(1)],
            custom_fields: fields,
            created_at: id.created_at(),
            updated_at: at(7),
        }
    }

    #[test]
    fn labels_are_read_as_they_were_written_until_the_contact_changes() {
        let contact = contact();
        let read = || StoredLabels::read(Cell::Bytes(&of(&contact))).unwrap();
        let tags = contact.tags.iter().map(|tag| tag.id).collect();
        let [first, _, last] = &contact.custom_fields[..] else { panic!("three fields") };
        let values = vec![(first.field_id, "gold".to_owned()), (last.field_id, String::new())];
        assert_eq!(read().current(contact.updated_at), Some(Labels { tags, values }));
        assert_eq!(read().current(Timestamp::from_millis(8)), None);
    }

    #[test]
    fn labels_that_are_cut_off_are_refused() {
        let whole = of(&contact());
        let mut readable = 0;
        for length in 0..whole.len() {
            readable += u8::from(StoredLabels::read(Cell::Bytes(&whole[..length])).is_ok());
        }
        // Those that end before a field.
        assert_eq!(readable, 2);
    }
}
