//! Connections: a number, a page or a widget of an account.
//!
//! The command line and the dashboard create them. Their credentials are stored encrypted. When a vendor rejects a token, the connection
//! is disconnected, with the reason.

mod check;
mod credentials;
mod describe;
pub mod event_types;
mod sql;
mod status;
mod verify;

use std::sync::{Arc, OnceLock};

use frontdesk_db::{self as db, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_platform::events::Recorder;
use frontdesk_platform::export::{Columns, Exported, ExportedRows, LineFields, line_with};
use frontdesk_platform::notices;
use frontdesk_platform::sealed_column;
use frontdesk_platform::sealing::{Keyring, SealedColumn};
use frontdesk_platform::{By, Caller, Error, Route, Services};
use frontdesk_web::{List, Result as WebResult, choice, resource};
use serde_json::value::RawValue;

pub use check::{CheckedField, EnteredValues, FieldCheck, FieldFinding, FieldResult, check};
pub use credentials::{Bridge, Credentials, Page, WebChat, WhatsApp};
pub use describe::{Chance, ConnectionDraft, sandbox, secret};
use sql::{
    ANY_SANDBOX, FIND, FIND_IN_ANY_ACCOUNT, FIND_WIDGET, FIRST_CONNECTED, INSERT, LIST, LIST_CONNECTED,
    LIST_SANDBOX, SET_ADDRESS, SET_CREDENTIALS, SET_WEBHOOK_VERIFIED, SET_WIDGET,
};
pub(crate) use status::{Cause, disconnect, session_works};
pub use status::{disconnect_by_operator, reconnect};
pub use verify::{VerifyError, verify};

pub type ConnectionId = Id<Connection>;

/// The topic that wakes the sender for a connection: there is something to send, or it was disconnected.
pub(crate) const SENDS: db::Topic = "sends";

choice! {
    /// The channels.
    pub enum Channel {
        Whatsapp => "whatsapp",
        PersonalWhatsapp => "personal_whatsapp",
        Messenger => "messenger",
        Instagram => "instagram",
        WebChat => "web_chat",
    }
}

choice! {
    /// Whether a connection can send and receive messages.
    pub enum ConnectionStatus {
        Connected => "connected",
        Disconnected => "disconnected",
    }
}

frontdesk_db::text_column!(Channel, ConnectionStatus);

impl Channel {
    /// Whether free text may be sent only within 24 hours of the customer's last message.
    pub fn has_window(self) -> bool {
        matches!(self, Self::Whatsapp | Self::Messenger | Self::Instagram)
    }

    /// Why a text is too long for the channel, if it is.
    pub fn too_long(self, text: &str) -> Option<String> {
        let (most, unit, has) = match self {
            Self::Whatsapp | Self::PersonalWhatsapp | Self::WebChat => {
                (4_096, "characters", text.chars().count())
            }
            Self::Messenger => (2_000, "characters", text.chars().count()),
            // Instagram counts bytes.
            Self::Instagram => (1_000, "bytes", text.len()),
        };
        (has > most).then(|| format!("must have at most {most} {unit} on {self}"))
    }

    /// Whether people are identified by their phone numbers.
    pub fn has_numbers(self) -> bool {
        matches!(self, Self::Whatsapp | Self::PersonalWhatsapp)
    }
}

resource! {
    /// A connected number, page or widget of the account.
    pub struct Connection {
        pub id: ConnectionId,
        pub channel: Channel,
        pub name: String,
        /// The address that customers see: a phone number, a page's id.
        pub address: Option<String>,
        pub status: ConnectionStatus,
        /// Why it is disconnected, if it is.
        pub disconnected_reason: Option<String>,
        pub created_at: Timestamp,
    }
}

/// The column of the sealed credentials.
pub const CREDENTIALS: SealedColumn = sealed_column!("connections", "id", "settings", Uuid);

/// A stored connection, with its sealed credentials.
#[derive(Clone, Debug)]
pub struct StoredConnection {
    pub account: AccountId,
    pub public: Connection,
    pub sandbox: bool,
    /// When the vendor first asked for the webhook's address with the right verify token.
    pub webhook_verified_at: Option<Timestamp>,
    sealed: String,
    opened: OnceLock<Option<Credentials>>,
}

impl StoredConnection {
    pub fn id(&self) -> ConnectionId {
        self.public.id
    }

    pub fn channel(&self) -> Channel {
        self.public.channel
    }

    /// The HTML that shows a web chat on a page.
    pub fn snippet(&self, base_url: &str) -> Option<String> {
        (self.channel() == Channel::WebChat).then(|| {
            format!("<script src=\"{base_url}/widget.js\" data-connection=\"{}\" async></script>", self.id())
        })
    }

    pub fn is_connected(&self) -> bool {
        self.public.status == ConnectionStatus::Connected
    }

    /// The credentials. None if they were sealed under another key.
    pub fn credentials(&self, keys: &Keyring) -> Option<&Credentials> {
        let place = || CREDENTIALS.at(self.account, self.id().to_string());
        let open = || serde_json::from_str(&keys.open(&place(), &self.sealed)?).ok();
        self.opened.get_or_init(open).as_ref()
    }

    /// Whether both reach the channel in the same way: with the same stored credentials.
    pub fn has_same_credentials(&self, other: &Self) -> bool {
        (self.id(), self.sandbox, &self.sealed) == (other.id(), other.sandbox, &other.sealed)
    }

    /// The channel's adapter; none for web chat, or if the credentials cannot be read.
    pub fn adapter(&self, services: &Services) -> Option<Box<dyn frontdesk_channels::Adapter>> {
        self.credentials(&services.secrets)?.adapter(self.channel(), self.sandbox, services)
    }
}

/// A connection to be made.
#[derive(Clone, Debug)]
pub struct NewConnection {
    pub account: AccountId,
    pub channel: Channel,
    pub name: String,
    pub address: Option<String>,
    pub sandbox: bool,
    pub credentials: Credentials,
}

/// Creates a connection, connected from the start. The account must exist.
pub fn create(
    tx: &mut Tx<'_>,
    recorder: &Arc<Recorder>,
    keys: &Keyring,
    new: &NewConnection,
    now: Timestamp,
) -> db::Result<ConnectionId> {
    let by = By::system(new.account, now, recorder);
    let id: ConnectionId = by.new_id();
    let credentials = serde_json::to_string(&new.credentials).map_err(|_| db::Error::Decode("settings"))?;
    let params: &[&dyn db::Param] = &[
        &new.account,
        &id,
        &new.channel,
        &new.name,
        &new.address,
        &new.sandbox,
        &keys.seal(&CREDENTIALS.at(new.account, id.to_string()), &credentials),
        &now,
    ];
    tx.execute(INSERT, params)?.exactly(1)?;
    status::connected(tx, &by, id)?;
    Ok(id)
}

/// Every statement of connections, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    sql::STATEMENTS.to_vec()
}

