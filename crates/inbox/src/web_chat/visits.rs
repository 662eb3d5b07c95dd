//! The page of the website that a visitor is on, for the members who answer.
//!
//! A page is stored once the visitor has a conversation, without its query and fragment, which often hold secrets. Only the
//! last few are kept, and a report of the page that is known already writes at most once in a while. The connection's settings
//! can turn it off: then nothing is stored, and what was stored is deleted.

use std::time::Duration;

use frontdesk_crm::inquiries::PageUrl;
use frontdesk_db::{self as db, ReadTx, Row, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Scope, Text, Timestamp};
use frontdesk_platform::export::{Exported, ExportedRows};
use frontdesk_platform::notices::{self, Watched};
use frontdesk_platform::public_endpoint::PublicResponse;
use frontdesk_platform::{By, export_columns, store_failure};
use frontdesk_web::{Reply, Result, data_bytes, input, resource};
use http::StatusCode;

use super::chat_request::ChatRequest;
use super::conversation::VisitorConversation;
use super::limits::Action;
use super::settings;
use super::sql::{
    DELETE_OLDER_PAGES, DELETE_PAGE, ERASE_PAGES, HOLD_CONVERSATION, INSERT_PAGE, PAGES, PAGES_OFF,
};
use crate::connections::ConnectionId;
use crate::conversations::ConversationId;
use crate::media::Links;

/// Pages that are kept of a visitor.
pub const PAGES_KEPT_MAX: i64 = 5;
/// A page's title is cut by the widget.
const TITLE_CHARS_MAX: usize = 200;
/// A visitor who is on the same page for longer is seen there anew.
const SEEN_ANEW_AFTER: Duration = Duration::from_mins(1);
/// The members who are told.
const WATCHED: Watched = Watched::read_with("visited-pages", Scope::ConversationsRead);

/// Marks the id of a visited page, which carries when the visitor was last seen there.
pub enum VisitedPageRow {}
pub type VisitedPageId = Id<VisitedPageRow>;

input! {
    /// The page that the visitor is on.
    struct PageReport {
        /// Its address. The query and the fragment are not stored.
        url: PageUrl,
        title: Option<Text<TITLE_CHARS_MAX>>,
    }
}

resource! {
    /// The response to a report.
    struct Reported {
        ok: bool,
    }
}

resource! {
    /// A page of the website that a visitor was on.
    pub struct VisitedPage {
        pub id: VisitedPageId,
        /// Its address, without query and fragment; always http or https.
        pub url: String,
        pub title: Option<String>,
        /// When the visitor was last seen there.
        pub seen_at: Timestamp,
    }
}

/// Stores the page, once the visitor has a conversation.
pub(super) async fn report(chat: &ChatRequest<'_>) -> Result<PublicResponse> {
    let visitor = chat.visitor(Action::Visit)?;
    chat.connected()?;
    let PageReport { url, title } = chat.body()?;
    let url = without_query(url.as_str()).to_owned();
    let theirs = VisitorConversation::new(&chat.connection, &visitor, Links::of(&chat.server.services));
    let (recorder, now) = (chat.server.recorder.clone(), chat.request.now);
    let (account, connection) = (chat.connection.account, chat.connection.id());
    let stored = chat.server.store.write(move |tx| {
        let by = By::system(account, now, &recorder);
        if !settings::find(tx, account, connection)?.shows_page {
            return Ok(());
        }
        let Some(conversation) = theirs.find(tx)? else { return Ok(()) };
        // A conversation that is being erased gets no page.
        match tx.find_to_change(HOLD_CONVERSATION, &[&account, &conversation], db::only::<ConversationId>)? {
            Some(_) => visit(tx, &by, connection, conversation, &url, title.as_ref().map(Text::as_str)),
            None => Ok(()),
        }
    });
    stored.await.map_err(|error: db::Error| store_failure(&error))?;
    Ok(Reply::new(StatusCode::OK, data_bytes(&Reported { ok: true })).into())
}

/// Where the address of a page ends and what it was called with begins.
fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

fn visit(
    tx: &mut Tx<'_>,
    by: &By,
    connection: ConnectionId,
    conversation: ConversationId,
    url: &str,
    title: Option<&str>,
) -> db::Result<()> {
    let last = list(tx, by.account, connection, conversation)?.into_iter().next();
    if let Some(last) = last.filter(|last| last.url == url && last.title.as_deref() == title) {
        if last.seen_at + SEEN_ANEW_AFTER > by.now {
            return Ok(());
        }
        tx.execute(DELETE_PAGE, &[&by.account, &connection, &conversation, &last.id])?.exactly(1)?;
    }
    let id: VisitedPageId = by.new_id();
    tx.execute(INSERT_PAGE, &[&by.account, &connection, &conversation, &id, &url, &title])?.exactly(1)?;
    let kept: &[&dyn db::Param] = &[&by.account, &connection, &conversation, &PAGES_KEPT_MAX];
    let _any_number_is_fine = tx.execute(DELETE_OLDER_PAGES, kept)?;
    notices::changed(tx, by.account, WATCHED, Some(conversation.uuid()));
    Ok(())
}

/// The last pages of a conversation's visitor, the latest first.
pub(crate) fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    connection: ConnectionId,
    conversation: ConversationId,
) -> db::Result<Vec<VisitedPage>> {
    tx.query(PAGES, &[&account, &connection, &conversation, &PAGES_KEPT_MAX], |row: &mut Row<'_>| {
        let id: VisitedPageId = row.next()?;
        Ok(VisitedPage { id, url: row.next()?, title: row.next()?, seen_at: id.created_at() })
    })
}

/// Erases the pages of a conversation's visitor.
pub(crate) fn erase(
    tx: &mut Tx<'_>,
    account: AccountId,
    connection: ConnectionId,
    conversation: ConversationId,
) -> db::Result<()> {
    let _any_number_is_fine = tx.execute(ERASE_PAGES, &[&account, &connection, &conversation])?;
    Ok(())
}

/// Erases the pages of all visitors of a chat.
pub fn erase_all(tx: &mut Tx<'_>, account: AccountId, connection: ConnectionId) -> db::Result<()> {
    let _any_number_is_fine = tx.execute(PAGES_OFF, &[&account, &connection])?;
    notices::changed(tx, account, WATCHED, None);
    Ok(())
}

pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "visited_pages",
    &["visited_pages"],
    export_columns!(
        "connection_id": ConnectionId, "conversation_id": ConversationId, "id": VisitedPageId, "url": String, "title": Option<String>,
    ),
)
.keyed(&["t.connection_id", "t.conversation_id", "t.id"])
.of_contact(
    "t.conversation_id IN (SELECT v.id FROM conversations v WHERE v.account_id = {account} AND v.contact_id = {contact})",
)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_stored_without_what_it_was_called_with() {
        for (given, stored) in [
            ("https://shop.example/chairs?token=secret#reset=secret", "https://shop.example/chairs"),
            ("https://shop.example/#/account?x=1", "https://shop.example/"),
            ("http://127.0.0.1:3000", "http://127.0.0.1:3000"),
        ] {
            assert_eq!(without_query(given), stored);
        }
    }
}
