//! How a broadcast is doing: its recipients by status, and why some of them failed.

use std::collections::BTreeMap;

use frontdesk_db::{self as db, Query, ReadTx};
use frontdesk_inbox::connections;
use frontdesk_inbox::messages::{SenderType, UNKNOWN_OUTCOME};
use frontdesk_inbox::sender;
use frontdesk_platform::sealing::Keyring;
use frontdesk_platform::{By, Caller, Error as PlatformError, members};
use frontdesk_web::{Data, Path, Result, resource};

use crate::broadcast::{BroadcastId, MISSING};
use crate::changes::{self, TEMPORARY_REASONS};
use crate::recipients::{FailureReason, RecipientStatus, State};
use crate::row::{self, StoredBroadcast};

/// Maximum reasons that are shown, the most frequent first.
const REASONS_MAX: usize = 20;
/// The reason of failures whose reason was erased with their contact.
const NO_REASON: &str = "unknown";

resource! {
    /// How a broadcast is doing.
    pub struct BroadcastReport {
        pub statuses: RecipientCounts,
        /// Failures by reason, the most frequent first.
        pub failures: Vec<FailureCount>,
        /// Recipients that a retry would send to again.
        pub retryable: i64,
        /// Recipients that a retry with `include_unknown` would send to in addition.
        pub retryable_unknown: i64,
        /// The pace of the number that sends it; null if it is not connected.
        pub messages_per_second: Option<f64>,
        /// The member who created it; null for one that a key created.
        pub created_by: Option<String>,
    }
}

resource! {
    /// Recipients by their present status. Each is counted once.
    #[derive(Default)]
    pub struct RecipientCounts {
        pub pending: i64,
        pub sent: i64,
        pub delivered: i64,
        pub read: i64,
        pub replied: i64,
        pub failed: i64,
        pub cancelled: i64,
    }
}

resource! {
    /// Recipients that failed for the same reason.
    pub struct FailureCount {
        pub reason: String,
        /// The channel's code and message for one of them.
        pub code: String,
        pub message: String,
        pub count: i64,
        /// Whether nobody has received the message and the reason may pass.
        pub is_temporary: bool,
    }
}

pub(super) async fn report(caller: Caller, Path(id): Path<BroadcastId>) -> Result<Data<BroadcastReport>> {
    let keys = caller.services().secrets.clone();
    caller.scan(move |tx, by| look(tx, by, id, &keys)).await.map(Data)
}

fn look(
    tx: &mut ReadTx<'_>,
    by: &By,
    id: BroadcastId,
    keys: &Keyring,
) -> std::result::Result<BroadcastReport, PlatformError> {
    let broadcast = row::find(tx, by.account, id)?.ok_or(MISSING)?;
    let (statuses, failures) = count(tx, &broadcast)?;
    let has = |wanted: &dyn Fn(&FailureCount) -> bool| failures.iter().any(wanted);
    // Each is a further walk over the recipients.
    let has_temporary = has(&|failure| failure.is_temporary);
    let retryable = if has_temporary { changes::count_retryable(tx, &broadcast, false)? } else { 0 };
    let retryable_unknown = if has(&|failure| failure.reason == UNKNOWN_OUTCOME) {
        changes::count_retryable(tx, &broadcast, true)? - retryable
    } else {
        0
    };
    let connection = connections::find(tx, by.account, broadcast.connection)?;
    let connection = connection.filter(connections::StoredConnection::is_connected);
    Ok(BroadcastReport {
        statuses,
        failures: failures.into_iter().take(REASONS_MAX).collect(),
        retryable,
        retryable_unknown,
        messages_per_second: connection.map(|it| sender::per_second(&it, it.credentials(keys))),
        created_by: author(tx, &broadcast)?,
    })
}

fn author(tx: &mut ReadTx<'_>, broadcast: &StoredBroadcast) -> db::Result<Option<String>> {
    if broadcast.sender != SenderType::Agent {
        return Ok(None);
    }
    let mut members = members::list(tx, broadcast.account)?.into_iter();
    Ok(members.find(|member| member.id == broadcast.author).map(|member| member.name))
}

/// Counts the recipients in one walk over them.
fn count(
    tx: &mut ReadTx<'_>,
    broadcast: &StoredBroadcast,
) -> db::Result<(RecipientCounts, Vec<FailureCount>)> {
    let mut query = Query::new("SELECT status, CASE WHEN status = 'failed' THEN ");
    query.push(&tx.json_text("error", "reason"));
    query.push(" END AS reason, max(CASE WHEN status = 'failed' THEN error END), count(*)");
    query.push(" FROM broadcast_recipients WHERE account_id = ").bind(broadcast.account);
    query.push(" AND broadcast_id = ").bind(broadcast.id()).push(" GROUP BY 1, 2");
    let rows = tx.run(&query, |row| {
        let (state, reason): (State, Option<String>) = (row.next()?, row.next()?);
        Ok((state, reason, row.next::<Option<String>>()?, row.next::<i64>()?))
    })?;
    let mut statuses = RecipientCounts::default();
    let mut failures: BTreeMap<String, FailureCount> = BTreeMap::new();
    for (state, reason, error, count) in rows {
        let status = state.public();
        *statuses.of(status) += count;
        if status == RecipientStatus::Failed {
            let reason = reason.unwrap_or_else(|| NO_REASON.to_owned());
            let one = error.as_deref().and_then(FailureReason::stored);
            let (code, message) = one.map(|one| (one.code, one.message)).unwrap_or_default();
            let is_temporary = TEMPORARY_REASONS.contains(&reason.as_str());
            failures.insert(reason.clone(), FailureCount { reason, code, message, count, is_temporary });
        }
    }
    let mut failures: Vec<FailureCount> = failures.into_values().collect();
    failures.sort_by_key(|failure| std::cmp::Reverse(failure.count));
    Ok((statuses, failures))
}

impl RecipientCounts {
    fn of(&mut self, status: RecipientStatus) -> &mut i64 {
        match status {
            RecipientStatus::Pending => &mut self.pending,
            RecipientStatus::Sent => &mut self.sent,
            RecipientStatus::Delivered => &mut self.delivered,
            RecipientStatus::Read => &mut self.read,
            RecipientStatus::Replied => &mut self.replied,
            RecipientStatus::Failed => &mut self.failed,
            RecipientStatus::Cancelled => &mut self.cancelled,
        }
    }
}
