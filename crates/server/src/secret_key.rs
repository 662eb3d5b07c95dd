//! The installation's secret key: from the environment, else from a file next to a SQLite database, else from
//! the PostgreSQL database itself.
//!
//! A server, or a command that has a secret to seal, creates the key once. A sealed canary in the database
//! shows whether a key is the right one: with a wrong key, or with none for a database that has secrets,
//! nothing starts and nothing is replaced. The key is never printed, and only the owner can read its file.

mod backed_up;
mod file;
mod text;

use std::path::PathBuf;

use frontdesk_db::{self as db, DatabaseUrl, ReadTx, Store};
use frontdesk_platform::sealing::rotation::opens_what_is_sealed;
use frontdesk_platform::sealing::{KEY_BYTES, Keyring, NotAKey, SealedCell, SecretKey, key_id_of};
use frontdesk_platform::settings;

use crate::error::{Error, Result};
use crate::routes;

pub(crate) const VARIABLE: &str = "FRONTDESK_SECRET_KEY";
/// The previous key, during a rotation of a key from the environment.
pub(crate) const PREVIOUS_VARIABLE: &str = "FRONTDESK_SECRET_KEY_PREVIOUS";
pub(crate) const SETTING: &str = "secret_key";
pub(crate) const CANARY: &str = "secret_canary";
const CANARY_TEXT: &str = "frontdesk";

/// Where a key was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Environment,
    File(PathBuf),
    Database,
}

#[derive(Clone, Debug)]
pub(crate) struct LoadedKeys {
    pub(crate) keys: Keyring,
    pub(crate) source: Source,
}

/// The key, if there is one yet. Fails if it does not open the sealed values.
pub(crate) async fn find(store: &Store, database: &DatabaseUrl) -> Result<Option<LoadedKeys>> {
    let given = given(store, database).await?;
    let candidates: Vec<Keyring> = given.iter().map(|found| found.keys.clone()).collect();
    let sealed: Sealed =
        store.read(move |tx| Sealed::look(tx, &candidates)).await.map_err(|error: db::Error| error)?;
    match sealed.opened_by {
        Some(at) => Ok(given.into_iter().nth(at)),
        None if sealed.is_empty => Ok(given.into_iter().next()),
        None => Err(Error::Invalid(refusal(given.first(), sealed.key_id.as_deref(), database))),
    }
}

/// The key; generated and stored if there is none yet.
pub(crate) async fn load(store: &Store, database: &DatabaseUrl) -> Result<LoadedKeys> {
    let found = match find(store, database).await? {
        Some(found) => found,
        None => make(store, database).await?,
    };
    let keys = found.keys.clone();
    let place = SealedCell::setting(CANARY);
    let kept = store.write(move |tx| match settings::get(tx, CANARY)? {
        Some(canary) => Ok(canary),
        None => settings::put_first(tx, CANARY, &keys.seal(&place, CANARY_TEXT)),
    });
    let canary = kept.await.map_err(|error: db::Error| error)?;
    // Another process may have generated a key at the same time; the first canary decides.
    if found.keys.open(&SealedCell::setting(CANARY), &canary).is_some() {
        return Ok(found);
    }
    Err(Error::Invalid(refusal(Some(&found), key_id_of(&canary), database)))
}

/// Replaces a lost key by a new one. Values sealed under the lost key stay unreadable.
pub(crate) async fn replace_lost(store: &Store, database: &DatabaseUrl) -> Result<LoadedKeys> {
    let found = match given(store, database).await?.into_iter().next() {
        Some(found) => found,
        None => make(store, database).await?,
    };
    let keys = found.keys.clone();
    let put = store
        .write(move |tx| settings::put(tx, CANARY, &keys.seal(&SealedCell::setting(CANARY), CANARY_TEXT)));
    put.await.map_err(|error: db::Error| error)?;
    Ok(found)
}

/// Stores a keyring where its key came from. The operator sets a key from the environment.
pub(crate) async fn save(store: &Store, source: &Source, text: String) -> Result<()> {
    match source {
        Source::Environment => Ok(()),
        Source::File(path) => file::write(path, &text)
            .map_err(Error::doing(format!("write the secret key to {}", path.display()))),
        Source::Database => {
            let put = store.write(move |tx| settings::put(tx, SETTING, &text));
            put.await.map_err(|error: db::Error| error.into())
        }
    }
}

/// Drops the previous key from where the ring is stored.
pub(crate) async fn settle(store: &Store, source: &Source) -> Result<()> {
    let text = match source {
        Source::Environment => None,
        Source::File(path) => file::read(path)?,
        Source::Database => {
            store.read(|tx| settings::get(tx, SETTING)).await.map_err(|error: db::Error| error)?
        }
    };
    match text.filter(|text| text::read(text).previous().is_some()) {
        Some(text) => save(store, source, text::settled(&text)).await,
        None => Ok(()),
    }
}

pub(crate) use backed_up::{PlacedKey, check_place, place_text, text_that_opens};
pub(crate) use text::{in_rotation, random};

/// The sealed values of the database, and which of some keys opens them.
struct Sealed {
    is_empty: bool,
    opened_by: Option<usize>,
    /// The key that they are sealed under, if it is known.
    key_id: Option<String>,
}

