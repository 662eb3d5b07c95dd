//! Linking a device from the command line: the code is shown in the terminal.

use std::time::Duration;

use frontdesk_channels::SessionState;
use frontdesk_inbox::connections::StoredConnection;
use frontdesk_inbox::pairing::{Device, PairingError};
use frontdesk_platform::ServerContext;
use qrcode::QrCode;
use qrcode::render::unicode;

/// How long a person has to scan the code, and how often the session is polled meanwhile.
const PATIENCE: Duration = Duration::from_mins(2);
const LOOK_PERIOD: Duration = Duration::from_secs(2);

/// Starts the session and links the device. Returns the state of the session.
pub(super) async fn link(
    server: &ServerContext,
    connection: &StoredConnection,
    phone: Option<&str>,
    wait: bool,
) -> Result<&'static str, PairingError> {
    let device = Device::new(&server.services, connection)?;
    let mut state = device.start().await?;
    if state == SessionState::Pairing {
        if let Err(why) = show_code(&device, phone).await {
            // A device that was linked in the meantime needs no code.
            state = device.look().await?;
            if state != SessionState::Working {
                return Err(why);
            }
        }
        let end = tokio::time::Instant::now() + PATIENCE;
        while wait && state == SessionState::Pairing && tokio::time::Instant::now() < end {
            tokio::time::sleep(LOOK_PERIOD).await;
            state = device.look().await?;
        }
    }
    Ok(word(state))
}

fn word(state: SessionState) -> &'static str {
    match state {
        SessionState::Stopped => "stopped",
        SessionState::Starting => "starting",
        SessionState::Pairing => "waiting for the code to be scanned",
        SessionState::Working => "working",
        SessionState::Failed => "failed",
    }
}

/// Shows the code on standard error, because the result goes to standard output.
async fn show_code(device: &Device<'_>, phone: Option<&str>) -> Result<(), PairingError> {
    if let Some(phone) = phone {
        let code = device.code(phone).await?;
        eprintln!(
            "Enter this code on the phone, under Linked devices > Link with phone number:\n\n    {code}\n"
        );
        return Ok(());
    }
    let value = device.qr().await?;
    let drawn = QrCode::new(value.as_bytes())
        .map(|code| code.render::<unicode::Dense1x2>().quiet_zone(true).build())
        .unwrap_or(value);
    eprintln!("Scan this with the phone, under Linked devices > Link a device:\n\n{drawn}\n");
    Ok(())
}

/// Ends the session of a disconnected connection. An unreachable bridge is ignored.
pub(super) async fn stop(server: &ServerContext, connection: &StoredConnection) {
    if let Ok(device) = Device::new(&server.services, connection) {
        device.stop().await;
    }
}
