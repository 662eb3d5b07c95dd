//! Sessions: a number is linked by a code that is scanned or typed.

use http::Method;
use serde_json::{Value, json};

use super::{Bridge, faults};
use crate::call::{Call, Refusal, VendorResponse, escaped};
use crate::incoming::SessionState;
use crate::reading;

/// The events that we subscribe to.
const EVENTS: [&str; 4] = ["message.any", "message.ack", "message.reaction", "session.status"];

impl Bridge {
    /// Creates and starts the session. The bridge refuses this if the session exists: then use
    /// [`Self::update_session`].
    pub fn start_session(&self, webhook_url: &str) -> Call {
        let mut body = self.config(webhook_url);
        body["start"] = json!(true);
        self.post("/api/sessions", &body)
    }

    /// Sets the existing session's webhook again, and restarts it if it was started.
    pub fn update_session(&self, webhook_url: &str) -> Call {
        self.call(Method::PUT, &format!("/api/sessions/{}", self.path()), Some(&self.config(webhook_url)))
    }

    /// Starts the stopped session.
    pub fn resume_session(&self) -> Call {
        self.post(&format!("/api/sessions/{}/start", self.path()), &json!({}))
    }

    /// Gets the session's state.
    pub fn session(&self) -> Call {
        self.get(&format!("/api/sessions/{}", self.path()))
    }

    /// The state in the response to [`Self::session`], [`Self::start_session`] or [`Self::update_session`].
    pub fn session_read(&self, response: &VendorResponse<'_>) -> Result<SessionState, Refusal> {
        let body = faults::read(response)?;
        state(&body).map(|(state, _)| state).ok_or_else(|| faults::unexpected(response, "status"))
    }

    /// The text of the code to scan, which changes every few seconds.
    pub fn qr(&self) -> Call {
        self.get(&format!("/api/{}/auth/qr?format=raw", self.path()))
    }

    pub fn qr_read(&self, response: &VendorResponse<'_>) -> Result<String, Refusal> {
        field(response, "value")
    }

    /// The code to type on the phone with this number.
    pub fn request_code(&self, phone: &str) -> Call {
        let body = json!({"phoneNumber": reading::digits(phone)});
        self.post(&format!("/api/{}/auth/request-code", self.path()), &body)
    }

    pub fn code_read(&self, response: &VendorResponse<'_>) -> Result<String, Refusal> {
        field(response, "code")
    }

    /// Stops the session; the number stays linked.
    pub fn stop_session(&self) -> Call {
        self.post(&format!("/api/sessions/{}/stop", self.path()), &json!({}))
    }

    fn config(&self, webhook_url: &str) -> Value {
        let hmac = json!({"key": self.webhook_key.reveal()});
        let webhook = json!({"url": webhook_url, "events": EVENTS, "hmac": hmac});
        json!({"name": self.session, "config": {"webhooks": [webhook]}})
    }

    fn path(&self) -> String {
        escaped(&self.session)
    }
}

fn field(response: &VendorResponse<'_>, name: &str) -> Result<String, Refusal> {
    let body = faults::read(response)?;
    reading::text(&body, name).ok_or_else(|| faults::unexpected(response, name))
}

/// A state, and the bridge's own name for it if that is more specific; none for an unknown name.
pub(super) fn state(payload: &Value) -> Option<(SessionState, Option<String>)> {
    let word = payload["status"].as_str()?;
    let state = match word {
        "STOPPED" => SessionState::Stopped,
        "STARTING" => SessionState::Starting,
        "SCAN_QR_CODE" | "PASSKEY_REQUIRED" | "PASSKEY_CONFIRMATION_REQUIRED" => SessionState::Pairing,
        "WORKING" => SessionState::Working,
        "FAILED" => SessionState::Failed,
        _ => return None,
    };
    let detail = match word {
        "PASSKEY_REQUIRED" | "PASSKEY_CONFIRMATION_REQUIRED" => Some(word.to_owned()),
        _ => reading::text(payload, "message").or_else(|| reading::text(payload, "error")),
    };
    Some((state, detail))
}
