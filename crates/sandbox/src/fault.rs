//! Injected faults.
//!
//! A fault applies after the caller is authenticated and before the call does anything. Each kind defines
//! whether the call takes effect: `status`, `error`, `hang` and `cut` never let it, `cut_after` and `delay`
//! always do.

use std::time::Duration;

use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};

use crate::connection::digits;
use crate::response::{self, ControlError, Disconnect, SandboxResponse};

/// Maximum number of faults at a time.
const FAULTS_MAX: usize = 100;
/// The longest delay of a call.
const HANG_TIME_MAX: Duration = Duration::from_mins(2);

/// The call that a fault applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum On {
    Send,
    Templates,
    Media,
    Bridge,
    Model,
    Webhook,
}

/// The kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// A bare HTTP status.
    Status,
    /// The vendor's own error; for a webhook: the message is reported as failed.
    Error,
    Hang,
    /// The connection is closed and the call has no effect; for a webhook: it is lost.
    Cut,
    /// The call takes effect and the connection is closed without a response.
    CutAfter,
    /// The call takes effect at once and its response is late; for a webhook: it is sent late.
    Delay,
    DuplicateWebhook,
    /// `delivered` is reported before `sent`.
    ReorderStatuses,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fault {
    on: On,
    #[serde(skip_serializing_if = "Option::is_none")]
    connection_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<String>,
    /// How many more calls it applies to; unlimited by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<u32>,
    pub(crate) kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) millis: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
}

impl Fault {
    /// Checks the fault; the error says what to correct.
    fn check(&self) -> Result<(), String> {
        let webhooks = [Kind::Error, Kind::Cut, Kind::Delay, Kind::DuplicateWebhook, Kind::ReorderStatuses];
        let only_webhooks = [Kind::DuplicateWebhook, Kind::ReorderStatuses];
        if self.on == On::Webhook && !webhooks.contains(&self.kind) {
            return Err(
                "on webhook takes the kinds error, cut, delay, duplicate_webhook and reorder_statuses".into(),
            );
        }
        if self.on != On::Webhook && only_webhooks.contains(&self.kind) {
            return Err("the kinds duplicate_webhook and reorder_statuses go with on webhook".into());
        }
        if self.to.is_some() && matches!(self.on, On::Templates | On::Media | On::Model) {
            return Err("to goes with on send, bridge and webhook".into());
        }
        if self.connection_id.is_some() && self.on == On::Model {
            return Err("a model has no connection: leave connection_id out".into());
        }
        if self.times == Some(0) {
            return Err("times is at least 1; leave it out for always".into());
        }
        if self.status.is_some_and(|status| !(400..=599).contains(&status)) {
            return Err("status is from 400 to 599".into());
        }
        if self.kind == Kind::Delay && self.millis.is_none() {
            return Err("delay takes millis".into());
        }
        if self.millis.is_some_and(|millis| u128::from(millis) > HANG_TIME_MAX.as_millis()) {
            return Err(format!("millis is at most {}", HANG_TIME_MAX.as_millis()));
        }
        Ok(())
    }

    fn meets(&self, call: &Called<'_>) -> bool {
        let is_same = |wanted: &Option<String>, actual: Option<&str>| {
            wanted.as_ref().is_none_or(|wanted| actual.is_some_and(|actual| digits(wanted) == digits(actual)))
        };
        call.on.contains(&self.on)
            && self.connection_id.as_deref().is_none_or(|id| call.connection == Some(id))
            && is_same(&self.to, call.to)
    }

    pub(crate) fn pause(&self) -> Duration {
        Duration::from_millis(self.millis.unwrap_or(0))
    }

    /// The fault's HTTP status, or the usual one.
    pub(crate) fn status_or(&self, usual: StatusCode) -> StatusCode {
        self.status.and_then(|status| StatusCode::from_u16(status).ok()).unwrap_or(usual)
    }
}

/// A call that a fault may apply to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Called<'a> {
    pub(crate) on: &'a [On],
    pub(crate) connection: Option<&'a str>,
    pub(crate) to: Option<&'a str>,
}

/// All faults, in the order in which they were added.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Faults {
    faults: Vec<Fault>,
}

