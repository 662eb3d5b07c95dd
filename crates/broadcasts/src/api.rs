//! The routes of broadcasts.

use std::sync::Arc;

use frontdesk_db::ReadTx;
use frontdesk_inbox::media::{Links, keep_for_broadcast};
use frontdesk_inbox::messages::MessageError;
use frontdesk_kernel::Scope;
use frontdesk_platform::draft;
use frontdesk_platform::{By, Caller, Error as PlatformError, Route};
use frontdesk_web::{
    Body, Data, Draft, Entries, Failure, InvalidBody, List, Listing, Path, Problems, Result,
};
use http::StatusCode;

use crate::broadcast::{Broadcast, BroadcastError, BroadcastFilters, BroadcastId, MISSING};
use crate::create::{self, Order};
use crate::input::{AudienceInput, NewBroadcast, RetryBroadcast, ScheduleBroadcast, Variable};
use crate::recipients::{self, BroadcastRecipient, RecipientFilters};
use crate::status::BroadcastStatus;
use crate::{changes, row, stop};

pub fn routes() -> Vec<Route> {
    const CREATE: &[StatusCode] =
        &[StatusCode::PAYMENT_REQUIRED, StatusCode::NOT_FOUND, StatusCode::UNPROCESSABLE_ENTITY];
    const STATE: &[StatusCode] = &[StatusCode::CONFLICT];
    const START: &[StatusCode] = &[StatusCode::CONFLICT, StatusCode::UNPROCESSABLE_ENTITY];
    let routes = vec![
        Route::get("/broadcasts", "listBroadcasts", list)
            .scope(Scope::BroadcastsRead)
            .summary("List broadcasts"),
        Route::post("/broadcasts", "createBroadcast", create_broadcast)
            .scope(Scope::BroadcastsSend)
            .units(5)
            .accepted()
            .idempotent()
            .fails(CREATE)
            .summary("Send a template to many people")
            .notes(
                "Creates the broadcast with its recipients and starts it, or waits for `schedule_at`. \
                 Each person receives it once, however often they are listed; opted-out contacts and \
                 contacts without a phone are skipped. `counts.total` is complete at once for \
                 audiences of up to 5,000 and grows for larger ones. It counts toward the month's \
                 limit of broadcasts. New numbers become contacts and count toward the limit of \
                 contacts: if they exceed it, the whole broadcast is refused with 402. Templates are \
                 checked as by `POST /messages`.",
            ),
        Route::get("/broadcasts/{id}", "getBroadcast", get)
            .scope(Scope::BroadcastsRead)
            .summary("Get a broadcast"),
        Route::post("/broadcasts/{id}/schedule", "scheduleBroadcast", schedule)
            .scope(Scope::BroadcastsSend)
            .fails(START)
            .summary("Start a draft, now or later")
            .notes("A scheduled broadcast gets the new time."),
        Route::post("/broadcasts/{id}/cancel", "cancelBroadcast", cancel)
            .scope(Scope::BroadcastsSend)
            .fails(STATE)
            .summary("Cancel a broadcast")
            .notes(
                "A scheduled broadcast becomes a draft. A broadcast that is being sent ends as `sent`, \
                 or as `failed` if no message was sent; the remaining recipients are cancelled. No \
                 message is sent after the response, which waits for running calls.",
            ),
        Route::post("/broadcasts/{id}/retry", "retryBroadcast", retry)
            .scope(Scope::BroadcastsSend)
            .units(5)
            .fails(START)
            .summary("Retry failed recipients")
            .notes(
                "Sends again to recipients that failed for a temporary reason (a rate limit, a failure \
                 of the channel, an unreachable channel), at once or after the channel had accepted \
                 the message, except those who have opted out. With `include_unknown`, also to \
                 recipients that failed with `unknown_outcome`: they may have received the message \
                 already. If there are none, the response is 409.",
            ),
        Route::get("/broadcasts/{id}/recipients", "listBroadcastRecipients", list_recipients)
            .scope(Scope::BroadcastsRead)
            .summary("List the recipients of a broadcast"),
    ];
    routes.into_iter().map(|route| route.tag("Broadcasts")).collect()
}

async fn list(caller: Caller, listing: Listing<BroadcastFilters>) -> Result<List<Broadcast>> {
    let Listing { filters, page } = listing;
    let (slow, asked) = (filters.q.is_some(), page.clone());
    let find = move |tx: &mut ReadTx<'_>, by: &By| {
        row::list(tx, by.account, &filters, &asked).map_err(PlatformError::from)
    };
    let rows = if slow { caller.scan(find).await? } else { caller.read(find).await? };
    Ok(page.finish(rows, |broadcast| broadcast.id.uuid()))
}

