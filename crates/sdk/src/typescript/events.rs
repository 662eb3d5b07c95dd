//! `events.ts`: an envelope for each event type, and the codes of errors.

use std::collections::BTreeSet;

use super::layout::{HEAD, Side, comment, type_of, union_of};
use super::types::is_words;
use crate::model::{EventType, Model, Shape};

const ENVELOPE: &str = r#"/** What every event has. */
export interface EventEnvelope {
  /** The same on every attempt and for every endpoint. */
  event_id: string;
  event_type: string;
  created_at: string;
  account_id: string;
  api_version: string;
}

/** An event of a type that this version of the package does not know. */
export interface UnknownEvent extends EventEnvelope {
  event_type: "unknown";
  /** The event as it arrived, with its type. */
  raw: EventEnvelope & { data: unknown };
}
"#;

const KNOWN: &str = r#"
/** An event. `event_type` tells its type, which is `unknown` for types of later versions of the API. */
export type Event = KnownEvent | UnknownEvent;

/** The event that arrived. */
export function readEvent(raw: EventEnvelope & { data: unknown }): Event {
  return KNOWN.has(raw.event_type) ? (raw as KnownEvent) : { ...raw, event_type: "unknown", raw };
}
"#;

pub(super) fn file(model: &Model) -> String {
    let names: BTreeSet<&str> = model.events.iter().filter_map(|event| named(&event.data)).collect();
    let imports: String = names.iter().map(|name| format!("  {name},\n")).collect();
    let events: String = model.events.iter().map(|event| envelope(model, event)).collect();
    let known: String = model.events.iter().map(|event| format!("\n  | {}", event.type_name)).collect();
    let words: String = model.events.iter().map(|event| format!("  {:?},\n", event.name)).collect();
    format!(
        "{HEAD}\nimport type {{\n{imports}}} from \"./types.js\";\n\n{ENVELOPE}\n{events}\
         /** An event whose type this version of the package knows. */\nexport type KnownEvent ={known};\n\n\
         const KNOWN: ReadonlySet<string> = new Set([\n{words}]);\n{KNOWN}\n\
         /** The `code` of an error. */\nexport type ErrorCode = {};\n",
        union_of(&model.error_codes)
    )
}

fn named(shape: &Shape) -> Option<&str> {
    match shape {
        Shape::Named(name) => Some(name),
        _ => None,
    }
}

fn envelope(model: &Model, event: &EventType) -> String {
    let data = type_of(&event.data, Side::Received, &|name| is_words(model, name));
    format!(
        "{}export interface {} extends EventEnvelope {{\n  event_type: {:?};\n  data: {data};\n}}\n\n",
        comment(&event.docs, ""),
        event.type_name,
        event.name,
    )
}
