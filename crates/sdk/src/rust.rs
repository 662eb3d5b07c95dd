//! The Rust package.

use std::path::PathBuf;

use crate::model::Model;

/// The generated files of the Rust package.
pub fn files(_: &Model) -> Vec<(PathBuf, String)> {
    Vec::new()
}
