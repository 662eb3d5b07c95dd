//! The secret key of a backup, and of the database that is restored from it. Neither is open as a store.

use std::path::PathBuf;

use frontdesk_db::DatabaseUrl;
use frontdesk_platform::sealing::{Keyring, SealedCell, SecretKey};

use super::{CANARY, PREVIOUS_VARIABLE, VARIABLE, file, from_environment, text};
use crate::error::{Error, Result};

/// What becomes of the key when a backup is restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlacedKey {
    /// The backup has no secrets.
    NotNeeded,
    /// The right key is there already.
    AlreadyThere,
    FromBackup,
    /// The key with this id must be put in its place before a server starts.
    Missing(String),
}

/// The text of the key that opens a database's secrets. `stored` is the one in a PostgreSQL database.
pub(crate) fn text_that_opens(
    database: &DatabaseUrl,
    stored: Option<String>,
    canary: Option<&str>,
) -> Result<String> {
    let opens = |text: &String| {
        canary.is_none_or(|canary| text::read(text).open(&SealedCell::setting(CANARY), canary).is_some())
    };
    let found = given(database, stored)?.into_iter().find(opens);
    found.ok_or_else(|| {
        Error::Invalid(format!(
            "there is no secret key that opens this database's secrets, so it cannot be added to the backup: set {VARIABLE} \
             to the right one, or leave out --with-secret-key"
        ))
    })
}

fn given(database: &DatabaseUrl, stored: Option<String>) -> Result<Vec<String>> {
    if from_environment()?.is_some() {
        let variable = |name| std::env::var(name).ok().filter(|text| !text.trim().is_empty());
        let current = variable(VARIABLE).unwrap_or_default().trim().to_owned();
        return Ok(vec![match variable(PREVIOUS_VARIABLE) {
            Some(previous) => text::in_rotation(&current, &SecretKey::from_any_text(&previous)),
            None => current,
        }]);
    }
    match database {
        DatabaseUrl::Sqlite(path) => {
            let texts = file::places(path)?.into_iter().map(|path| file::read(&path));
            Ok(texts
                .collect::<Result<Vec<_>>>()?
                .into_iter()
                .flatten()
                .map(|text| text.trim().to_owned())
                .collect())
        }
        DatabaseUrl::Postgres(_) => Ok(stored.into_iter().collect()),
    }
}

/// Looks for the key of a backup where a restored database needs it, and refuses if there is another one. Writes nothing.
pub(crate) fn check_place(
    database: &DatabaseUrl,
    needed: Option<&str>,
    is_in_backup: bool,
) -> Result<PlacedKey> {
    let is_right = |ring: &Keyring| {
        let previous = ring.previous().map(SecretKey::id);
        needed.is_none_or(|needed| ring.current().id() == needed || previous == Some(needed))
    };
    let refuse = |place: &str, what: &str| {
        let needed = needed.unwrap_or_default();
        Err(Error::Invalid(format!(
            "the secret key in {place} is not the right one: the secrets are sealed under key {needed}: {what}"
        )))
    };
    if let Some(ring) = from_environment()? {
        let what = format!("set {VARIABLE} to the right one, or unset it");
        return if is_right(&ring) { Ok(PlacedKey::AlreadyThere) } else { refuse(VARIABLE, &what) };
    }
    if let DatabaseUrl::Sqlite(path) = database {
        let path = file::place(path)?;
        if let Some(text) = file::read(&path)? {
            return if is_right(&text::read(&text)) {
                Ok(PlacedKey::AlreadyThere)
            } else {
                refuse(&path.display().to_string(), "move that file away, and keep it")
            };
        }
    }
    Ok(match needed {
        _ if is_in_backup => PlacedKey::FromBackup,
        Some(needed) => PlacedKey::Missing(needed.to_owned()),
        None => PlacedKey::NotNeeded,
    })
}

/// Puts a key into the file beside a SQLite database. None on PostgreSQL, where it is a row.
pub(crate) fn place_text(database: &DatabaseUrl, text: &str) -> Result<Option<PathBuf>> {
    let DatabaseUrl::Sqlite(path) = database else { return Ok(None) };
    let path = file::place(path)?;
    file::write_first(&path, text)
        .map_err(Error::doing(format!("write the secret key to {}", path.display())))?;
    Ok(Some(path))
}
