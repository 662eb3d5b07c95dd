//! `frontdesk secret`: the key that secrets are sealed under.

use clap::Subcommand;
use frontdesk_app::push;
use frontdesk_db::{self as db, DatabaseUrl, Store};
use frontdesk_platform::sealing::rotation::{self, Resealed};
use frontdesk_platform::sealing::{Keyring, SecretKey};
use frontdesk_platform::servers::{self, SEEN_TIME_MAX};
use serde_json::{Value, json};

use super::print;
use crate::error::{Error, Result};
use crate::installation::Installation;
use crate::secret_key::{self, LoadedKeys, PREVIOUS_VARIABLE, Source, VARIABLE};
use crate::{clock, redis, routes};

#[derive(Subcommand)]
pub(super) enum Command {
    /// Seal every secret under a new key; safe to interrupt and run again
    #[command(after_help = "\
Stop the servers first. The new key takes the place of the old one: in the file beside a SQLite database, or in the
PostgreSQL database. Where FRONTDESK_SECRET_KEY is set, set it to the new key and FRONTDESK_SECRET_KEY_PREVIOUS to the old
one, restart the servers with both, run this, and then unset FRONTDESK_SECRET_KEY_PREVIOUS.

Page cursors, media links and web chat sessions from before the rotation stop working.")]
    Rotate {
        /// Start with a new key because the old one is lost; secrets sealed under it stay unreadable
        #[arg(long)]
        lost: bool,
    },
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        match self {
            Self::Rotate { lost } => rotate(installation, lost),
        }
    }
}

fn rotate(installation: &Installation, lost: bool) -> Result<()> {
    let database = installation.database()?;
    let (found, done) = installation.work(async |store| {
        let found =
            if lost { replace_lost(store, &database).await? } else { begin(store, &database).await? };
        let done = finish(store, &found).await?;
        Ok((found, done))
    })?;
    report(installation, &found, &done)
}

/// The keyring to seal with: that of an interrupted rotation, or the old key and a new one.
async fn begin(store: &Store, database: &DatabaseUrl) -> Result<LoadedKeys> {
    let found = secret_key::load(store, database).await?;
    if found.keys.previous().is_some() {
        refuse_other_servers(store, &found.keys).await?;
        return Ok(found);
    }
    if found.source == Source::Environment {
        return Err(Error::Invalid(format!(
            "the key comes from {VARIABLE}, so choose the new one there: set {VARIABLE} to a new key (`openssl rand \
             -base64 32` prints one) and {PREVIOUS_VARIABLE} to the present one, for the servers and for this command, \
             restart the servers, and run this again"
        )));
    }
    let text = secret_key::random();
    let key = SecretKey::parse(&text).map_err(|error| Error::Invalid(error.to_string()))?;
    let keys = found.keys.renewed(key);
    refuse_other_servers(store, &keys).await?;
    secret_key::save(store, &found.source, secret_key::in_rotation(&text, found.keys.current())).await?;
    // A server that has started in the meantime either reads both keys or is found here.
    refuse_other_servers(store, &keys).await?;
    Ok(LoadedKeys { keys, source: found.source })
}

async fn replace_lost(store: &Store, database: &DatabaseUrl) -> Result<LoadedKeys> {
    if let Ok(Some(_)) = secret_key::find(store, database).await {
        let message = "the secret key is not lost: it opens this database's secrets. Leave out --lost";
        return Err(Error::Invalid(message.to_owned()));
    }
    secret_key::replace_lost(store, database).await
}

/// A server without the new key could not read secrets sealed under it, and would seal secrets that others
/// cannot read.
async fn refuse_other_servers(store: &Store, keys: &Keyring) -> Result<()> {
    let key_id = keys.current().id().to_owned();
    // Servers are seen by the database's clock, and this machine's may be another one.
    let now = store.database_time().await?.unwrap_or_else(clock::now);
    let others = store.read(move |tx| servers::sealing_under_another(tx, &key_id, now)).await?;
    let Some(first) = others.first() else { return Ok(()) };
    let (count, ago) = (others.len(), (now.millis() - first.seen_at.millis()).max(0) / 1000);
    let wait = SEEN_TIME_MAX.as_secs();
    Err(Error::Invalid(format!(
        "{count} server(s) still use the old key; one was seen {ago} seconds ago. Stop every server and run this again; \
         one that was killed counts as stopped after {wait} seconds"
    )))
}

/// Seals everything under the new key and drops the old one.
async fn finish(store: &Store, found: &LoadedKeys) -> Result<Resealed> {
    let mut done = rotation::reseal(store, &found.keys, &routes::sealed_columns()).await?;
    let keys = found.keys.clone();
    let settings = store.write(move |tx| {
        rotation::reseal_settings(tx, &keys, &[redis::SETTING, secret_key::CANARY, push::KEY_SETTING])
    });
    done.values += settings.await.map_err(|error: db::Error| error)?;
    secret_key::settle(store, &found.source).await?;
    Ok(done)
}

fn report(installation: &Installation, found: &LoadedKeys, done: &Resealed) -> Result<()> {
    let unreadable: Vec<Value> = done
        .unreadable
        .iter()
        .map(|value| json!({ "table": value.table, "account_id": value.account, "id": value.row }))
        .collect();
    let response = json!({
        "key_id": found.keys.current().id(), "resealed": done.values, "unreadable": unreadable,
    });
    print::output(installation.json, &response, || {
        let fields = print::fields(&[
            ("key", found.keys.current().id().to_owned()),
            ("sealed again", format!("{} values", done.values)),
        ]);
        let lost = done.unreadable.iter().map(|value| {
            format!(
                "unreadable: {} {} of account {}; set its secret again",
                value.table, value.row, value.account
            )
        });
        let next = match &found.source {
            Source::Environment => "The rotation is finished. Unset FRONTDESK_SECRET_KEY_PREVIOUS now.",
            Source::File(_) | Source::Database => {
                "The rotation is finished. Back up the new key with the database, and start the servers."
            }
        };
        let connections: Vec<String> = std::iter::once(fields).chain(lost).collect();
        format!("{}\n\n{next}", connections.join("\n"))
    })
}
