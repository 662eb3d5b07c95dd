//! The key file next to a SQLite database.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use frontdesk_db::real_path;

use super::VARIABLE;
use crate::error::{Error, Result};

const OWNER_ONLY: u32 = 0o600;

/// The path of a database's key: next to the file itself, not next to a link to it.
pub(super) fn place(database: &Path) -> Result<PathBuf> {
    let real = real_path(database).map_err(Error::doing(format!("find {}", database.display())))?;
    Ok(beside(&real))
}

/// The possible paths of a database's key. Earlier versions stored it next to the link that the database was
/// opened through.
pub(super) fn places(database: &Path) -> Result<Vec<PathBuf>> {
    let (place, beside_link) = (place(database)?, beside(database));
    let is_same = match (fs::canonicalize(&place), fs::canonicalize(&beside_link)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    };
    Ok(if is_same { vec![place] } else { vec![place, beside_link] })
}

fn beside(database: &Path) -> PathBuf {
    database.with_added_extension("key")
}

pub(super) fn read(path: &Path) -> Result<Option<String>> {
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

/// Replaces the text of the file. A crash leaves the old text or the new one.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    let draft = draft(path, text)?;
    fs::rename(&draft, path)?;
    sync_directory(path)
}

/// Writes the file unless it exists, and returns its text.
pub(super) fn write_first(path: &Path, text: &str) -> io::Result<String> {
    let draft = draft(path, text)?;
    match fs::hard_link(&draft, path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            fs::remove_file(&draft)?;
            return fs::read_to_string(path);
        }
        Ok(()) => fs::remove_file(&draft)?,
        // Some file systems have no hard links.
        Err(_) => fs::rename(&draft, path)?,
    }
    sync_directory(path)?;
    Ok(text.to_owned())
}

/// Writes the text under a temporary name.
fn draft(path: &Path, text: &str) -> io::Result<PathBuf> {
    let draft = path.with_added_extension(format!("{:016x}.new", rand::random::<u64>()));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(&draft)?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    Ok(draft)
}

/// Makes a new file name durable.
fn sync_directory(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |directory| File::open(directory)?.sync_all())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_key_file_is_its_owners_alone_and_reads_back() {
        let dir = std::env::temp_dir().join(format!("frontdesk-key-{}", rand::random::<u64>()));
        fs::create_dir(&dir).unwrap();
        let dir = dir.canonicalize().unwrap();
        let path = place(&dir.join("frontdesk.db")).unwrap();
        assert_eq!(path, dir.join("frontdesk.db.key"));
        assert_eq!(read(&path).unwrap(), None);
        assert_eq!(write_first(&path, "secret").unwrap(), "secret");
        assert_eq!(write_first(&path, "another").unwrap(), "secret\n", "the first one stays");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, OWNER_ONLY);
        write(&path, "new").unwrap();
        assert_eq!(read(&path).unwrap().as_deref(), Some("new\n"));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, OWNER_ONLY);
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 1, "no draft is left");
        symlink(dir.join("frontdesk.db"), dir.join("link.db")).unwrap();
        let link = dir.join("link.db");
        assert_eq!(places(&link).unwrap(), [path.clone(), dir.join("link.db.key")]);
        fs::write(&path, " \n").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("backup"));
        fs::remove_dir_all(&dir).unwrap();
    }
}
