//! Templates: messages that WhatsApp has approved, as they were last synced.

mod sql;
mod sync;
mod syncer;

use frontdesk_channels as channels;
use frontdesk_db::{self as db, Query, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Ids, Scope, Text, Timestamp};
use frontdesk_platform::export::{Columns, Exported, ExportedRows, LineFields, line_with};
use frontdesk_platform::notices;
use frontdesk_platform::{By, Caller, Error, Route};
use frontdesk_web::{List, Query as WebQuery, Result as WebResult, choice, filters, resource};
use serde_json::value::RawValue;

use crate::connections::{ConnectionId, StoredConnection};

use sql::{DELETE, FIND, KNOWN, SET_STATUS, UPSERT, columns};
pub use sync::{SyncError, sync};
pub use syncer::start as start_syncer;

/// Every statement of templates, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    [sql::STATEMENTS, &sql::ROWS.statements()].concat()
}

/// The connections whose templates wait to be read.
pub(crate) use sql::BACKLOG;

/// Statements that run only on PostgreSQL.
pub const POSTGRES_STATEMENTS: &[(&str, &str)] = &[sql::ROWS.postgres_statement()];

choice! {
    /// The vendor's decision on a template. Only an approved one can be sent.
    pub enum TemplateStatus {
        Approved => "APPROVED",
        Pending => "PENDING",
        Rejected => "REJECTED",
        Paused => "PAUSED",
        Disabled => "DISABLED",
    }
}

frontdesk_db::text_column!(TemplateStatus);

pub type TemplateId = Id<Template>;

resource! {
    /// A WhatsApp message template.
    pub struct Template {
        pub id: TemplateId,
        pub name: String,
        pub language: String,
        /// `MARKETING`, `UTILITY` or `AUTHENTICATION`.
        pub category: String,
        pub status: TemplateStatus,
        /// Header, body, footer and buttons, in the vendor's own form.
        pub components: Box<RawValue>,
        /// The keys of the body's placeholders, in order.
        pub placeholders: Vec<String>,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

filters! {
    /// Which templates to list.
    pub struct TemplateFilters {
        pub status: Option<TemplateStatus>,
        /// A language such as `en_US`.
        pub language: Option<Text<20>>,
        /// Any part of the name, ignoring case.
        pub q: Option<Text<100>>,
    }
}

/// A template, with the fields that a send needs.
pub struct StoredTemplate {
    pub status: TemplateStatus,
    pub layout: channels::Layout,
}

pub fn find(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    connection: ConnectionId,
    name: &str,
    language: &str,
) -> db::Result<Option<StoredTemplate>> {
    let row = tx.find(FIND, &[&account, &connection, &name, &language], read)?;
    Ok(row.map(|(template, layout)| StoredTemplate { status: template.status, layout }))
}

pub fn list(tx: &mut ReadTx<'_>, account: AccountId, filters: &TemplateFilters) -> db::Result<Vec<Template>> {
    let mut query = Query::new(concat!(columns!(), "WHERE account_id = "));
    query.bind(account);
    if let Some(status) = filters.status {
        query.push(" AND status = ").bind(status);
    }
    if let Some(language) = &filters.language {
        query.push(" AND language = ").bind(language.as_str().to_owned());
    }
    query.push(" ORDER BY id DESC");
    let mut found: Vec<Template> = tx.run(&query, |row| Ok(read(row)?.0))?;
    if let Some(q) = &filters.q {
        let q = q.as_str().to_lowercase();
        found.retain(|template| template.name.to_lowercase().contains(&q));
    }
    Ok(found)
}

/// Replaces the stored templates by the vendor's list.
pub fn take_over(
    tx: &mut Tx<'_>,
    ids: &Ids,
    connection: &StoredConnection,
    listed: &[channels::Template],
    now: Timestamp,
) -> db::Result<()> {
    for template in listed {
        let id: TemplateId = ids.next(now);
        let status = template.status.parse().unwrap_or(TemplateStatus::Disabled);
        let params: &[&dyn db::Param] = &[
            &connection.account,
            &id,
            &connection.id(),
            &template.name,
            &template.language,
            &template.category,
            &status,
            &template.named,
            &template.components.to_string(),
            &now,
        ];
        let _unchanged_is_fine = tx.execute(UPSERT, params)?;
    }
    let known = tx.query(KNOWN, &[&connection.account, &connection.id()], |row| {
        Ok((row.next::<TemplateId>()?, row.next::<String>()?, row.next::<String>()?))
    })?;
    for (id, name, language) in known {
        if !listed.iter().any(|template| template.name == name && template.language == language) {
            let _gone_already_is_fine = tx.execute(DELETE, &[&connection.account, &id])?;
        }
    }
    notices::changed(tx, connection.account, notices::TEMPLATES, None);
    let approved = listed.iter().filter(|template| template.status == TemplateStatus::Approved.as_str());
    let expiries = approved.filter_map(|template| {
        channels::Layout::read(&template.components, template.named).example_expires_at()
    });
    match expiries.min() {
        Some(expiry) => syncer::ask_before(tx, connection.account, connection.id(), expiry, now),
        None => Ok(()),
    }
}

/// The vendor's decision on a template. For an unknown template, all templates are synced in the background.
pub(crate) fn apply_status(
    tx: &mut Tx<'_>,
    by: &By,
    connection: &StoredConnection,
    name: &str,
    language: &str,
    status: TemplateStatus,
) -> db::Result<()> {
    let changed = set_status(tx, connection.account, connection.id(), name, language, status, by.now)?;
    if !changed && find(tx, connection.account, connection.id(), name, language)?.is_none() {
        syncer::ask(tx, by.account, connection.id(), by.now)?;
    }
    Ok(())
}

/// Stores the vendor's decision on one template. False if the template is unknown or unchanged.
pub fn set_status(
    tx: &mut Tx<'_>,
    account: AccountId,
    connection: ConnectionId,
    name: &str,
    language: &str,
    status: TemplateStatus,
    now: Timestamp,
) -> db::Result<bool> {
    Ok(tx.execute(SET_STATUS, &[&account, &connection, &name, &language, &status, &now])?.any())
}

pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "templates",
    &["templates"],
    Columns {
        sql: "t.id, t.name, t.language, t.category, t.status, t.named, t.components, t.updated_at, t.connection_id",
        line: |row, _| {
            let (template, _) = read(row)?;
            line_with(&template, LineFields::default().with("connection_id", &row.next::<ConnectionId>()?)?)
        },
    },
)];

