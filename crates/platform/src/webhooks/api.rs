//! The routes of webhooks.

use std::time::Duration;

use frontdesk_kernel::{Patch, Scope};
use frontdesk_outbound::Reach;
use frontdesk_web::{Body, Data, Deleted, Draft, Failure, Given, List, Listing, Path, Problems, Result};
use http::StatusCode;

use super::attempts::{self, DeliveryAttempt};
use super::deliveries::{self, Delivery, DeliveryFilters, DeliveryId};
use super::endpoint::{
    EndpointId, MISSING, NO_DELIVERY, NewWebhook, WebhookEndpoint, WebhookPatch, with_known_patterns,
};
use super::endpoints;
use super::replay::{self, NewReplay, Replay, Rest};
use super::url::HookUrl;
use crate::caller::{Caller, Route};
use crate::error::Error;
use crate::events::Catalogue;

/// The time limit for checking an address when an endpoint is created. After that, it is checked when it is
/// called.
const INSPECT_TIME_MAX: Duration = Duration::from_secs(3);

pub fn routes(catalogue: &Catalogue) -> Vec<Route> {
    const CONFLICT: &[StatusCode] = &[StatusCode::CONFLICT];
    const LIMIT: &[StatusCode] = &[StatusCode::UNPROCESSABLE_ENTITY];
    let [for_create, for_patch, for_list] = [(); 3].map(|()| catalogue.clone());
    let create = move |caller: Caller, new: Draft<NewWebhook>| create(caller, new, for_create.clone());
    let patch = move |caller: Caller, id: Path<EndpointId>, patched: Draft<WebhookPatch>| {
        patch(caller, id, patched, for_patch.clone())
    };
    let list_deliveries = move |caller: Caller, id: Path<EndpointId>, listing: Listing<DeliveryFilters>| {
        list_deliveries(caller, id, listing, for_list.clone())
    };
    let routes = vec![
        Route::get("/webhooks", "listWebhooks", list).summary("List webhook endpoints"),
        Route::post("/webhooks", "createWebhook", create)
            .created()
            .idempotent()
            .sealed()
            .fails(LIMIT)
            .summary("Create a webhook endpoint")
            .notes(
                "The signing `secret` is shown once. Deliveries are signed by the Standard Webhooks \
                 scheme.",
            ),
        Route::get("/webhooks/{id}", "getWebhook", get).summary("Get a webhook endpoint"),
        Route::patch("/webhooks/{id}", "updateWebhook", patch).summary("Update a webhook endpoint"),
        Route::delete("/webhooks/{id}", "deleteWebhook", delete).summary("Delete a webhook endpoint"),
        Route::post("/webhooks/{id}/secret", "rotateWebhookSecret", rotate)
            .summary("Rotate the signing secret")
            .notes("The new secret is shown once; the old one also signs for 24 hours."),
        Route::post("/webhooks/{id}/test", "testWebhook", test)
            .accepted()
            .fails(CONFLICT)
            .summary("Send a test event")
            .notes("Sends a `webhook.test` event to this endpoint now, regardless of its event types."),
        Route::get("/webhooks/{id}/deliveries", "listDeliveries", list_deliveries).summary("List deliveries"),
        Route::get("/webhooks/{id}/deliveries/{delivery_id}", "getDelivery", get_delivery)
            .summary("Get a delivery"),
        Route::get("/webhooks/{id}/deliveries/{delivery_id}/attempts", "listDeliveryAttempts", list_attempts)
            .summary("List the attempts of a delivery")
            .notes("Newest first, the newest 50. They are deleted with their delivery."),
        Route::post("/webhooks/{id}/deliveries/{delivery_id}/retry", "retryDelivery", retry)
            .accepted()
            .fails(CONFLICT)
            .summary("Retry a delivery")
            .notes(
                "The delivery becomes pending again, due now, with a new schedule; its attempts keep \
                 counting. A pending delivery becomes due now. A delivery in flight is a 409.",
            ),
        Route::post("/webhooks/{id}/replay", "replayDeliveries", replay_deliveries)
            .accepted()
            .fails(CONFLICT)
            .summary("Replay deliveries")
            .notes(
                "Deliveries created from `since` until before `until` with one of the given statuses \
                 become pending again, due now. Large replays run in the background, oldest first.",
            ),
    ];
    routes.into_iter().map(|route| route.scope(Scope::WebhooksManage).tag("Webhooks")).collect()
}

async fn list(caller: Caller) -> Result<List<WebhookEndpoint>> {
    let rows = caller.read(|tx, by| endpoints::list(tx, by.account).map_err(Error::from)).await?;
    Ok(List::all(rows))
}