async fn create_broadcast(caller: Caller, Draft(new): Draft<NewBroadcast>) -> Result<Data<Broadcast>> {
    let mut new = draft::whole(&caller, new, references).await?;
    let links = Links::of(caller.services());
    let file = new.header_media_url.as_ref().and_then(|url| links.named(url.as_str()));
    if let Some(Ok(url)) = file.map(|file| links.lasting(file).parse()) {
        // The given link may expire before the last message is read.
        new.header_media_url = Some(url);
    }
    let order = Arc::new(Order::Template(Box::new(new)));
    let looked_at = order.clone();
    let found = caller
        .scan(move |tx, by| {
            let unknown = create::unknown(tx, by, &looked_at)?;
            if !unknown.is_empty() {
                return Err(BroadcastError::Invalid(unknown));
            }
            Ok(create::look_ahead(tx, by, &looked_at)?)
        })
        .await?;
    caller
        .write(move |tx, by| {
            let broadcast = create::create(tx, by, &order, found.as_ref())?;
            match file {
                Some(file) if !keep_for_broadcast(tx, by.account, file, by.now)? => {
                    Err(BroadcastError::Message(MessageError::NoUpload))
                }
                _ => Ok(broadcast),
            }
        })
        .await
        .map(Data)
}

/// Checks the parts of a body that could be parsed: what they refer to must belong to the account.
pub(crate) fn references(
    tx: &mut ReadTx<'_>,
    by: &By,
    rough: &InvalidBody,
) -> std::result::Result<Problems, BroadcastError> {
    let mut problems = Problems::new();
    if let Some(audience) = rough.field::<AudienceInput>("audience") {
        problems = create::unknown_audience(tx, by, &audience)?;
    }
    if let Some(variables) = rough.field::<Entries<Variable, { crate::input::VARIABLES_MAX }>>("variables") {
        create::unknown_fields(tx, by, &variables.0, &mut problems)?;
    }
    Ok(problems)
}

async fn get(caller: Caller, Path(id): Path<BroadcastId>) -> Result<Data<Broadcast>> {
    find(&caller, id).await.map(Data)
}

async fn find(caller: &Caller, id: BroadcastId) -> Result<Broadcast> {
    caller
        .read(move |tx, by| {
            let found = row::find(tx, by.account, id)?.ok_or(MISSING)?;
            Ok::<_, PlatformError>(found.show())
        })
        .await
}

async fn schedule(
    caller: Caller,
    Path(id): Path<BroadcastId>,
    wanted: Option<Body<ScheduleBroadcast>>,
) -> Result<Data<Broadcast>> {
    let at = wanted.and_then(|Body(wanted)| wanted.schedule_at);
    caller.write(move |tx, by| changes::schedule(tx, by, id, at)).await.map(Data)
}

async fn cancel(caller: Caller, Path(id): Path<BroadcastId>) -> Result<Data<Broadcast>> {
    let links = Links::of(caller.services());
    let taken_back = links.clone();
    let cancelled = caller.write(move |tx, by| stop::cancel(tx, by, &taken_back, id)).await?;
    if cancelled.status != BroadcastStatus::Sending {
        return Ok(Data(cancelled));
    }
    let settled = stop::settle(caller.store(), &caller.by, &links, id).await;
    settled.map_err(|error| Failure::from(PlatformError::from(error)))?;
    find(&caller, id).await.map(Data)
}

async fn retry(
    caller: Caller,
    Path(id): Path<BroadcastId>,
    wanted: Option<Body<RetryBroadcast>>,
) -> Result<Data<Broadcast>> {
    let include_unknown = wanted.and_then(|Body(wanted)| wanted.include_unknown).unwrap_or(false);
    caller.write(move |tx, by| changes::retry(tx, by, id, include_unknown)).await.map(Data)
}

async fn list_recipients(
    caller: Caller,
    Path(id): Path<BroadcastId>,
    listing: Listing<RecipientFilters>,
) -> Result<List<BroadcastRecipient>> {
    let Listing { filters, page } = listing;
    let (slow, asked) = (filters.status.is_some(), page.clone());
    let find = move |tx: &mut ReadTx<'_>, by: &By| {
        row::find(tx, by.account, id)?.ok_or(MISSING)?;
        recipients::list(tx, by.account, id, &filters, &asked).map_err(PlatformError::from)
    };
    let rows = if slow { caller.scan(find).await? } else { caller.read(find).await? };
    Ok(page.finish(rows, |recipient| recipient.id.uuid()))
}
