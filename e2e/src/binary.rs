//! The program under test, built once and found beside the tests.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The path of the `frontdesk` binary, built with the profile and in the directory of these tests.
///
/// `FRONTDESK_TEST_BINARY` names another one, which is then taken as it is.
pub fn frontdesk() -> &'static Path {
    // What does not build is not built again for every test.
    static BINARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    let built = BINARY.get_or_init(|| match env::var_os("FRONTDESK_TEST_BINARY") {
        Some(path) => Some(path.into()),
        None => build(),
    });
    built.as_deref().expect("the frontdesk binary does not build: see above")
}

fn build() -> Option<PathBuf> {
    // TARGET/PROFILE/deps/e2e-…
    let test = env::current_exe().expect("the path of the tests");
    let profile = test.ancestors().nth(2).expect("a profile's directory");
    let target = profile.parent().expect("a target directory");
    // The tests that run have just been built, so naming them builds nothing more.
    let is_chaos = test.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with("chaos-"));
    let name = if is_chaos { "chaos" } else { "e2e" };
    let mut cargo = Command::new(env!("CARGO"));
    // Cargo names the tests' own package to them. Build scripts of dependencies watch these variables, so with them
    // the whole server would be built again.
    for (name, _) in env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_MANIFEST_") || name.starts_with("CARGO_PKG_"))
        {
            cargo.env_remove(name);
        }
    }
    let built = cargo
        // As in `make test`: cargo chooses the features of dependencies for all that it builds. With other ones it would
        // build the server a second time.
        .args(["build", "--quiet", "--workspace", "--bin", "frontdesk", "--test", name, "--target-dir"])
        .arg(target)
        .args(["--profile", profile_named(profile.file_name())])
        .current_dir(env!("CARGO_MANIFEST_DIR").strip_suffix("/e2e").expect("the workspace"))
        .status()
        .expect("cargo runs");
    built.success().then(|| profile.join("frontdesk"))
}

/// Cargo calls the directory of its `dev` profile `debug`.
fn profile_named(directory: Option<&OsStr>) -> &str {
    match directory.and_then(OsStr::to_str).expect("a profile's name") {
        "debug" => "dev",
        name => name,
    }
}
