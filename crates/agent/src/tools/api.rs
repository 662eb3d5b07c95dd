//! GET /tools.

use std::future::ready;

use frontdesk_kernel::Scope;
use frontdesk_platform::{Caller, Route};
use frontdesk_web::example::Example;
use frontdesk_web::{List, Result, resource};
use serde_json::Value;

use super::{Category, ToolSpec, all};

resource! {
    /// A tool that assistants can use.
    pub struct Tool {
        pub id: &'static str,
        pub name: &'static str,
        pub description: &'static str,
        pub category: Category,
        /// A person always approves it.
        pub critical: bool,
        /// Whether assistants have it by default.
        pub default_enabled: bool,
        /// Whether `unconfined_tools` of an assistant may name it. A tool that cannot be unconfined reaches no contact but
        /// the run's own.
        pub can_be_unconfined: bool,
        /// JSON Schema of its arguments.
        pub parameters: Value,
    }
}

impl From<&ToolSpec> for Tool {
    fn from(tool: &ToolSpec) -> Self {
        Self {
            id: tool.id,
            name: tool.name,
            description: tool.description,
            category: tool.category,
            critical: tool.critical,
            default_enabled: tool.default_enabled,
            can_be_unconfined: tool.can_be_unconfined(),
            parameters: tool.parameters(),
        }
    }
}

impl Example for Tool {
    fn example() -> Self {
        Self::from(&all()[0])
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/tools", "listTools", |_: Caller| ready(Result::Ok(List::all(catalogue()))))
            .scope(Scope::AssistantsRead)
            .tag("Assistants")
            .summary("List the tool catalogue")
            .notes("Every tool that assistants can be given, with its default."),
    ]
}

fn catalogue() -> Vec<Tool> {
    all().iter().map(Tool::from).collect()
}
