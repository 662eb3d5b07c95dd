//! The protocol of OpenID Connect: the provider's configuration, its addresses and keys, and what it says of a person.
//!
//! The authorization code flow with PKCE. What the browser keeps meanwhile is sealed (`pending`), and what the provider says is
//! believed only if it is signed and for this sign-in (`id_token`).

mod config;
#[cfg(test)]
mod fuzzed;
mod id_token;
mod keys;
mod pending;
mod provider;

pub(crate) use config::Joining;
pub use config::OpenIdConfig;
pub(crate) use id_token::Claims;
pub(crate) use pending::{PENDING_SECONDS_MAX, Pending};
pub use provider::{Provider, ProviderError};
