//! Modules of models import in one direction: each only from lower floors.

use frontdesk_direction::{Floors, modules_import_in_one_direction};

const FLOORS: Floors<'_> = &[
    &["endpoint", "image", "multipart", "response"],
    &["chat", "error"],
    &["audio", "adjustments", "fault", "retry"],
    &["anthropic", "call", "openai", "prices"],
    &["config"],
    &["models"],
];

#[test]
fn modules_import_only_from_floors_below() {
    modules_import_in_one_direction(concat!(env!("CARGO_MANIFEST_DIR"), "/src"), FLOORS);
}
