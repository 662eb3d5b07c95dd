//! Writes rows of an import. The rows of one call are written in one transaction.

use std::collections::HashMap;

use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::Text;
use frontdesk_platform::{By, Error as PlatformError};
use frontdesk_web::Page;

use super::row::{ImportRow, WantedContact, error, errors};
use super::{ImportError, ImportOutcome, ImportResult, at_limit, phone_taken};
use crate::contacts::{
    ContactError, ContactId, ContactTag, Tags, create_tagged, matching, patch_tagged, room,
};
use crate::custom_fields::{self, CustomField};
use crate::tags::{self, NewTag, Tag, TagError};

/// Writes the rows. Those that cannot be imported are rejected, and change nothing.
pub(super) fn run(
    tx: &mut Tx<'_>,
    by: &By,
    rows: &[ImportRow],
    update_existing: bool,
) -> Result<Vec<ImportResult>, ContactError> {
    let mut importer = Importer {
        by,
        update_existing,
        fields: custom_fields::list(tx, by.account)?,
        tags: tags::list(tx, by.account)?.into_iter().map(named).collect(),
        room: room(tx, by.account)?,
    };
    let mut results = Vec::with_capacity(rows.len());
    for row in rows {
        let imported = match &row.wanted {
            Ok(wanted) => importer.import(tx, wanted),
            Err(errors) => Err(Rejection::Row(errors.clone())),
        };
        results.push(match imported {
            Ok((outcome, id, left_out)) => ImportResult::imported(row, outcome, Some(id), left_out),
            Err(Rejection::Row(errors)) => ImportResult::rejected(row, errors),
            Err(Rejection::Batch(error)) => return Err(error),
        });
    }
    Ok(results)
}

fn named(tag: Tag) -> (String, ContactTag) {
    (tags::key(&tag.name), ContactTag { id: tag.id, name: tag.name, color: tag.color })
}

/// Why a row was not imported.
enum Rejection {
    Row(Vec<ImportError>),
    /// The transaction cannot go on.
    Batch(ContactError),
}

impl From<db::Error> for Rejection {
    fn from(error: db::Error) -> Self {
        Self::Batch(error.into())
    }
}

/// What the rows of a transaction share.
struct Importer<'a> {
    by: &'a By,
    update_existing: bool,
    fields: Vec<CustomField>,
    /// The account's tags, by the keys of their names.
    tags: HashMap<String, ContactTag>,
    /// How many more contacts the account may have; none for unlimited.
    room: Option<i64>,
}

impl Importer<'_> {
    fn import(
        &mut self,
        tx: &mut Tx<'_>,
        wanted: &WantedContact,
    ) -> Result<(ImportOutcome, ContactId, Vec<ImportError>), Rejection> {
        let page = Page::inside(1, None);
        let found = matching(tx, self.by, &wanted.key, &page).map_err(Rejection::Batch)?.into_iter().next();
        let found = found.map(|row| row.contact.id);
        if let Some(id) = found.filter(|_| !self.update_existing) {
            return Ok((ImportOutcome::Unchanged, id, Vec::new()));
        }
        // Values are checked before tags are created for a row that is then rejected.
        let (wanted, left_out) = wanted.with_valid_values(&self.fields).map_err(Rejection::Row)?;
        if found.is_none() && self.room == Some(0) {
            return Err(Rejection::Row(at_limit()));
        }
        let tagged = self.tags_of(tx, &wanted.tags)?;
        if let Some(id) = found {
            return Ok((self.update(tx, id, &wanted, tagged)?, id, left_out));
        }
        let made = create_tagged(tx, self.by, &wanted.new, tagged);
        let made = made.map_err(|refused| rejection(tx, &wanted, refused))?;
        self.room = self.room.map(|room| room - 1);
        Ok((ImportOutcome::Created, made.id, left_out))
    }

    fn update(
        &self,
        tx: &mut Tx<'_>,
        id: ContactId,
        wanted: &WantedContact,
        tagged: Tags,
    ) -> Result<ImportOutcome, Rejection> {
        let updated = patch_tagged(tx, self.by, id, &wanted.patch(), tagged);
        let (_, is_changed) = updated.map_err(|refused| rejection(tx, wanted, refused))?;
        Ok(if is_changed { ImportOutcome::Updated } else { ImportOutcome::Unchanged })
    }

    /// The tags with these names. Missing ones are created.
    fn tags_of(&mut self, tx: &mut Tx<'_>, names: &[Text<100>]) -> Result<Tags, Rejection> {
        let mut found = Vec::with_capacity(names.len());
        for name in names {
            let key = tags::key(name.as_str());
            if let Some(tag) = self.tags.get(&key) {
                found.push(tag.clone());
                continue;
            }
            let new = NewTag { name: name.clone(), color: None };
            let made = match tags::create_counted(tx, self.by, &new, self.tags.len() as i64) {
                Ok(made) => made,
                Err(TagError::Platform(PlatformError::Store(error))) => return Err(error.into()),
                // Another transaction has just created it. Run again, this finds it.
                Err(TagError::NameTaken) => return Err(tx.again().into()),
                Err(other) => return Err(Rejection::Row(error("tags", &other.to_string()))),
            };
            let (key, tag) = named(made);
            self.tags.insert(key, tag.clone());
            found.push(tag);
        }
        Ok(found)
    }
}

/// What a refused contact means for its row, or for the transaction.
fn rejection(tx: &mut Tx<'_>, wanted: &WantedContact, refused: ContactError) -> Rejection {
    match refused {
        ContactError::Invalid(problems) => Rejection::Row(errors(&problems)),
        ContactError::PhoneTaken { .. } => Rejection::Row(phone_taken(wanted)),
        // Another transaction has taken the room, or erased the contact. Run again, this finds it so.
        ContactError::LimitReached { .. } | ContactError::Platform(PlatformError::Missing(_)) => {
            tx.again().into()
        }
        other => Rejection::Batch(other),
    }
}
