//! The endpoint where other systems fire webhook triggers: `POST /api/ai/triggers/hook/{token}`.
//!
//! The token is the credential, and only its hash is stored. The body becomes the run's input. A call that is repeated with the
//! same `Idempotency-Key` or `webhook-id` fires once.
//!
//! The body may hold words of people outside the account, so the run is confined to the contact that the body names by
//! `contact_id` or `phone` at its top. Without one, the run has no tool that reaches contacts.
//!
//! Calls per minute are limited twice. Each server counts in memory, so that a flood does not reach the database. The trigger's
//! row counts the calls that do, in the transaction that starts the run, so the limit holds for all servers together.
//!
//! The last calls can be read (`calls`). A refused call writes nothing itself: it is counted in memory (`refused_calls`).

use std::sync::Arc;
use std::time::Duration;

use frontdesk_agent::ids::{RunId, TriggerId};
use frontdesk_agent::runs::as_record;
use frontdesk_crm::contacts::{self, ContactId};
use frontdesk_crm::token;
use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Phone, Timestamp};
use frontdesk_platform::idempotency::{self, InFlight, Mark, Record};
use frontdesk_platform::limits::{PerMinute, UsedUp, seconds_left};
use frontdesk_platform::public_endpoint::{PublicResponse, nothing_here};
use frontdesk_platform::{
    By, Error as PlatformError, PublicEndpoint, PublicRequest, ServerContext, UnreadRequest, store_failure,
};
use frontdesk_web::{Failure, Reply, RequestId, Result, data_bytes};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::calls::{self, CallOutcome, CallRow, Received};
use crate::fire::{Firings, NewTriggerRun, SendWindow, send_window};
use crate::refusal::TriggerRefusal;
use crate::refused_calls::{DISABLED, Refusal, RefusedCalls};
use crate::{row, sql};

const BODY_BYTES_MAX: usize = 64 * 1024;
/// Maximum calls of one token per minute.
const CALLS_PER_MINUTE_MAX: i64 = 60;
/// Maximum tokens that a server counts per minute.
const TOKENS_COUNTED_MAX: usize = 100_000;
/// The headers that identify a call, so that a retry is recognized. The first one present is used.
const CALL_ID_HEADERS: [&str; 2] = ["idempotency-key", "webhook-id"];

/// The address of a token.
pub(crate) fn url(base_url: &str, token: &str) -> String {
    format!("{base_url}/api/ai/triggers/hook/{token}")
}

/// The hash of a token, which is all that is stored.
pub(crate) fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

struct Hooks {
    refused: Arc<RefusedCalls>,
    calls: PerMinute<[u8; 32]>,
    in_flight: InFlight,
}

/// The endpoint that other systems call.
pub(crate) fn public_endpoint(refused: Arc<RefusedCalls>) -> PublicEndpoint {
    let (calls, in_flight) = (PerMinute::new(TOKENS_COUNTED_MAX), InFlight::default());
    let hooks = Arc::new(Hooks { refused, calls, in_flight });
    PublicEndpoint::new("api", BODY_BYTES_MAX, move |server, request| {
        let hooks = hooks.clone();
        Box::pin(async move { respond(server, &hooks, request).await })
    })
}

async fn respond(server: &ServerContext, hooks: &Hooks, unread: UnreadRequest<'_>) -> Result<PublicResponse> {
    let request = &unread.head;
    let token = match request.parts::<4>() {
        Some(["ai", "triggers", "hook", token]) if token::is_shaped(token) => token.to_owned(),
        Some(["ai", "triggers", "hook", _]) => return Err(nothing_here()),
        _ => return Err(Failure::not_found("There is no such path. See /docs for those there are.")),
    };
    let (is_call, now) = (request.method == Method::POST, request.now);
    let mut received = Received::head(request);
    let responded = call(server, hooks, unread, &token, &mut received).await;
    if is_call
        && let Err(failure) = &responded
        && let Some(refusal) = Refusal::of(failure)
    {
        hooks.refused.note(hash(&token), refusal, received, || server.recorder.next(now), now);
    }
    responded
}

