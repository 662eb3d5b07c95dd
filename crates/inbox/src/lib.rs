//! The inbox: conversations with customers on all channels.
//!
//! A connection is one number, page or widget of an account. An inbound webhook is stored in one transaction
//! before the vendor gets its response. An outbound message is stored as a row first, and the sender hands it
//! to the channel. A slice writes only its own tables; contacts are created and changed through `crm`.

pub mod answerers;
pub mod calls;
pub mod canned_replies;
mod channel_webhooks;
pub mod connections;
mod contact_rows;
pub mod conversations;
pub mod desk;
mod eraser;
mod identities;
mod ids;
pub mod imports;
pub mod inbound;
pub mod media;
mod message;
pub mod messages;
pub mod outbox;
pub mod pairing;
pub mod sender;
pub mod templates;
pub mod web_chat;

use frontdesk_platform::events::EventDeclaration;
use frontdesk_platform::export::{Exported, Exports};
use frontdesk_platform::{PublicEndpoint, Route};
use serde_json::Value;

pub use contact_rows::ContactRows;
pub use eraser::start as start_eraser;
pub use web_chat::InboxState;

/// Every route of this crate.
pub fn routes() -> Vec<Route> {
    let slices = [
        connections::routes(),
        conversations::routes(),
        canned_replies::routes(),
        messages::routes(),
        templates::routes(),
    ];
    slices.into_iter().flatten().collect()
}

/// Endpoints for visitors without a key.
pub fn public_endpoints(state: InboxState) -> Vec<PublicEndpoint> {
    vec![channel_webhooks::public_endpoint(state), media::public_endpoint(), web_chat::public_endpoint()]
}

/// Every event type of this crate.
pub fn event_types() -> Vec<EventDeclaration> {
    let slices = [
        connections::event_types::EVENT_TYPES,
        conversations::event_types::EVENT_TYPES,
        messages::event_types::EVENT_TYPES,
    ];
    slices.concat()
}

/// What this crate exports. Rows that refer to others come before those.
pub fn exports() -> Exports {
    let slices: [&[&'static dyn Exported]; 8] = [
        messages::EXPORTED,
        web_chat::EXPORTED,
        conversations::EXPORTED,
        canned_replies::EXPORTED,
        media::EXPORTED,
        templates::EXPORTED,
        identities::EXPORTED,
        connections::EXPORTED,
    ];
    slices.concat()
}

/// Examples of what this crate sends, by the names of their schemas.
pub fn examples() -> Vec<(&'static str, Value)> {
    use canned_replies::CannedReply;
    use connections::Connection;
    use conversations::Conversation;
    use messages::Message;
    frontdesk_web::examples![CannedReply, Connection, Conversation, Message]
}

/// Every column of this crate that holds sealed values.
pub fn sealed_columns() -> Vec<frontdesk_platform::sealing::SealedColumn> {
    vec![connections::CREDENTIALS]
}

/// Every statement of this crate, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    [
        answerers::STATEMENTS.to_vec(),
        canned_replies::statements(),
        connections::statements(),
        contact_rows::STATEMENTS.to_vec(),
        conversations::statements(),
        desk::STATEMENTS.to_vec(),
        eraser::STATEMENTS.to_vec(),
        identities::STATEMENTS.to_vec(),
        imports::STATEMENTS.to_vec(),
        inbound::statements(),
        media::statements(),
        messages::statements(),
        outbox::statements(),
        sender::statements(),
        templates::statements(),
        web_chat::STATEMENTS.to_vec(),
    ]
    .concat()
}

/// The jobs that wait, by kind.
pub fn backlogs() -> Vec<frontdesk_jobs::Backlog> {
    vec![sender::BACKLOG, media::BACKLOG, templates::BACKLOG]
}

/// Statements that run only on SQLite.
pub fn sqlite_statements() -> Vec<(&'static str, &'static str)> {
    messages::sqlite_statements()
}

/// Statements that run only on PostgreSQL.
pub fn postgres_statements() -> Vec<(&'static str, &'static str)> {
    [media::POSTGRES_STATEMENTS, sender::POSTGRES_STATEMENTS, templates::POSTGRES_STATEMENTS].concat()
}
