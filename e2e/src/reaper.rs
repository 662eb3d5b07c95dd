//! Ends what the tests leave when their process ends: servers that wait for the next test, and files.
//!
//! Nothing of this process runs when it is killed, nor when its last test is over. So a shell reads what there is from a
//! pipe, and cleans up when the pipe closes.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Reads lines of a process and its directory. A process that does not run there is another one with the same number.
const SCRIPT: &str = r#"
trap '' INT TERM HUP
while read -r process directory; do
    all="$all$process $directory
"
done
printf '%s' "$all" | while read -r process directory; do
    [ "$(readlink "/proc/$process/cwd")" != "$directory" ] || kill -KILL "$process"
    rm -rf "$directory"
done
"#;

/// A process that is never there.
const NO_PROCESS: u32 = 0;

/// Has a server ended, and its directory removed, when this process is gone.
pub(crate) fn end_with_us(process: u32, directory: &Path) {
    tell(&format!("{process} {}\n", directory.display()));
}

/// Has a directory removed when this process is gone.
pub(crate) fn remove_with_us(directory: &Path) {
    end_with_us(NO_PROCESS, directory);
}

fn tell(line: &str) {
    static SHELL: LazyLock<Mutex<Child>> = LazyLock::new(|| {
        let mut shell = Command::new("sh");
        shell.args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Mutex::new(shell.spawn().expect("sh runs"))
    });
    let mut shell = SHELL.lock().unwrap_or_else(PoisonError::into_inner);
    shell.stdin.as_mut().expect("a pipe").write_all(line.as_bytes()).expect("the shell reads");
}
