//! Events: an envelope for each type, one for types that are not known yet, and their union.

use super::hints::hint_received;
use super::place::Imports;
use super::text::{docstring, literal, sentence, union};
use crate::model::Model;

const ENVELOPE: &str = "EventEnvelope";
const UNKNOWN: &str = "UnknownEvent";
const UNKNOWN_DOCS: &str = "An event of a type that this version of the package does not know.";
const UNION_DOCS: &str =
    "An event. Tell events apart by their classes: `isinstance(event, ContactCreatedEvent)`.";

/// The names that the module has besides the types of the model.
pub(super) fn names(model: &Model) -> Vec<String> {
    let envelopes = model.events.iter().map(|event| event.type_name.clone());
    let others = [ENVELOPE, UNKNOWN, super::place::EVENT].map(str::to_owned);
    envelopes.chain(others).collect()
}

/// The envelopes and their union.
pub(super) fn definitions(model: &Model, imports: &mut Imports) -> Vec<String> {
    imports.add("typing", "Any");
    imports.add("typing", "Literal");
    let mut parts = vec![base(imports)];
    for event in &model.events {
        let data = hint_received(&event.data, model, imports);
        let event_type = format!("Literal[{}]", literal(&event.name));
        parts.push(envelope(&event.type_name, &sentence(&event.docs), &event_type, &data, imports));
    }
    parts.push(envelope(UNKNOWN, UNKNOWN_DOCS, "str", "dict[str, Any]", imports));
    imports.add("typing", "TypeAlias");
    let envelopes = model.events.iter().map(|event| event.type_name.clone());
    let members: Vec<String> = envelopes.chain([UNKNOWN.to_owned()]).collect();
    let union = union(super::place::EVENT, &members);
    parts.push(format!("Event: TypeAlias = {union}\n{}", docstring(&[UNION_DOCS.to_owned()], 0)));
    parts
}

fn envelope(class: &str, docs: &str, event_type: &str, data: &str, imports: &mut Imports) -> String {
    imports.add("dataclasses", "dataclass");
    let docs = docstring(&[docs.to_owned()], 4);
    format!(
        "@dataclass(frozen=True, kw_only=True)\nclass {class}({ENVELOPE}):\n{docs}\n    event_type: {event_type}\n    \
         data: {data}\n"
    )
}

/// What all events have.
fn base(imports: &mut Imports) -> String {
    imports.add("datetime", "datetime");
    imports.add("..._runtime.model", "Model");
    format!(
        "@dataclass(frozen=True, kw_only=True)\nclass {ENVELOPE}(Model):\n    \"\"\"What all events have.\"\"\"\n\n    \
         event_id: str\n    \"\"\"The same on every attempt and for every endpoint.\"\"\"\n    created_at: datetime\n    \
         account_id: str\n    api_version: str\n"
    )
}
