//! The groups of operations that a client has: `client.contacts`.

use super::methods::Twin;
use super::resources::class_name;
use super::text::{docstring, enclosed, module, name, room};
use crate::model::{Model, Resource};

/// The module with both clients' groups.
pub(super) fn file(model: &Model) -> String {
    let mut parts = vec![
        "from __future__ import annotations\n\nfrom .._runtime.async_client import AsyncClient\nfrom .._runtime.client \
         import Client\n"
            .to_owned(),
    ];
    parts.extend(model.resources.iter().map(import));
    for (twin, base) in [(Twin::Blocking, "Client"), (Twin::Async, "AsyncClient")] {
        let docs = docstring(&["The groups of operations.".to_owned()], 4);
        parts.push(format!("\n\nclass {}Groups({base}):\n{docs}", twin.prefix()));
        parts.extend(model.resources.iter().map(|resource| property(resource, twin)));
    }
    module("The groups of operations of a client.", &parts.concat())
}

fn import(resource: &Resource) -> String {
    let before = format!("from .resources.{} import ", resource.name.snake());
    let mut names = [Twin::Async, Twin::Blocking].map(|twin| class_name(resource, twin));
    names.sort();
    let line = names.join(", ");
    if line.len() <= room(0, &before) {
        format!("{before}{line}\n")
    } else {
        format!("{}\n", enclosed(&format!("{before}("), &names, ")", 0, 0))
    }
}

fn property(resource: &Resource, twin: Twin) -> String {
    let (group, class) = (name(&resource.name.snake()), class_name(resource, twin));
    format!("\n    @property\n    def {group}(self) -> {class}:\n        return {class}(self)\n")
}