fn read(row: &mut Row<'_>) -> db::Result<(Template, channels::Layout)> {
    let id: TemplateId = row.next()?;
    let (name, language, category, status) = (row.next()?, row.next()?, row.next()?, row.next()?);
    let named: bool = row.next()?;
    let components: String = row.next()?;
    let parsed = serde_json::from_str(&components).map_err(|_| db::Error::Decode("components"))?;
    let layout = channels::Layout::read(&parsed, named);
    let template = Template {
        id,
        name,
        language,
        category,
        status,
        components: RawValue::from_string(components).map_err(|_| db::Error::Decode("components"))?,
        placeholders: layout.placeholders(),
        created_at: id.created_at(),
        updated_at: row.next()?,
    };
    Ok((template, layout))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/templates", "listTemplates", api_list)
            .scope(Scope::TemplatesRead)
            .tag("Templates")
            .summary("List message templates")
            .notes("Templates are synced when a channel is connected, when the vendor reports a change, before the vendor's links to example media expire, and by `frontdesk channel sync`."),
    ]
}

async fn api_list(caller: Caller, WebQuery(filters): WebQuery<TemplateFilters>) -> WebResult<List<Template>> {
    let rows = caller.scan(move |tx, by| list(tx, by.account, &filters).map_err(Error::from)).await?;
    Ok(List::all(rows))
}

/// Whether a connection has any template.
pub fn any(tx: &mut ReadTx<'_>, account: AccountId, connection: ConnectionId) -> db::Result<bool> {
    Ok(tx.find(KNOWN, &[&account, &connection], only::<TemplateId>)?.is_some())
}
