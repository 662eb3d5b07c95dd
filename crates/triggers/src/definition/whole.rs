//! The definition, its revision, and why it is not replaced.

use frontdesk_agent::assistants::{self, Assistant, AssistantError};
use frontdesk_agent::ids::TriggerId;
use frontdesk_agent::instructions::{Instruction, InstructionId};
use frontdesk_agent::tools;
use frontdesk_db::{self as db, ReadTx};
use frontdesk_kernel::ids::{AccountId, AssistantId};
use frontdesk_kernel::{Timestamp, hex};
use frontdesk_platform::Error as PlatformError;
use frontdesk_web::example::{self, Example};
use frontdesk_web::{Failure, Problems, resource};
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::input::NewDefinition;
use crate::ops::of_new;
use crate::row;
use crate::trigger::{Trigger, TriggerError};

/// Fields that change without a change of the definition, or that say whose it is.
const NOT_DEFINED: [&str; 6] =
    ["created_at", "updated_at", "assistant_id", "instruction_count", "last_fired_at", "last_error"];

resource! {
    /// Everything that an assistant is: its settings, the instructions that it follows, and its triggers.
    pub struct Definition {
        /// Changes whenever something else in the definition does.
        pub revision: String,
        pub assistant: Assistant,
        /// Tools that reach the whole account in a confined run.
        pub unconfined_tools: Vec<String>,
        /// In order.
        pub instructions: Vec<Instruction>,
        /// Those of the instructions that other assistants follow too.
        pub shared_instruction_ids: Vec<InstructionId>,
        /// Oldest first.
        pub triggers: Vec<Trigger>,
    }
}

resource! {
    /// A definition that was stored, and the addresses of its new webhook triggers.
    pub struct WrittenDefinition {
        pub definition: Definition,
        /// The addresses of webhook triggers that did not have one. They are shown once.
        pub webhook_urls: Vec<IssuedAddress>,
    }
}

