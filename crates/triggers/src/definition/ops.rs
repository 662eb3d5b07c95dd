//! Creates and replaces definitions.

use frontdesk_agent::assistants::{self, AssistantError};
use frontdesk_agent::instructions::{self, InstructionId, InstructionPatch};
use frontdesk_db::Tx;
use frontdesk_kernel::ids::AssistantId;
use frontdesk_platform::{By, Error as PlatformError};
use frontdesk_web::{FieldPath, Given, Problems};

use super::input::{DefinedInstruction, DefinitionChange, NewDefinition};
use super::triggers;
use super::whole::{DefinitionError, IssuedAddress, WrittenDefinition, find};
use crate::hook;
use crate::row;

/// What a definition's webhook triggers get: tokens, and the address of this installation.
#[derive(Clone)]
pub(super) struct Addresses {
    pub(super) base_url: String,
    pub(super) tokens: Vec<String>,
}

/// Creates an assistant with everything that it is.
pub(super) fn create(
    tx: &mut Tx<'_>,
    by: &By,
    new: &NewDefinition,
    addresses: &Addresses,
) -> Result<WrittenDefinition, DefinitionError> {
    let id = assistants::create(tx, by, &new.assistant).map_err(in_assistant)?.id;
    write(tx, by, id, new, addresses)
}

/// Replaces everything that an assistant is, unless it was changed since the expected revision.
pub(super) fn replace(
    tx: &mut Tx<'_>,
    by: &By,
    id: AssistantId,
    change: &DefinitionChange,
    addresses: &Addresses,
) -> Result<WrittenDefinition, DefinitionError> {
    // The lock keeps other changes of the assistant out, also those by other definitions.
    assistants::hold(tx, by.account, id)?.ok_or(assistants::MISSING)?;
    let bound = assistants::bound(tx, by.account, id)?;
    let mut texts: Vec<InstructionId> = bound.iter().map(|instruction| instruction.id).collect();
    texts.sort_unstable();
    for text in texts {
        instructions::hold(tx, by.account, text)?;
    }
    for trigger in row::of_assistant(tx, by.account, id)? {
        row::hold(tx, by.account, trigger.id)?;
    }
    if let Some(expected) = &change.expected_revision {
        let now = find(tx, by.account, id)?.ok_or(assistants::MISSING)?;
        if now.revision != expected.as_str() {
            return Err(DefinitionError::Changed(expected.to_string()));
        }
    }
    write(tx, by, id, &change.definition, addresses)
}

fn write(
    tx: &mut Tx<'_>,
    by: &By,
    id: AssistantId,
    new: &NewDefinition,
    addresses: &Addresses,
) -> Result<WrittenDefinition, DefinitionError> {
    let texts = new.instructions.as_ref().map_or(&[][..], |texts| &texts.0);
    let texts = put_instructions(tx, by, texts)?;
    assistants::replace(tx, by, id, &new.assistant, new.unconfined_tools.as_ref(), &texts)
        .map_err(in_assistant)?;
    let held = row::of_assistant(tx, by.account, id)?;
    let wanted = new.triggers.as_ref().map_or(&[][..], |wanted| &wanted.0);
    let issued = triggers::replace(tx, by, id, &held, wanted, &addresses.tokens)?;
    let definition = find(tx, by.account, id)?.ok_or(assistants::MISSING)?;
    let webhook_urls = issued.into_iter().map(|(trigger_id, token)| IssuedAddress {
        trigger_id,
        webhook_url: hook::url(&addresses.base_url, &token),
    });
    Ok(WrittenDefinition { definition, webhook_urls: webhook_urls.collect() })
}

/// The instructions of the library with these texts, in order.
fn put_instructions(
    tx: &mut Tx<'_>,
    by: &By,
    wanted: &[DefinedInstruction],
) -> Result<Vec<InstructionId>, DefinitionError> {
    let mut problems = Problems::new();
    for (index, one) in wanted.iter().enumerate() {
        let path = |field: &str| format!("definition.instructions.{index}.{field}");
        let before = &wanted[..index];
        if one.id.is_some() && before.iter().any(|other| other.id == one.id) {
            problems.add(path("id"), "must be named once");
        } else if before.iter().any(|other| (&other.title, &other.body) == (&one.title, &one.body)) {
            problems.add(path("body"), "must not be the same as that of another instruction with this title");
        } else if let Some(id) = one.id
            && instructions::find(tx, by.account, id)?.is_none()
        {
            problems.add(path("id"), "must be an instruction of this account");
        }
    }
    if !problems.is_empty() {
        return Err(DefinitionError::Invalid(problems));
    }
    let mut ids: Vec<Option<InstructionId>> = wanted.iter().map(|one| one.id).collect();
    for (at, one) in wanted.iter().enumerate() {
        let text = one.text();
        if let Some(id) = one.id {
            let before =
                instructions::hold(tx, by.account, id)?.ok_or(PlatformError::Missing("instruction"))?;
            if (before.title.as_str(), before.body.as_str()) != (text.title.as_str(), text.body.as_str()) {
                let patch =
                    InstructionPatch { title: Given::Value(text.title), body: Given::Value(text.body) };
                instructions::patch(tx, by, id, &patch)?;
            }
            continue;
        }
        let same = instructions::with_text(tx, by.account, &text)?.filter(|same| !ids.contains(&Some(*same)));
        ids[at] = Some(match same {
            Some(id) => id,
            None => instructions::create(tx, by, &text)?.id,
        });
    }
    Ok(ids.into_iter().flatten().collect())
}

/// What is wrong with the settings, at their path in the request.
fn in_assistant(error: AssistantError) -> DefinitionError {
    let found = match error {
        AssistantError::Invalid(problems) => problems,
        AssistantError::Platform(PlatformError::Missing("member")) => {
            Problems::one("default_handoff_user_id", "must be a member of this account")
        }
        other => return other.into(),
    };
    let mut problems = Problems::new();
    FieldPath::root().field("definition", |at| at.field("assistant", |at| problems.adopt(at, found)));
    DefinitionError::Invalid(problems)
}
