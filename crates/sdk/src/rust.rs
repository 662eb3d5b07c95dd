//! The Rust package.
//!
//! Files are written as rustfmt would write them, so that it leaves them as they are; `make check` compares.

mod calls;
mod events;
mod layout;
mod samples;
mod sent;
mod shapes;
mod source;
mod types;

use std::path::PathBuf;

use crate::model::{Model, Operation};

/// A longer file of types is split.
const LINES_MAX: usize = 450;

/// The generated files of the Rust package.
pub fn files(model: &Model) -> Vec<(PathBuf, String)> {
    let mut files = vec![("src/generated/mod.rs".to_owned(), calls::root(model))];
    files.push(("src/generated/resources/mod.rs".to_owned(), calls::index(model)));
    files.extend(model.resources.iter().map(|resource| {
        (format!("src/generated/resources/{}.rs", resource.name.snake()), calls::resource(model, resource))
    }));
    let mut groups = layout::groups(model);
    for (group, names) in groups.clone() {
        if types::group(model, &group, &names).lines().count() > LINES_MAX {
            layout::split(model, &mut groups, &group);
        }
    }
    files.push(("src/generated/types/mod.rs".to_owned(), types::index(&groups)));
    files.extend(groups.iter().map(|(group, names)| {
        (format!("src/generated/types/{group}.rs"), types::group(model, group, names))
    }));
    files.push(("test/driver/src/generated/mod.rs".to_owned(), samples::index()));
    files.push(("test/driver/src/generated/samples.rs".to_owned(), samples::all(model)));
    files.into_iter().map(|(path, text)| (PathBuf::from("rust").join(path), text)).collect()
}

/// The call of an operation, as a person would write it.
pub fn sample(model: &Model, operation: &Operation) -> String {
    samples::sample(model, operation)
}

#[cfg(test)]
mod tests;
