//! Admission by API key: every check up to the budget.
//!
//! Address over its budget → key → allowlist → suspension → budget.

use std::net::IpAddr;
use std::sync::Arc;

use frontdesk_kernel::{Timestamp, key};
use frontdesk_web::{Failure, Result};
use http::header::AUTHORIZATION;
use http::request::Parts;

use super::{Budget, Gate};
use crate::error::store_failure;
use crate::keys::KeyRecord;
use crate::limits::{AdmissionRequest, FAILURES_MAX};
use crate::principal::Principal;

/// The progress of a request's checks, for the headers and the log of refused requests too.
pub(super) struct Admission<'g> {
    pub(super) gate: &'g Gate,
    pub(super) now: Timestamp,
    /// The address's budget, until the key is valid.
    pub(super) budget: Budget,
    /// The principal, once the key is valid.
    pub(super) principal: Option<Principal>,
}

impl Admission<'_> {
    /// Turns the request's key into a principal. Afterwards the headers describe the key's budget.
    pub(super) async fn admit(&mut self, parts: &Parts, peer: IpAddr, units: i64) -> Result<Principal> {
        let gate = self.gate;
        let client = gate.proxies.client(peer, &parts.headers);
        let address = client.unwrap_or(peer.to_canonical());
        let Some(hash) =
            parts.headers.get(AUTHORIZATION).and_then(|header| key::from_authorization(header.as_bytes()))
        else {
            return Err(self.refuse(address).await?);
        };
        let ask = AdmissionRequest { hash, address, units, now: self.now };
        let admission = gate.limits.admit(ask).await.map_err(|error| store_failure(&error))?;
        self.budget = Budget::of_address(admission.failed, self.now);
        if admission.failed >= FAILURES_MAX {
            return Err(self.too_many_failures());
        }
        let Some(key) = admission.key.filter(|key| key.is_good(self.now)) else {
            return Err(self.refuse(address).await?);
        };
        self.budget = Budget { limit: key.budget, used: admission.used, now: self.now };
        let principal = Principal::of_key(Arc::clone(&key));
        self.principal = Some(principal.clone());
        self.check(&key, client, admission.taken, units)?;
        gate.key_uses.note(key.account, key.id, self.now);
        Ok(principal)
    }

    fn check(&self, key: &KeyRecord, client: Option<IpAddr>, taken: bool, units: i64) -> Result<()> {
        if let Some(allowlist) = &key.allowlist
            && !client.is_some_and(|client| allowlist.iter().any(|network| network.contains(client)))
        {
            let message = "This key may not be used from this address. Use it from one on its allowlist, or have the list changed.";
            return Err(Failure::forbidden("ip_not_allowed", message));
        }
        if key.suspended {
            return Err(Failure::suspended());
        }
        if !taken {
            let wait = self.budget.seconds_left();
            let message = if units > key.budget {
                format!(
                    "This call costs {units} units and the key's whole budget is {} a minute, so it can never pass. Raise the key's rate limit.",
                    key.budget
                )
            } else {
                format!(
                    "The rate limit of {} units a minute was exceeded for this key. Wait {wait} seconds.",
                    key.budget
                )
            };
            return Err(Failure::rate_limited(message, wait).of_limit("key_rate"));
        }
        Ok(())
    }

    /// Counts a failed authentication of the address. Returns the failure to respond with.
    async fn refuse(&mut self, address: IpAddr) -> Result<Failure> {
        let failed = self.gate.limits.fail(address, self.now).await.map_err(|error| store_failure(&error))?;
        self.budget = Budget::of_address(failed, self.now);
        Ok(if failed > FAILURES_MAX { self.too_many_failures() } else { Failure::unauthorized() })
    }

    fn too_many_failures(&self) -> Failure {
        let wait = self.budget.seconds_left();
        let message = format!(
            "The limit of {FAILURES_MAX} requests a minute without a usable key was exceeded for this address. Wait {wait} seconds, and check the key."
        );
        Failure::rate_limited(message, wait).of_limit("failed_keys")
    }
}
