//! The OpenID provider: whether its addresses and keys can be read.

use frontdesk_app::{OpenIdConfig, OpenIdProvider};
use frontdesk_outbound::{Client, Reach};

use super::Check;
use crate::clock;

const NAME: &str = "sign-in";

pub(super) async fn examine(config: Option<&OpenIdConfig>) -> Option<Check> {
    let config = config?;
    // The operator chose this address, so it may be private.
    let provider = OpenIdProvider::new(config.clone(), Client::new(Reach::Anywhere));
    Some(match provider.examine(clock::now()).await {
        Ok(()) => Check::ok(NAME, format!("{}: the provider's addresses and keys are read", config.issuer)),
        Err(error) => Check::failed(NAME, format!("{error}; correct FRONTDESK_OIDC_ISSUER or the provider")),
    })
}
