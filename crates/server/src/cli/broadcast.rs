//! `frontdesk broadcast`: one message to many people.

mod progress;

use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand};
use frontdesk_broadcasts::input::{AudienceInput, NewBroadcast};
use frontdesk_broadcasts::{
    self as broadcasts, Broadcast, BroadcastError, BroadcastId, FREE_TEXT_CHARS_MAX, NewFreeText, Order,
};
use frontdesk_db::Store;
use frontdesk_inbox::connections::{Connection, ConnectionId};
use frontdesk_inbox::media::Links;
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Text, Timestamp};
use frontdesk_platform::accounts::{self, AccountError};
use frontdesk_platform::{By, ServerContext};
use frontdesk_web::{Failure, FieldPath, Input, Problems};
use serde_json::{Map, Value, json};

use super::account_arg::AccountArg;
use super::channel::server;
use super::print;
use super::values::{Name, id};
use crate::error::{Error, Result};
use crate::installation::Installation;
use progress::progress;

/// How often `show --watch` polls.
const WATCH_PERIOD: Duration = Duration::from_millis(500);

#[derive(Subcommand)]
pub(super) enum Command {
    /// Create a broadcast and start it, now or later
    Create(Box<Create>),
    /// List the broadcasts of an account
    List {
        #[command(flatten)]
        account: AccountArg,
    },
    /// Show a broadcast and its progress
    Show {
        /// The broadcast's id, as `frontdesk broadcast list` shows it
        #[arg(value_name = "BROADCAST_ID", value_parser = id::<Broadcast>)]
        id: BroadcastId,
        /// Follow it with a progress bar until it ends
        #[arg(long)]
        watch: bool,
    },
    /// Cancel a broadcast: no more messages are sent after this command
    Cancel {
        /// The broadcast's id, as `frontdesk broadcast list` shows it
        #[arg(value_name = "BROADCAST_ID", value_parser = id::<Broadcast>)]
        id: BroadcastId,
    },
}

#[derive(Args)]
#[command(group(ArgGroup::new("content").required(true).args(["template", "free_text"])))]
#[command(group(ArgGroup::new("audience").required(true).args(["phones", "contacts", "tags", "all", "segment"])))]
pub(super) struct Create {
    #[command(flatten)]
    account: AccountArg,
    /// The broadcast's name
    #[arg(long)]
    name: Name,
    /// An approved WhatsApp template to send
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
    /// The template's language; `en_US` when left out
    #[arg(long, requires = "template")]
    language: Option<String>,
    /// How a placeholder is filled in, such as `1=static:Hello`, `2=field:name` or `3=custom_field:ID`. May be repeated
    #[arg(long = "variable", value_name = "KEY=TYPE:VALUE", requires = "template")]
    variables: Vec<String>,
    /// The media of the template's header; the template's own example when left out
    #[arg(long, value_name = "URL", requires = "template")]
    header_media_url: Option<String>,
    /// Text to send over a personal WhatsApp number, with pauses between strangers
    #[arg(long, value_name = "TEXT")]
    free_text: Option<Text<FREE_TEXT_CHARS_MAX>>,
    /// The personal number to send from; the account's oldest one when left out
    #[arg(long, value_name = "CONNECTION_ID", requires = "free_text", value_parser = id::<Connection>)]
    connection: Option<ConnectionId>,
    /// A number to send to; an unknown one becomes a contact. May be repeated
    #[arg(long = "phone", value_name = "PHONE")]
    phones: Vec<String>,
    /// A contact to send to. May be repeated
    #[arg(long = "contact", value_name = "CONTACT_ID")]
    contacts: Vec<String>,
    /// Send to contacts with this tag. May be repeated
    #[arg(long = "tag", value_name = "TAG_ID")]
    tags: Vec<String>,
    /// Send to every contact
    #[arg(long)]
    all: bool,
    /// Send to the contacts of this segment
    #[arg(long, value_name = "SEGMENT_ID")]
    segment: Option<String>,
    /// Leave out contacts with this tag. May be repeated
    #[arg(long = "exclude-tag", value_name = "TAG_ID", conflicts_with_all = ["phones", "contacts"])]
    exclude: Vec<String>,
    /// When to start, such as 2026-01-31T09:30:00Z; at once when left out
    #[arg(long, value_name = "TIME")]
    schedule_at: Option<Timestamp>,
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        match self {
            Self::Create(wanted) => create(installation, *wanted),
            Self::List { account } => list(installation, account.choose(installation)?),
            Self::Show { id, watch } => show(installation, id, watch),
            Self::Cancel { id } => cancel(installation, id),
        }
    }
}

impl Create {
    fn audience(&self) -> Value {
        let mut audience = if !self.phones.is_empty() {
            json!({ "type": "phones", "phones": self.phones })
        } else if !self.contacts.is_empty() {
            json!({ "type": "contacts", "contact_ids": self.contacts })
        } else if !self.tags.is_empty() {
            json!({ "type": "tags", "tag_ids": self.tags })
        } else if let Some(segment) = &self.segment {
            json!({ "type": "segment", "segment_id": segment })
        } else {
            json!({ "type": "all" })
        };
        if !self.exclude.is_empty() {
            audience["exclude_tag_ids"] = json!(self.exclude);
        }
        audience
    }

    fn variables(&self) -> Result<Value> {
        let mut variables = Map::new();
        for given in &self.variables {
            let parts = given.split_once('=').and_then(|(key, rule)| Some((key, rule.split_once(':')?)));
            let Some((key, (kind, value))) = parts else {
                return Err(Error::Invalid(format!(
                    "{given:?} is no variable: give KEY=TYPE:VALUE, such as 1=field:name"
                )));
            };
            variables.insert(key.to_owned(), json!({ "type": kind, "value": value }));
        }
        Ok(Value::Object(variables))
    }

