//! The real path of a SQLite database.
//!
//! The lock, the key and the search index are files next to the database. Two servers may use different paths
//! of one database, so those files are named after the path with every symbolic link resolved.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Links followed before a chain counts as a loop, as on Linux.
const LINKS_MAX: usize = 40;

/// The path of a database file with every symbolic link resolved. The file need not exist yet, and a link may point
/// to a file that does not exist yet.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        let directory = match path.parent() {
            Some(directory) if !directory.as_os_str().is_empty() => directory,
            _ => Path::new("."),
        };
        if let Ok(target) = fs::read_link(&path) {
            path = directory.join(target);
            continue;
        }
        let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
        let directory = match fs::canonicalize(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => std::path::absolute(directory)?,
            resolved => resolved?,
        };
        return Ok(directory.join(name));
    }
    Err(io::Error::other("too many symbolic links"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn every_name_of_a_database_leads_to_one_path() {
        let dir = std::env::temp_dir().join(format!("frontdesk-place-{}", rand::random::<u64>()));
        fs::create_dir_all(dir.join("data")).unwrap();
        let dir = dir.canonicalize().unwrap();
        let real = dir.join("data/frontdesk.db");
        symlink("data/frontdesk.db", dir.join("link.db")).unwrap();
        symlink(dir.join("link.db"), dir.join("data/again.db")).unwrap();
        symlink("data", dir.join("folder")).unwrap();
        for file_exists in [false, true] {
            if file_exists {
                fs::write(&real, "").unwrap();
            }
            for name in
                ["data/frontdesk.db", "link.db", "data/again.db", "folder/frontdesk.db", "data/../link.db"]
            {
                assert_eq!(real_path(&dir.join(name)).unwrap(), real, "{name}");
            }
        }
        assert_eq!(real_path(&dir.join("new/frontdesk.db")).unwrap(), dir.join("new/frontdesk.db"));
        symlink("loop.db", dir.join("loop.db")).unwrap();
        assert!(real_path(&dir.join("loop.db")).is_err());
        assert!(real_path(Path::new("frontdesk.db")).unwrap().is_absolute());
        fs::remove_dir_all(&dir).unwrap();
    }
}
