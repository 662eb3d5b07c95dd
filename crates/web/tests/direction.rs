//! Modules of this crate import in one direction: each only from lower floors.

use frontdesk_direction::{Floors, modules_import_in_one_direction};

const FLOORS: Floors<'_> = &[
    &["choice", "docs", "example", "field_path", "json", "reply", "schema"],
    &["describe", "ignored", "tagged"],
    &["problems", "request"],
    &["failure", "input"],
    &["query"],
    &["endpoint"],
    &["page", "route"],
    &["openapi"],
];

#[test]
fn modules_import_only_from_floors_below() {
    modules_import_in_one_direction(concat!(env!("CARGO_MANIFEST_DIR"), "/src"), FLOORS);
}
