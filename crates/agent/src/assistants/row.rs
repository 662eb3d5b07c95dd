//! Reads and writes the rows of assistants.

use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_kernel::ids::{AccountId, AssistantId};
use frontdesk_platform::listing::newest_first;
use frontdesk_web::Page;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::assistant::{Assistant, UnconfinedTools};
use super::sql::{self, columns};

pub fn find(tx: &mut ReadTx<'_>, account: AccountId, id: AssistantId) -> db::Result<Option<Assistant>> {
    tx.find(sql::FIND, &[&account, &id], read)
}

/// Prefetches an assistant. PostgreSQL returns it with the next statement.
pub(crate) fn expect(tx: &mut ReadTx<'_>, account: AccountId, id: AssistantId) -> db::Result<()> {
    tx.prefetch(Query::whole(sql::FIND, vec![Box::new(account), Box::new(id)]))
}

/// The tools of an assistant that reach the whole account in a confined run. None for an assistant that is gone.
pub fn unconfined_tools(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    id: AssistantId,
) -> db::Result<UnconfinedTools> {
    let found = tx.find(sql::UNCONFINED_TOOLS, &[&account, &id], json)?;
    Ok(UnconfinedTools(found.unwrap_or_default()))
}

/// Prefetches them. PostgreSQL returns them with the next statement.
pub(crate) fn expect_unconfined_tools(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    id: AssistantId,
) -> db::Result<()> {
    tx.prefetch(Query::whole(sql::UNCONFINED_TOOLS, vec![Box::new(account), Box::new(id)]))
}

pub(super) fn set_unconfined_tools(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: AssistantId,
    tools: &UnconfinedTools,
) -> db::Result<()> {
    tx.execute(sql::SET_UNCONFINED_TOOLS, &[&account, &id, &written(&tools.0)?])?.exactly(1)
}

/// An assistant, locked until the transaction ends.
pub fn find_to_change(tx: &mut Tx<'_>, account: AccountId, id: AssistantId) -> db::Result<Option<Assistant>> {
    tx.find_to_change(sql::FIND, &[&account, &id], read)
}

pub fn list(tx: &mut ReadTx<'_>, account: AccountId, page: &Page) -> db::Result<Vec<Assistant>> {
    let mut query = Query::new(columns!());
    query.bind(account);
    newest_first(&mut query, page);
    tx.run(&query, read)
}

/// Every assistant of the account, the newest first. Their number is limited.
pub fn list_all(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Vec<Assistant>> {
    tx.query(sql::LIST_ALL, &[&account], read)
}

pub(super) fn insert(tx: &mut Tx<'_>, account: AccountId, assistant: &Assistant) -> db::Result<()> {
    write(tx, sql::INSERT, account, assistant)
}

pub(super) fn update(tx: &mut Tx<'_>, account: AccountId, assistant: &Assistant) -> db::Result<()> {
    write(tx, sql::UPDATE, account, assistant)
}

fn write(tx: &mut Tx<'_>, statement: &str, account: AccountId, assistant: &Assistant) -> db::Result<()> {
    let params: &[&dyn db::Param] = &[
        &account,
        &assistant.id,
        &assistant.name,
        &assistant.color,
        &assistant.enabled,
        &assistant.system_prompt,
        &assistant.model,
        &assistant.temperature,
        &written(&assistant.tool_access)?,
        &written(&assistant.gated_tools)?,
        &written(&assistant.delegation)?,
        &written(&assistant.schedule)?,
        &assistant.default_handoff_user_id,
        &assistant.history_limit,
        &assistant.transcribe_media,
        &assistant.handle_voice,
        &assistant.handle_images,
        &assistant.voice_replies,
        &assistant.voice_provider,
        &assistant.voice_id,
        &written(&assistant.targets)?,
        &assistant.instruction_count,
        &assistant.updated_at,
    ];
    tx.execute(statement, params)?.exactly(1)
}

fn written(value: &impl Serialize) -> db::Result<String> {
    serde_json::to_string(value).map_err(|_| db::Error::Decode("assistant"))
}

fn json<T: DeserializeOwned>(row: &mut Row<'_>) -> db::Result<T> {
    let text: String = row.next()?;
    serde_json::from_str(&text).map_err(|_| db::Error::Decode("assistant"))
}

pub(super) fn read(row: &mut Row<'_>) -> db::Result<Assistant> {
    let id: AssistantId = row.next()?;
    Ok(Assistant {
        id,
        name: row.next()?,
        color: row.next()?,
        enabled: row.next()?,
        system_prompt: row.next()?,
        model: row.next()?,
        temperature: row.next()?,
        tool_access: json(row)?,
        gated_tools: json(row)?,
        delegation: json(row)?,
        schedule: json(row)?,
        default_handoff_user_id: row.next()?,
        history_limit: row.next()?,
        transcribe_media: row.next()?,
        handle_voice: row.next()?,
        handle_images: row.next()?,
        voice_replies: row.next()?,
        voice_provider: row.next()?,
        voice_id: row.next()?,
        targets: json(row)?,
        instruction_count: row.next()?,
        created_at: id.created_at(),
        updated_at: row.next()?,
    })
}
