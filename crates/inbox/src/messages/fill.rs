//! Fills in the text of a message without one: the transcript of a recording, or the description of a photo.

use frontdesk_db::{self as db, Tx, only};
use frontdesk_platform::By;

use super::MessageId;
use super::sql::{CONVERSATION, FILL, LATER};
use crate::conversations::{self, ConversationId};

/// Sets a message's text, unless it has one. If it is the last message, the conversation shows the text too.
pub fn fill_text(tx: &mut Tx<'_>, by: &By, message: MessageId, text: &str) -> db::Result<()> {
    let found = tx.find(CONVERSATION, &[&by.account, &message], only::<ConversationId>)?;
    let Some(conversation) = found else { return Ok(()) };
    let Some(conversation) = conversations::find_to_change(tx, by.account, conversation)? else {
        return Ok(());
    };
    if !tx.execute(FILL, &[&by.account, &message, &text])?.any() {
        return Ok(());
    }
    let later = tx.find(LATER, &[&by.account, &conversation.id, &message], only::<MessageId>)?;
    if later.is_none() {
        conversations::reword(tx, by, &conversation, text)?;
    }
    Ok(())
}
