//! Chatwoot's database.

use frontdesk_db::{self as db, DatabaseUrl, OtherDatabase, Param, Row};

use crate::error::{Error, Result};

/// Columns without which a database is not Chatwoot's, or of a version that is too old.
const NEEDED: &[(&str, &str)] = &[
    ("accounts", "name"),
    ("account_users", "role"),
    ("users", "email"),
    ("inboxes", "channel_type"),
    ("contacts", "custom_attributes"),
    ("contact_inboxes", "source_id"),
    ("conversations", "contact_inbox_id"),
    ("messages", "private"),
    ("attachments", "file_type"),
    ("active_storage_blobs", "key"),
    ("active_storage_attachments", "blob_id"),
    ("labels", "title"),
    ("taggings", "taggable_type"),
    ("canned_responses", "short_code"),
    ("custom_attribute_definitions", "attribute_key"),
    ("notes", "content"),
];

/// A time as microseconds since 1970. Chatwoot stores times without a zone, in UTC.
macro_rules! micros {
    ($column:literal) => {
        concat!("CAST(extract(epoch FROM ", $column, ") * 1000000 AS bigint)")
    };
}
pub(super) use micros;

/// The names of a row's labels, one a line.
macro_rules! labels {
    ($of:literal, $id:literal) => {
        concat!(
            "(SELECT string_agg(t.name, E'\\n' ORDER BY t.name) FROM taggings g JOIN tags t ON t.id = g.tag_id
                WHERE g.taggable_type = '",
            $of,
            "' AND g.context = 'labels' AND g.taggable_id = ",
            $id,
            ")"
        )
    };
}
pub(super) use labels;

/// A connection to it, on which nothing can be written.
pub(crate) struct Source {
    database: OtherDatabase,
}

impl Source {
    /// Connects, and looks whether it is Chatwoot's database.
    pub(crate) fn open(url: &DatabaseUrl) -> Result<Self> {
        if matches!(url, DatabaseUrl::Sqlite(_)) {
            return Err(Error::Invalid(
                "Chatwoot's database is postgres://USER:PASSWORD@HOST/NAME, as its POSTGRES_ variables say"
                    .to_owned(),
            ));
        }
        let failed = |error: db::Error| {
            Error::Invalid(format!(
                "cannot read {}: {error}. Check the address, and that this machine may connect",
                url.place()
            ))
        };
        let mut database = OtherDatabase::open(url).map_err(failed)?;
        for (table, column) in NEEDED {
            if !database.has_column(table, column).map_err(failed)? {
                return Err(Error::Invalid(format!(
                    "{} is no database of Chatwoot 2.0 or later: it has no column {column} in a table {table}",
                    url.place()
                )));
            }
        }
        Ok(Self { database })
    }

    pub(super) fn query<T>(
        &mut self,
        sql: &str,
        params: &[&dyn Param],
        map: impl FnMut(&mut Row<'_>) -> db::Result<T>,
    ) -> Result<Vec<T>> {
        self.database.query(sql, params, map).map_err(|error| {
            Error::Invalid(format!("Chatwoot's database cannot be read: {error}. Run this again"))
        })
    }

    /// The number that a statement returns.
    pub(super) fn number(&mut self, sql: &str, params: &[&dyn Param]) -> Result<u64> {
        let found = self.query(sql, params, db::only::<i64>)?;
        Ok(found.first().copied().unwrap_or(0).max(0) as u64)
    }
}