    fn order(self) -> Result<Order> {
        let audience = self.audience();
        if let Some(text) = self.free_text {
            return Ok(Order::FreeText(Box::new(NewFreeText {
                name: self.name,
                text,
                audience: read::<AudienceInput>(&audience)?,
                connection: self.connection,
                schedule_at: self.schedule_at,
            })));
        }
        let mut body = json!({
            "name": self.name.as_str(),
            "template": { "name": self.template, "language": self.language },
            "audience": audience,
            "variables": self.variables()?,
            "header_media_url": self.header_media_url,
        });
        if let Some(at) = self.schedule_at {
            body["schedule_at"] = json!(at);
        }
        Ok(Order::Template(Box::new(read::<NewBroadcast>(&body)?)))
    }
}

/// Parses a body, or returns all its problems.
fn read<T: Input>(value: &Value) -> Result<T> {
    let mut problems = Problems::new();
    let read = T::read(Some(value), &mut FieldPath::root(), &mut problems);
    read.filter(|_| problems.is_empty()).ok_or_else(|| Error::Invalid(listed(&problems)))
}

fn listed(problems: &Problems) -> String {
    let connections: Vec<String> =
        problems.iter().map(|(path, message)| format!("{path} {message}")).collect();
    connections.join("; ")
}

/// The message of the API's error.
fn told(error: BroadcastError) -> Error {
    match error {
        BroadcastError::Invalid(problems) => Error::Invalid(listed(&problems)),
        BroadcastError::Variables(wrong) => {
            let connections: Vec<String> =
                wrong.iter().map(|wrong| format!("{} {}", wrong.path, wrong.message)).collect();
            Error::Invalid(format!("the variables do not fit the template: {}", connections.join("; ")))
        }
        error => Error::Invalid(Failure::from(error).message().to_owned()),
    }
}

fn create(installation: &Installation, wanted: Create) -> Result<()> {
    let account = wanted.account.choose(installation)?;
    let order = wanted.order()?;
    let made = installation.work(async |store| {
        let known = store.read(move |tx| accounts::find(tx, account)).await?;
        known.ok_or(AccountError::NoAccount(account))?;
        let ServerContext { clock, recorder, .. } = server(installation, store).await?;
        broadcasts::create(store, &By::system(account, clock(), &recorder), order).await.map_err(told)
    })?;
    print::output(installation.json, &made, || shown(&made))
}

fn list(installation: &Installation, account: AccountId) -> Result<()> {
    let rows = installation.look(move |tx| {
        accounts::find(tx, account)?.ok_or(AccountError::NoAccount(account))?;
        broadcasts::list_all(tx, account).map_err(AccountError::from)
    })?;
    print::output(installation.json, &rows, || {
        let connections = rows.iter().map(|broadcast| {
            vec![
                broadcast.id.to_string(),
                broadcast.name.clone(),
                broadcast.kind.to_string(),
                broadcast.status.to_string(),
                print::or_dash(broadcast.scheduled_at),
                broadcast.counts.total.to_string(),
                broadcast.counts.sent.to_string(),
                broadcast.counts.failed.to_string(),
            ]
        });
        let head = ["id", "name", "kind", "status", "started", "total", "sent", "failed"];
        print::table(
            &head,
            connections.collect(),
            "There are no broadcasts. `frontdesk broadcast create` makes one.",
        )
    })
}

fn shown(broadcast: &Broadcast) -> String {
    let counts = &broadcast.counts;
    let content = match &broadcast.template {
        Some(template) => format!("{} ({})", template.name, template.language),
        None => broadcast.kind.to_string(),
    };
    print::fields(&[
        ("broadcast", broadcast.id.to_string()),
        ("name", broadcast.name.clone()),
        ("content", content),
        ("channel", broadcast.channel.to_string()),
        ("status", broadcast.status.to_string()),
        ("started", print::or_dash(broadcast.scheduled_at)),
        ("recipients", counts.total.to_string()),
        ("sent", counts.sent.to_string()),
        ("delivered", counts.delivered.to_string()),
        ("read", counts.read.to_string()),
        ("replied", counts.replied.to_string()),
        ("failed", counts.failed.to_string()),
    ])
}

fn show(installation: &Installation, id: BroadcastId, watch: bool) -> Result<()> {
    let found = installation.work(async |store| {
        let mut found = find(store, id).await?.1;
        while watch && !found.status.is_over() {
            if !installation.json {
                print::over(&progress(&found))?;
            }
            tokio::time::sleep(WATCH_PERIOD).await;
            found = find(store, id).await?.1;
        }
        if watch && !installation.json {
            print::over(&format!("{}\n", progress(&found)))?;
        }
        Ok(found)
    })?;
    print::output(installation.json, &found, || shown(&found))
}

async fn find(store: &Store, id: BroadcastId) -> Result<(AccountId, Broadcast)> {
    let found = store.read(move |tx| broadcasts::find_in_any_account(tx, id)).await?;
    found.ok_or_else(|| {
        Error::Invalid(format!(
            "there is no broadcast {id}; `frontdesk broadcast list` shows those there are"
        ))
    })
}

fn cancel(installation: &Installation, id: BroadcastId) -> Result<()> {
    let cancelled = installation.work(async |store| {
        let (account, _) = find(store, id).await?;
        let server = server(installation, store).await?;
        let by = By::system(account, (server.clock)(), &server.recorder);
        broadcasts::cancel(store, &by, &Links::of(&server.services), id).await.map_err(told)
    })?;
    print::output(installation.json, &cancelled, || shown(&cancelled))
}
