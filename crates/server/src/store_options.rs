//! How every process of an installation opens its database.

use frontdesk_db::{DatabaseUrl, Options};

/// The options of a command beside the servers. A server adds its own.
pub(crate) fn store_options(url: DatabaseUrl) -> Options {
    Options { side_files: frontdesk_crm::SIDE_FILES, ..Options::new(url) }
}
