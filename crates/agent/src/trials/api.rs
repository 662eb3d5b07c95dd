//! `POST /assistants/trial`: a reply of an assistant that need not exist.

use frontdesk_db::ReadTx;
use frontdesk_kernel::Scope;
use frontdesk_kernel::ids::AssistantId;
use frontdesk_platform::{By, Caller, Error as PlatformError, Route, accounts};
use frontdesk_web::{Body, Data, Failure, FieldPath, Problems, Result};
use http::StatusCode;
use uuid::Uuid;

use super::Trials;
use super::input::{NewTrial, told};
use crate::assistants::{self, AssistantError, UnconfinedTools};
use crate::instructions::{Instruction, NewInstruction};
use crate::memories;
use crate::runs::driver::trial::{self, DraftAssistant, TrialReply};

/// What a trial costs of a key's budget, in units.
const TRIAL_UNITS: u32 = 2;

/// The route. Without an agent in `trials`, it can only be described.
pub fn route(trials: &Trials) -> Route {
    let trials = trials.clone();
    let reply = move |caller: Caller, asked: Body<NewTrial>| reply(caller, asked, trials.clone());
    Route::post("/assistants/trial", "tryNewAssistant", reply)
        .scope(Scope::AssistantsWrite)
        .units(TRIAL_UNITS)
        .fails(&[StatusCode::NOT_FOUND, StatusCode::UNPROCESSABLE_ENTITY, StatusCode::SERVICE_UNAVAILABLE])
        .tag("Assistants")
        .summary("Try out an assistant that is not stored")
        .notes(
            "Replies to the conversation as this assistant would. Stores nothing but the cost. Tools that only read are used, \
             with the scopes of this key; all others are simulated.",
        )
}

async fn reply(caller: Caller, Body(asked): Body<NewTrial>, trials: Trials) -> Result<Data<TrialReply>> {
    let agent = trials.agent()?;
    let principal = caller.principal().clone();
    let NewTrial { assistant_id, assistant, instructions, messages } = asked;
    let instructions = instructions.unwrap_or_default().0;
    let load = move |tx: &mut ReadTx<'_>, by: &By| -> std::result::Result<DraftAssistant, AssistantError> {
        assistants::check_new(tx, by, &assistant).map_err(in_assistant)?;
        if let Some(id) = assistant_id {
            assistants::find(tx, by.account, id)?.ok_or(assistants::MISSING)?;
        }
        let id = assistant_id.unwrap_or_else(|| AssistantId::from_uuid(Uuid::nil()));
        Ok(DraftAssistant {
            account: accounts::find(tx, by.account)?.ok_or(PlatformError::Missing("account"))?,
            assistant: assistants::of_new(&assistant, id, by.now),
            unconfined: UnconfinedTools::default(),
            instructions: instructions.iter().map(|new| unstored(by, new)).collect(),
            recent: memories::recent(tx, by.account)?,
        })
    };
    let draft = caller.read(load).await?;
    // A model call that has begun is paid for, so it is settled even if the caller does not wait for it.
    let replying = tokio::spawn(async move { trial::reply(&agent, draft, told(messages), principal).await });
    let replied = replying.await.map_err(|_| Failure::internal())?;
    Ok(Data(replied.map_err(Failure::from)?))
}

/// An instruction as if it was in the library.
fn unstored(by: &By, new: &NewInstruction) -> Instruction {
    Instruction {
        id: by.new_id(),
        title: new.title.to_string(),
        body: new.body.to_string(),
        created_at: by.now,
        updated_at: by.now,
    }
}

fn in_assistant(error: AssistantError) -> AssistantError {
    match error {
        AssistantError::Invalid(found) => {
            let mut problems = Problems::new();
            FieldPath::root().field("assistant", |at| problems.adopt(at, found));
            AssistantError::Invalid(problems)
        }
        other => other,
    }
}
