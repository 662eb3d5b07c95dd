//! Has the server built again after the dashboard was: its files are built into the binary. A debug build reads them from
//! disk.

use std::env;
use std::path::Path;

const BUILD: &str = "../../dashboard/dist";
/// Watched while there is no build.
const SOURCE: &str = "../../dashboard";

fn main() {
    let is_debug = env::var("PROFILE").is_ok_and(|profile| profile == "debug");
    let watched = match (Path::new(BUILD).exists(), is_debug) {
        (true, true) => "build.rs",
        (true, false) => BUILD,
        (false, _) => SOURCE,
    };
    println!("cargo::rerun-if-changed={watched}");
}
