//! Media of messages, fetched from the channel and stored in the database.
//!
//! The bytes are stored in chunks, so one backup contains everything and every server can serve them. They
//! are served only at signed links that expire.

pub mod exported;
mod fetch;
mod fetcher;
mod form_body;
mod keep;
mod links;
mod load;
mod receive;
mod serve;
mod sql;
mod upload;
mod upload_slots;

use frontdesk_channels::MediaSource;
use frontdesk_db::{self as db, Query, Tx};
use frontdesk_kernel::Id;
use frontdesk_platform::By;
use serde::{Deserialize, Serialize};

pub(crate) use exported::EXPORTED;
pub use fetcher::start as start_fetcher;
pub use keep::keep;
pub use links::Links;
pub(crate) use links::OwnFile;
pub use load::{Loaded, load};
pub(crate) use receive::{ReceivedFile, is_full, receive, take};
pub use serve::public_endpoint;
pub(crate) use upload::{Claim, claim, is_upload, release};
pub use upload::{Files, Upload, forget as forget_uploads, keep_for_broadcast};

use crate::connections::ConnectionId;
use sql::INSERT;

/// The topic that wakes the fetcher.
const QUEUED: db::Topic = "media";

/// Marks the id of a piece of media.
pub enum Media {}
pub type MediaId = Id<Media>;

/// Every statement of media, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    [sql::STATEMENTS, &sql::ROWS.statements()].concat()
}

/// The files that wait to be fetched.
pub(crate) use sql::BACKLOG;

/// Statements that run only on PostgreSQL.
pub const POSTGRES_STATEMENTS: &[(&str, &str)] = &[sql::ROWS.postgres_statement()];

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
