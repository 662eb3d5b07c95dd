//! What an export has of assistants.

use frontdesk_db::{self as db, ReadTx, only};
use frontdesk_kernel::ids::{AccountId, AssistantId, UserId};
use frontdesk_platform::export::{Exported, ExportedRows, LineFields, line_with};
use frontdesk_platform::export_columns;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::versions::VersionId;
use super::{row, sql};
use crate::instructions::InstructionId;

/// Versions of assistants, and assistants with the ids of their instructions.
pub(crate) const EXPORTED: &[&dyn Exported] = &[
    &ExportedRows::new(
        "assistant_versions",
        &["assistant_versions"],
        export_columns!(
            "assistant_id": AssistantId, "id": VersionId, "number": i64, "snapshot": Box<RawValue>, "changed": Box<RawValue>,
            "author_user_id": Option<UserId>, "restored_from": Option<i64>,
        ),
    )
    .keyed(&["t.assistant_id", "t.id"]),
    &ExportedRows::found("assistants", &["assistants", "assistant_instructions"], find),
];

fn find(tx: &mut ReadTx<'_>, account: AccountId, ids: &[Uuid]) -> db::Result<Vec<String>> {
    let mut lines = Vec::with_capacity(ids.len());
    for id in ids.iter().copied().map(AssistantId::from_uuid) {
        let Some(assistant) = row::find(tx, account, id)? else { continue };
        let bound: Vec<InstructionId> = tx.query(sql::BOUND_IDS, &[&account, &id], only)?;
        let more = LineFields::default()
            .with("unconfined_tools", &row::unconfined_tools(tx, account, id)?.0)?
            .with("instruction_ids", &bound)?;
        lines.push(line_with(&assistant, more)?);
    }
    Ok(lines)
}
