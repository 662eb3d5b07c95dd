//! Joins what the crates declare: routes, event types, listeners, sealed columns and statements.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use frontdesk_broadcasts::Recipients;
use frontdesk_crm::contacts::Dependents;
use frontdesk_db::Dialect;
use frontdesk_kernel::Ids;
use frontdesk_platform::events::{Catalogue, EventListener, Recorder};
use frontdesk_platform::sealing::SealedColumn;
use frontdesk_platform::webhooks::Webhooks;
use frontdesk_platform::{PublicEndpoint, Table};

/// Every crate with rows about contacts, for erasing and merging them.
const DEPENDENTS: Dependents = &[
    &frontdesk_agent::ContactRows,
    &frontdesk_inbox::ContactRows,
    &frontdesk_broadcasts::ContactRows,
    &frontdesk_triggers::ContactRows,
];

/// The endpoints for visitors without a key.
pub(crate) fn public_endpoints(inbox: frontdesk_inbox::InboxState) -> Vec<PublicEndpoint> {
    [
        frontdesk_crm::public_endpoints(),
        frontdesk_inbox::public_endpoints(inbox),
        frontdesk_triggers::public_endpoints(),
    ]
    .concat()
}

/// The routes of every crate.
pub(crate) fn table() -> Table {
    let routes = [
        frontdesk_platform::routes(&catalogue()),
        frontdesk_crm::routes(DEPENDENTS),
        frontdesk_inbox::routes(),
        frontdesk_broadcasts::routes(),
        frontdesk_agent::routes(),
        frontdesk_triggers::routes(),
    ];
    Table::new(routes.into_iter().flatten().collect())
}

/// The event types of every crate.
pub(crate) fn catalogue() -> Catalogue {
    let declared = [
        frontdesk_crm::event_types(),
        frontdesk_inbox::event_types(),
        frontdesk_broadcasts::event_types(),
        frontdesk_agent::event_types(),
        frontdesk_platform::event_types(),
    ];
    Catalogue::new(declared.concat())
}

/// Generates the ids of this process, and passes every event to all listeners, in the order of this list.
pub(crate) fn recorder() -> Arc<Recorder> {
    let listeners: Vec<Arc<dyn EventListener>> = vec![
        Arc::new(Webhooks),
        Arc::new(Recipients),
        Arc::new(frontdesk_agent::Assistants),
        Arc::new(frontdesk_triggers::Triggers),
    ];
    Arc::new(Recorder::new(Ids::new(), listeners))
}

/// Every column that holds sealed values.
pub(crate) fn sealed_columns() -> Vec<SealedColumn> {
    [frontdesk_platform::sealed_columns(), frontdesk_crm::sealed_columns(), frontdesk_inbox::sealed_columns()]
        .concat()
}

/// Every statement for this engine, by name.
pub(crate) fn statements(dialect: Dialect) -> Vec<(&'static str, &'static str)> {
    let mut statements = [
        frontdesk_db::lease::STATEMENTS.to_vec(),
        frontdesk_platform::statements(),
        frontdesk_crm::statements(),
        frontdesk_inbox::statements(),
        frontdesk_broadcasts::statements(),
        frontdesk_agent::statements(),
        frontdesk_triggers::statements(),
        frontdesk_app::statements(),
    ]
    .concat();
    statements.extend(sealed_columns().iter().flat_map(SealedColumn::statements));
    match dialect {
        Dialect::Sqlite => {
            statements.extend(frontdesk_platform::sqlite_statements());
            statements.extend(frontdesk_crm::sqlite_statements());
        }
        Dialect::Postgres => {
            statements.extend(frontdesk_db::POSTGRES_STATEMENTS);
            statements.extend(frontdesk_platform::postgres_statements());
            statements.extend(frontdesk_crm::postgres_statements());
            statements.extend(frontdesk_inbox::postgres_statements());
            statements.extend(frontdesk_broadcasts::postgres_statements());
            statements.extend(frontdesk_agent::postgres_statements());
            statements.extend(frontdesk_triggers::postgres_statements());
        }
    }
    statements
}
