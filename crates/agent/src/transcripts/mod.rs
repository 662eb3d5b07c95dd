//! Transcripts of voice notes and descriptions of photos, made in the background for assistants with `transcribe_media`.
//!
//! The text becomes the text of a message that has none, so that the inbox shows it, and it goes into the prompts of
//! runs. A file is read once, whoever asks. The model call counts against the account's budget. When the budget has
//! no room for the call, nothing is read.

mod reading;
mod sql;
mod worker;

use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_inbox::answerers;
use frontdesk_inbox::connections::{Channel, ConnectionId};
use frontdesk_inbox::media::MediaId;
use frontdesk_inbox::messages::{MessageId, MessageType};
use frontdesk_kernel::ids::{AccountId, AssistantId};
use frontdesk_platform::By;
use frontdesk_platform::export::{Exported, ExportedRows};
use frontdesk_platform::export_columns;

pub(crate) use reading::{transcribe, transcription_model};
pub use worker::start;

pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "media_transcripts",
    &["media_transcripts"],
    export_columns!("media_id": MediaId, "text": String),
)
.keyed(&["t.media_id"])
.of_contact(
    "t.media_id IN (SELECT m.media_id FROM conversations v
        JOIN messages m ON m.account_id = v.account_id AND m.conversation_id = v.id
        WHERE v.account_id = {account} AND v.contact_id = {contact} AND m.media_id IS NOT NULL)",
)];

/// The topic that wakes the worker.
const QUEUED: db::Topic = "transcriptions";

/// Every statement of transcripts, by name.
pub(crate) fn statements() -> Vec<(&'static str, &'static str)> {
    [sql::STATEMENTS, &sql::ROWS.statements()].concat()
}

/// The files that wait to be read.
pub(crate) use sql::BACKLOG;

/// The statement that runs only on PostgreSQL.
pub(crate) const fn postgres_statement() -> (&'static str, &'static str) {
    sql::ROWS.postgres_statement()
}

struct Wanted {
    assistant: AssistantId,
    targets: String,
    channel: Channel,
    connection: ConnectionId,
    media: MediaId,
}

/// Queues the media of a customer's message, if an assistant with a matching target wants it read.
pub(crate) fn received(tx: &mut Tx<'_>, by: &By, message: MessageId, kind: MessageType) -> db::Result<()> {
    if !matches!(kind, MessageType::Audio | MessageType::Image) {
        return Ok(());
    }
    let Some(wanted) = wanted(tx, by.account, message)? else { return Ok(()) };
    let params: &[&dyn db::Param] =
        &[&by.account, &message, &wanted.media, &wanted.assistant, &kind, &by.now];
    tx.execute(sql::QUEUE, params)?.exactly(1)?;
    tx.wake_about(QUEUED, by.account.uuid());
    Ok(())
}

/// The oldest assistant that wants the media of a message transcribed or described.
fn wanted(tx: &mut ReadTx<'_>, account: AccountId, message: MessageId) -> db::Result<Option<Wanted>> {
    let found = tx.query(sql::WANTED, &[&account, &message], |row| {
        Ok(Wanted {
            assistant: row.next()?,
            targets: row.next()?,
            channel: row.next()?,
            connection: row.next()?,
            media: row.next()?,
        })
    })?;
    let is_target = |one: &Wanted| {
        let targets: Vec<String> = serde_json::from_str(&one.targets).unwrap_or_default();
        targets.iter().any(|target| answerers::is_met(target, one.channel, one.connection))
    };
    Ok(found.into_iter().find(is_target))
}

/// Stores the transcript or description of media. The first text is kept, and erased media gets none.
pub(crate) fn keep(tx: &mut Tx<'_>, account: AccountId, media: MediaId, text: &str) -> db::Result<()> {
    let _known_or_erased_is_fine = tx.execute(sql::KEEP, &[&account, &media, &text])?;
    Ok(())
}