/// Calls the trigger of a token.
async fn call(
    server: &ServerContext,
    hooks: &Hooks,
    unread: UnreadRequest<'_>,
    token: &str,
    received: &mut Received,
) -> Result<PublicResponse> {
    let (request, hash) = (&unread.head, hash(token));
    hooks
        .calls
        .admit(hash, CALLS_PER_MINUTE_MAX, request.now)
        .map_err(|UsedUp { seconds_left }| called_too_often(seconds_left))?;
    let found = server.store.read(move |tx| {
        tx.find(sql::BY_TOKEN, &[&hash.to_vec()], |row| {
            Ok(Called { account: row.next()?, trigger: row.next()?, is_enabled: row.next()?, hash })
        })
        .map_err(PlatformError::from)
    });
    let called = found.await?.ok_or_else(nothing_here)?;
    if request.method != Method::POST {
        return Err(Failure::method_not_allowed("POST"));
    }
    if !called.is_enabled {
        return Err(disabled());
    }
    let request = unread.read().await?;
    received.read(&request.body, token);
    // Build the note before the transaction, because other writes wait for the transaction.
    let input = read(&request.body)?;
    let whole = received.clone();
    received.drop_body();
    let (_in_flight, record) = mark_in_flight(server, hooks, &called, &request)?.unzip();
    fire(server, called, input, whole, record, request.now).await.map(Into::into)
}

/// The trigger whose token was called.
#[derive(Clone, Copy)]
struct Called {
    account: AccountId,
    trigger: TriggerId,
    is_enabled: bool,
    hash: [u8; 32],
}

fn called_too_often(seconds_left: i64) -> Failure {
    let message =
        format!("This address was called too often. Wait {seconds_left} seconds, then call it again.");
    Failure::rate_limited(message, seconds_left).of_limit("trigger_calls")
}

fn disabled() -> Failure {
    Failure::conflict("This trigger is disabled. Enable it, then call again.").because(DISABLED)
}

/// What the JSON body of a call says.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Input {
    /// What tells the model about the call.
    note: String,
    contact: Option<NamedContact>,
}

/// How a body names its contact.
#[derive(Clone, Debug, PartialEq, Eq)]
enum NamedContact {
    Id(ContactId),
    Phone(Phone),
}

/// The run's input: the JSON body of the call, if there is one.
fn read(body: &[u8]) -> Result<Option<Input>> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let body = serde_json::from_slice::<Value>(body).map_err(|wrong| {
        Failure::bad_request(format!("The body is not JSON: {wrong}. Correct it and send it again."))
    })?;
    Ok(Some(Input { note: note(&body), contact: named_contact(&body) }))
}

/// The contact that a body names. `contact_id` wins over `phone`. What cannot be read names nobody.
fn named_contact(body: &Value) -> Option<NamedContact> {
    match (body["contact_id"].as_str(), body["phone"].as_str()) {
        (Some(id), _) => id.parse().ok().map(NamedContact::Id),
        (None, Some(phone)) => phone.parse().ok().map(NamedContact::Phone),
        (None, None) => None,
    }
}

/// Finds and locks the contact of a call. None when the call names nobody, or somebody who is not in the account.
fn contact_of(tx: &mut Tx<'_>, account: AccountId, input: Option<&Input>) -> db::Result<Option<ContactId>> {
    let named = match input.and_then(|input| input.contact.as_ref()) {
        Some(NamedContact::Id(id)) => Some(*id),
        Some(NamedContact::Phone(phone)) => contacts::find_by_phone(tx, account, phone)?,
        None => None,
    };
    Ok(row::hold_contacts(tx, account, named.as_slice())?.pop())
}

/// Marks a call as in flight, if a header identifies it.
fn mark_in_flight(
    server: &ServerContext,
    hooks: &Hooks,
    called: &Called,
    request: &PublicRequest,
) -> Result<Option<(Mark, Record)>> {
    let Some(name) = CALL_ID_HEADERS.iter().find_map(|name| request.headers.get(*name)) else {
        return Ok(None);
    };
    let name = idempotency::read_key(name.as_bytes())?;
    // No idempotency key of the API contains a blank, so the two cannot collide.
    let key = format!("hook {} {name}", called.trigger);
    let sent = (&request.method, request.path.as_str(), request.body.as_ref());
    let request_id = RequestId::from_uuid(server.recorder.next::<RequestId>(request.now).uuid());
    idempotency::mark(&hooks.in_flight, called.account, key, sent, &request_id, None).map(Some)
}

/// Why a call started no run.
enum HookError {
    Refused(Failure),
    Store(db::Error),
}

impl From<db::Error> for HookError {
    fn from(error: db::Error) -> Self {
        Self::Store(error)
    }
}

