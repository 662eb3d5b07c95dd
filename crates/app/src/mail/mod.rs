//! Mails to members: invitations, new passwords, and what they should know while they are not there.
//!
//! The transaction of a cause queues a mail (`listener`, and `mails` of the platform). The courier (`courier`) reads what
//! there is to tell (`facts`) when it sends, writes it in the member's language as text and as HTML (`letter`), and hands it
//! to the SMTP server (`smtp`). A member declines a kind in the dashboard, or by the address in every such mail
//! (`unsubscribe`). No crash sends a mail twice, and no link is stored.

mod api;
mod courier;
mod facts;
mod letter;
mod listener;
mod message;
mod queue;
mod requests;
mod seen;
mod settings;
mod smtp;
mod sql;
mod test_mail;
mod unsubscribe;
mod words;

use std::time::Duration;

pub(crate) use api::routes;
pub use courier::start;
pub use listener::Mails;
pub use requests::start_requests;
pub(crate) use seen::saw;
pub use settings::{CA_VARIABLE, FROM_VARIABLE, SmtpSettings, URL_VARIABLE};
pub use smtp::Refusal;
pub use test_mail::{check, send_test};
pub use unsubscribe::public_endpoint;

/// A mention is mailed this long after the note, unless the member has looked at the conversation by then.
const MENTION_DELAY: Duration = Duration::from_hours(1);

/// The mails that wait.
pub(crate) const BACKLOG: frontdesk_jobs::Backlog = sql::BACKLOG;

pub(crate) fn statements() -> Vec<(&'static str, &'static str)> {
    [sql::STATEMENTS.to_vec(), sql::ROWS.statements()].concat()
}

pub(crate) fn postgres_statements() -> Vec<(&'static str, &'static str)> {
    vec![sql::ROWS.postgres_statement()]
}