async fn create(
    caller: Caller,
    Draft(new): Draft<NewWebhook>,
    catalogue: Catalogue,
) -> Result<Data<WebhookEndpoint>> {
    let new = with_known_patterns(&catalogue, new, |new| {
        new.event_types.as_ref().map_or(&[], |patterns| patterns.0.as_slice())
    })?;
    inspect(&caller, &new.url).await?;
    let (secret, keys) = (endpoints::new_secret(), caller.services().secrets.clone());
    caller.write(move |tx, by| endpoints::create(tx, by, &new, &secret, &keys)).await.map(Data)
}

async fn get(caller: Caller, Path(id): Path<EndpointId>) -> Result<Data<WebhookEndpoint>> {
    caller.read(move |tx, by| endpoints::find(tx, by.account, id)?.ok_or(MISSING)).await.map(Data)
}

async fn patch(
    caller: Caller,
    Path(id): Path<EndpointId>,
    Draft(patch): Draft<WebhookPatch>,
    catalogue: Catalogue,
) -> Result<Data<WebhookEndpoint>> {
    let patch = with_known_patterns(&catalogue, patch, |patch| match &patch.event_types {
        Patch::Set(patterns) => patterns.0.as_slice(),
        Patch::Keep | Patch::Clear => &[],
    })?;
    if let Given::Value(url) = &patch.url {
        inspect(&caller, url).await?;
    }
    caller.write(move |tx, by| endpoints::patch(tx, by, id, &patch)).await.map(Data)
}

async fn delete(caller: Caller, Path(id): Path<EndpointId>) -> Result<Data<Deleted>> {
    caller.write(move |tx, by| endpoints::delete(tx, by, id)).await.map(Data)
}

async fn rotate(caller: Caller, Path(id): Path<EndpointId>) -> Result<Data<WebhookEndpoint>> {
    let (secret, keys) = (endpoints::new_secret(), caller.services().secrets.clone());
    caller.write(move |tx, by| endpoints::rotate(tx, by, id, &secret, &keys)).await.map(Data)
}

async fn test(caller: Caller, Path(id): Path<EndpointId>) -> Result<Data<Delivery>> {
    caller.write(move |tx, by| deliveries::send_test(tx, by, id)).await.map(Data)
}

async fn list_deliveries(
    caller: Caller,
    Path(id): Path<EndpointId>,
    listing: Listing<DeliveryFilters>,
    catalogue: Catalogue,
) -> Result<List<Delivery>> {
    let Listing { filters, page } = listing;
    catalogue.check_filter(filters.event_type.as_ref())?;
    let asked = page.clone();
    let rows = caller.scan(move |tx, by| deliveries::list(tx, by.account, id, &filters, &asked)).await?;
    Ok(page.finish(rows, |delivery| delivery.id.uuid()))
}

async fn get_delivery(
    caller: Caller,
    Path((id, delivery)): Path<(EndpointId, DeliveryId)>,
) -> Result<Data<Delivery>> {
    caller
        .read(move |tx, by| deliveries::find(tx, by.account, id, delivery)?.ok_or(NO_DELIVERY))
        .await
        .map(Data)
}

async fn list_attempts(
    caller: Caller,
    Path((id, delivery)): Path<(EndpointId, DeliveryId)>,
) -> Result<List<DeliveryAttempt>> {
    caller
        .read(move |tx, by| attempts::list(tx, by.account, id, delivery)?.ok_or(NO_DELIVERY))
        .await
        .map(List::all)
}

async fn retry(
    caller: Caller,
    Path((id, delivery)): Path<(EndpointId, DeliveryId)>,
) -> Result<Data<Delivery>> {
    caller.write(move |tx, by| deliveries::retry(tx, by, id, delivery)).await.map(Data)
}

/// For a replay of more than one step, `count` is the number of deliveries counted beforehand.
async fn replay_deliveries(
    caller: Caller,
    Path(id): Path<EndpointId>,
    Body(new): Body<NewReplay>,
) -> Result<Data<Replay>> {
    let rest = Rest::new(&caller.by, id, &new);
    let asked = rest.clone();
    let counted = caller.scan(move |tx, _| replay::count(tx, &asked)).await?;
    caller.write(move |tx, by| replay::accept(tx, by, &rest, counted)).await.map(Data)
}

/// Rejects an address that webhooks may not call. Every attempt checks again.
async fn inspect(caller: &Caller, url: &HookUrl) -> Result<()> {
    let outbound = &caller.services().outbound;
    let refuse = |message: &str| Err(Failure::validation(Problems::one("url", message)));
    if !url.is_https() && outbound.reach() == Reach::Public {
        return refuse(
            "must be an https URL, unless the server runs with FRONTDESK_ALLOW_PRIVATE_TARGETS=true",
        );
    }
    let Some(uri) = url.uri() else { return refuse("must be an absolute URL") };
    match outbound.inspect(&uri, INSPECT_TIME_MAX).await {
        Ok(()) => Ok(()),
        Err(_) => refuse(
            "must lead to an address on the public internet, unless the server runs with \
             FRONTDESK_ALLOW_PRIVATE_TARGETS=true",
        ),
    }
}
