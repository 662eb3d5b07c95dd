//! Statements and operations of endpoints.

use frontdesk_db::{self as db, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Patch, Secret, Text, Timestamp};
use frontdesk_web::{Deleted, Given};

use super::endpoint::{
    EndpointId, MISSING, NewWebhook, WebhookEndpoint, WebhookError, WebhookPatch, filter_of, lets_through,
};
use super::signing;
use crate::by::By;
use crate::export::{Columns, ExportedRows, line};
use crate::sealing::{Keyring, SealedColumn, sealed_column};

/// Endpoints an account may have.
const ENDPOINTS_MAX: i64 = 100;
/// How long the secret before a rotation still signs.
const OLD_SECRET_HOURS: u64 = 24;

macro_rules! columns {
    () => {
        "SELECT id, url, description, event_types, enabled, disabled_reason, updated_at FROM webhook_endpoints "
    };
}

/// The columns of a [`Route`].
macro_rules! route {
    () => {
        "url, secret, old_secret, old_secret_until, failing_since"
    };
}

pub(crate) use route;

frontdesk_db::statements! {
    LIST = concat!(columns!(), "WHERE account_id = $1 ORDER BY id DESC");
    FIND = concat!(columns!(), "WHERE account_id = $1 AND id = $2");
    COUNT = "SELECT count(*) FROM webhook_endpoints WHERE account_id = $1";
    INSERT = "INSERT INTO webhook_endpoints (account_id, id, url, description, event_types, filter, enabled, secret, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    UPDATE = "UPDATE webhook_endpoints SET url = $3, description = $4, event_types = $5, filter = $6, enabled = $7, disabled_reason = $8,
        failing_since = CASE WHEN $9 THEN NULL ELSE failing_since END, updated_at = $10 WHERE account_id = $1 AND id = $2";
    ROTATE = "UPDATE webhook_endpoints SET old_secret = secret, old_secret_until = $4, secret = $3, updated_at = $5
        WHERE account_id = $1 AND id = $2";
    DELETE = "DELETE FROM webhook_endpoints WHERE account_id = $1 AND id = $2";
    SUBSCRIBERS = concat!("SELECT id, filter, ", route!(), " FROM webhook_endpoints WHERE account_id = $1 AND enabled = true");
}

/// An enabled endpoint, with the fields that events need.
#[derive(Clone)]
pub(crate) struct Subscriber {
    pub(super) id: EndpointId,
    filter: String,
    pub(super) route: Route,
}

impl Subscriber {
    pub(crate) fn read(row: &mut Row<'_>) -> db::Result<Self> {
        Ok(Self { id: row.next()?, filter: row.next()?, route: Route::read(row)? })
    }

    pub(super) fn wants(&self, event_type: &str) -> bool {
        lets_through(&self.filter, event_type)
    }
}

/// The address of an endpoint, with its sealed signing secrets.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Route {
    pub(super) url: String,
    pub(super) secret: String,
    pub(super) old_secret: Option<String>,
    pub(super) old_secret_until: Option<Timestamp>,
    pub(super) failing_since: Option<Timestamp>,
}

impl Route {
    pub(super) fn read(row: &mut Row<'_>) -> db::Result<Self> {
        Ok(Self {
            url: row.next()?,
            secret: row.next()?,
            old_secret: row.next()?,
            old_secret_until: row.next()?,
            failing_since: row.next()?,
        })
    }
}

/// The secret that signs. Rotating it copies it to `old_secret`, so both columns bind to one name.
pub(super) const SECRET: SealedColumn = sealed_column!("webhook_endpoints", "id", "secret", Uuid);
pub(super) const OLD_SECRET: SealedColumn =
    sealed_column!("webhook_endpoints", "id", "old_secret", Uuid, bound_as "secret", only "");

pub(super) fn create(
    tx: &mut Tx<'_>,
    by: &By,
    new: &NewWebhook,
    secret: &Secret,
    keys: &Keyring,
) -> Result<WebhookEndpoint, WebhookError> {
    let count: i64 = tx.find(COUNT, &[&by.account], only)?.unwrap_or(0);
    if count >= ENDPOINTS_MAX {
        return Err(WebhookError::TooMany { max: ENDPOINTS_MAX });
    }
    let id: EndpointId = by.new_id();
    let event_types: Vec<String> = new
        .event_types
        .iter()
        .flat_map(|patterns| &patterns.0)
        .map(|pattern| pattern.as_str().to_owned())
        .collect();
    let endpoint = WebhookEndpoint {
        id,
        url: new.url.as_str().to_owned(),
        description: new.description.as_ref().map(ToString::to_string),
        event_types,
        enabled: new.enabled.unwrap_or(true),
        disabled_reason: None,
        secret: Some(secret.reveal().to_owned()),
        created_at: id.created_at(),
        updated_at: by.now,
    };
    let params: &[&dyn db::Param] = &[
        &by.account,
        &id,
        &endpoint.url,
        &endpoint.description,
        &written(&endpoint.event_types),
        &filter_of(&endpoint.event_types),
        &endpoint.enabled,
        &keys.seal(&SECRET.at(by.account, id.to_string()), secret.reveal()),
        &by.now,
    ];
    tx.execute(INSERT, params)?.exactly(1)?;
    Ok(endpoint)
}

