//! The common options with which every process opens the database.

use frontdesk_db::{DatabaseUrl, Options, SideFile};

/// Files that SQLite keeps beside the database.
const SIDE_FILES: &[SideFile] =
    &[frontdesk_crm::contacts::search::FILE, frontdesk_inbox::messages::search::FILE];

/// The options of a command. A server adds its own.
pub(crate) fn store_options(url: DatabaseUrl) -> Options {
    Options { side_files: SIDE_FILES, ..Options::new(url) }
}
