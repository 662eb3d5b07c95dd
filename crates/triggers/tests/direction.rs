//! Modules of triggers import in one direction: each only from lower floors.

use frontdesk_direction::{Floors, files_import_in_one_direction, modules_import_in_one_direction};

const FLOORS: Floors<'_> = &[
    &["refusal", "schedule", "sql", "targets"],
    &["trigger"],
    &["fire", "input", "plan", "row"],
    &["events", "hook", "manual", "preview", "worker"],
    &["contact_rows", "listener", "ops"],
    &["api"],
];

const SRC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src");

#[test]
fn modules_import_only_from_floors_below() {
    modules_import_in_one_direction(SRC, FLOORS);
}

#[test]
fn files_import_each_other_in_no_circle() {
    files_import_in_one_direction(SRC);
}
