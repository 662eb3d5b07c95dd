//! The address of a delivery, with its decrypted signing secrets.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use frontdesk_kernel::{Secret, Timestamp};
use http::Uri;

use super::claim::Job;
use crate::sealing::Keyring;
use crate::webhooks::EndpointId;
use crate::webhooks::endpoints::{Route, SECRET};

/// Endpoints whose decrypted secrets are cached.
const TARGETS_MAX: usize = 1024;

pub(super) struct Target {
    pub(super) uri: Option<Uri>,
    pub(super) secrets: Vec<Secret>,
}

impl Target {
    fn new(job: &Job, keys: &Keyring, now: Timestamp) -> Self {
        let (route, place) = (&job.route, SECRET.at(job.account, job.endpoint.to_string()));
        let old =
            route.old_secret.as_ref().filter(|_| route.old_secret_until.is_some_and(|until| until > now));
        let sealed = std::iter::once(&route.secret).chain(old);
        Self {
            uri: route.url.parse().ok(),
            secrets: sealed.filter_map(|sealed| keys.open(&place, sealed)).map(Secret::new).collect(),
        }
    }
}

/// A cache of recent targets, to avoid decrypting a secret for every delivery.
#[derive(Default)]
pub(super) struct Targets(Mutex<HashMap<EndpointId, Known>>);

type Known = (Arc<Route>, Arc<Target>);

impl Targets {
    pub(super) fn of(&self, job: &Job, keys: &Keyring, now: Timestamp) -> Arc<Target> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((route, target)) = known.get(&job.endpoint)
            && *route == job.route
            // An old secret signs for a limited time.
            && route.old_secret.is_none()
        {
            return target.clone();
        }
        let target = Arc::new(Target::new(job, keys, now));
        if known.len() >= TARGETS_MAX {
            known.clear();
        }
        known.insert(job.endpoint, (job.route.clone(), target.clone()));
        target
    }
}
