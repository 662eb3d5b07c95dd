//! Fresh deliveries: those that the transaction of their event hands to the courier of its own process.
//!
//! They are claimed from the start. Should they be lost on the way, by a crash or because the courier is just stopping,
//! their lease runs out like any other.

use std::sync::Arc;

use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;

use super::attempt::{Job, Target};
use super::leased_until;
use crate::By;
use crate::events::{EventId, WrittenEvent};
use crate::sealing::Keyring;
use crate::webhooks::deliveries::{self, DeliveryId};
use crate::webhooks::endpoints::Route;
use crate::webhooks::{EndpointId, QUEUED, Subscriber};

/// A delivery as it is handed over.
pub(super) struct Fresh {
    account: AccountId,
    pub(super) endpoint: EndpointId,
    delivery: DeliveryId,
    event: EventId,
    event_type: &'static str,
    leased_until: Timestamp,
    route: Route,
    data: String,
}

/// Writes a delivery and hands it to the courier.
pub(crate) fn hand_over(tx: &mut Tx<'_>, by: &By, told: &WrittenEvent<'_>, to: Subscriber) -> db::Result<()> {
    let leased_until = leased_until(by.now);
    let delivery = deliveries::insert_claimed(tx, by, to.id, told.id, told.event_type, leased_until)?;
    let fresh = Fresh {
        account: by.account,
        endpoint: to.id,
        delivery,
        event: told.id,
        event_type: told.event_type,
        leased_until,
        route: to.route,
        data: told.data.to_owned(),
    };
    tx.hand_over(QUEUED, Box::new(fresh));
    Ok(())
}

impl Fresh {
    pub(super) fn into_job(self, targets: &mut Targets, keys: &Keyring, now: Timestamp) -> Job {
        Job {
            account: self.account,
            endpoint: self.endpoint,
            delivery: self.delivery,
            event: self.event,
            event_type: self.event_type.to_owned(),
            attempts: 0,
            step: 0,
            lease: self.delivery.uuid(),
            leased_until: self.leased_until,
            target: targets.lead(self.account, self.endpoint, self.route, keys, now),
            data: self.data,
        }
    }
}

/// Where a lane led the last time: to open its secret for every delivery anew would be a waste.
#[derive(Default)]
pub(super) struct Targets {
    last: Option<(Route, Arc<Target>)>,
}

impl Targets {
    fn lead(
        &mut self,
        account: AccountId,
        endpoint: EndpointId,
        route: Route,
        keys: &Keyring,
        now: Timestamp,
    ) -> Arc<Target> {
        match &self.last {
            // An old secret signs only for a time.
            Some((known, target)) if *known == route && route.old_secret.is_none() => target.clone(),
            _ => {
                let target = Arc::new(Target::new(account, endpoint, &route, keys, now));
                self.last = Some((route, target.clone()));
                target
            }
        }
    }
}
