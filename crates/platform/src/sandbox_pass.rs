//! The pass by which the sandbox recognises calls of this installation's own processes.
//!
//! The sandbox accepts only callers on its own machine. The server calls it at its own listening address,
//! which may not be a loopback address, so it sends a pass that is derived from the installation's secret
//! key. The pass is sent only to the sandbox itself.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderName, HeaderValue};

use crate::sealing::Keyring;
use crate::services::Services;

/// The header that carries the pass.
pub const HEADER: HeaderName = HeaderName::from_static("x-frontdesk-sandbox-pass");

/// The pass of an installation.
pub fn of(secrets: &Keyring) -> String {
    URL_SAFE_NO_PAD.encode(secrets.derive("calls to the sandbox"))
}

impl Services {
    /// Whether this address is the installation's own sandbox.
    pub fn is_own_sandbox(&self, url: &str) -> bool {
        url.strip_prefix(&self.local_url).is_some_and(|path| path.starts_with("/sandbox/"))
    }

    /// The pass to send along with a call to this address, if it is the installation's own sandbox.
    pub fn sandbox_pass(&self, url: &str) -> Option<HeaderValue> {
        let pass = self.is_own_sandbox(url).then(|| of(&self.secrets))?;
        let mut pass = HeaderValue::from_str(&pass).ok()?;
        pass.set_sensitive(true);
        Some(pass)
    }
}
