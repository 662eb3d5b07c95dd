//! The Rust package passes every case of an SDK, and is built of what the server is built of.

use std::collections::BTreeSet;
use std::fs;

crate::sdk_cases::sdk_passes_every_case!("rust");

/// So their licences and their origins are checked with those of the server, and little has to be downloaded.
#[test]
fn the_package_has_no_dependency_that_the_server_has_not() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let servers = locked(&format!("{root}/Cargo.lock"));
    for package in locked(&format!("{root}/sdk/rust/Cargo.lock")) {
        let is_known = package.0 == "frontdesk" || servers.contains(&package);
        let (name, version) = package;
        assert!(is_known, "the server has no {name} {version}; run `cargo update --precise` in sdk/rust");
    }
}

/// The names and versions in a lock file.
fn locked(path: &str) -> BTreeSet<(String, String)> {
    let lock = fs::read_to_string(path).expect("a lock file");
    let value = |line: &str, key: &str| {
        Some(line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"')?.to_owned())
    };
    let lines: Vec<&str> = lock.lines().collect();
    let pairs = lines.windows(2);
    pairs.filter_map(|pair| Some((value(pair[0], "name")?, value(pair[1], "version")?))).collect()
}
