//! The timeline of a run: every step, written before the next begins.

use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_platform::By;
use frontdesk_platform::listing::newest_first;
use frontdesk_web::example::{self, Example};
use frontdesk_web::{Page, choice, filters, resource};
use serde_json::Value;
use serde_json::value::RawValue;

use super::sql;
use crate::ids::RunId;

choice! {
    /// What happened in a run.
    pub enum RunEventType {
        Started => "started",
        ModelCalled => "model_called",
        ToolCalled => "tool_called",
        ToolReturned => "tool_returned",
        AskRaised => "ask_raised",
        AskAnswered => "ask_answered",
        MessageSent => "message_sent",
        MemoryWritten => "memory_written",
        Delegated => "delegated",
        HandedOff => "handed_off",
        Finished => "finished",
        Failed => "failed",
        Cancelled => "cancelled",
    }
}

db::text_column!(RunEventType);

pub type RunEventId = Id<RunEvent>;

resource! {
    /// A step of a run.
    pub struct RunEvent {
        pub id: RunEventId,
        pub run_id: RunId,
        pub r#type: RunEventType,
        /// What belongs to the step, such as a tool's arguments or what a call of the model cost.
        pub data: Box<RawValue>,
        pub created_at: Timestamp,
    }
}

filters! {
    /// Which steps to list.
    pub struct RunEventFilters {
        pub r#type: Option<RunEventType>,
    }
}

/// An entry of the run's timeline.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Logged {
    pub(crate) kind: RunEventType,
    pub(crate) data: Value,
}

/// Writes a step to the timeline.
pub(crate) fn log(tx: &mut Tx<'_>, by: &By, run: RunId, logged: &Logged) -> db::Result<()> {
    let id: RunEventId = by.new_id();
    let params: Vec<db::OwnedParam> = vec![
        Box::new(by.account),
        Box::new(run),
        Box::new(id),
        Box::new(logged.kind),
        Box::new(logged.data.to_string()),
    ];
    tx.insert_along(Query::whole(sql::INSERT_EVENT, params))
}

pub(super) fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    run: RunId,
    filters: &RunEventFilters,
    page: &Page,
) -> db::Result<Vec<RunEvent>> {
    let mut query = Query::new("SELECT id, run_id, type, data FROM run_events WHERE account_id = ");
    query.bind(account).push(" AND run_id = ").bind(run);
    if let Some(kind) = filters.r#type {
        query.push(" AND type = ").bind(kind);
    }
    newest_first(&mut query, page);
    tx.run(&query, read)
}

/// Steps after a known one, oldest first, for callers that follow a run.
pub fn after(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    run: RunId,
    known: Option<RunEventId>,
) -> db::Result<Vec<RunEvent>> {
    let mut query = Query::new("SELECT id, run_id, type, data FROM run_events WHERE account_id = ");
    query.bind(account).push(" AND run_id = ").bind(run);
    if let Some(known) = known {
        query.push(" AND id > ").bind(known);
    }
    query.push(" ORDER BY id");
    tx.run(&query, read)
}

fn read(row: &mut Row<'_>) -> db::Result<RunEvent> {
    let id: RunEventId = row.next()?;
    Ok(RunEvent {
        id,
        run_id: row.next()?,
        r#type: row.next()?,
        data: row.next()?,
        created_at: id.created_at(),
    })
}

impl Example for RunEvent {
    fn example() -> Self {
        let data = r#"{"call_id":"call_1","tool":"get_contact","arguments":{}}"#;
        Self {
            id: example::id(),
            run_id: example::id(),
            r#type: RunEventType::ToolCalled,
            data: RawValue::from_string(data.to_owned()).expect("it is JSON"),
            created_at: example::MOMENT,
        }
    }
}
