//! Writes the SDKs: what depends on the API's routes, types and events, in each language.
//!
//! [`read::model`] turns the OpenAPI document, which is made of the declared routes, into a [`Model`]. Each language
//! is a module with one function that turns the model into files. What is the same for every API (requests, retries,
//! pages, signatures) is written by hand in each package and is no part of this crate.
//!
//! Generated files live in directories named [`GENERATED`], and nothing else does.

pub mod curl;
pub mod model;
pub mod n8n;
pub mod name;
pub mod python;
pub mod read;
pub mod rust;
pub mod samples;
pub mod shown;
mod text;
pub mod typescript;

use std::path::PathBuf;

use serde_json::Value;

pub use model::Model;
pub use shown::add_samples;

/// The name of every directory with generated files.
pub const GENERATED: &str = "generated";

/// A language, and what writes its files, each with its path below `sdk/`.
pub type Language = (&'static str, fn(&Model) -> Vec<(PathBuf, String)>);

pub const LANGUAGES: [Language; 6] = [
    ("typescript", typescript::files),
    ("python", python::files),
    ("rust", rust::files),
    ("n8n", n8n::files),
    ("curl", curl::files),
    ("documentation", shown::files),
];

/// Every generated file of every package, with its path below `sdk/`.
///
/// Panics if the document has something that the model cannot say, or a file is not in a generated directory.
pub fn files(document: &Value) -> Vec<(PathBuf, String)> {
    let model = read::model(document);
    let files: Vec<_> = LANGUAGES.iter().flat_map(|(_, files)| files(&model)).collect();
    for (path, _) in &files {
        let is_generated = path.parent().is_some_and(|parent| parent.iter().any(|part| part == GENERATED));
        assert!(is_generated, "{} is not in a directory named {GENERATED}", path.display());
    }
    files
}
