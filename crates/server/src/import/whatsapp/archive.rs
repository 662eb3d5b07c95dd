//! The archive of an exported chat. Nothing of it is unpacked to a disk.
//!
//! A small archive may expand to any size, and name its files by paths. So everything is read through limits, and an archive
//! with a name that leads elsewhere is refused.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use frontdesk_inbox::imports::FILE_BYTES_MAX;
use zip::ZipArchive;
use zip::read::ZipFile;

const ENTRIES_MAX: usize = 100_000;
/// The text of a chat. WhatsApp exports at most 40,000 messages.
const CHAT_BYTES_MAX: u64 = 64 << 20;
/// All files together, as the archive says.
const EXPANDED_BYTES_MAX: u64 = 16 << 30;
/// The name of a chat's text on iPhones. Android phones name it after the chat.
const CHAT: &str = "_chat.txt";

#[derive(Debug, thiserror::Error)]
pub(crate) enum ArchiveError {
    #[error("cannot read the file: {0}")]
    Read(#[from] std::io::Error),
    #[error("the file is no ZIP archive, or a damaged one: export the chat again")]
    NotAnArchive,
    #[error("the archive has more than {ENTRIES_MAX} files")]
    ManyEntries,
    #[error("the archive has a file whose name leads elsewhere, {0:?}: it is no export of WhatsApp")]
    WrongName(String),
    #[error("the archive expands to more than {} GiB", EXPANDED_BYTES_MAX >> 30)]
    Expands,
    #[error("the chat's text has more than {} MiB", CHAT_BYTES_MAX >> 20)]
    LongChat,
    #[error("the archive has no text of a chat: export the chat from WhatsApp, with or without media")]
    NoChat,
    #[error("the archive has several texts, and none is called {CHAT}: {0}")]
    ManyChats(String),
    #[error("the archive is encrypted: export the chat without a password")]
    Encrypted,
}

/// An open archive.
pub(crate) struct Archive {
    zip: ZipArchive<File>,
    chat: usize,
    /// The other files, by their names.
    files: BTreeMap<String, usize>,
}

impl Archive {
    pub(crate) fn open(path: &Path) -> Result<Self, ArchiveError> {
        let mut zip = ZipArchive::new(File::open(path)?).map_err(|_| ArchiveError::NotAnArchive)?;
        if zip.len() > ENTRIES_MAX {
            return Err(ArchiveError::ManyEntries);
        }
        let (mut files, mut texts, mut expanded) = (BTreeMap::new(), BTreeMap::new(), 0_u64);
        for at in 0..zip.len() {
            let entry = zip.by_index_raw(at).map_err(|_| ArchiveError::NotAnArchive)?;
            let name = entry.name().map_err(|_| ArchiveError::NotAnArchive)?.into_owned();
            if entry.encrypted() {
                return Err(ArchiveError::Encrypted);
            }
            if entry.is_dir() {
                continue;
            }
            let leaves =
                name.starts_with('/') || name.contains('\\') || name.split('/').any(|part| part == "..");
            let is_wrong = leaves || entry.enclosed_name().is_none();
            if is_wrong || entry.is_symlink() {
                return Err(ArchiveError::WrongName(name.chars().take(100).collect()));
            }
            expanded = expanded.saturating_add(entry.size());
            if expanded > EXPANDED_BYTES_MAX {
                return Err(ArchiveError::Expands);
            }
            let short = name.rsplit('/').next().unwrap_or_default().to_owned();
            if name == short && is_text(&name) {
                texts.insert(name.clone(), at);
            }
            files.insert(short, at);
        }
        let chat = chat_of(&texts)?;
        files.retain(|_, at| *at != chat);
        Ok(Self { zip, chat, files })
    }

    /// The text of the chat.
    pub(crate) fn chat(&mut self) -> Result<String, ArchiveError> {
        let mut text = Vec::new();
        let entry = self.zip.by_index(self.chat).map_err(|_| ArchiveError::NotAnArchive)?;
        entry.take(CHAT_BYTES_MAX + 1).read_to_end(&mut text).map_err(|_| ArchiveError::NotAnArchive)?;
        if text.len() as u64 > CHAT_BYTES_MAX {
            return Err(ArchiveError::LongChat);
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    /// Opens a file. None if it is not there, too large, or damaged.
    pub(super) fn file(&mut self, name: &str) -> Option<ZipFile<'_, File>> {
        let at = *self.files.get(name)?;
        let entry = self.zip.by_index(at).ok()?;
        (entry.size() <= FILE_BYTES_MAX).then_some(entry)
    }
}

/// The text that is the chat: the one that is called so, or the only one. Documents that were sent may be texts too.
fn chat_of(texts: &BTreeMap<String, usize>) -> Result<usize, ArchiveError> {
    if let Some(at) = texts.get(CHAT) {
        return Ok(*at);
    }
    let named: Vec<(&String, &usize)> = texts.iter().filter(|(name, _)| name.contains("WhatsApp")).collect();
    match (&named[..], texts.len()) {
        ([(_, at)], _) => Ok(**at),
        (_, 0) => Err(ArchiveError::NoChat),
        (_, 1) => Ok(texts.values().next().copied().unwrap_or_default()),
        _ => Err(ArchiveError::ManyChats(texts.keys().cloned().collect::<Vec<_>>().join(", "))),
    }
}

fn is_text(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("txt"))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::PathBuf;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn archive(test: &str, entries: &[(&str, &[u8])]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("frontdesk-zip-{}-{test}", std::process::id()));
        let mut zip = ZipWriter::new(File::create(&path).unwrap());
        for (name, bytes) in entries {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap();
        path
    }

    fn refused(test: &str, entries: &[(&str, &[u8])]) -> String {
        let path = archive(test, entries);
        let said = Archive::open(&path).and_then(|mut archive| archive.chat()).unwrap_err().to_string();
        std::fs::remove_file(path).unwrap();
        said
    }

    #[test]
    fn the_chat_is_found_among_the_files() {
        let path = archive("chat", &[("_chat.txt", b"hello"), ("notes.txt", b"x"), ("a.jpg", b"jpg")]);
        let mut found = Archive::open(&path).unwrap();
        assert_eq!(found.chat().unwrap(), "hello");
        assert!(found.has("a.jpg") && found.has("notes.txt") && !found.has("_chat.txt"));
        let mut text = String::new();
        found.file("a.jpg").unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "jpg");
        std::fs::remove_file(path).unwrap();
        let path = archive("android", &[("WhatsApp Chat with Ann.txt", b"hi"), ("notes.txt", b"x")]);
        assert_eq!(Archive::open(&path).unwrap().chat().unwrap(), "hi");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn bombs_and_paths_are_refused() {
        let bomb = vec![b' '; CHAT_BYTES_MAX as usize + 1];
        assert!(refused("bomb", &[("_chat.txt", &bomb)]).contains("MiB"));
        for name in ["../_chat.txt", "/etc/passwd", "a/../../b.jpg", "a\\b.jpg"] {
            assert!(
                refused("path", &[("_chat.txt", b"x"), (name, b"x")]).contains("leads elsewhere"),
                "{name}"
            );
        }
        assert!(refused("none", &[("a.jpg", b"x")]).contains("no text"));
        assert!(refused("many", &[("a.txt", b"x"), ("b.txt", b"x")]).contains("several"));
        let path = std::env::temp_dir().join(format!("frontdesk-zip-{}-text", std::process::id()));
        std::fs::write(&path, "no archive").unwrap();
        assert!(matches!(Archive::open(&path), Err(ArchiveError::NotAnArchive)));
        std::fs::remove_file(path).unwrap();
    }
}
