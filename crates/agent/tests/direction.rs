//! Modules of assistants import in one direction: each only from lower floors.

use frontdesk_direction::{Floors, modules_import_in_one_direction};

const FLOORS: Floors<'_> = &[
    &["ids", "tools"],
    &["asks", "instructions", "spend"],
    &["assistants"],
    &["memories", "services"],
    &["transcripts"],
    &["runs"],
    &["answers", "contact_rows", "deletion", "listener"],
];

#[test]
fn modules_import_only_from_floors_below() {
    modules_import_in_one_direction(concat!(env!("CARGO_MANIFEST_DIR"), "/src"), FLOORS);
}
