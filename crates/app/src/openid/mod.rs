//! Sign-in by OpenID Connect: the person proves who they are at a provider that the operator chose.
//!
//! The authorization code flow with PKCE. What the browser keeps meanwhile is sealed (`pending`), what the provider says is
//! believed only if it is signed and for this sign-in (`id_token`), and who may sign in is decided in one place (`people`).

mod api;
mod config;
mod id_token;
mod keys;
mod pending;
mod people;
mod provider;

pub(crate) use api::{provider_only, routes};
pub use config::OpenIdConfig;
pub use provider::{Provider, ProviderError};