pub(super) fn patch(
    tx: &mut Tx<'_>,
    by: &By,
    id: EndpointId,
    patch: &WebhookPatch,
) -> Result<WebhookEndpoint, WebhookError> {
    let mut endpoint = tx.find_to_change(FIND, &[&by.account, &id], read)?.ok_or(MISSING)?;
    if let Given::Value(url) = &patch.url {
        url.as_str().clone_into(&mut endpoint.url);
    }
    endpoint.description = patch.description.clone().map(Text::into_string).apply(endpoint.description);
    match &patch.event_types {
        Patch::Keep => {}
        Patch::Clear => endpoint.event_types.clear(),
        Patch::Set(patterns) => {
            endpoint.event_types = patterns.0.iter().map(|pattern| pattern.as_str().to_owned()).collect();
        }
    }
    let switched_on = matches!(patch.enabled, Given::Value(true)) && !endpoint.enabled;
    endpoint.enabled = patch.enabled.apply(endpoint.enabled);
    if switched_on || matches!(patch.enabled, Given::Value(false)) {
        endpoint.disabled_reason = None;
    }
    endpoint.updated_at = by.now;
    let params: &[&dyn db::Param] = &[
        &by.account,
        &id,
        &endpoint.url,
        &endpoint.description,
        &written(&endpoint.event_types),
        &filter_of(&endpoint.event_types),
        &endpoint.enabled,
        &endpoint.disabled_reason,
        &switched_on,
        &by.now,
    ];
    tx.execute(UPDATE, params)?.exactly(1)?;
    Ok(endpoint)
}

/// Rotates the secret. The previous one also signs for a day.
pub(super) fn rotate(
    tx: &mut Tx<'_>,
    by: &By,
    id: EndpointId,
    secret: &Secret,
    keys: &Keyring,
) -> Result<WebhookEndpoint, WebhookError> {
    let mut endpoint = tx.find_to_change(FIND, &[&by.account, &id], read)?.ok_or(MISSING)?;
    let until = by.now + std::time::Duration::from_hours(OLD_SECRET_HOURS);
    let sealed = keys.seal(&SECRET.at(by.account, id.to_string()), secret.reveal());
    tx.execute(ROTATE, &[&by.account, &id, &sealed, &until, &by.now])?.exactly(1)?;
    endpoint.secret = Some(secret.reveal().to_owned());
    endpoint.updated_at = by.now;
    Ok(endpoint)
}

/// Deletes an endpoint. Its waiting deliveries fail when they are claimed.
pub(super) fn delete(tx: &mut Tx<'_>, by: &By, id: EndpointId) -> Result<Deleted, WebhookError> {
    if tx.execute(DELETE, &[&by.account, &id])?.any() { Ok(Deleted::new(id)) } else { Err(MISSING.into()) }
}

pub(super) fn find(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    id: EndpointId,
) -> db::Result<Option<WebhookEndpoint>> {
    tx.find(FIND, &[&account, &id], read)
}

pub(super) fn list(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Vec<WebhookEndpoint>> {
    tx.query(LIST, &[&account], read)
}

/// A fresh secret.
#[expect(clippy::disallowed_methods, reason = "a secret")]
pub(super) fn new_secret() -> Secret {
    signing::mint(&rand::random())
}

pub(super) const EXPORTED: ExportedRows = ExportedRows::new(
    "webhook_endpoints",
    &["webhook_endpoints"],
    Columns {
        sql: "t.id, t.url, t.description, t.event_types, t.enabled, t.disabled_reason, t.updated_at",
        line: |row, _| line(&read(row)?),
    },
);

fn written(event_types: &[String]) -> String {
    serde_json::to_string(event_types).unwrap_or_else(|_| "[]".to_owned())
}

fn read(row: &mut Row<'_>) -> db::Result<WebhookEndpoint> {
    let id: EndpointId = row.next()?;
    let (url, description) = (row.next()?, row.next()?);
    let event_types =
        serde_json::from_str(&row.next::<String>()?).map_err(|_| db::Error::Decode("event types"))?;
    Ok(WebhookEndpoint {
        id,
        url,
        description,
        event_types,
        enabled: row.next()?,
        disabled_reason: row.next()?,
        secret: None,
        created_at: id.created_at(),
        updated_at: row.next::<Timestamp>()?,
    })
}
