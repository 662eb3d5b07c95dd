//! The groups of operations that a client has: `client.contacts`.

use super::methods::Twin;
use super::resources::class_name;
use super::text::{docstring, enclosed, module, name, room};
use crate::model::Model;

/// The module with both clients' groups.
pub(super) fn file(model: &Model) -> String {
    let mut code = String::from(
        "from __future__ import annotations\n\nfrom .._runtime.async_client import AsyncClient\nfrom .._runtime.client \
         import Client\n",
    );
    for resource in &model.resources {
        let before = format!("from .resources.{} import ", resource.name.snake());
        let mut names = [Twin::Async, Twin::Blocking].map(|twin| class_name(resource, twin));
        names.sort();
        let line = names.join(", ");
        if line.len() <= room(0, &before) {
            code.push_str(&format!("{before}{line}\n"));
        } else {
            code.push_str(&format!("{}\n", enclosed(&format!("{before}("), &names, ")", 0, 0)));
        }
    }
    for (twin, base) in [(Twin::Blocking, "Client"), (Twin::Async, "AsyncClient")] {
        let docs = docstring(&["The groups of operations.".to_owned()], 4);
        code.push_str(&format!("\n\nclass {}Groups({base}):\n{docs}", twin.prefix()));
        for resource in &model.resources {
            let (group, class) = (name(&resource.name.snake()), class_name(resource, twin));
            code.push_str(&format!(
                "\n    @property\n    def {group}(self) -> {class}:\n        return {class}(self)\n"
            ));
        }
    }
    module("The groups of operations of a client.", &code)
}
