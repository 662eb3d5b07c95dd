//! Has the server built again after the dashboard was: its files are built into the binary.

use std::path::Path;

const BUILD: &str = "../../dashboard/dist";
/// Watched while there is no build.
const SOURCE: &str = "../../dashboard";

fn main() {
    let watched = if Path::new(BUILD).exists() { BUILD } else { SOURCE };
    println!("cargo::rerun-if-changed={watched}");
}
