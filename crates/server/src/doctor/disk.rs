//! The disk under a SQLite database: may it be written to, and is there room?

use std::path::Path;
use std::process::Command;

use super::Check;

const NAME: &str = "disk";
/// Below this it is time to make room.
const FREE_MIB_MIN: u64 = 1024;

pub(super) fn examine(database: &Path) -> Option<Check> {
    let directory =
        database.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !directory.exists() {
        // `serve` makes it, and says why if it cannot.
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
    Some(match free_mib(directory) {
        Some(free) if free < FREE_MIB_MIN => {
            Check::warning(NAME, format!("{shown} has only {free} MiB free: make room before it is full"))
        }
        Some(free) => Check::ok(NAME, format!("{shown} can be written to and has {free} MiB free")),
        None => Check::ok(NAME, format!("{shown} can be written to; how much is free could not be told")),
    })
}

/// The standard library cannot tell, so the system's own tool is asked.
fn free_mib(directory: &Path) -> Option<u64> {
    let output = Command::new("df").arg("-Pk").arg(directory).output().ok()?;
    read_df(&String::from_utf8_lossy(&output.stdout))
}

/// Reads the fourth column of the second line, kibibytes available, as POSIX has it.
fn read_df(text: &str) -> Option<u64> {
    let available = text.lines().nth(1)?.split_whitespace().nth(3)?;
    Some(available.parse::<u64>().ok()? >> 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_space_is_read_from_the_systems_table() {
        let table =
            "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/vda1 100 40 4194304 40% /\n";
        assert_eq!(read_df(table), Some(4096));
        assert_eq!(read_df(""), None);
        assert_eq!(read_df("head\nshort line\n"), None);
    }
}
