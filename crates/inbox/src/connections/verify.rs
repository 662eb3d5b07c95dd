//! Checks the credentials of a channel with one call to the vendor, which changes nothing.

use frontdesk_channels::{Identity, Refusal};
use frontdesk_platform::Services;

use super::{Channel, Credentials};
use crate::calls;

/// Why the credentials could not be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error("it cannot be reached: {0}")]
    Unreached(String),
    #[error("it refused: {}", .0.message)]
    Refused(Refusal),
}

/// Asks the vendor about the connection with these settings. Our own channels have no vendor to ask.
pub async fn verify(
    services: &Services,
    channel: Channel,
    sandbox: bool,
    credentials: &Credentials,
) -> Result<Identity, VerifyError> {
    let Some(adapter) = credentials.adapter(channel, sandbox, services) else {
        return Ok(Identity::default());
    };
    let response = calls::make(services, adapter.identify())
        .await
        .map_err(|error| VerifyError::Unreached(error.to_string()))?;
    adapter.identified(&response.read()).map_err(VerifyError::Refused)
}
