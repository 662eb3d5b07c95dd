//! The Python package: types, one class per resource, and the client's groups. Resources are written twice, for threads
//! and for `async`, from the same lines.

mod arguments;
mod events;
mod groups;
mod hints;
mod methods;
mod place;
mod resources;
mod samples;
mod text;
mod types;

use std::path::PathBuf;

use crate::model::{Model, Operation};

/// The directories of generated files, below `sdk/`.
const PACKAGE: &str = "python/src/frontdesk/generated";
const TESTS: &str = "python/test/generated";

/// The generated files of the Python package.
pub fn files(model: &Model) -> Vec<(PathBuf, String)> {
    let mut files = vec![("__init__.py".to_owned(), text::module("What depends on the API's routes.", ""))];
    files.extend(types::files(model));
    files.extend(resources::files(model));
    files.push(("client.py".to_owned(), groups::file(model)));
    let below = |directory: &str, (name, content)| (PathBuf::from(directory).join::<String>(name), content);
    let files = files.into_iter().map(|file| below(PACKAGE, file));
    files.chain([below(TESTS, ("samples.py".to_owned(), samples::file(model)))]).collect()
}

/// The call of an operation as a person would write it.
pub fn sample(operation: &Operation) -> String {
    samples::code(operation)
}

#[cfg(test)]
mod tests;
