//! Modules of triggers import in one direction: each only from lower floors.

use frontdesk_direction::{Floors, modules_import_in_one_direction};

const FLOORS: Floors<'_> = &[
    &["refusal", "schedule", "sql", "targets"],
    &["trigger"],
    &["fire", "input", "plan", "row"],
    &["events", "hook", "manual", "preview", "worker"],
    &["contact_rows", "listener", "ops"],
    &["api"],
];

#[test]
fn modules_import_only_from_floors_below() {
    modules_import_in_one_direction(concat!(env!("CARGO_MANIFEST_DIR"), "/src"), FLOORS);
}
