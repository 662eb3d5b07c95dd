//! The changes of a patch: what they may name, and the assistant after them.

use std::collections::BTreeMap;

use frontdesk_db::ReadTx;
use frontdesk_kernel::{Patch, Text, Timestamp};
use frontdesk_platform::By;
use frontdesk_web::Given;

use super::assistant::{Assistant, AssistantError};
use super::input::{AssistantPatch, Targets, ToolAccess};
use super::references;
use crate::tools;

/// Checks that everything new that a patch names belongs to the account and is allowed.
pub(crate) fn check_patch(
    tx: &mut ReadTx<'_>,
    by: &By,
    before: &Assistant,
    patch: &AssistantPatch,
) -> Result<(), AssistantError> {
    if let Patch::Set(member) = patch.default_handoff_user_id
        && before.default_handoff_user_id != Some(member)
    {
        references::check_member(tx, by, Some(member))?;
    }
    if let Patch::Set(model) = &patch.model
        && before.model.as_deref() != Some(model.as_str())
    {
        references::check_model(tx, by, model.as_str())?;
    }
    if let Given::Value(targets) = &patch.targets {
        references::check_targets(tx, by, &targets.0)?;
    }
    Ok(())
}

/// The assistant after a patch.
pub(crate) fn patched(before: Assistant, patch: &AssistantPatch, now: Timestamp) -> Assistant {
    let patch = patch.clone();
    Assistant {
        name: patch.name.into_option().map_or(before.name, Text::into_string),
        color: patch.color.map(Text::into_string).apply(before.color),
        enabled: patch.enabled.apply(before.enabled),
        system_prompt: patch
            .system_prompt
            .map(Text::into_string)
            .apply(Some(before.system_prompt))
            .unwrap_or_default(),
        model: patch.model.map(Text::into_string).apply(before.model),
        temperature: patch.temperature.map(|temperature| temperature.0).apply(before.temperature),
        tool_access: patch.tool_access.as_ref().into_option().map_or(before.tool_access, access),
        gated_tools: patch
            .gated_tools
            .into_option()
            .map_or(before.gated_tools, |tools| tools::names(&tools.0)),
        delegation: patch.delegation.into_option().map_or(before.delegation, Into::into),
        schedule: patch.schedule.into_option().map_or(before.schedule, Into::into),
        default_handoff_user_id: patch.default_handoff_user_id.apply(before.default_handoff_user_id),
        history_limit: patch.history_limit.map(|limit| limit.0).apply(before.history_limit),
        transcribe_media: patch.transcribe_media.apply(before.transcribe_media),
        handle_voice: patch.handle_voice.apply(before.handle_voice),
        handle_images: patch.handle_images.apply(before.handle_images),
        voice_replies: patch.voice_replies.apply(before.voice_replies),
        voice_provider: patch.voice_provider.map(Text::into_string).apply(before.voice_provider),
        voice_id: patch.voice_id.map(Text::into_string).apply(before.voice_id),
        targets: patch.targets.as_ref().into_option().map_or(before.targets, written),
        instruction_count: before.instruction_count,
        id: before.id,
        created_at: before.created_at,
        updated_at: now,
    }
}

/// The tools that are switched on or off.
pub(super) fn access(access: &ToolAccess) -> BTreeMap<String, bool> {
    access.0.iter().cloned().collect()
}

/// Targets as they are stored.
pub(super) fn written(targets: &Targets) -> Vec<String> {
    targets.0.iter().map(ToString::to_string).collect()
}