async fn fire(
    server: &ServerContext,
    called: Called,
    input: Option<Input>,
    received: Received,
    record: Option<Record>,
    now: Timestamp,
) -> Result<Reply> {
    let recorder = server.recorder.clone();
    let fired = server.store.write(move |tx| {
        if let Some(record) = &record {
            idempotency::enter(tx, record, now).map_err(HookError::Refused)?;
        }
        let by = By::system(called.account, now, &recorder);
        let outcome = start(tx, &by, &called, input.as_ref(), &received)?;
        let (run, error) = match outcome {
            Ok(run) => (Some(run), None),
            Err(refusal) => (None, Some(refusal.as_str())),
        };
        let body = data_bytes(&json!({ "run_id": run, "error": error }));
        if let Some(record) = &record {
            idempotency::store(tx, record, StatusCode::ACCEPTED, &body, now)?;
        }
        Ok(Reply::new(StatusCode::ACCEPTED, body))
    });
    fired.await.map_err(|error| match error {
        HookError::Refused(failure) => failure,
        HookError::Store(error) => store_failure(&error),
    })
}

/// Starts the run of a call, unless the token was rotated or the trigger disabled meanwhile.
fn start(
    tx: &mut Tx<'_>,
    by: &By,
    called: &Called,
    input: Option<&Input>,
    received: &Received,
) -> std::result::Result<std::result::Result<RunId, TriggerRefusal>, HookError> {
    // Contacts are locked before triggers, as an erasure does.
    let contact = contact_of(tx, called.account, input)?;
    let row = row::hold(tx, called.account, called.trigger)?;
    let mut row = row.ok_or_else(|| HookError::Refused(nothing_here()))?;
    let params: &[&dyn db::Param] = &[&called.account, &called.trigger, &called.hash.to_vec()];
    if tx.find(sql::HAS_TOKEN, params, db::only::<TriggerId>)?.is_none() {
        return Err(HookError::Refused(nothing_here()));
    }
    if !row.trigger.enabled {
        return Err(HookError::Refused(disabled()));
    }
    if !row::count_call(tx, &row, by.now, CALLS_PER_MINUTE_MAX)? {
        return Err(HookError::Refused(called_too_often(seconds_left(by.now))));
    }
    let mut firings = Firings::default();
    let account = firings.account(tx, called.account)?;
    let due_in = match send_window(&row.trigger, &account, by.now) {
        SendWindow::Open => Some(Duration::ZERO),
        SendWindow::OpensAt(opens) => {
            Some(Duration::from_millis((opens.millis() - by.now.millis()).unsigned_abs()))
        }
        SendWindow::Never => None,
    };
    let outcome = match due_in {
        Some(due_in) => {
            let new = NewTriggerRun {
                contact,
                note: input.map(|input| input.note.clone()),
                confined: true,
                due_in,
            };
            firings.start_one(tx, by, &row.trigger, new)?
        }
        None => Err(TriggerRefusal::NoSendingHours),
    };
    let error = outcome.as_ref().err().map(|refusal| refusal.as_str());
    row::record_firing(tx, &mut row, by.now, error)?;
    let call = CallRow {
        id: by.new_id(),
        outcome: if error.is_none() { CallOutcome::Started } else { CallOutcome::NotStarted },
        status_code: i64::from(StatusCode::ACCEPTED.as_u16()),
        error,
        run: outcome.as_ref().ok().copied(),
        contact,
        count: 1,
        last_called_at: by.now,
        received: received.clone(),
    };
    calls::store(tx, called.account, called.trigger, call)?;
    Ok(outcome)
}

/// The note that tells the model about a call.
fn note(body: &Value) -> String {
    format!("You work on this because another system called. It sent:\n{}", as_record(&body.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_json_or_nothing() {
        let note = |body: &[u8]| read(body).unwrap().map(|input| input.note);
        assert_eq!(note(b" \n"), None);
        assert!(note(br#" { "a": 1 } "#).unwrap().contains(r#"{"a":1}"#));
        assert!(note(b"[1]").unwrap().contains("[1]"));
        assert_eq!(read(b"a=1").unwrap_err().status(), StatusCode::BAD_REQUEST);
    }

    #[test]
    fn a_body_names_its_contact_at_its_top() {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        let phone = || Some(NamedContact::Phone("+14155550100".parse().unwrap()));
        assert_eq!(named_contact(&json!({ "contact_id": id })), Some(NamedContact::Id(id.parse().unwrap())));
        assert_eq!(named_contact(&json!({ "phone": "+1 415 555 0100" })), phone());
        assert_eq!(named_contact(&json!({ "contact_id": null, "phone": "+14155550100" })), phone());
        assert_eq!(
            named_contact(&json!({ "contact_id": id, "phone": "+14155550100" })),
            Some(NamedContact::Id(id.parse().unwrap()))
        );
        for nobody in [
            json!({ "contact_id": "7", "phone": "+14155550100" }),
            json!({ "phone": "soon" }),
            json!({ "data": { "contact_id": id } }),
            json!([{ "contact_id": id }]),
            json!("x"),
        ] {
            assert_eq!(named_contact(&nobody), None, "{nobody}");
        }
    }
}
