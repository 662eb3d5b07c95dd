//! A visitor is typing. Members of the account who are connected to the same server are told; nothing is stored.

use frontdesk_platform::public_endpoint::PublicResponse;
use frontdesk_platform::store_failure;
use frontdesk_web::{Reply, Result, data_bytes, input, resource};
use http::StatusCode;

use super::chat_request::ChatRequest;
use super::conversation::VisitorConversation;
use super::limits::Action;
use crate::conversations::ConversationId;
use crate::media::Links;

/// The name under which members' streams get it.
const NAME: &str = "visitor_typing";

input! {
    /// Whether the visitor is typing.
    struct TypingReport {
        typing: bool,
    }
}

resource! {
    /// Whether a website visitor is typing, as members' streams send it. It holds for ten seconds.
    pub struct VisitorTyping {
        pub conversation_id: ConversationId,
        pub typing: bool,
    }
}

resource! {
    /// The response to a report.
    struct Reported {
        ok: bool,
    }
}

/// Tells the account's members that the visitor is typing, once the visitor has a conversation.
pub(super) async fn report(chat: &ChatRequest<'_>) -> Result<PublicResponse> {
    let visitor = chat.visitor(Action::Type)?;
    let report: TypingReport = chat.body()?;
    let theirs = VisitorConversation::new(&chat.connection, &visitor, Links::of(&chat.server.services));
    let found = chat.server.store.read(move |tx| theirs.find(tx)).await;
    if let Some(conversation_id) = found.map_err(|error| store_failure(&error))? {
        let told = VisitorTyping { conversation_id, typing: report.typing };
        let data = serde_json::to_string(&told).unwrap_or_default();
        chat.live.notify(chat.connection.account, NAME, &data);
    }
    Ok(Reply::new(StatusCode::OK, data_bytes(&Reported { ok: true })).into())
}
