//! All routes of the dashboard.

use std::sync::Arc;

use frontdesk_agent::Agent;
use frontdesk_platform::{Route, Table};

use crate::caller::AppTable;
use crate::{admin, export, link, mail, profile, provider_sign_in, push, sandbox, second_factor, session};

/// The dashboard's own routes, relative to `/app/api`.
pub fn table() -> AppTable {
    let routes = [
        session::routes(),
        link::routes(),
        provider_sign_in::routes(),
        profile::routes(),
        second_factor::routes(),
        mail::routes(),
        push::routes(),
        sandbox::routes(),
        admin::routes(),
        export::routes(),
    ];
    AppTable::new(routes.into_iter().flatten().collect())
}

/// Views that serve one screen each, for every signed-in member, relative to `/app/api`. Without an agent, they can only
/// be described.
pub fn views(agent: Option<&Arc<Agent>>) -> Table {
    let routes: [Vec<Route>; 5] = [
        frontdesk_inbox::desk::routes(),
        frontdesk_crm::desk::routes(),
        frontdesk_broadcasts::desk::routes(),
        frontdesk_agent::desk::routes(agent),
        frontdesk_triggers::desk::routes(),
    ];
    Table::new(routes.into_iter().flatten().collect())
}
