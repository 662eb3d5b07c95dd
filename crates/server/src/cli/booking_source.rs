//! `frontdesk booking-source`: the calendars that send bookings to an account.

use clap::Subcommand;
use frontdesk_crm::bookings::{self, BookingSource, SourceError, SourceId};
use frontdesk_kernel::Ids;
use frontdesk_kernel::ids::AccountId;
use serde_json::{Value, json};

use super::account_arg::AccountArg;
use super::print;
use super::values::{Name, id};
use crate::error::{Error, Result};
use crate::installation::{Installation, ServerUrls, announced};
use crate::{clock, secret_key};

#[derive(Subcommand)]
pub(super) enum Command {
    /// Create an address for a calendar's webhook, and print it with its secret, once
    Create {
        #[command(flatten)]
        account: AccountArg,
        /// The calendar's name
        #[arg(long, default_value = "Calendar")]
        name: Name,
    },
    /// List the calendars of an account
    List {
        #[command(flatten)]
        account: AccountArg,
    },
    /// Delete a calendar's address; its bookings stay
    Delete {
        /// The source's id, as `frontdesk booking-source list` shows it
        #[arg(value_name = "SOURCE_ID", value_parser = id::<BookingSource>)]
        id: SourceId,
    },
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        match self {
            Self::Create { account, name } => create(installation, account.choose(installation)?, name),
            Self::List { account } => list(installation, account.choose(installation)?),
            Self::Delete { id } => delete(installation, id),
        }
    }
}

fn create(installation: &Installation, account: AccountId, name: Name) -> Result<()> {
    let (ids, now, random) = (Ids::new(), clock::now(), (rand::random(), rand::random()));
    let database = installation.database()?;
    let ((source, secret), base) = installation.work(async |store| {
        let keys = secret_key::load(store, &database).await?.keys;
        let made = store.write(announced(move |tx| {
            let made = bookings::create(tx, &ids, &random, &keys, account, &name, now)?;
            Ok::<_, SourceError>((made, ServerUrls::recall(tx)?.base_url))
        }));
        made.await.map_err(Error::from)
    })?;
    let url = address(&base, &source);
    let response = json!({ "source_id": source.id, "url": url, "secret": secret.reveal() });
    print::output(installation.json, &response, || {
        let fields = print::fields(&[
            ("source", source.id.to_string()),
            ("address", url.clone()),
            ("secret", secret.reveal().to_owned()),
        ]);
        format!(
            "{fields}\n\nIn Cal.com, add a webhook with this address and secret, for the events Booking created, \
             rescheduled,\ncancelled and Meeting ended. The secret is shown once: store it now."
        )
    })
}

fn address(base: &str, source: &BookingSource) -> String {
    format!("{base}/bookings/{}", source.token)
}

fn list(installation: &Installation, account: AccountId) -> Result<()> {
    let (sources, base) = installation.look(move |tx| {
        Ok::<_, SourceError>((bookings::list(tx, account)?, ServerUrls::recall(tx)?.base_url))
    })?;
    let rows: Vec<Value> = sources
        .iter()
        .map(|source| {
            let url = address(&base, source);
            json!({ "id": source.id, "name": source.name, "url": url, "created_at": source.created_at })
        })
        .collect();
    print::output(installation.json, &rows, || {
        let rows = sources
            .iter()
            .map(|source| vec![source.id.to_string(), source.name.clone(), address(&base, source)]);
        print::table(
            &["id", "name", "address"],
            rows.collect(),
            "There are no booking sources. Make one with: frontdesk booking-source create",
        )
    })
}

fn delete(installation: &Installation, id: SourceId) -> Result<()> {
    installation.put(move |tx| bookings::delete(tx, id))?;
    print::output(installation.json, &json!({ "id": id, "deleted": true }), || {
        print::fields(&[("deleted", id.to_string())])
    })
}
