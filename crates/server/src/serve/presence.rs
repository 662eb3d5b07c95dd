//! Registers this server while it runs: the secret key that it seals under, and what it says about itself.
//!
//! A rotation must not drop the previous key while a server still seals under it.

use std::sync::Arc;

use frontdesk_db::{DatabaseUrl, Incarnation, Store};
use frontdesk_kernel::Ids;
use frontdesk_platform::sealing::Keyring;
use frontdesk_platform::servers::{self, Report, ServerId};
use tokio::sync::watch;

use super::load::ServerLoad;
use super::phase::Phase;
use crate::clock;
use crate::config::{Config, Role};
use crate::error::Result;
use crate::secret_key;

const HOST_NAME: &str = "/proc/sys/kernel/hostname";
const HOST_NAME_FILE: &str = "/etc/hostname";

pub(super) struct Presence {
    id: ServerId,
    store: Store,
    keys: Keyring,
    role: Role,
    /// What does not change while it runs.
    report: Report,
}

impl Presence {
    /// Compares the clocks, loads the key and registers the server. The key is read again after that: a rotation that began in
    /// between has not seen this server, so this server must see the rotation.
    pub(super) async fn announce(store: &Store, config: &Config) -> Result<Self> {
        clock::compare(store, true).await?;
        let now = clock::now();
        let id = Ids::new().next(now);
        let report = Report {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            role: config.role.name().to_owned(),
            host: host_name(),
            process_id: std::process::id(),
            address: config.listen.clone(),
            started_at: now.to_string(),
            ..Report::default()
        };
        let database: &DatabaseUrl = &config.database;
        let mut keys = secret_key::load(store, database).await?.keys;
        loop {
            let presence = Self { id, store: store.clone(), keys, role: config.role, report: report.clone() };
            presence.renew(&presence.report).await?;
            let again = secret_key::load(store, database).await?.keys;
            if again.current() == presence.keys.current() {
                if again.previous().is_some() {
                    tracing::warn!(
                        "a rotation of the secret key is not finished: run `frontdesk secret rotate`"
                    );
                }
                return Ok(presence);
            }
            keys = again;
        }
    }

    pub(super) fn keys(&self) -> &Keyring {
        &self.keys
    }

    /// Renews the row, and compares the clocks, until the server stops. Then it removes the row.
    pub(super) async fn keep_up(self: Arc<Self>, load: ServerLoad, mut stopped: watch::Receiver<bool>) {
        let mut draining = false;
        loop {
            if let Err(error) = self.renew(&self.report_of(&load)).await {
                tracing::warn!(%error, "this server's row was not renewed");
            }
            tokio::select! {
                () = tokio::time::sleep(servers::RENEW_EVERY) => {}
                () = load.phases.entered(Phase::Draining), if !draining => draining = true,
                _ = stopped.wait_for(|stopped| *stopped) => break,
            }
            if let Err(error) = clock::compare(&self.store, false).await {
                tracing::debug!(%error, "the clocks were not compared");
            }
        }
        self.leave().await;
    }

    pub(super) async fn leave(&self) {
        let id = self.id;
        if let Err(error) = self.store.write(move |tx| servers::leave(tx, id)).await {
            tracing::debug!(%error, "this server's row was not removed; it is shown as dead for a while");
        }
    }

    fn report_of(&self, load: &ServerLoad) -> Report {
        let incarnation = self.role.works().then(|| Incarnation::current().leases().first);
        Report { incarnation, ..load.report(&self.report) }
    }

    async fn renew(&self, report: &Report) -> Result<()> {
        let (id, key_id, report) = (self.id, self.keys.current().id().to_owned(), report.clone());
        // A rotation compares real times, so the movable clock is not used.
        let now = clock::now();
        Ok(self.store.write(move |tx| servers::see(tx, id, &key_id, &report, now)).await?)
    }
}

/// The name of this machine, or of its container; nothing where the system does not say.
fn host_name() -> String {
    let name = std::fs::read_to_string(HOST_NAME).or_else(|_| std::fs::read_to_string(HOST_NAME_FILE));
    name.unwrap_or_default().trim().to_owned()
}
