//! `frontdesk.lock`: what was last pulled or pushed.
//!
//! It says which assistant the files are in which account, at which revision, and which of its instructions and triggers a
//! file is. The files themselves have no ids, so they can be pushed into another account, for example from a staging system
//! to production. It is written last, after everything that it tells.

use std::collections::BTreeMap;

use frontdesk_kernel::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::directory::{Directory, Files, is_ours};
use super::slug;
use crate::error::{Error, Result};

const PATH: &str = "frontdesk.lock";
const FORMAT: u32 = 1;
const HEAD: &str =
    "# Written by `frontdesk assistant pull` and `push`. Commit it with the files, and do not edit it.\n";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lock {
    format: u32,
    /// Hashes of the files as they were last pulled or pushed.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// The assistant in each account.
    #[serde(default)]
    accounts: BTreeMap<String, Entry>,
}

/// An assistant in one account.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) assistant_id: String,
    pub(super) revision: String,
    /// Ids by the names of files.
    #[serde(default)]
    pub(super) instructions: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) triggers: BTreeMap<String, String>,
}

impl Default for Lock {
    fn default() -> Self {
        Self { format: FORMAT, files: BTreeMap::new(), accounts: BTreeMap::new() }
    }
}

impl Lock {
    pub(super) fn read(directory: &Directory) -> Result<Self> {
        let Some(text) = directory.file(PATH)? else { return Ok(Self::default()) };
        let wrong = |why: &str| {
            Error::Invalid(format!(
                "{PATH} cannot be read: {why}. Restore it from version control, or delete it and pull again"
            ))
        };
        let lock: Self = toml::from_str(&text).map_err(|error| wrong(error.message()))?;
        if lock.format != FORMAT {
            return Err(wrong("it was written by a newer version of this command"));
        }
        if let Some(strange) = lock.files.keys().find(|path| !is_ours(path)) {
            return Err(wrong(&format!("it names {strange:?}, which is none of an assistant's files")));
        }
        for entry in lock.accounts.values() {
            let is_id = |id: &String| uuid::Uuid::parse_str(id).is_ok();
            let parts = || entry.instructions.iter().chain(&entry.triggers);
            if !is_id(&entry.assistant_id) || !parts().all(|(name, id)| slug::is_name(name) && is_id(id)) {
                return Err(wrong("an id or a name in it is none"));
            }
        }
        Ok(lock)
    }

    pub(super) fn entry(&self, account: &str) -> Option<&Entry> {
        self.accounts.get(account)
    }

    /// Records what the files are now, and that they are this assistant.
    pub(super) fn record(&mut self, account: &str, entry: Entry, files: &Files) {
        self.accounts.insert(account.to_owned(), entry);
        self.files = files.iter().map(|(path, text)| (path.clone(), hash(text))).collect();
    }

    pub(super) fn write(&self, directory: &Directory) -> Result<()> {
        let text = toml::to_string(self).map_err(|error| Error::Invalid(format!("{PATH}: {error}")))?;
        let text = format!("{HEAD}{text}");
        if directory.file(PATH)?.as_ref() == Some(&text) {
            return Ok(());
        }
        directory.write(PATH, &text)
    }

    /// Whether a file is as it was last pulled or pushed.
    pub(super) fn is_unchanged(&self, path: &str, text: &str) -> bool {
        self.files.get(path).is_some_and(|known| *known == hash(text))
    }

    /// The files that were last pulled or pushed.
    pub(super) fn paths(&self) -> impl Iterator<Item = &String> {
        self.files.keys()
    }
}

fn hash(text: &str) -> String {
    hex(&Sha256::digest(text))
}
