//! The routes of notifications. Every member has their own devices and sees no others.

use std::time::Duration;

use frontdesk_outbound::Reach;
use frontdesk_web::{Body, Data, Deleted, Failure, Path, Problems, Result, resource};

use super::device::{self, DeviceId, NewPushDevice, PushDevice, PushDevicePatch, Target};
use super::{DEVICES_MAX, listener, vapid};
use crate::caller::{AppCaller, AppRoute, Outcome};

/// How long the address of a push service may take to resolve.
const INSPECT_TIME_MAX: Duration = Duration::from_secs(3);

resource! {
    /// What a browser needs to get notifications, and the devices of the member.
    pub struct PushSettings {
        /// The installation's public key in base64url, the `applicationServerKey` of a subscription.
        pub public_key: String,
        pub devices: Vec<PushDevice>,
        /// Maximum devices of one member.
        pub devices_max: i64,
    }
}

resource! {
    /// A test notification is on its way.
    pub struct PushTest {
        pub ok: bool,
    }
}

pub(crate) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::get("/push", "getPush", get).summary("Your devices that get notifications"),
        AppRoute::post("/push/devices", "subscribeToPush", subscribe)
            .created()
            .summary("Get notifications in this browser")
            .notes(
                "The device belongs to the session, and is gone when the session ends. Another call of the same session \
                 changes where the browser is reached.",
            ),
        AppRoute::patch("/push/devices/{id}", "updatePushDevice", change)
            .summary("Change what a device is told about"),
        AppRoute::delete("/push/devices/{id}", "removePushDevice", remove)
            .summary("Stop notifications on a device"),
        AppRoute::post("/push/devices/{id}/test", "testPushDevice", test)
            .summary("Send a test notification to a device"),
    ]
}

fn missing() -> Failure {
    Failure::not_found("You have no such device. It may have been removed, or its session has ended.")
}

async fn get(caller: AppCaller) -> Result<Data<PushSettings>> {
    let session = caller.signed_in()?.clone();
    let (keys, now) = (caller.shared.server.services.secrets.clone(), caller.now);
    let reading = keys.clone();
    let (key, devices) =
        caller.read(move |tx| Ok((vapid::find(tx, &reading)?, device::list(tx, &session, now)?))).await?;
    let key = match key {
        Some(key) => Some(key),
        None => caller.write(move |tx| Ok(vapid::find_or_make(tx, &keys)?)).await?,
    };
    let public_key = key.map(|key| key.public()).ok_or_else(|| {
        tracing::error!("the key of notifications does not open under FRONTDESK_SECRET_KEY");
        Failure::internal()
    })?;
    Ok(Data(PushSettings { public_key, devices, devices_max: DEVICES_MAX }))
}

/// Rejects a push service that must not be called. Every call checks again.
async fn inspect(caller: &AppCaller, new: &NewPushDevice) -> Result<()> {
    let outbound = &caller.shared.server.services.outbound;
    let refuse = |message: &str| Err(Failure::validation(Problems::one("endpoint", message)));
    if !new.endpoint.is_https() && outbound.reach() == Reach::Public {
        return refuse("must be an https URL");
    }
    let Some(uri) = new.endpoint.uri() else { return refuse("must be an absolute URL") };
    match outbound.inspect(&uri, INSPECT_TIME_MAX).await {
        Ok(()) => Ok(()),
        Err(_) => refuse("must lead to an address on the public internet"),
    }
}

async fn subscribe(caller: AppCaller, Body(new): Body<NewPushDevice>) -> Result<Data<PushDevice>> {
    let session = caller.signed_in()?.clone();
    let target = Target::new(&new).map_err(Failure::validation)?;
    inspect(&caller, &new).await?;
    let (server, now) = (caller.shared.server.clone(), caller.now);
    let user_agent = caller.browser.user_agent.clone();
    let devices = caller
        .write(move |tx| -> Outcome<_> {
            // A browser subscribes with a key that was made before. A device must never be there without one.
            let _made_before = vapid::find_or_make(tx, &server.services.secrets)?;
            let made_with = (server.recorder.ids(), &server.services.secrets);
            device::subscribe(tx, made_with, &session, (&new, &target), &user_agent, now)?;
            Ok(device::list(tx, &session, now)?)
        })
        .await?;
    devices.into_iter().find(|device| device.current).map(Data).ok_or_else(Failure::signed_out)
}

async fn change(
    caller: AppCaller,
    Path(id): Path<DeviceId>,
    Body(patch): Body<PushDevicePatch>,
) -> Result<Data<PushDevice>> {
    let (session, now) = (caller.signed_in()?.clone(), caller.now);
    let devices = caller
        .write(move |tx| -> Outcome<_> {
            if !device::change(tx, &session, id, &patch)? {
                return Err(missing().into());
            }
            Ok(device::list(tx, &session, now)?)
        })
        .await?;
    devices.into_iter().find(|device| device.id == id).map(Data).ok_or_else(missing)
}

async fn remove(caller: AppCaller, Path(id): Path<DeviceId>) -> Result<Data<Deleted>> {
    let session = caller.signed_in()?.clone();
    let is_removed = caller.write(move |tx| Ok(device::remove(tx, &session, id)?)).await?;
    if is_removed { Ok(Data(Deleted::new(id))) } else { Err(missing()) }
}

async fn test(caller: AppCaller, Path(id): Path<DeviceId>) -> Result<Data<PushTest>> {
    let session = caller.signed_in()?.clone();
    let (by, now) = (caller.by(&session), caller.now);
    caller
        .write(move |tx| -> Outcome<()> {
            if !device::list(tx, &session, now)?.iter().any(|device| device.id == id) {
                return Err(missing().into());
            }
            Ok(listener::queue_test(tx, &by, id)?)
        })
        .await?;
    Ok(Data(PushTest { ok: true }))
}
