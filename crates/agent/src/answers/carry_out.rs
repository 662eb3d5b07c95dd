//! Answers to the asks of programs: an approval carries the held call out, in the transaction that approves it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use frontdesk_db::{self as db, Tx};
use frontdesk_platform::operations::Invocation;
use frontdesk_platform::{By, Caller, Error as PlatformError, Principal, keys};
use frontdesk_web::Failure;
use http::StatusCode;

use crate::asks::{self, Ask, AskAnswer, AskError, AskStatus, MISSING};
use crate::held_calls::{self, StoredCall};
use crate::ids::AskId;

/// Declines a held call: it is not carried out.
pub(super) fn decline(tx: &mut Tx<'_>, by: &By, id: AskId, given: &AskAnswer) -> Result<Ask, AskError> {
    let answered = settled(tx, by, id, given, AskStatus::Declined)?;
    held_calls::note(tx, by, "ask.declined", id)?;
    Ok(answered)
}

/// Carries a held call out as the key that asked. Who approves needs the operation's scope too. If the operation refuses
/// the call, nothing has changed, the ask waits on, and the refusal is the response.
pub(super) async fn approve(
    caller: &Caller,
    id: AskId,
    given: &AskAnswer,
    stored: StoredCall,
) -> Result<Ask, Failure> {
    let ask = caller.read(move |tx, by| asks::find(tx, by.account, id)?.ok_or(MISSING)).await?;
    if ask.status != AskStatus::Pending {
        return Err(AskError::Over(ask.status).into());
    }
    let operations = caller.services().operations.get().ok_or_else(Failure::internal)?;
    operations.scope_of(&stored.operation).map_or(Ok(()), |scope| caller.need(scope))?;
    let principal = key_of(caller, &stored).await?;
    let approval = Arc::new(Approval::default());
    let companion = {
        let (caller, given, approval) = (caller.clone(), given.clone(), approval.clone());
        Arc::new(move |tx: &mut Tx<'_>, _: StatusCode, body: &[u8]| {
            let by = &caller.by;
            let ask = match settled(tx, by, id, &given, AskStatus::Approved) {
                Ok(ask) => ask,
                Err(AskError::Platform(PlatformError::Store(error))) => return Err(error),
                Err(_) => {
                    approval.is_late.store(true, Ordering::Relaxed);
                    return Err(db::Error::CalledOff);
                }
            };
            approval.is_late.store(false, Ordering::Relaxed);
            held_calls::finish(tx, by.account, id, body)?;
            held_calls::note(tx, by, "ask.approved", id)?;
            caller.remember(tx, &ask)?;
            *approval.ask.lock().unwrap_or_else(PoisonError::into_inner) = Some(ask);
            Ok(())
        })
    };
    let invocation = Invocation {
        params: stored.params,
        body: stored.body,
        companion: Some(companion),
        request_id: Some(caller.request_id().clone()),
        ..Invocation::default()
    };
    let reply = operations.call(&principal, &stored.operation, invocation, caller.by.now).await;
    if approval.is_late.load(Ordering::Relaxed) {
        let ask = caller.read(move |tx, by| asks::find(tx, by.account, id)?.ok_or(MISSING)).await?;
        return Err(AskError::Over(ask.status).into());
    }
    let approved = approval.ask.lock().unwrap_or_else(PoisonError::into_inner).take();
    match approved {
        Some(ask) if reply.status.is_success() => Ok(ask),
        _ => Err(Failure::stored(reply)),
    }
}

/// What the transaction reports. A retried one reports again.
#[derive(Default)]
struct Approval {
    /// Somebody else has answered, so the operation was rolled back.
    is_late: AtomicBool,
    ask: Mutex<Option<Ask>>,
}

/// Ends a pending ask with the words of the answer.
fn settled(
    tx: &mut Tx<'_>,
    by: &By,
    id: AskId,
    given: &AskAnswer,
    status: AskStatus,
) -> Result<Ask, AskError> {
    let row = asks::hold(tx, by.account, id)?.ok_or(MISSING)?;
    if row.ask.status != AskStatus::Pending {
        return Err(AskError::Over(row.ask.status));
    }
    let ask = Ask {
        answer: given.note.as_ref().map(ToString::to_string),
        answered_by: Some(by.author(tx)?),
        ..row.ask
    };
    if !asks::settle(tx, by, ask, status)? {
        return Err(tx.again().into());
    }
    Ok(asks::find(tx, by.account, id)?.ok_or(MISSING)?)
}

/// The key that asked, if it may still act.
async fn key_of(caller: &Caller, stored: &StoredCall) -> Result<Principal, Failure> {
    let key = stored.key_id;
    let found = caller
        .read(move |tx, by| keys::find_by_id(tx, by.account, key).map_err(PlatformError::from))
        .await?
        .filter(|key| key.is_good(caller.by.now) && !key.suspended);
    match found {
        Some(key) => Ok(Principal::of_key(Arc::new(key))),
        None => Err(Failure::unprocessable(
            "key_ended",
            "The key that asked for this was revoked or has expired, so it cannot be carried out. Decline it.",
        )),
    }
}
