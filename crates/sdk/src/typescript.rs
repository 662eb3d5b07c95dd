//! The TypeScript package.

mod events;
mod layout;
mod resources;
mod sample;
mod samples;
mod types;

use std::path::PathBuf;

use crate::model::Model;

pub use sample::sample;

/// The generated files of the TypeScript package.
pub fn files(model: &Model) -> Vec<(PathBuf, String)> {
    let sources = [
        ("src/generated/types.ts", types::file(model)),
        ("src/generated/events.ts", events::file(model)),
        ("src/generated/resources.ts", resources::file(model)),
        ("test/generated/samples.ts", samples::file(model)),
    ];
    let in_package = |(path, text): (&str, String)| (PathBuf::from("typescript").join(path), text);
    sources.into_iter().map(in_package).collect()
}

#[cfg(test)]
mod tests;
