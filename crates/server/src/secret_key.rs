//! The installation's secret key: from the environment, else from a file beside a SQLite database, else from the
//! PostgreSQL database itself.
//!
//! It is made once, by a server or by a command that has a secret to keep. The key is never printed, and its file is its owner's alone.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use frontdesk_db::{self as db, DatabaseUrl, Store};
use frontdesk_platform::settings::{self, SecretKey};

use crate::error::{Error, Result};

const VARIABLE: &str = "FRONTDESK_SECRET_KEY";
const SETTING: &str = "secret_key";
const KEY_RANDOM_BYTES: usize = 32;
const OWNER_ONLY: u32 = 0o600;
/// A text shorter than this is easier to guess than a key should be.
const KEY_CHARS_MIN: usize = 32;

/// Where a key was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Environment { is_short: bool },
    File(PathBuf),
    Database,
}

#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) key: SecretKey,
    pub(crate) source: Source,
}

impl Found {
    fn new(text: &str, source: Source) -> Self {
        Self { key: SecretKey::from_text(text.trim()), source }
    }
}

/// The key, if there is one yet.
pub(crate) async fn find(store: &Store, database: &DatabaseUrl) -> Result<Option<Found>> {
    if let Some(text) = from_environment() {
        let is_short = text.trim().chars().count() < KEY_CHARS_MIN;
        return Ok(Some(Found::new(&text, Source::Environment { is_short })));
    }
    match database {
        DatabaseUrl::Sqlite(path) => {
            let path = file_beside(path);
            Ok(read_file(&path)?.map(|text| Found::new(&text, Source::File(path))))
        }
        DatabaseUrl::Postgres(_) => {
            let stored =
                store.read(|tx| settings::get(tx, SETTING)).await.map_err(|error: db::Error| error)?;
            Ok(stored.map(|text| Found::new(&text, Source::Database)))
        }
    }
}

/// The key; made and kept when there is none yet.
pub(crate) async fn load(store: &Store, database: &DatabaseUrl) -> Result<Found> {
    if let Some(found) = find(store, database).await? {
        return Ok(found);
    }
    let text = STANDARD.encode(rand::random::<[u8; KEY_RANDOM_BYTES]>());
    match database {
        DatabaseUrl::Sqlite(path) => {
            let path = file_beside(path);
            write_file(&path, &text)
                .map_err(Error::doing(format!("write the secret key to {}", path.display())))?;
            Ok(Found::new(&text, Source::File(path)))
        }
        DatabaseUrl::Postgres(_) => {
            // Another server may be making one now; the first that is written is the one for all.
            let kept = store.write(move |tx| settings::put_first(tx, SETTING, &text)).await;
            Ok(Found::new(&kept.map_err(|error: db::Error| error)?, Source::Database))
        }
    }
}

fn from_environment() -> Option<String> {
    std::env::var(VARIABLE).ok().filter(|text| !text.trim().is_empty())
}

fn file_beside(database: &Path) -> PathBuf {
    database.with_added_extension("key")
}

fn read_file(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) if text.trim().is_empty() => Err(Error::Invalid(format!(
            "the secret key in {} is empty: restore the file from a backup, or set {VARIABLE}",
            path.display()
        ))),
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::doing(format!("read the secret key in {}", path.display()))(error)),
    }
}

/// Writes the whole key under another name first, so that a crash leaves no half of one.
fn write_file(path: &Path, text: &str) -> std::io::Result<()> {
    let draft = path.with_added_extension("new");
    let mut file =
        fs::OpenOptions::new().write(true).create(true).truncate(true).mode(OWNER_ONLY).open(&draft)?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    fs::rename(&draft, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_key_file_is_its_owners_alone_and_reads_back() {
        let dir = std::env::temp_dir().join(format!("frontdesk-key-{}", rand::random::<u64>()));
        fs::create_dir(&dir).unwrap();
        let path = file_beside(&dir.join("frontdesk.db"));
        assert_eq!(path.file_name().unwrap(), "frontdesk.db.key");
        assert_eq!(read_file(&path).unwrap(), None);
        write_file(&path, "secret").unwrap();
        assert_eq!(read_file(&path).unwrap().as_deref(), Some("secret\n"));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, OWNER_ONLY);
        fs::write(&path, " \n").unwrap();
        assert!(read_file(&path).unwrap_err().to_string().contains("backup"));
        fs::remove_dir_all(&dir).unwrap();
    }
}
