//! Linking a device through a bridge: a code is shown, a person scans or types it, and the session works.

use std::time::Duration;

use frontdesk_channels::personal_whatsapp::Bridge;
use frontdesk_channels::{Answer, Call, SessionState};
use frontdesk_inbox::calls;
use frontdesk_inbox::connections::{Line, Settings};
use frontdesk_platform::Means;
use qrcode::QrCode;
use qrcode::render::unicode;

/// How long a person has to scan the code, and how often the session is looked at meanwhile.
const PATIENCE: Duration = Duration::from_mins(2);
const LOOK_PERIOD: Duration = Duration::from_secs(2);
/// A session gets this long to begin.
const STARTING_LOOKS_MAX: u32 = 15;

/// Starts the session and has the device linked. Returns how the session stands then.
pub(super) async fn link(
    means: &Means,
    line: &Line,
    webhook_url: &str,
    phone: Option<&str>,
    wait: bool,
) -> Result<String, String> {
    let settings = line.settings(&means.services.secrets).ok_or("its settings cannot be read")?;
    let bridge = settings.bridge(line, &means.services).ok_or("this channel has no bridge")?;
    let webhook_url = if line.sandbox {
        format!("{}/channels/{}/{}", means.services.local_url, line.channel(), line.id())
    } else {
        webhook_url.to_owned()
    };
    start(means, &bridge, &webhook_url).await?;
    if look(means, &bridge).await? == SessionState::Stopped {
        ask(means, bridge.resume_session(), |answer| bridge.session_read(answer)).await?;
    }
    let mut state = SessionState::Starting;
    for _ in 0..STARTING_LOOKS_MAX {
        state = look(means, &bridge).await?;
        if state != SessionState::Starting {
            break;
        }
        tokio::time::sleep(LOOK_PERIOD / 4).await;
    }
    if state == SessionState::Pairing {
        if let Err(why) = show_code(means, &bridge, phone).await {
            // A device that was linked meanwhile needs no code any more.
            state = look(means, &bridge).await?;
            if state != SessionState::Working {
                return Err(why);
            }
        }
        let end = tokio::time::Instant::now() + PATIENCE;
        while wait && state == SessionState::Pairing && tokio::time::Instant::now() < end {
            tokio::time::sleep(LOOK_PERIOD).await;
            state = look(means, &bridge).await?;
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

async fn start(means: &Means, bridge: &Bridge, webhook_url: &str) -> Result<(), String> {
    let begun = ask(means, bridge.start_session(webhook_url), |answer| bridge.session_read(answer)).await;
    match begun {
        Ok(_) => Ok(()),
        // A session of that name is there already; it is told where to report from now on.
        Err(first) => {
            match ask(means, bridge.update_session(webhook_url), |answer| bridge.session_read(answer)).await {
                Ok(_) => Ok(()),
                Err(_) => Err(first),
            }
        }
    }
}

async fn look(means: &Means, bridge: &Bridge) -> Result<SessionState, String> {
    ask(means, bridge.session(), |answer| bridge.session_read(answer)).await
}

/// Shows what is to be scanned, or typed, on standard error: the answer goes to standard output.
async fn show_code(means: &Means, bridge: &Bridge, phone: Option<&str>) -> Result<(), String> {
    if let Some(phone) = phone {
        let code = ask(means, bridge.request_code(phone), |answer| bridge.code_read(answer)).await?;
        eprintln!(
            "Enter this code on the phone, under Linked devices > Link with phone number:\n\n    {code}\n"
        );
        return Ok(());
    }
    let value = ask(means, bridge.qr(), |answer| bridge.qr_read(answer)).await?;
    let drawn = QrCode::new(value.as_bytes())
        .map(|code| code.render::<unicode::Dense1x2>().quiet_zone(true).build())
        .unwrap_or(value);
    eprintln!("Scan this with the phone, under Linked devices > Link a device:\n\n{drawn}\n");
    Ok(())
}

async fn ask<T>(
    means: &Means,
    call: Call,
    read: impl FnOnce(&Answer<'_>) -> Result<T, frontdesk_channels::Refusal>,
) -> Result<T, String> {
    let heard = calls::make(&means.services, call)
        .await
        .map_err(|error| format!("the bridge could not be reached: {error}"))?;
    read(&heard.read()).map_err(|refusal| format!("the bridge refused: {}", refusal.message))
}

/// Ends the session of a connection that is disconnected. A bridge that cannot be reached is left alone.
pub(super) async fn stop(means: &Means, line: &Line, settings: &Settings) {
    if let Some(bridge) = settings.bridge(line, &means.services) {
        let _ = calls::make(&means.services, bridge.stop_session()).await;
    }
}
