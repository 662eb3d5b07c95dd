//! Links a device from the dashboard: by a QR code to scan, or a code to type on the phone.

use frontdesk_channels::SessionState;
use frontdesk_inbox::connections::{self, Channel, ConnectionId, StoredConnection};
use frontdesk_inbox::pairing::{Device, PairingError};
use frontdesk_kernel::{Phone, Timestamp};
use frontdesk_web::{Body, Data, Failure, Path, Result, choice, input, resource};

use super::connections::missing;
use crate::caller::{AppCaller, AppRoute};

choice! {
    /// How the linking of a device stands.
    pub enum PairingStatus {
        Waiting => "waiting",
        Connected => "connected",
        Failed => "failed",
    }
}

resource! {
    /// How the linking of a device stands, and what to show meanwhile.
    pub struct Pairing {
        pub status: PairingStatus,
        /// The text to show as a QR code.
        pub qr: Option<String>,
        /// What to type on the phone, once a number was given.
        pub code: Option<String>,
        /// Until when the code may be typed.
        pub expires_at: Option<Timestamp>,
    }
}

input! {
    /// How a device is to be linked.
    pub struct PairingStart {
        /// The phone's number, for a code to type; a QR code is shown in any case.
        pub phone: Option<Phone>,
    }
}

pub(super) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::post("/admin/connections/{id}/pairing", "startPairing", start).summary("Link a device"),
        AppRoute::get("/admin/connections/{id}/pairing", "getPairing", get)
            .summary("How the linking of a device stands"),
    ]
}

fn failed(error: PairingError) -> Failure {
    match error {
        PairingError::NoBridge => Failure::conflict("Only a personal WhatsApp channel has a device to link."),
        other => Failure::unprocessable(
            "pairing_failed",
            format!("The device cannot be linked: {other}. Try again, or ask whoever runs the server."),
        ),
    }
}

async fn find(caller: &AppCaller, id: ConnectionId) -> Result<StoredConnection> {
    let account = caller.manager()?.account;
    let connection =
        caller.read(move |tx| Ok(connections::find(tx, account, id)?)).await?.ok_or_else(missing)?;
    if connection.channel() != Channel::PersonalWhatsapp {
        return Err(failed(PairingError::NoBridge));
    }
    Ok(connection)
}

async fn start(
    caller: AppCaller,
    Path(id): Path<ConnectionId>,
    Body(wanted): Body<PairingStart>,
) -> Result<Data<Pairing>> {
    let connection = find(&caller, id).await?;
    let device = Device::new(&caller.shared.server.services, &connection).map_err(failed)?;
    let state = device.start().await.map_err(failed)?;
    if state == SessionState::Pairing
        && let Some(phone) = &wanted.phone
    {
        let code = device.code(&phone.to_string()).await.map_err(failed)?;
        caller.shared.codes.put(id, code, caller.now);
    }
    show(&caller, &device, &connection, state).await
}

async fn get(caller: AppCaller, Path(id): Path<ConnectionId>) -> Result<Data<Pairing>> {
    let connection = find(&caller, id).await?;
    let device = Device::new(&caller.shared.server.services, &connection).map_err(failed)?;
    let state = device.look().await.map_err(failed)?;
    show(&caller, &device, &connection, state).await
}

async fn show(
    caller: &AppCaller,
    device: &Device<'_>,
    connection: &StoredConnection,
    state: SessionState,
) -> Result<Data<Pairing>> {
    let id = connection.id();
    // A working session does not undo a person's disconnect; linking the device again does.
    if state == SessionState::Working && !connection.is_connected() {
        let acting = caller.clone();
        caller
            .administer("connection.reconnected", move |tx, session| {
                connections::reconnect(tx, &acting.by(session), id)?;
                Ok(((), Some(id.to_string())))
            })
            .await?;
    }
    let status = match state {
        SessionState::Working => PairingStatus::Connected,
        SessionState::Failed | SessionState::Stopped => PairingStatus::Failed,
        SessionState::Pairing | SessionState::Starting => PairingStatus::Waiting,
    };
    // The bridge has no code while it creates another one.
    let qr = if state == SessionState::Pairing { device.qr().await.ok() } else { None };
    let code = caller.shared.codes.get(id, caller.now).filter(|_| status == PairingStatus::Waiting);
    let (code, expires_at) = code.unzip();
    Ok(Data(Pairing { status, qr, code, expires_at }))
}
