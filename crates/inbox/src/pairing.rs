//! Links a device through a bridge: starts a session and shows a code, which a person scans or types.

use std::time::Duration;

use frontdesk_channels::personal_whatsapp::Bridge;
use frontdesk_channels::{Call, Refusal, SessionState, VendorResponse};
use frontdesk_platform::Services;

use crate::calls;
use crate::connections::StoredConnection;

/// Maximum polls, with a pause before each, until a session has started.
const STARTING_LOOKS_MAX: u32 = 15;
const STARTING_PAUSE: Duration = Duration::from_millis(500);

/// Why a device could not be linked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PairingError {
    #[error("its credentials cannot be read")]
    NoCredentials,
    #[error("this channel has no bridge")]
    NoBridge,
    #[error("the bridge could not be reached: {0}")]
    Unreached(String),
    #[error("the bridge refused: {0}")]
    Refused(String),
}

/// The session of one linked device.
pub struct Device<'s> {
    services: &'s Services,
    bridge: Bridge,
    webhook_url: String,
}

impl<'s> Device<'s> {
    pub fn new(services: &'s Services, connection: &StoredConnection) -> Result<Self, PairingError> {
        let credentials = connection.credentials(&services.secrets).ok_or(PairingError::NoCredentials)?;
        let bridge = credentials.bridge(connection, services).ok_or(PairingError::NoBridge)?;
        // The simulator is in this installation, so it uses the local URL.
        let base_url = if connection.sandbox { &services.local_url } else { &services.base_url };
        let webhook_url = format!("{base_url}/channels/{}/{}", connection.channel(), connection.id());
        Ok(Self { services, bridge, webhook_url })
    }

    /// Starts the session, or the existing one, and waits until it has started.
    pub async fn start(&self) -> Result<SessionState, PairingError> {
        let bridge = &self.bridge;
        let begun = self.ask(bridge.start_session(&self.webhook_url), |it| bridge.session_read(it)).await;
        if let Err(first) = begun {
            // A session of that name exists; it gets our webhook.
            let updated =
                self.ask(bridge.update_session(&self.webhook_url), |it| bridge.session_read(it)).await;
            updated.map_err(|_| first)?;
        }
        if self.look().await? == SessionState::Stopped {
            self.ask(bridge.resume_session(), |it| bridge.session_read(it)).await?;
        }
        let mut state = SessionState::Starting;
        for _ in 0..STARTING_LOOKS_MAX {
            state = self.look().await?;
            if state != SessionState::Starting {
                break;
            }
            tokio::time::sleep(STARTING_PAUSE).await;
        }
        Ok(state)
    }

    /// The state of the session.
    pub async fn look(&self) -> Result<SessionState, PairingError> {
        self.ask(self.bridge.session(), |it| self.bridge.session_read(it)).await
    }

    /// The text of the code to scan, which changes every few seconds.
    pub async fn qr(&self) -> Result<String, PairingError> {
        self.ask(self.bridge.qr(), |it| self.bridge.qr_read(it)).await
    }

    /// A code to type on the phone with this number.
    pub async fn code(&self, phone: &str) -> Result<String, PairingError> {
        self.ask(self.bridge.request_code(phone), |it| self.bridge.code_read(it)).await
    }

    /// Ends the session; the number stays linked. An unreachable bridge is ignored.
    pub async fn stop(&self) {
        let _ = calls::make(self.services, self.bridge.stop_session()).await;
    }

    async fn ask<T>(
        &self,
        call: Call,
        read: impl FnOnce(&VendorResponse<'_>) -> Result<T, Refusal>,
    ) -> Result<T, PairingError> {
        let response = calls::make(self.services, call).await;
        let response = response.map_err(|error| PairingError::Unreached(error.to_string()))?;
        read(&response.read()).map_err(|refusal| PairingError::Refused(refusal.message))
    }
}
