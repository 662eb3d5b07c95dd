//! The last calls of a webhook trigger's address.
//!
//! A call that starts a run, or that a firing refuses, is stored in its own transaction. Other calls are noted in memory and stored
//! together (`refused_calls`). The newest rows of a trigger are kept for [`CALL_DAYS`]. The address's token is in none of them.

use frontdesk_agent::ids::{RunId, TriggerId};
use frontdesk_crm::contacts::ContactId;
use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Timestamp, storable};
use frontdesk_platform::export::ExportedRows;
use frontdesk_platform::{PublicRequest, export_columns};
use frontdesk_web::example::{self, Example};
use frontdesk_web::{choice, resource};
use http::header::CONTENT_LENGTH;

use crate::trigger::{MISSING, TriggerError, TriggerKind};
use crate::{row, sql};

/// Days for which calls are kept.
pub const CALL_DAYS: i64 = 30;
/// Rows of a trigger that are kept: the newest.
const CALLS_KEPT_MAX: i64 = 50;
/// The stored part of a body.
const BODY_SNIPPET_BYTES_MAX: usize = 1024;
/// Expired rows deleted in one transaction.
const FORGET_ROWS_MAX: i64 = 1_000;
/// Stands for the address's token, should a body contain it.
const HIDDEN_TOKEN: &str = "[token]";

pub(crate) type TriggerCallId = Id<TriggerCall>;

choice! {
    /// What a call of a trigger's address came to: a run was started; none was, and `error` says why; the call repeats one that
    /// was made before; the trigger was disabled; the address was called too often; the body is no JSON, or the call's id is
    /// invalid or was used for another body; the body is too large; the server failed.
    pub enum CallOutcome {
        Started => "started",
        NotStarted => "not_started",
        Repeated => "repeated",
        Disabled => "disabled",
        RateLimited => "rate_limited",
        Invalid => "invalid",
        TooLarge => "too_large",
        Failed => "failed",
    }
}

frontdesk_db::text_column!(CallOutcome);

resource! {
    /// A call of a webhook trigger's address, or several within a minute that were refused or repeated in the same way.
    pub struct TriggerCall {
        pub id: TriggerCallId,
        pub outcome: CallOutcome,
        /// The HTTP status of the response.
        pub status_code: i64,
        /// The code of what was wrong, as in the response.
        pub error: Option<String>,
        /// The run that was started.
        pub run_id: Option<RunId>,
        /// How many calls this is. The fields below are those of the last one.
        pub count: i64,
        pub last_called_at: Timestamp,
        /// The caller's IP address, if it is known.
        pub address: Option<String>,
        /// The size of the body. If the body was not read, the size that the caller declared.
        pub body_bytes: Option<i64>,
        /// The first 1 KB of the body, of a firing or if it is no JSON. It is erased with the contact that it named, as the
        /// address is.
        pub body: Option<String>,
        /// When the first of these calls was made.
        pub created_at: Timestamp,
    }
}

/// Calls of triggers' addresses.
pub(crate) const EXPORTED: ExportedRows = ExportedRows::new(
    "trigger_calls",
    &["trigger_calls"],
    export_columns!(
        "id": TriggerCallId, "trigger_id": TriggerId, "outcome": CallOutcome, "status_code": i64, "error": Option<String>,
        "run_id": Option<RunId>, "contact_id": Option<ContactId>, "count": i64, "last_called_at": Timestamp,
        "address": Option<String>, "body_bytes": Option<i64>, "body": Option<String>,
    ),
)
.of_contact("t.contact_id = {contact}");

/// What is stored of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Received {
    address: Option<String>,
    body_bytes: Option<i64>,
    body: Option<String>,
}

impl Received {
    /// A request whose body has not been read.
    pub(crate) fn head(request: &PublicRequest) -> Self {
        Self {
            address: request.address.map(|address| address.to_canonical().to_string()),
            body_bytes: request.header(CONTENT_LENGTH.as_str()).and_then(|length| length.parse().ok()),
            body: None,
        }
    }

    /// Adds the body. A caller may have put the address, and so the token, into it.
    pub(crate) fn read(&mut self, body: &[u8], token: &str) {
        self.body_bytes = Some(body.len() as i64);
        let text = String::from_utf8_lossy(body).replace(token, HIDDEN_TOKEN);
        self.body = storable::beginning(text.as_bytes(), BODY_SNIPPET_BYTES_MAX);
    }

    /// Leaves out a body that may name a contact. A row of refused calls is not found when the contact is erased.
    pub(crate) fn drop_body(&mut self) {
        self.body = None;
    }
}

