//! Deletes assistants, with everything that depends on them.

use frontdesk_db::{Tx, only};
use frontdesk_inbox::conversations::{self, ConversationId, Handover, ToHuman};
use frontdesk_kernel::Scope;
use frontdesk_kernel::ids::AssistantId;
use frontdesk_platform::{By, Caller, Route};
use frontdesk_web::{Data, Deleted, Path, Result};

use crate::assistants::{self, AssistantError};
use crate::runs;

frontdesk_db::statements! {
    CONVERSATIONS = "SELECT id FROM conversations WHERE account_id = $1 AND handler = 'assistant' AND assistant_id = $2 ORDER BY id";
}

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::delete("/assistants/{id}", "deleteAssistant", delete)
            .scope(Scope::AssistantsWrite)
            .summary("Delete an assistant")
            .notes("Its triggers are deleted, its runs are cancelled, and its conversations go to people.")
            .tag("Assistants"),
    ]
}

async fn delete(caller: Caller, Path(id): Path<AssistantId>) -> Result<Data<Deleted>> {
    caller.write(move |tx, by| delete_assistant(tx, by, id)).await.map(Data)
}

/// Deletes an assistant and its triggers, cancels its runs, and gives its conversations to people. Its finished runs,
/// its memories and its recorded costs remain.
fn delete_assistant(
    tx: &mut Tx<'_>,
    by: &By,
    id: AssistantId,
) -> std::result::Result<Deleted, AssistantError> {
    assistants::hold(tx, by.account, id)?.ok_or(assistants::MISSING)?;
    for conversation in tx.query(CONVERSATIONS, &[&by.account, &id], only::<ConversationId>)? {
        conversations::hand_over(tx, by, conversation, &Handover::Human(ToHuman { user_id: None }))?;
    }
    runs::cancel_all_of(tx, by, id)?;
    assistants::delete(tx, by, id)?;
    Ok(Deleted::new(id))
}
