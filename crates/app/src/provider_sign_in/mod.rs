//! Sign-in by OpenID Connect: the person proves who they are at a provider that the operator chose. Who may sign in is decided
//! in one place (`people`).

mod api;
mod people;

pub(crate) use api::routes;
