//! Media of messages, fetched from the channel and stored in the database, or in a place outside of it.
//!
//! The bytes are stored in chunks in the database first, in the pieces and the transaction that bring them. If new files go
//! elsewhere, a worker moves them there (`mover.rs`). They are served only at signed links that expire.

pub mod exported;
mod fetch;
mod fetcher;
mod files;
mod form_body;
#[cfg(test)]
mod fuzzed;
mod keep;
mod links;
mod load;
mod mover;
mod overview;
mod reader;
mod receive;
mod removals;
mod serve;
mod sql;
mod transfer;
mod upload;
mod upload_slots;

use frontdesk_channels::MediaSource;
use frontdesk_db::{self as db, Query, Tx};
use frontdesk_kernel::Id;
use frontdesk_platform::{By, Services};
use serde::{Deserialize, Serialize};

pub(crate) use exported::EXPORTED;
pub use fetch::CHUNK_BYTES;
pub use fetcher::start as start_fetcher;
pub use files::{LocatedFile, Location, MediaFiles, locate, setting as place_setting};
pub use keep::keep;
pub use links::Links;
pub(crate) use links::OwnFile;
pub use load::{Loaded, load};
pub use mover::start as start_mover;
pub use overview::{FilesInPlace, Overview, QueuedRemovals, left, left_after, overview};
pub use reader::{MediaReader, ReadError};
pub use receive::ArrivingFile;
pub(crate) use receive::{ReceivedFile, begin_received, finish_received, is_full, put_part, receive, take};
pub(crate) use removals::add_of_conversation as remove_files_of_conversation;
pub use removals::start as start_remover;
pub use serve::public_endpoint;
pub use transfer::{Pace, TransferError, Transferred, transfer};
pub(crate) use upload::{Claim, claim, is_upload, release};
pub use upload::{
    Files, Upload, delete_some as delete_some_of_account, forget as forget_uploads, keep_for_broadcast,
};

use crate::connections::ConnectionId;
use sql::INSERT;

/// The topic that wakes the fetcher.
const QUEUED: db::Topic = "media";

/// Marks the id of a piece of media.
pub enum Media {}
pub type MediaId = Id<Media>;

/// Every statement of media, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    let rows = [sql::ROWS.statements(), sql::MOVES.statements(), sql::REMOVAL_ROWS.statements()].concat();
    [sql::STATEMENTS, &rows].concat()
}

/// The files that wait to be fetched.
pub(crate) use sql::BACKLOG;

/// Statements that run only on PostgreSQL.
pub const POSTGRES_STATEMENTS: &[(&str, &str)] = &[
    sql::ROWS.postgres_statement(),
    sql::MOVES.postgres_statement(),
    sql::REMOVAL_ROWS.postgres_statement(),
];

/// Whether new files are moved out of the database.
pub fn moves_new_files(services: &Services) -> bool {
    services.files.target().is_some()
}

/// The stored source of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Source {
    id: Option<String>,
    url: Option<String>,
}

/// Queues a fetch.
pub(crate) fn expect(
    tx: &mut Tx<'_>,
    by: &By,
    id: MediaId,
    connection: ConnectionId,
    kind: &str,
    source: &MediaSource,
) -> db::Result<()> {
    let kept = Source { id: source.id.clone(), url: source.url.clone() };
    let kept = serde_json::to_string(&kept).map_err(|_| db::Error::Decode("source"))?;
    let params: Vec<db::OwnedParam> = vec![
        Box::new(by.account),
        Box::new(id),
        Box::new(connection),
        Box::new(kind.to_owned()),
        Box::new(kept),
        Box::new(source.content_type.clone()),
        Box::new(source.filename.clone()),
        Box::new(by.now),
    ];
    tx.insert_along(Query::whole(INSERT, params))?;
    tx.wake_about(QUEUED, by.account.uuid());
    Ok(())
}