impl Faults {
    /// Replaces all faults, if the new ones are valid.
    pub(crate) fn replace(&mut self, with: Self) -> Result<(), ControlError> {
        if with.faults.len() > FAULTS_MAX {
            return Err(ControlError::request(format!("At most {FAULTS_MAX} faults are kept at once.")));
        }
        for (index, fault) in with.faults.iter().enumerate() {
            fault.check().map_err(|why| ControlError::request(format!("faults.{index}: {why}.")))?;
        }
        *self = with;
        Ok(())
    }

    /// The first fault of these kinds for this call; its count is reduced by one.
    pub(crate) fn take(&mut self, call: &Called<'_>, kinds: impl Fn(Kind) -> bool) -> Option<Fault> {
        let index = self.faults.iter().position(|fault| kinds(fault.kind) && fault.meets(call))?;
        let met = self.faults[index].clone();
        if let Some(times) = &mut self.faults[index].times {
            *times -= 1;
            if *times == 0 {
                self.faults.remove(index);
            }
        }
        Some(met)
    }
}

/// Runs a call under its fault.
pub(crate) async fn under(
    fault: Option<Fault>,
    refuse: impl FnOnce(&Fault) -> SandboxResponse,
    work: impl FnOnce() -> SandboxResponse,
) -> Result<SandboxResponse, Disconnect> {
    let Some(fault) = fault else { return Ok(work()) };
    match fault.kind {
        Kind::Status => {
            let status = fault.status_or(StatusCode::SERVICE_UNAVAILABLE);
            Ok(asking_to_wait(response::bytes(status, "text/plain", ""), &fault))
        }
        Kind::Error => Ok(asking_to_wait(refuse(&fault), &fault)),
        Kind::Hang => {
            tokio::time::sleep(HANG_TIME_MAX).await;
            Err(Disconnect)
        }
        Kind::Cut => Err(Disconnect),
        Kind::CutAfter => {
            work();
            Err(Disconnect)
        }
        Kind::Delay => {
            let response = work();
            tokio::time::sleep(fault.pause()).await;
            Ok(response)
        }
        // Faults of webhooks do not affect calls.
        Kind::DuplicateWebhook | Kind::ReorderStatuses => Ok(work()),
    }
}

fn asking_to_wait(mut response: SandboxResponse, fault: &Fault) -> SandboxResponse {
    if let Some(seconds) = fault.retry_after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn faults(list: Value) -> Result<Faults, String> {
        let wanted = serde_json::from_value(json!({ "faults": list })).map_err(|why| why.to_string())?;
        let mut faults = Faults::default();
        faults.replace(wanted).map_err(|wrong| wrong.message)?;
        Ok(faults)
    }

    const SEND: Called<'static> = Called { on: &[On::Send], connection: Some("c"), to: Some("16505551234") };

    #[test]
    fn a_fault_is_met_as_often_as_it_says() {
        let mut faults = faults(json!([{ "on": "send", "kind": "cut", "times": 2 }])).unwrap();
        let met: Vec<_> = (0..3).map(|_| faults.take(&SEND, |_| true).is_some()).collect();
        assert_eq!(met, [true, true, false]);
        assert!(faults.faults.is_empty());
    }

    #[test]
    fn a_fault_is_met_by_those_it_names() {
        let mut faults =
            faults(json!([{ "on": "send", "kind": "cut", "connection_id": "c", "to": "+1 650 555 1234" }]))
                .unwrap();
        assert!(faults.take(&SEND, |_| true).is_some());
        assert!(faults.take(&Called { connection: Some("d"), ..SEND }, |_| true).is_none());
        assert!(faults.take(&Called { to: Some("1"), ..SEND }, |_| true).is_none());
        assert!(faults.take(&Called { on: &[On::Media], ..SEND }, |_| true).is_none());
    }

    #[test]
    fn a_fault_that_makes_no_sense_is_told_how_to_be_right() {
        for (fault, told) in [
            (json!({ "on": "webhook", "kind": "hang" }), "takes the kinds"),
            (json!({ "on": "send", "kind": "reorder_statuses" }), "go with on webhook"),
            (json!({ "on": "send", "kind": "delay" }), "takes millis"),
            (json!({ "on": "send", "kind": "status", "status": 200 }), "from 400 to 599"),
            (json!({ "on": "send", "kind": "cut", "times": 0 }), "at least 1"),
            (json!({ "on": "send", "kind": "cut", "tmies": 1 }), "unknown field"),
            (json!({ "on": "model", "kind": "cut", "to": "1" }), "to goes with"),
        ] {
            let why = faults(json!([fault])).unwrap_err();
            assert!(why.contains(told), "{why}");
        }
    }
}
