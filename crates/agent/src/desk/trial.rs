//! `POST /assistants/{id}/trial`: a chat with an assistant as it would be after its next change.

use std::sync::Arc;

use frontdesk_db::ReadTx;
use frontdesk_kernel::Scope;
use frontdesk_kernel::ids::AssistantId;
use frontdesk_platform::{By, Caller, Error as PlatformError, Route, accounts};
use frontdesk_web::{Body, Data, Failure, FieldPath, Items, Path, Problems, Result, input};
use http::StatusCode;

use crate::assistants::{self, AssistantError, AssistantPatch};
use crate::instructions::InstructionId;
use crate::memories;
use crate::runs::driver::Agent;
use crate::runs::driver::trial::{self, DraftAssistant, TrialReply};
use crate::trials::{MESSAGES_MAX, TrialMessage, check_last, told};

input! {
    /// An assistant to try out, and a conversation for it to reply to.
    pub struct TrialRequest {
        /// What differs from the stored assistant.
        pub draft: AssistantPatch,
        /// The instructions that it follows, in order. Defaults to the stored ones.
        pub instruction_ids: Option<Items<InstructionId, { assistants::BOUND_MAX }>>,
        /// The conversation so far, 1 to 40 messages. The last one is the customer's.
        pub messages: Items<TrialMessage, MESSAGES_MAX>,
    }
    shape = check_last;
}

pub(super) fn route(agent: Option<&Arc<Agent>>) -> Route {
    let agent = agent.cloned();
    let reply = move |caller: Caller, id: Path<AssistantId>, asked: Body<TrialRequest>| {
        reply(caller, id, asked, agent.clone())
    };
    Route::post("/assistants/{id}/trial", "tryAssistant", reply)
        .scope(Scope::AssistantsWrite)
        .fails(&[StatusCode::UNPROCESSABLE_ENTITY, StatusCode::SERVICE_UNAVAILABLE])
        .summary("Try out an assistant before it is saved")
        .notes(
            "Replies to the conversation as the assistant would with these changes. Stores nothing but the cost. Tools that \
             only read are used; all others are simulated.",
        )
}

async fn reply(
    caller: Caller,
    Path(id): Path<AssistantId>,
    Body(asked): Body<TrialRequest>,
    agent: Option<Arc<Agent>>,
) -> Result<Data<TrialReply>> {
    let agent = agent.ok_or_else(Failure::internal)?;
    let member = caller.principal().clone();
    let TrialRequest { draft, instruction_ids, messages } = asked;
    let ids = instruction_ids.map(|ids| ids.0);
    let loaded = caller.read(move |tx, by| load(tx, by, id, &draft, ids.as_deref())).await?;
    // A model call that has begun is paid for, so it is settled even if the caller does not wait for it.
    let replying = tokio::spawn(async move { trial::reply(&agent, loaded, told(messages), member).await });
    let replied = replying.await.map_err(|_| Failure::internal())?;
    Ok(Data(replied.map_err(Failure::from)?))
}

/// The assistant as it would be. What is wrong with it is reported as for a change, at its path.
fn load(
    tx: &mut ReadTx<'_>,
    by: &By,
    id: AssistantId,
    patch: &AssistantPatch,
    instructions: Option<&[InstructionId]>,
) -> std::result::Result<DraftAssistant, AssistantError> {
    let stored = assistants::find(tx, by.account, id)?.ok_or(assistants::MISSING)?;
    assistants::check_patch(tx, by, &stored, patch).map_err(in_draft)?;
    let instructions = match instructions {
        Some(ids) => assistants::named_instructions(tx, by.account, ids)?,
        None => assistants::bound(tx, by.account, id)?,
    };
    Ok(DraftAssistant {
        account: accounts::find(tx, by.account)?.ok_or(PlatformError::Missing("account"))?,
        assistant: assistants::patched(stored, patch, by.now),
        unconfined: assistants::unconfined_tools(tx, by.account, id)?,
        instructions,
        recent: memories::recent(tx, by.account)?,
    })
}

fn in_draft(error: AssistantError) -> AssistantError {
    match error {
        AssistantError::Invalid(found) => {
            let mut problems = Problems::new();
            FieldPath::root().field("draft", |at| problems.adopt(at, found));
            AssistantError::Invalid(problems)
        }
        other => other,
    }
}