impl Sealed {
    fn look(tx: &mut ReadTx<'_>, candidates: &[Keyring]) -> db::Result<Self> {
        if let Some(canary) = settings::get(tx, CANARY)? {
            let opens = |keys: &Keyring| keys.open(&SealedCell::setting(CANARY), &canary).is_some();
            let opened_by = candidates.iter().position(opens);
            return Ok(Self { is_empty: false, opened_by, key_id: key_id_of(&canary).map(str::to_owned) });
        }
        // A database from before the canary: its sealed values decide.
        let columns = routes::sealed_columns();
        for (at, keys) in candidates.iter().enumerate() {
            if opens_what_is_sealed(tx, keys, &columns)? == Some(true) {
                return Ok(Self { is_empty: false, opened_by: Some(at), key_id: None });
            }
        }
        let nobody = Keyring::new(SecretKey::from_any_text(""));
        let is_empty = opens_what_is_sealed(tx, &nobody, &columns)?.is_none();
        Ok(Self { is_empty, opened_by: None, key_id: None })
    }
}

/// Every available key, the most likely first.
async fn given(store: &Store, database: &DatabaseUrl) -> Result<Vec<LoadedKeys>> {
    if let Some(keys) = from_environment()? {
        return Ok(vec![LoadedKeys { keys, source: Source::Environment }]);
    }
    match database {
        DatabaseUrl::Sqlite(path) => {
            let mut found = Vec::new();
            for path in file::places(path)? {
                if let Some(text) = file::read(&path)? {
                    found.push(LoadedKeys { keys: text::read(&text), source: Source::File(path) });
                }
            }
            Ok(found)
        }
        DatabaseUrl::Postgres(_) => {
            let stored =
                store.read(|tx| settings::get(tx, SETTING)).await.map_err(|error: db::Error| error)?;
            Ok(stored
                .iter()
                .map(|text| LoadedKeys { keys: text::read(text), source: Source::Database })
                .collect())
        }
    }
}

async fn make(store: &Store, database: &DatabaseUrl) -> Result<LoadedKeys> {
    let text = random();
    match database {
        DatabaseUrl::Sqlite(path) => {
            let path = file::place(path)?;
            let kept = file::write_first(&path, &text)
                .map_err(Error::doing(format!("write the secret key to {}", path.display())))?;
            Ok(LoadedKeys { keys: text::read(&kept), source: Source::File(path) })
        }
        DatabaseUrl::Postgres(_) => {
            // Another server may be generating one now; all use the first one that is stored.
            let kept = store.write(move |tx| settings::put_first(tx, SETTING, &text)).await;
            let kept = kept.map_err(|error: db::Error| error)?;
            Ok(LoadedKeys { keys: text::read(&kept), source: Source::Database })
        }
    }
}

fn from_environment() -> Result<Option<Keyring>> {
    let variable = |name| std::env::var(name).ok().filter(|text| !text.trim().is_empty());
    let Some(text) = variable(VARIABLE) else { return Ok(None) };
    let current = parse(&text).map_err(Error::Invalid)?;
    let previous = variable(PREVIOUS_VARIABLE).map(|text| SecretKey::from_any_text(&text));
    let ring = Keyring::new(current);
    Ok(Some(match previous.filter(|previous| previous != ring.current()) {
        Some(previous) => ring.with_previous(previous),
        None => ring,
    }))
}

/// Reads a key from the environment.
pub(crate) fn parse(text: &str) -> std::result::Result<SecretKey, String> {
    SecretKey::parse(text).map_err(|NotAKey| {
        format!(
            "the secret key in {VARIABLE} must be {KEY_BYTES} bytes in base64: make a key with `openssl rand -base64 \
             {KEY_BYTES}`. To leave another text that was in use, set it as {PREVIOUS_VARIABLE} and run `frontdesk secret \
             rotate`"
        )
    })
}

/// Why nothing starts, and what to do.
fn refusal(found: Option<&LoadedKeys>, sealed_under: Option<&str>, database: &DatabaseUrl) -> String {
    let sealed_under = sealed_under.map(|id| format!(" {id}")).unwrap_or_default();
    let restore = match database {
        DatabaseUrl::Sqlite(path) => {
            let path = file::place(path).unwrap_or_else(|_| path.clone());
            format!("Restore {} from a backup, or set {VARIABLE} to the right key", path.display())
        }
        DatabaseUrl::Postgres(_) => format!("Set {VARIABLE} to the right key"),
    };
    let wrong = match found {
        None => {
            format!("the secret key is missing: this database holds secrets sealed under key{sealed_under}")
        }
        Some(LoadedKeys { keys, source }) => {
            let place = match source {
                Source::Environment => format!("in {VARIABLE}"),
                Source::File(path) => format!("in {}", path.display()),
                Source::Database => "in the database".to_owned(),
            };
            let (id, whose) =
                (keys.current().id(), format!("this database's secrets are sealed under key{sealed_under}"));
            format!("the secret key {place} is the wrong one: it is key {id}, and {whose}")
        }
    };
    format!(
        "{wrong}. {restore}. If that key is lost for good, `frontdesk secret rotate --lost` begins with a new one; \
         channel tokens and webhook secrets must then be set again"
    )
}
