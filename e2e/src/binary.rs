//! The program under test, built once and found beside the tests.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The path of the `frontdesk` binary, built with the profile and in the directory of these tests.
///
/// `FRONTDESK_TEST_BINARY` names another one, which is then taken as it is.
pub(crate) fn frontdesk() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| env::var_os("FRONTDESK_TEST_BINARY").map_or_else(build, PathBuf::from))
}

fn build() -> PathBuf {
    // TARGET/PROFILE/deps/e2e-…
    let test = env::current_exe().expect("the path of the tests");
    let profile = test.ancestors().nth(2).expect("a profile's directory");
    let target = profile.parent().expect("a target directory");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--bin", "frontdesk", "--target-dir"])
        .arg(target)
        .args(["--profile", profile_named(profile.file_name())])
        .current_dir(env!("CARGO_MANIFEST_DIR").strip_suffix("/e2e").expect("the workspace"))
        .status()
        .expect("cargo runs");
    assert!(built.success(), "the frontdesk binary does not build");
    profile.join("frontdesk")
}

/// Cargo calls the directory of its `dev` profile `debug`.
fn profile_named(directory: Option<&OsStr>) -> &str {
    match directory.and_then(OsStr::to_str).expect("a profile's name") {
        "debug" => "dev",
        name => name,
    }
}
