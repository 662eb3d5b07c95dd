//! The dashboard's API: everything under `/app/api`.
//!
//! Members sign in here and get a session. `/app/api/v1` is the route table of the public API, with the
//! session instead of a key. The other routes are the dashboard's own: the session and the profile, views
//! that serve one screen each, administration, and the live stream. A cookie is never accepted elsewhere, and
//! a key never here.

pub mod admin;
mod caller;
mod cookie;
mod document;
mod gate;
pub mod link;
mod origin;
pub mod presence;
pub mod profile;
pub mod sandbox;
pub mod second_factor;
pub mod session;

use frontdesk_platform::{Route, Table};

pub use caller::{AppCaller, Shared};
pub use document::document;
pub use gate::App;

/// A route of the dashboard's own.
pub type AppRoute = frontdesk_web::Route<AppCaller>;
/// The dashboard's own routes.
pub type AppTable = frontdesk_web::Table<AppCaller>;

/// The dashboard's own routes, relative to `/app/api`.
pub fn table() -> AppTable {
    let routes = [
        session::routes(),
        link::routes(),
        profile::routes(),
        second_factor::routes(),
        sandbox::routes(),
        admin::routes(),
    ];
    AppTable::new(routes.into_iter().flatten().collect())
}

/// Views that serve one screen each, for every signed-in member, relative to `/app/api`.
pub fn views() -> Table {
    let routes: [Vec<Route>; 2] = [frontdesk_inbox::desk::routes(), frontdesk_crm::desk::routes()];
    Table::new(routes.into_iter().flatten().collect())
}

/// Every statement of this crate, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    admin::statements()
}
