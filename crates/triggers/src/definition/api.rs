//! The routes of definitions.

use frontdesk_crm::token;
use frontdesk_kernel::Scope;
use frontdesk_kernel::ids::AssistantId;
use frontdesk_platform::{Caller, Error as PlatformError, Route};
use frontdesk_web::{Body, Data, Path, Result};
use http::StatusCode;

use super::input::{DefinitionChange, NewDefinition};
use super::ops::{self, Addresses};
use super::whole::{self, Definition, WrittenDefinition};
use crate::trigger::TriggerKind;

pub(crate) fn routes() -> Vec<Route> {
    const UNPROCESSABLE: &[StatusCode] = &[StatusCode::UNPROCESSABLE_ENTITY];
    const REFUSED: &[StatusCode] = &[StatusCode::CONFLICT, StatusCode::UNPROCESSABLE_ENTITY];
    let routes = vec![
        Route::get("/assistants/{id}/definition", "getAssistantDefinition", get)
            .scope(Scope::AssistantsRead)
            .fresh()
            .summary("Get everything that an assistant is")
            .notes("Its settings, the texts that it follows and its triggers, with a revision."),
        Route::put("/assistants/{id}/definition", "replaceAssistantDefinition", replace)
            .scope(Scope::AssistantsWrite)
            .fails(REFUSED)
            .summary("Replace everything that an assistant is")
            .notes(
                "In one transaction. An assistant that was changed since `expected_revision` is a 409 with the reason \
                 `changed_meanwhile`. Triggers that are not named are deleted. Instructions that are not named stay in the \
                 library, and the assistant does not follow them any more.",
            ),
        Route::post("/assistants/definition", "createAssistantDefinition", create)
            .scope(Scope::AssistantsWrite)
            .created()
            .idempotent()
            .sealed()
            .fails(UNPROCESSABLE)
            .summary("Create an assistant with everything that it is")
            .notes("Its settings, the texts that it follows and its triggers, in one transaction."),
    ];
    routes.into_iter().map(|route| route.tag("Assistants")).collect()
}

async fn get(caller: Caller, Path(id): Path<AssistantId>) -> Result<Data<Definition>> {
    let found = caller
        .read(move |tx, by| whole::find(tx, by.account, id)?.ok_or(PlatformError::Missing("assistant")));
    found.await.map(Data)
}

async fn replace(
    caller: Caller,
    Path(id): Path<AssistantId>,
    Body(change): Body<DefinitionChange>,
) -> Result<Data<WrittenDefinition>> {
    let addresses = addresses(&caller, &change.definition);
    caller.write(move |tx, by| ops::replace(tx, by, id, &change, &addresses)).await.map(Data)
}

async fn create(caller: Caller, Body(new): Body<NewDefinition>) -> Result<Data<WrittenDefinition>> {
    let addresses = addresses(&caller, &new);
    caller.write(move |tx, by| ops::create(tx, by, &new, &addresses)).await.map(Data)
}

/// A token for each webhook trigger, which it gets if it has no address.
#[expect(clippy::disallowed_methods, reason = "secrets")]
fn addresses(caller: &Caller, new: &NewDefinition) -> Addresses {
    let triggers = new.triggers.iter().flat_map(|triggers| &triggers.0);
    let webhooks = triggers.filter(|trigger| trigger.kind == TriggerKind::Webhook);
    let tokens = webhooks.map(|_| token::mint(&rand::random())).collect();
    Addresses { base_url: caller.services().base_url.clone(), tokens }
}