resource! {
    /// The address of a webhook trigger.
    pub struct IssuedAddress {
        pub trigger_id: TriggerId,
        /// The address that fires the trigger. It is shown once.
        pub webhook_url: String,
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum DefinitionError {
    #[error(transparent)]
    Assistant(#[from] AssistantError),
    #[error(transparent)]
    Trigger(#[from] TriggerError),
    #[error("the definition names what is not in this account, or does not fit together")]
    Invalid(Problems),
    #[error("the assistant was changed since revision {0}")]
    Changed(String),
}

impl From<db::Error> for DefinitionError {
    fn from(error: db::Error) -> Self {
        Self::Assistant(error.into())
    }
}

impl From<PlatformError> for DefinitionError {
    fn from(error: PlatformError) -> Self {
        Self::Assistant(error.into())
    }
}

impl From<DefinitionError> for Failure {
    fn from(error: DefinitionError) -> Self {
        match error {
            DefinitionError::Assistant(error) => error.into(),
            DefinitionError::Trigger(error) => error.into(),
            DefinitionError::Invalid(problems) => Self::validation(problems),
            DefinitionError::Changed(expected) => Self::conflict(format!(
                "This assistant was changed since revision {expected}. Get its definition, and send yours again with its \
                 revision."
            ))
            .because("changed_meanwhile"),
        }
    }
}

impl Definition {
    /// What a new definition would be, with ids and times that mean nothing.
    pub fn of_new(new: &NewDefinition) -> Self {
        let (assistant, now) = (AssistantId::from_uuid(Uuid::nil()), Timestamp::from_millis(0));
        let instructions = new.instructions.iter().flat_map(|instructions| &instructions.0);
        let triggers = new.triggers.iter().flat_map(|triggers| &triggers.0);
        let unconfined = new.unconfined_tools.as_ref().map(|tools| tools::names(&tools.0));
        Self {
            revision: String::new(),
            assistant: assistants::of_new(&new.assistant, assistant, now),
            unconfined_tools: unconfined.unwrap_or_default(),
            instructions: instructions
                .map(|one| Instruction {
                    id: InstructionId::from_uuid(Uuid::nil()),
                    title: one.title.to_string(),
                    body: one.body.to_string(),
                    created_at: now,
                    updated_at: now,
                })
                .collect(),
            shared_instruction_ids: Vec::new(),
            triggers: triggers
                .map(|one| of_new(&one.of_assistant(assistant), TriggerId::from_uuid(Uuid::nil()), now))
                .collect(),
        }
    }
}

/// The definition of an assistant.
pub(super) fn find(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    id: AssistantId,
) -> db::Result<Option<Definition>> {
    let Some(assistant) = assistants::find(tx, account, id)? else { return Ok(None) };
    let unconfined_tools = assistants::unconfined_tools(tx, account, id)?.names().to_vec();
    let instructions = assistants::bound(tx, account, id)?;
    let ids: Vec<InstructionId> = instructions.iter().map(|instruction| instruction.id).collect();
    let shared_instruction_ids = assistants::shared_instructions(tx, account, id, &ids)?;
    let triggers = row::of_assistant(tx, account, id)?;
    let mut definition = Definition {
        revision: String::new(),
        assistant,
        unconfined_tools,
        instructions,
        shared_instruction_ids,
        triggers,
    };
    definition.revision = revision(&definition)?;
    Ok(Some(definition))
}

fn revision(definition: &Definition) -> db::Result<String> {
    let Definition { assistant, unconfined_tools, instructions, triggers, .. } = definition;
    let whole = json!({
        "assistant": defined(assistant)?,
        "unconfined_tools": unconfined_tools,
        "instructions": instructions.iter().map(defined).collect::<db::Result<Vec<_>>>()?,
        "triggers": triggers.iter().map(defined).collect::<db::Result<Vec<_>>>()?,
    });
    Ok(hex(&Sha256::digest(whole.to_string())))
}

/// What a part of a definition is, without what happened to it.
fn defined(part: &impl Serialize) -> db::Result<Value> {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(part) else {
        return Err(db::Error::Decode("definition"));
    };
    fields.retain(|name, _| !NOT_DEFINED.contains(&name.as_str()));
    Ok(Value::Object(fields))
}

impl Example for Definition {
    fn example() -> Self {
        let mut definition = Self {
            revision: String::new(),
            assistant: Assistant::example(),
            unconfined_tools: Vec::new(),
            instructions: vec![Instruction::example()],
            shared_instruction_ids: Vec::new(),
            triggers: vec![Trigger::example()],
        };
        definition.revision = revision(&definition).unwrap_or_default();
        definition
    }
}

impl Example for WrittenDefinition {
    fn example() -> Self {
        let address = IssuedAddress {
            trigger_id: example::id(),
            webhook_url: "https://desk.example.com/api/ai/triggers/hook/token".to_owned(),
        };
        Self { definition: Definition::example(), webhook_urls: vec![address] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_changes_with_what_an_assistant_is_and_not_with_what_happened_to_it() {
        let before = Definition::example();
        let mut after = before.clone();
        let later: Timestamp = "2030-01-01T00:00:00Z".parse().unwrap();
        after.assistant.updated_at = later;
        after.assistant.instruction_count = 9;
        after.triggers[0].last_fired_at = Some(later);
        after.triggers[0].last_error = Some("segment_empty".into());
        after.instructions[0].updated_at = later;
        after.shared_instruction_ids.push(after.instructions[0].id);
        assert_eq!(revision(&after).unwrap(), before.revision);
        let changes: [fn(&mut Definition); 5] = [
            |one| one.assistant.name.push('x'),
            |one| one.unconfined_tools.push("search_contacts".into()),
            |one| one.instructions[0].body.push('x'),
            |one| one.triggers[0].goal.push('x'),
            |one| one.triggers.clear(),
        ];
        for change in changes {
            let mut changed = before.clone();
            change(&mut changed);
            assert_ne!(revision(&changed).unwrap(), before.revision);
        }
    }
}
