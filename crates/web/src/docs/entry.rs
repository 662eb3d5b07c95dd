//! An operation of the document.

use serde_json::Value;

use super::anchor;

const METHODS: &[&str] = &["get", "post", "put", "patch", "delete"];

/// An operation and its path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'d> {
    pub(super) method: &'d str,
    pub(super) path: &'d str,
    pub(super) operation: &'d Value,
}

impl<'d> Entry<'d> {
    pub(super) fn title(&self) -> &'d str {
        self.operation["summary"].as_str().filter(|summary| !summary.is_empty()).unwrap_or(self.path)
    }

    pub(super) fn anchor(&self) -> String {
        match self.operation["operationId"].as_str() {
            Some(id) => anchor("op", id),
            None => anchor(self.method, self.path),
        }
    }

    pub(super) fn is_idempotent(&self) -> bool {
        let parameters = self.operation["parameters"].as_array();
        parameters.into_iter().flatten().any(|parameter| {
            parameter["$ref"].as_str().is_some_and(|reference| reference.ends_with("/IdempotencyKey"))
        })
    }
}

/// All operations, by path and then in the order methods are usually listed.
pub(super) fn entries(document: &Value) -> impl Iterator<Item = Entry<'_>> {
    document["paths"].as_object().into_iter().flatten().flat_map(|(path, item)| {
        METHODS
            .iter()
            .filter_map(|method| Some(Entry { method, path: path.as_str(), operation: item.get(*method)? }))
    })
}
