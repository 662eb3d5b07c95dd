//! Tags: coloured labels for contacts. A name is unique in its account, regardless of case.

mod api;
mod sql;

use std::str::FromStr;

use frontdesk_db::{self as db, Query, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Scope, Text, Timestamp};
use frontdesk_platform::export::{Columns, Exported, ExportedRows, line};
use frontdesk_platform::{By, Caller, Error as PlatformError, Route};
use frontdesk_web::{
    Body, Data, Deleted, Describe, Failure, Given, Input, List, Path, Result as WebResult, input, resource,
};
use http::StatusCode;
use serde::Serialize;

use crate::quota::TooMany;
pub use sql::STATEMENTS;
use sql::{COUNT, DELETE, FIND, INSERT, LIST, UPDATE};

/// Maximum tags of an account.
const TAGS_MAX: i64 = 1_000;
/// The default colour of a tag, a grey.
const COLOR_DEFAULT: &str = "#64748b";

pub type TagId = Id<Tag>;

resource! {
    /// A label for contacts.
    pub struct Tag {
        pub id: TagId,
        pub name: String,
        /// A hex colour such as `#2563eb`.
        pub color: String,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

input! {
    /// A new tag.
    pub struct NewTag {
        /// Unique in the account, regardless of case.
        pub name: Text<100>,
        /// A hex colour such as `#2563eb`; defaults to a grey.
        pub color: Option<Color>,
    }
}

input! {
    /// Changes of a tag.
    pub struct TagPatch {
        pub name: Given<Text<100>>,
        pub color: Given<Color>,
    }
}

/// A colour in hexadecimal: `#abc` or `#aabbcc`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Color(String);

impl Color {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("must be a hex colour such as #2563eb")]
pub struct NotAColor;

impl FromStr for Color {
    type Err = NotAColor;

    fn from_str(text: &str) -> Result<Self, NotAColor> {
        let text = text.trim();
        let digits = text.strip_prefix('#').ok_or(NotAColor)?;
        let fits = matches!(digits.len(), 3 | 6) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        if fits { Ok(Self(text.to_owned())) } else { Err(NotAColor) }
    }
}

frontdesk_web::text_input!(Color, |_| {
    serde_json::json!({ "type": "string", "pattern": "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$", "examples": ["#2563eb"] })
});

impl Describe for Color {
    fn schema(components: &mut frontdesk_web::Components) -> serde_json::Value {
        <Self as Input>::schema(components)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum TagError {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    #[error("another tag has this name")]
    NameTaken,
    #[error(transparent)]
    TooMany(#[from] TooMany),
}

impl From<db::Error> for TagError {
    fn from(error: db::Error) -> Self {
        if error.is_constraint("tags_name_key") { Self::NameTaken } else { Self::Platform(error.into()) }
    }
}

impl From<TagError> for Failure {
    fn from(error: TagError) -> Self {
        match error {
            TagError::Platform(error) => error.into(),
            TagError::NameTaken => {
                Self::conflict("Another tag of this account has this name. Choose another, or use that one.")
            }
            TagError::TooMany(error) => error.into(),
        }
    }
}

const MISSING: PlatformError = PlatformError::Missing("tag");

pub fn create(tx: &mut Tx<'_>, by: &By, new: &NewTag) -> Result<Tag, TagError> {
    let count = tx.find(COUNT, &[&by.account], only)?.unwrap_or(0);
    create_counted(tx, by, new, count)
}

/// Creates a tag of an account that has `count` tags.
pub(crate) fn create_counted(tx: &mut Tx<'_>, by: &By, new: &NewTag, count: i64) -> Result<Tag, TagError> {
    has_room(count)?;
    let id: TagId = by.new_id();
    let color = new.color.as_ref().map_or(COLOR_DEFAULT, |color| &color.0);
    tx.execute(INSERT, &[&by.account, &id, &new.name, &key(new.name.as_str()), &color, &by.now])?
        .exactly(1)?;
    Ok(Tag {
        id,
        name: new.name.as_str().to_owned(),
        color: color.to_owned(),
        created_at: id.created_at(),
        updated_at: by.now,
    })
}

/// Whether an account with this many tags may have another one.
pub(crate) fn has_room(count: i64) -> Result<(), TooMany> {
    TooMany::check("tags", count, TAGS_MAX)
}

pub fn patch(tx: &mut Tx<'_>, by: &By, id: TagId, patch: &TagPatch) -> Result<Tag, TagError> {
    let tag = tx.find_to_change(FIND, &[&by.account, &id], read)?.ok_or(MISSING)?;
    let name = patch.name.as_ref().into_option().map_or(tag.name.as_str(), Text::as_str);
    let color = patch.color.as_ref().into_option().map_or(tag.color.as_str(), |color| &color.0);
    if (name, color) == (tag.name.as_str(), tag.color.as_str()) {
        return Ok(tag);
    }
    tx.execute(UPDATE, &[&by.account, &id, &name, &key(name), &color, &by.now])?.exactly(1)?;
    Ok(Tag { name: name.to_owned(), color: color.to_owned(), updated_at: by.now, ..tag.clone() })
}

/// Deletes a tag and removes it from every contact.
pub fn delete(tx: &mut Tx<'_>, by: &By, id: TagId) -> Result<Deleted, TagError> {
    if tx.execute(DELETE, &[&by.account, &id])?.any() { Ok(Deleted::new(id)) } else { Err(MISSING.into()) }
}

pub fn find(tx: &mut ReadTx<'_>, account: AccountId, id: TagId) -> db::Result<Option<Tag>> {
    tx.find(FIND, &[&account, &id], read)
}

/// Every tag of the account, newest first.
pub(crate) fn list(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Vec<Tag>> {
    tx.query(LIST, &[&account], read)
}

/// The given tags that exist in the account.
pub fn find_many(tx: &mut ReadTx<'_>, account: AccountId, ids: &[TagId]) -> db::Result<Vec<Tag>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = Query::new("SELECT id, name, color, updated_at FROM tags WHERE account_id = ");
    query.bind(account).push(" AND id IN ").bind_list(ids);
    tx.run(&query, read)
}

/// Names that differ only in case have the same key.
pub(crate) fn key(name: &str) -> String {
    name.to_lowercase()
}

pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "tags",
    &["tags"],
    Columns { sql: "t.id, t.name, t.color, t.updated_at", line: |row, _| line(&read(row)?) },
)];

fn read(row: &mut Row<'_>) -> db::Result<Tag> {
    let id: TagId = row.next()?;
    Ok(Tag {
        id,
        name: row.next()?,
        color: row.next()?,
        created_at: id.created_at(),
        updated_at: row.next()?,
    })
}

pub fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get("/tags", "listTags", api::list).scope(Scope::ContactsRead).summary("List tags"),
        Route::post("/tags", "createTag", api::create)
            .scope(Scope::ContactsWrite)
            .created()
            .summary("Create a tag")
            .fails(&[StatusCode::CONFLICT]),
        Route::patch("/tags/{id}", "updateTag", api::patch)
            .scope(Scope::ContactsWrite)
            .summary("Update a tag")
            .fails(&[StatusCode::CONFLICT]),
        Route::delete("/tags/{id}", "deleteTag", api::delete)
            .scope(Scope::ContactsWrite)
            .summary("Delete a tag")
            .notes("Removes it from every contact."),
    ];
    routes.into_iter().map(|route| route.tag("Tags")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_hexadecimal() {
        for right in ["#fff", "#2563EB", " #000000 "] {
            assert!(right.parse::<Color>().is_ok(), "{right}");
        }
        for wrong in ["", "fff", "#ff", "#ggg", "#ffff", "red", "#12345é"] {
            assert!(wrong.parse::<Color>().is_err(), "{wrong}");
        }
    }
}
