//! The operations that change assistants.

use frontdesk_crm::quota::TooMany;
use frontdesk_db::{ReadTx, Tx, only};
use frontdesk_inbox::answerers;
use frontdesk_kernel::ids::AssistantId;
use frontdesk_kernel::{Patch, Timestamp};
use frontdesk_platform::By;

use super::assistant::{Assistant, AssistantError, AssistantTool, HISTORY_DEFAULT, UnconfinedTools};
use super::input::{AssistantPatch, ConfinedToolNames, NewAssistant, ToolSettings};
use super::patching::{access, check_patch, patched, written};
use super::{instructions, references, row, sql, tool_settings, versions};
use crate::instructions::{Instruction, InstructionId};
use crate::tools;

/// Maximum assistants of one account.
const ASSISTANTS_MAX: i64 = 1_000;

pub fn create(tx: &mut Tx<'_>, by: &By, new: &NewAssistant) -> Result<Assistant, AssistantError> {
    let count = tx.find(sql::COUNT, &[&by.account], only)?.unwrap_or(0);
    TooMany::check("assistants", count, ASSISTANTS_MAX)?;
    check_new(tx, by, new)?;
    let id: AssistantId = by.new_id();
    let assistant = of_new(new, id, by.now);
    row::insert(tx, by.account, &assistant)?;
    answerers::put(tx, by.account, id, assistant.enabled, &assistant.targets)?;
    versions::record_first(tx, by, id)?;
    Ok(assistant)
}

/// Checks that everything that a new assistant names belongs to the account and is allowed.
pub(crate) fn check_new(tx: &mut ReadTx<'_>, by: &By, new: &NewAssistant) -> Result<(), AssistantError> {
    references::check_member(tx, by, new.default_handoff_user_id)?;
    if let Some(model) = &new.model {
        references::check_model(tx, by, model.as_str())?;
    }
    if let Some(targets) = &new.targets {
        references::check_targets(tx, by, &targets.0)?;
    }
    Ok(())
}

/// A new assistant with all of its fields.
pub fn of_new(new: &NewAssistant, id: AssistantId, now: Timestamp) -> Assistant {
    Assistant {
        id,
        name: new.name.to_string(),
        color: new.color.as_ref().map(ToString::to_string),
        enabled: new.enabled.unwrap_or(true),
        system_prompt: new.system_prompt.as_ref().map(ToString::to_string).unwrap_or_default(),
        model: new.model.as_ref().map(ToString::to_string),
        temperature: new.temperature.map(|temperature| temperature.0),
        tool_access: new.tool_access.as_ref().map(access).unwrap_or_default(),
        gated_tools: new.gated_tools.as_ref().map(|tools| tools::names(&tools.0)).unwrap_or_default(),
        delegation: new.delegation.clone().map(Into::into).unwrap_or_default(),
        schedule: new.schedule.clone().map(Into::into).unwrap_or_default(),
        default_handoff_user_id: new.default_handoff_user_id,
        history_limit: match new.history_limit {
            Patch::Keep => Some(HISTORY_DEFAULT),
            Patch::Clear => None,
            Patch::Set(limit) => Some(limit.0),
        },
        transcribe_media: new.transcribe_media.unwrap_or(false),
        handle_voice: new.handle_voice.unwrap_or(false),
        handle_images: new.handle_images.unwrap_or(false),
        voice_replies: new.voice_replies.unwrap_or(false),
        voice_provider: new.voice_provider.as_ref().map(ToString::to_string),
        voice_id: new.voice_id.as_ref().map(ToString::to_string),
        targets: new.targets.as_ref().map(written).unwrap_or_default(),
        instruction_count: 0,
        created_at: id.created_at(),
        updated_at: now,
    }
}

/// Replaces everything that an assistant is, as one change with one version. Fields that are left out get their defaults.
pub fn replace(
    tx: &mut Tx<'_>,
    by: &By,
    id: AssistantId,
    wanted: &NewAssistant,
    unconfined: Option<&ConfinedToolNames>,
    instructions: &[InstructionId],
) -> Result<(), AssistantError> {
    let unconfined = UnconfinedTools(unconfined.map(|tools| tools::names(&tools.0)).unwrap_or_default());
    versions::recorded(tx, by, id, |tx, before| {
        let known = |new: NewAssistant| NewAssistant {
            // A member who has left, and a model that is no longer allowed, may stay.
            default_handoff_user_id: new
                .default_handoff_user_id
                .filter(|member| Some(*member) != before.default_handoff_user_id),
            model: new.model.filter(|model| Some(model.as_str()) != before.model.as_deref()),
            ..new
        };
        check_new(tx, by, &known(wanted.clone()))?;
        let assistant =
            Assistant { instruction_count: before.instruction_count, ..of_new(wanted, id, by.now) };
        row::update(tx, by.account, &assistant)?;
        row::set_unconfined_tools(tx, by.account, id, &unconfined)?;
        answerers::put(tx, by.account, id, assistant.enabled, &assistant.targets)?;
        instructions::bind_known(tx, by, id, instructions)?;
        Ok(())
    })
}

pub fn patch(
    tx: &mut Tx<'_>,
    by: &By,
    id: AssistantId,
    patch: &AssistantPatch,
) -> Result<Assistant, AssistantError> {
    versions::recorded(tx, by, id, |tx, before| {
        check_patch(tx, by, &before, patch)?;
        let assistant = patched(before, patch, by.now);
        row::update(tx, by.account, &assistant)?;
        answerers::put(tx, by.account, id, assistant.enabled, &assistant.targets)?;
        Ok(assistant)
    })
}

/// Replaces the instructions that an assistant follows.
pub fn set_instructions(
    tx: &mut Tx<'_>,
    by: &By,
    id: AssistantId,
    wanted: &[InstructionId],
) -> Result<Vec<Instruction>, AssistantError> {
    versions::recorded(tx, by, id, |tx, _| instructions::bind(tx, by, id, wanted))
}

/// Replaces the tool settings of an assistant. Returns every tool with its settings.
pub(super) fn set_tools(
    tx: &mut Tx<'_>,
    by: &By,
    id: AssistantId,
    settings: &ToolSettings,
) -> Result<Vec<AssistantTool>, AssistantError> {
    let unconfined = settings.unconfined_tools.as_ref().map(|tools| tools::names(&tools.0));
    let unconfined = UnconfinedTools(unconfined.unwrap_or_default());
    versions::recorded(tx, by, id, |tx, before| {
        let assistant = Assistant {
            tool_access: access(&settings.tool_access),
            gated_tools: tools::names(&settings.gated_tools.0),
            updated_at: by.now,
            ..before
        };
        row::update(tx, by.account, &assistant)?;
        row::set_unconfined_tools(tx, by.account, id, &unconfined)?;
        Ok(tool_settings::of(&assistant, &unconfined))
    })
}

/// Deletes the row of an assistant, and with it its triggers.
pub(crate) fn delete(tx: &mut Tx<'_>, by: &By, id: AssistantId) -> Result<(), AssistantError> {
    answerers::remove(tx, by.account, id)?;
    Ok(tx.execute(sql::DELETE, &[&by.account, &id])?.exactly(1)?)
}
