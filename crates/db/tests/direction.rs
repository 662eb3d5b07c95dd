//! Modules of this crate import in one direction: each only from lower floors.

use frontdesk_direction::{Floors, modules_import_in_one_direction};

const FLOORS: Floors<'_> = &[
    &["dialect", "error", "incarnation", "mailbox", "reader_cache", "statements", "url", "value"],
    &["query", "row", "scans", "wake"],
    &["postgres", "sqlite"],
    &["migrate", "read_tx"],
    &["tx"],
    &["lease", "marks"],
    &["store"],
    &["heartbeat"],
];

#[test]
fn modules_import_only_from_floors_below() {
    modules_import_in_one_direction(concat!(env!("CARGO_MANIFEST_DIR"), "/src"), FLOORS);
}
