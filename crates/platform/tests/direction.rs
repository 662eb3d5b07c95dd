//! Modules of this crate import in one direction: each only from lower floors.

use frontdesk_direction::{Floors, modules_import_in_one_direction};

const FLOORS: Floors<'_> = &[
    &["address", "auth_version", "error", "fair_slots", "listing", "servers", "settings", "suspensions"],
    &["body_budget", "members", "sealing"],
    &["accounts", "idempotency", "services"],
    &["keys", "sandbox_pass"],
    &["limits", "principal"],
    &["by", "sign_in", "uploads"],
    &["caller", "public_endpoint"],
    &["bulk", "dispatch", "draft", "events", "me"],
    &["gate", "webhooks"],
];

#[test]
fn modules_import_only_from_floors_below() {
    modules_import_in_one_direction(concat!(env!("CARGO_MANIFEST_DIR"), "/src"), FLOORS);
}
