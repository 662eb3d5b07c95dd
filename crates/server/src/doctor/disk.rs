//! The disk of a SQLite database: whether it is writable and has free space.

use std::path::Path;

use super::Check;

const NAME: &str = "disk";
/// Below this the check warns.
const FREE_MIB_MIN: u64 = 1024;
/// Below this writes may fail at any time: the write-ahead log alone may take as much.
const FREE_MIB_LAST: u64 = 64;

pub(super) fn examine(database: &Path) -> Option<Check> {
    let directory =
        database.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !directory.exists() {
        // `serve` creates it, and reports an error if it cannot.
        return None;
    }
    let shown = directory.display();
    let probe = directory.join(format!(".frontdesk-doctor-{}", std::process::id()));
    if let Err(error) = std::fs::write(&probe, "").and_then(|()| std::fs::remove_file(&probe)) {
        let message = format!(
            "{shown} cannot be written to ({error}): give this user the right to, or choose another --database"
        );
        return Some(Check::failed(NAME, message));
    }
    Some(room(directory).unwrap_or_else(|| {
        Check::ok(NAME, format!("{shown} can be written to; how much is free could not be told"))
    }))
}

/// How much room a directory has. None if that cannot be told.
pub(super) fn room(directory: &Path) -> Option<Check> {
    free_mib(directory).map(|free| judge(&directory.display().to_string(), free))
}

fn judge(directory: &str, free_mib: u64) -> Check {
    let message = format!("{directory} has only {free_mib} MiB free: make room");
    match free_mib {
        ..FREE_MIB_LAST => Check::failed(NAME, format!("{message} now, before writes are refused")),
        FREE_MIB_LAST..FREE_MIB_MIN => Check::warning(NAME, format!("{message} soon")),
        _ => Check::ok(NAME, format!("{directory} can be written to and has {free_mib} MiB free")),
    }
    .sharing(format!("{free_mib} MiB free"))
}

fn free_mib(directory: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(directory).ok()?;
    Some((disk.f_bavail * disk.f_frsize) >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Status;

    #[test]
    fn too_little_room_is_warned_of_and_far_too_little_fails() {
        let status = |free| judge("/data", free).status;
        assert_eq!(status(FREE_MIB_MIN), Status::Ok);
        assert_eq!(status(FREE_MIB_MIN - 1), Status::Warning);
        assert_eq!(status(FREE_MIB_LAST - 1), Status::Failed);
    }

    #[test]
    fn free_space_is_read_of_any_directory() {
        assert!(free_mib(&std::env::temp_dir()).is_some());
        assert_eq!(free_mib(Path::new("/there/is/no/such/place")), None);
    }
}
