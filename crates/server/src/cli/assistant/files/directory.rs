//! The directory with an assistant's files, read and written with care.
//!
//! Files may come from somebody else's branch, so nothing outside the directory is read or written: no link is followed, and
//! every name is one of ours. A file is replaced as a whole, so a command that is killed leaves none that is cut off.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::slug;
use crate::error::{Error, Result};

/// The largest file that is read.
const FILE_BYTES_MAX: u64 = 256 * 1024;
/// Maximum files in one directory.
const FILES_MAX: usize = 1_100;

pub(super) const SETTINGS: &str = "assistant.toml";
pub(super) const PROMPT: &str = "prompt.md";
pub(super) const INSTRUCTIONS: &str = "instructions";
pub(super) const TRIGGERS: &str = "triggers";
pub(super) const TESTS: &str = "tests";

/// The text of files by their paths, with slashes, relative to the directory.
pub(super) type Files = BTreeMap<String, String>;

pub(super) struct Directory(PathBuf);

impl Directory {
    pub(super) fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// The files that make an assistant; none of its tests.
    pub(super) fn read(&self) -> Result<Files> {
        let mut files = Files::new();
        for path in [SETTINGS, PROMPT] {
            files.extend(self.file(path)?.map(|text| (path.to_owned(), text)));
        }
        self.read_into(&mut files, INSTRUCTIONS, ".md")?;
        self.read_into(&mut files, TRIGGERS, ".toml")?;
        Ok(files)
    }

    /// The test conversations.
    pub(super) fn tests(&self) -> Result<Files> {
        let mut files = Files::new();
        self.read_into(&mut files, TESTS, ".toml")?;
        Ok(files)
    }

    fn read_into(&self, files: &mut Files, folder: &str, ending: &str) -> Result<()> {
        let place = self.0.join(folder);
        let Some(kind) = kind_of(&place)? else { return Ok(()) };
        if !kind.is_dir() {
            return Err(Error::Invalid(format!("{folder} must be a directory, and no link")));
        }
        let doing = || Error::doing(format!("read {}", place.display()));
        for (count, entry) in fs::read_dir(&place).map_err(doing())?.enumerate() {
            if count == FILES_MAX {
                return Err(Error::Invalid(format!("{folder} has more than {FILES_MAX} files")));
            }
            let name = entry.map_err(doing())?.file_name();
            let name = name.to_string_lossy();
            // Editors and systems leave hidden files.
            if name.starts_with('.') {
                continue;
            }
            let path = format!("{folder}/{name}");
            let Some(stem) = name.strip_suffix(ending) else {
                return Err(Error::Invalid(format!("{path} must end in {ending}, or be somewhere else")));
            };
            slug::check(&path, stem)?;
            files.extend(self.file(&path)?.map(|text| (path, text)));
        }
        Ok(())
    }

    /// The text of a file, if it is there.
    pub(super) fn file(&self, path: &str) -> Result<Option<String>> {
        let place = self.0.join(path);
        let Some(kind) = kind_of(&place)? else { return Ok(None) };
        if !kind.is_file() {
            return Err(Error::Invalid(format!("{path} must be a file, and no link")));
        }
        let doing = || Error::doing(format!("read {}", place.display()));
        let mut bytes = Vec::new();
        let file = fs::File::open(&place).map_err(doing())?;
        file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(doing())?;
        if bytes.len() as u64 > FILE_BYTES_MAX {
            return Err(Error::Invalid(format!("{path} is larger than {} KiB", FILE_BYTES_MAX / 1024)));
        }
        let text = String::from_utf8(bytes)
            .map_err(|_| Error::Invalid(format!("{path} is not text in UTF-8. Save it as UTF-8")))?;
        Ok(Some(text.trim_start_matches('\u{feff}').replace("\r\n", "\n")))
    }

    /// Writes a file as a whole.
    pub(super) fn write(&self, path: &str, text: &str) -> Result<()> {
        let place = self.0.join(path);
        let folder = place.parent().unwrap_or(&self.0);
        let doing = || Error::doing(format!("write {}", place.display()));
        fs::create_dir_all(folder).map_err(doing())?;
        if folder != self.0 && !kind_of(folder)?.is_some_and(|kind| kind.is_dir()) {
            return Err(Error::Invalid(format!("{} must be a directory, and no link", folder.display())));
        }
        let draft = folder.join(format!(".{}.{}.draft", file_name(path), std::process::id()));
        let written = fs::File::create(&draft).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        written.and_then(|()| fs::rename(&draft, &place)).map_err(|error| {
            let _it_may_not_be_there = fs::remove_file(&draft);
            doing()(error)
        })
    }

    /// Deletes a file, if it is there.
    pub(super) fn remove(&self, path: &str) -> Result<()> {
        let place = self.0.join(path);
        match fs::remove_file(&place) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Error::doing(format!("delete {}", place.display()))(error))
            }
            _ => Ok(()),
        }
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What is at a place, with no link followed.
fn kind_of(place: &Path) -> Result<Option<fs::FileType>> {
    match fs::symlink_metadata(place) {
        Ok(found) => Ok(Some(found.file_type())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::doing(format!("read {}", place.display()))(error)),
    }
}

/// Whether a path is one of an assistant's files.
pub(super) fn is_ours(path: &str) -> bool {
    let in_folder = |folder: &str, ending: &str| {
        let name = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
        name.and_then(|name| name.strip_suffix(ending)).is_some_and(slug::is_name)
    };
    [SETTINGS, PROMPT].contains(&path) || in_folder(INSTRUCTIONS, ".md") || in_folder(TRIGGERS, ".toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_paths_are_ours() {
        for path in ["assistant.toml", "prompt.md", "instructions/a.md", "triggers/b-2.toml"] {
            assert!(is_ours(path), "{path}");
        }
        for path in [
            "../assistant.toml",
            "/etc/passwd",
            "instructions/../../a.md",
            "instructions/a.toml",
            "tests/a.toml",
            "",
            "instructions/.md",
        ] {
            assert!(!is_ours(path), "{path}");
        }
    }
}
