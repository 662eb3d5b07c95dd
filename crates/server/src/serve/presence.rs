//! Registers this server, with the secret key that it seals under, while it runs.
//!
//! A rotation must not drop the previous key while a server still seals under it.

use std::sync::Arc;

use frontdesk_db::{DatabaseUrl, Store};
use frontdesk_kernel::Ids;
use frontdesk_platform::sealing::Keyring;
use frontdesk_platform::servers::{self, ServerId};
use tokio::sync::watch;

use crate::clock;
use crate::error::Result;
use crate::secret_key;

pub(super) struct Presence {
    id: ServerId,
    store: Store,
    keys: Keyring,
}

impl Presence {
    /// Loads the key and registers the server. The key is read again after that: a rotation that began in
    /// between has not seen this server, so this server must see the rotation.
    pub(super) async fn announce(store: &Store, database: &DatabaseUrl) -> Result<Self> {
        let id = Ids::new().next(clock::now());
        let mut keys = secret_key::load(store, database).await?.keys;
        loop {
            let presence = Self { id, store: store.clone(), keys };
            presence.renew().await?;
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

    /// Renews the row until the server stops, then removes it.
    pub(super) async fn keep_up(self: Arc<Self>, mut stopped: watch::Receiver<bool>) {
        loop {
            tokio::select! {
                () = tokio::time::sleep(servers::RENEW_EVERY) => {}
                _ = stopped.wait_for(|stopped| *stopped) => break,
            }
            if let Err(error) = self.renew().await {
                tracing::warn!(%error, "this server's row was not renewed");
            }
        }
        let id = self.id;
        if let Err(error) = self.store.write(move |tx| servers::leave(tx, id)).await {
            tracing::debug!(%error, "this server's row was not removed; it expires by itself");
        }
    }

    async fn renew(&self) -> Result<()> {
        let (id, key_id) = (self.id, self.keys.current().id().to_owned());
        // A rotation compares real times, so the movable clock is not used.
        let now = clock::now();
        Ok(self.store.write(move |tx| servers::see(tx, id, &key_id, now)).await?)
    }
}
