//! Events.

use std::fmt::Write;

use super::shapes;
use super::source::{docs, variant};
use crate::model::Model;

/// What the events of each type contain.
pub(super) fn data(model: &Model) -> String {
    let mut text = docs(0, "What an event contains, by its type.");
    text.push_str("#[derive(Clone, Debug, PartialEq)]\n#[non_exhaustive]\npub enum EventData {\n");
    for event in &model.events {
        text.push_str(&docs(4, &format!("`{}`: {}", event.name, event.docs)));
        let _ = writeln!(text, "    {}({}),", variant(&event.name), shapes::owned(&event.data));
    }
    text.push_str(
        "    /// An event of a type, or with content, that this version of the crate does not know.\n    Unknown {\n        \
         /// Its type.\n        event_type: String,\n        /// What it contains.\n        data: Value,\n    },\n}\n\n",
    );
    text.push_str(
        "impl EventData {\n    /// The event's type, such as `contact.created`.\n    \
         pub fn event_type(&self) -> &str {\n        match self {\n",
    );
    for event in &model.events {
        let _ = writeln!(text, "            Self::{}(_) => \"{}\",", variant(&event.name), event.name);
    }
    text.push_str("            Self::Unknown { event_type, .. } => event_type,\n        }\n    }\n\n");
    text.push_str("    pub(crate) fn read(event_type: String, data: Value) -> Self {\n");
    text.push_str("        let read = match event_type.as_str() {\n");
    for event in &model.events {
        let _ =
            writeln!(text, "            \"{}\" => known(&data, Self::{}),", event.name, variant(&event.name));
    }
    text.push_str("            _ => None,\n        };\n");
    text.push_str("        read.unwrap_or(Self::Unknown { event_type, data })\n    }\n}\n\n");
    text.push_str(&docs(0, "The content, unless it has another shape than this version of the crate knows."));
    text.push_str(
        "fn known<T: DeserializeOwned>(data: &Value, make: fn(T) -> EventData) -> Option<EventData> {\n    \
         T::deserialize(data).ok().map(make)\n}\n",
    );
    text
}
