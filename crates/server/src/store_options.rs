//! The common options with which every process opens the database.

use frontdesk_db::{DatabaseUrl, Options};
use frontdesk_search::SIDE_FILES;

/// The options of a command. A server adds its own.
pub(crate) fn store_options(url: DatabaseUrl) -> Options {
    Options { side_files: SIDE_FILES, ..Options::new(url) }
}