#[cfg(test)]
impl Received {
    pub(crate) fn nothing() -> Self {
        Self { address: None, body_bytes: None, body: None }
    }
}

/// A row to store.
#[derive(Clone, Debug)]
pub(crate) struct CallRow {
    pub(crate) id: TriggerCallId,
    pub(crate) outcome: CallOutcome,
    pub(crate) status_code: i64,
    pub(crate) error: Option<&'static str>,
    pub(crate) run: Option<RunId>,
    pub(crate) contact: Option<ContactId>,
    pub(crate) count: i64,
    pub(crate) last_called_at: Timestamp,
    pub(crate) received: Received,
}

/// Stores a call of a trigger that this transaction has locked, and drops the oldest.
pub(crate) fn store(
    tx: &mut Tx<'_>,
    account: AccountId,
    trigger: TriggerId,
    call: CallRow,
) -> db::Result<()> {
    let CallRow { id, outcome, status_code, error, run, contact, count, last_called_at, received } = call;
    let Received { address, body_bytes, body } = received;
    let params: Vec<db::OwnedParam> = vec![
        Box::new(account),
        Box::new(trigger),
        Box::new(id),
        Box::new(outcome),
        Box::new(status_code),
        Box::new(error.map(ToOwned::to_owned)),
        Box::new(run),
        Box::new(contact),
        Box::new(count),
        Box::new(last_called_at),
        Box::new(address),
        Box::new(body_bytes),
        Box::new(body),
    ];
    tx.insert_along(Query::whole(sql::STORE_CALL, params))?;
    let dropped: Vec<db::OwnedParam> = vec![Box::new(account), Box::new(trigger), Box::new(CALLS_KEPT_MAX)];
    tx.execute_along(Query::whole(sql::DROP_OLDEST_CALLS, dropped))
}

/// The newest calls of a webhook trigger, newest first.
pub(crate) fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    id: TriggerId,
) -> Result<Vec<TriggerCall>, TriggerError> {
    let trigger = row::find(tx, account, id)?.ok_or(MISSING)?;
    if trigger.kind != TriggerKind::Webhook {
        return Err(TriggerError::NotAWebhook);
    }
    Ok(tx.query(sql::CALLS, &[&account, &id, &CALLS_KEPT_MAX], read)?)
}

fn read(row: &mut Row<'_>) -> db::Result<TriggerCall> {
    let id: TriggerCallId = row.next()?;
    Ok(TriggerCall {
        id,
        outcome: row.next()?,
        status_code: row.next()?,
        error: row.next()?,
        run_id: row.next()?,
        count: row.next()?,
        last_called_at: row.next()?,
        address: row.next()?,
        body_bytes: row.next()?,
        body: row.next()?,
        created_at: id.created_at(),
    })
}

/// Deletes some of an account's calls from before a moment; true if there may be more.
pub fn forget(tx: &mut Tx<'_>, account: AccountId, before: Timestamp) -> db::Result<bool> {
    let params: &[&dyn db::Param] = &[&account, &TriggerCallId::first_at(before), &FORGET_ROWS_MAX];
    Ok(tx.execute(sql::FORGET_CALLS, params)?.rows() >= FORGET_ROWS_MAX as u64)
}

impl Example for TriggerCall {
    fn example() -> Self {
        Self {
            id: example::id(),
            outcome: CallOutcome::Started,
            status_code: 202,
            error: None,
            run_id: Some(example::id()),
            count: 1,
            last_called_at: example::MOMENT,
            address: Some("203.0.113.7".into()),
            body_bytes: Some(15),
            body: Some(r#"{ "order": 42 }"#.into()),
            created_at: example::MOMENT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_stored_up_to_a_kilobyte_and_without_the_token() {
        let token = "t".repeat(43);
        let read = |body: &[u8]| {
            let mut received = Received::nothing();
            received.read(body, &token);
            received
        };
        let seen = read(format!(r#"{{"callback":"https://desk.example/hook/{token}"}}"#).as_bytes());
        assert_eq!(seen.body.as_deref(), Some(r#"{"callback":"https://desk.example/hook/[token]"}"#));
        assert_eq!(seen.body_bytes, Some(84));
        // Nor is a part of it stored where the body is cut.
        let padded = [token.as_str(), &"a".repeat(1000), token.as_str()].concat();
        let kept = read(padded.as_bytes()).body.unwrap();
        assert!(!kept.contains("tt") && kept.len() <= BODY_SNIPPET_BYTES_MAX, "{kept}");
        assert_eq!(read(&[0xff, 0, b'a']).body.as_deref(), Some("\u{FFFD}\u{FFFD}a"));
        assert_eq!(read(b"").body, None);
    }
}
