//! What an export has of runs: the timeline, and the runs.

use std::collections::HashMap;

use frontdesk_db::{self as db, Query, ReadTx};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_platform::export::{Exported, ExportedRows, LineFields, line_with};
use frontdesk_platform::export_columns;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::event::RunEventId;
use super::row;
use super::run::Run;
use super::status::Origin;
use crate::ids::RunId;

pub(crate) const EXPORTED: &[&dyn Exported] = &[
    &ExportedRows::new(
        "run_events",
        &["run_events"],
        export_columns!("run_id": RunId, "id": RunEventId, "type": String, "data": Box<RawValue>),
    )
    .keyed(&["t.run_id", "t.id"])
    .of_contact(
        "t.run_id IN (SELECT r.id FROM runs r WHERE r.account_id = {account} AND r.contact_id = {contact})",
    ),
    &ExportedRows::found("runs", &["runs"], find).of_contact("t.contact_id = {contact}"),
];

/// What the API does not show of a run: the root of its tree, what started it, and for whom it acts.
type Origins = HashMap<RunId, (RunId, Origin, UserId)>;

fn find(tx: &mut ReadTx<'_>, account: AccountId, ids: &[Uuid]) -> db::Result<Vec<String>> {
    let wanted: Vec<RunId> = ids.iter().copied().map(RunId::from_uuid).collect();
    let mut query =
        Query::new("SELECT id, root_run_id, origin, author_user_id FROM runs WHERE account_id = ");
    query.bind(account).push(" AND id IN ").bind_list(ids);
    let origins: Vec<(RunId, (RunId, Origin, UserId))> =
        tx.run(&query, |row| Ok((row.next()?, (row.next()?, row.next()?, row.next()?))))?;
    let mut origins: Origins = origins.into_iter().collect();
    let line = |run: Run| {
        let mut more = LineFields::default();
        if let Some((root, origin, author)) = origins.remove(&run.id) {
            more = more
                .with("root_run_id", &root)?
                .with("origin", &origin.as_str())?
                .with("author_user_id", &author)?;
        }
        line_with(&run, more)
    };
    row::find_many(tx, account, &wanted)?.into_iter().map(line).collect()
}
