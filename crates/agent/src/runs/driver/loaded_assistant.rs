//! The account and the assistant that a step reads.

use std::sync::Arc;

use frontdesk_db::{self as db, ReadTx};
use frontdesk_kernel::ids::{AccountId, AssistantId};
use frontdesk_platform::accounts::{self, Account};

use super::Agent;
use crate::assistants::{self, Assistant, UnconfinedTools};
use crate::instructions::Instruction;
use crate::memories::{self, Recent};

/// An account and one of its assistants.
pub(super) struct LoadedAssistant {
    pub(super) account: Arc<Account>,
    pub(super) assistant: Arc<Assistant>,
    pub(super) unconfined: UnconfinedTools,
    pub(super) instructions: Vec<Instruction>,
    /// The newest memories that are about no contact.
    pub(super) recent: Recent,
}

/// None when the account or the assistant is gone.
type Found = Option<Arc<LoadedAssistant>>;

impl Agent {
    /// Reads an assistant and its account as they are now.
    pub(super) async fn load_assistant(
        &self,
        account: AccountId,
        assistant: AssistantId,
    ) -> db::Result<Found> {
        self.server.store.read(move |tx| find(tx, account, assistant)).await
    }
}

fn find(tx: &mut ReadTx<'_>, account: AccountId, assistant: AssistantId) -> db::Result<Found> {
    // PostgreSQL returns all of them in one round trip.
    assistants::expect(tx, account, assistant)?;
    assistants::expect_unconfined_tools(tx, account, assistant)?;
    assistants::expect_bound(tx, account, assistant)?;
    memories::expect_recent(tx, account)?;
    let found = accounts::find(tx, account)?.zip(assistants::find(tx, account, assistant)?);
    let Some((account_row, assistant_row)) = found else { return Ok(None) };
    Ok(Some(Arc::new(LoadedAssistant {
        account: Arc::new(account_row),
        assistant: Arc::new(assistant_row),
        unconfined: assistants::unconfined_tools(tx, account, assistant)?,
        instructions: assistants::bound(tx, account, assistant)?,
        recent: memories::recent(tx, account)?,
    })))
}
