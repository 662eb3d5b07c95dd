//! The pages of the website that the visitor of a conversation was on.

use frontdesk_platform::{Caller, Error};
use frontdesk_web::{List, Path, Result};

use crate::conversations::{self, ConversationId, MISSING};
use crate::web_chat::{self, VisitedPage};

pub(super) async fn list(caller: Caller, Path(id): Path<ConversationId>) -> Result<List<VisitedPage>> {
    let rows = caller.read(move |tx, by| {
        let conversation = conversations::find(tx, by.account, id)?.ok_or(MISSING)?;
        web_chat::visited_pages(tx, by.account, conversation.connection_id, id).map_err(Error::from)
    });
    Ok(List::all(rows.await?))
}
