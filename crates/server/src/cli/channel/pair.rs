//! Linking a device through a bridge: a code is shown, a person scans or types it, and the session works.

use std::time::Duration;

use frontdesk_channels::personal_whatsapp::Bridge;
use frontdesk_channels::{Call, SessionState, VendorResponse};
use frontdesk_inbox::calls;
use frontdesk_inbox::connections::{Credentials, StoredConnection};
use frontdesk_platform::ServerContext;
use qrcode::QrCode;
use qrcode::render::unicode;

/// How long a person has to scan the code, and how often the session is looked at meanwhile.
const PATIENCE: Duration = Duration::from_mins(2);
const LOOK_PERIOD: Duration = Duration::from_secs(2);
/// A session gets this long to begin.
const STARTING_LOOKS_MAX: u32 = 15;

/// Starts the session and links the device. Returns the state of the session.
pub(super) async fn link(
    server: &ServerContext,
    connection: &StoredConnection,
    webhook_url: &str,
    phone: Option<&str>,
    wait: bool,
) -> Result<String, String> {
    let credentials =
        connection.credentials(&server.services.secrets).ok_or("its settings cannot be read")?;
    let bridge = credentials.bridge(connection, &server.services).ok_or("this channel has no bridge")?;
    let webhook_url = if connection.sandbox {
        format!("{}/channels/{}/{}", server.services.local_url, connection.channel(), connection.id())
    } else {
        webhook_url.to_owned()
    };
    start(server, &bridge, &webhook_url).await?;
    if look(server, &bridge).await? == SessionState::Stopped {
        ask(server, bridge.resume_session(), |response| bridge.session_read(response)).await?;
    }
    let mut state = SessionState::Starting;
    for _ in 0..STARTING_LOOKS_MAX {
        state = look(server, &bridge).await?;
        if state != SessionState::Starting {
            break;
        }
        tokio::time::sleep(LOOK_PERIOD / 4).await;
    }
    if state == SessionState::Pairing {
        if let Err(why) = show_code(server, &bridge, phone).await {
            // A device that was linked meanwhile needs no code any more.
            state = look(server, &bridge).await?;
            if state != SessionState::Working {
                return Err(why);
            }
        }
        let end = tokio::time::Instant::now() + PATIENCE;
        while wait && state == SessionState::Pairing && tokio::time::Instant::now() < end {
            tokio::time::sleep(LOOK_PERIOD).await;
            state = look(server, &bridge).await?;
        }
    }
    Ok(word(state).to_owned())
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

async fn start(server: &ServerContext, bridge: &Bridge, webhook_url: &str) -> Result<(), String> {
    let begun =
        ask(server, bridge.start_session(webhook_url), |response| bridge.session_read(response)).await;
    match begun {
        Ok(_) => Ok(()),
        // A session of that name is there already; it is told where to report from now on.
        Err(first) => {
            match ask(server, bridge.update_session(webhook_url), |response| bridge.session_read(response))
                .await
            {
                Ok(_) => Ok(()),
                Err(_) => Err(first),
            }
        }
    }
}

async fn look(server: &ServerContext, bridge: &Bridge) -> Result<SessionState, String> {
    ask(server, bridge.session(), |response| bridge.session_read(response)).await
}

/// Shows what is to be scanned, or typed, on standard error: the answer goes to standard output.
async fn show_code(server: &ServerContext, bridge: &Bridge, phone: Option<&str>) -> Result<(), String> {
    if let Some(phone) = phone {
        let code = ask(server, bridge.request_code(phone), |response| bridge.code_read(response)).await?;
        eprintln!(
            "Enter this code on the phone, under Linked devices > Link with phone number:\n\n    {code}\n"
        );
        return Ok(());
    }
    let value = ask(server, bridge.qr(), |response| bridge.qr_read(response)).await?;
    let drawn = QrCode::new(value.as_bytes())
        .map(|code| code.render::<unicode::Dense1x2>().quiet_zone(true).build())
        .unwrap_or(value);
    eprintln!("Scan this with the phone, under Linked devices > Link a device:\n\n{drawn}\n");
    Ok(())
}

async fn ask<T>(
    server: &ServerContext,
    call: Call,
    read: impl FnOnce(&VendorResponse<'_>) -> Result<T, frontdesk_channels::Refusal>,
) -> Result<T, String> {
    let heard = calls::make(&server.services, call)
        .await
        .map_err(|error| format!("the bridge could not be reached: {error}"))?;
    read(&heard.read()).map_err(|refusal| format!("the bridge refused: {}", refusal.message))
}

/// Ends the session of a connection that is disconnected. A bridge that cannot be reached is left alone.
pub(super) async fn stop(server: &ServerContext, connection: &StoredConnection, credentials: &Credentials) {
    if let Some(bridge) = credentials.bridge(connection, &server.services) {
        let _ = calls::make(&server.services, bridge.stop_session()).await;
    }
}