pub fn find(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    id: ConnectionId,
) -> db::Result<Option<StoredConnection>> {
    tx.find(FIND, &[&account, &id], read)
}

/// The connection with this id, of any account. It is for workers and the operator's commands, which serve
/// all accounts, and for webhooks: a vendor's signature proves that it has the connection's secret. Code that
/// acts for one account uses [`find`].
pub fn find_in_any_account(tx: &mut ReadTx<'_>, id: ConnectionId) -> db::Result<Option<StoredConnection>> {
    tx.find(FIND_IN_ANY_ACCOUNT, &[&id], read)
}

/// The account's oldest connected connection on a channel.
pub fn first_connected(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    channel: Channel,
) -> db::Result<Option<StoredConnection>> {
    tx.find(FIRST_CONNECTED, &[&account, &channel], read)
}

pub fn list(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Vec<StoredConnection>> {
    tx.query(LIST, &[&account], read)
}

/// Every connection of the installation that uses the sandbox.
pub fn list_sandbox(tx: &mut ReadTx<'_>) -> db::Result<Vec<StoredConnection>> {
    tx.query(LIST_SANDBOX, &[], read)
}

/// Every connected connection of the installation.
pub fn list_connected(tx: &mut ReadTx<'_>) -> db::Result<Vec<StoredConnection>> {
    tx.query(LIST_CONNECTED, &[], read)
}

/// Whether any connected connection of the installation uses the sandbox.
pub fn any_sandbox_connected(tx: &mut ReadTx<'_>) -> db::Result<bool> {
    Ok(tx.find(ANY_SANDBOX, &[], only::<ConnectionId>)?.is_some())
}

/// Replaces the credentials.
pub fn change_credentials(
    tx: &mut Tx<'_>,
    keys: &Keyring,
    connection: &StoredConnection,
    credentials: &Credentials,
    now: Timestamp,
) -> db::Result<()> {
    let credentials = serde_json::to_string(credentials).map_err(|_| db::Error::Decode("settings"))?;
    let sealed = keys.seal(&CREDENTIALS.at(connection.account, connection.id().to_string()), &credentials);
    tx.execute(SET_CREDENTIALS, &[&connection.account, &connection.id(), &sealed, &now])?.exactly(1)
}

/// Stores the address that customers see.
pub fn set_address(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ConnectionId,
    address: &str,
    now: Timestamp,
) -> db::Result<()> {
    tx.execute(SET_ADDRESS, &[&account, &id, &address, &now])?.exactly(1)
}

/// Stores when the vendor first asked for the webhook's address with the right verify token, and tells open dashboards.
pub(crate) fn set_webhook_verified(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ConnectionId,
    now: Timestamp,
) -> db::Result<()> {
    if tx.execute(SET_WEBHOOK_VERIFIED, &[&account, &id, &now])?.any() {
        notices::changed(tx, account, notices::CONNECTIONS, Some(id.uuid()));
    }
    Ok(())
}

/// The stored settings of a web chat's widget; none for the defaults.
pub(crate) fn find_widget(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    id: ConnectionId,
) -> db::Result<Option<String>> {
    Ok(tx.find(FIND_WIDGET, &[&account, &id], only::<Option<String>>)?.flatten())
}

/// Stores the settings of a web chat's widget.
pub(crate) fn set_widget(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ConnectionId,
    settings: &str,
    now: Timestamp,
) -> db::Result<()> {
    tx.execute(SET_WIDGET, &[&account, &id, &settings, &now])?.exactly(1)
}

/// Connections and the settings of their widgets, without their credentials.
pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "connections",
    &["connections"],
    Columns {
        sql: "t.account_id, t.id, t.channel, t.name, t.address, t.status, t.disconnected_reason, t.sandbox, t.settings, t.webhook_verified_at,
            t.widget, t.updated_at",
        line: |row, _| {
            let connection = read(row)?;
            let more = LineFields::default()
                .with("sandbox", &connection.sandbox)?
                .with("webhook_verified_at", &connection.webhook_verified_at)?
                .with("widget", &row.next::<Option<Box<RawValue>>>()?)?
                .with("updated_at", &row.next::<Timestamp>()?)?;
            line_with(&connection.public, more)
        },
    },
)];

pub(crate) fn read(row: &mut Row<'_>) -> db::Result<StoredConnection> {
    let account = row.next()?;
    let id: ConnectionId = row.next()?;
    Ok(StoredConnection {
        account,
        public: Connection {
            id,
            channel: row.next()?,
            name: row.next()?,
            address: row.next()?,
            status: row.next()?,
            disconnected_reason: row.next()?,
            created_at: id.created_at(),
        },
        sandbox: row.next()?,
        sealed: row.next()?,
        webhook_verified_at: row.next()?,
        opened: OnceLock::new(),
    })
}

pub fn routes() -> Vec<Route> {
    vec![Route::get("/channels", "listChannels", channels).tag("Channels").summary("List the account's channels").notes(
        "Every number, page and widget that is or was connected. `frontdesk channel connect` creates them.",
    )]
}

async fn channels(caller: Caller) -> WebResult<List<Connection>> {
    let connections = caller.read(|tx, by| list(tx, by.account).map_err(Error::from)).await?;
    Ok(List::all(connections.into_iter().map(|connection| connection.public).collect()))
}
