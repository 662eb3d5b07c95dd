//! The dashboard's views of the inbox: conversations by their last activity, each with its contact and last
//! message, and a thread with its messages' details. The public lists keep their order.

mod list;
mod row;
mod sql;
mod stream;
mod thread;
mod visits;

use frontdesk_kernel::Scope;
use frontdesk_platform::Route;

pub use list::{Assigned, InboxCounts, InboxFilters};
pub use row::{ContactSummary, InboxRow, LastMessage};
pub use stream::changed_rows;
pub use thread::{MessageMedia, Reaction, ReactionFrom, ThreadMessage};

/// Statements of the views, by name.
pub const STATEMENTS: &[(&str, &str)] = sql::STATEMENTS;

/// The views' routes, relative to the dashboard's prefix.
pub fn routes() -> Vec<Route> {
    let read = Scope::ConversationsRead;
    vec![
        Route::get("/inbox", "listInbox", list::list).scope(read).summary("List conversations by activity"),
        Route::get("/inbox/counts", "countInbox", list::counts)
            .scope(read)
            .summary("Count open conversations"),
        Route::get("/inbox/{conversation_id}", "getInboxRow", list::get)
            .scope(read)
            .summary("One line of the inbox"),
        Route::get("/conversations/{id}/messages", "listThread", thread::list)
            .scope(Scope::MessagesRead)
            .summary("List a conversation's messages with what stands beside them"),
        Route::get("/conversations/{id}/changes", "listConversationChanges", thread::changes)
            .scope(read)
            .summary("List when a conversation was closed, reopened, assigned or handed over"),
        Route::get("/conversations/{id}/pages", "listVisitedPages", visits::list)
            .scope(read)
            .summary("List the last pages of the website that a web-chat visitor was on")
            .notes("The latest first, at most 5. Empty for other channels, and where the widget's settings turn it off."),
    ]
}
