//! The routes by which a person signs in at the provider.

use frontdesk_kernel::Text;
use frontdesk_web::{Body, Failure, Result, input, resource};

use super::people::{self, Person, Writer};
use crate::caller::{AppCaller, AppRoute, WithCookie};
use crate::cookie;
use crate::openid::{PENDING_SECONDS_MAX, Pending, Provider, ProviderError};
use crate::session::{self, Session};

/// The page of the dashboard to which the provider sends the browser back.
const RETURN_PATH: &str = "/app/sign-in/provider";
const CODE_CHARS_MAX: usize = 4096;
const STATE_CHARS_MAX: usize = 100;
const RETRY_SECONDS: i64 = 10;

resource! {
    /// A sign-in that has begun.
    pub struct ProviderSignIn {
        /// Where the person signs in. The provider then sends the browser back to the dashboard.
        pub url: String,
    }
}

input! {
    /// What the provider has added to the address of the dashboard's page.
    pub struct ProviderReturn {
        pub code: Text<CODE_CHARS_MAX>,
        pub state: Text<STATE_CHARS_MAX>,
    }
}

pub(crate) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::post("/session/provider", "beginProviderSignIn", begin)
            .summary("Begin to sign in at the provider"),
        AppRoute::post("/session/provider/finish", "finishProviderSignIn", finish)
            .summary("Sign in with what the provider has returned"),
    ]
}

fn provider(caller: &AppCaller) -> Result<&Provider> {
    caller.shared.provider.as_deref().ok_or_else(|| {
        Failure::not_found(
            "No OpenID provider is set up. Whoever runs the server sets FRONTDESK_OIDC_ISSUER to the provider's address.",
        )
    })
}

fn return_url(caller: &AppCaller) -> String {
    format!("{}{RETURN_PATH}", caller.shared.server.services.base_url)
}

async fn begin(caller: AppCaller) -> Result<WithCookie<ProviderSignIn>> {
    let provider = provider(&caller)?;
    let pending = Pending::new(caller.shared.chance, caller.now);
    let url = provider.sign_in_url(&pending, &return_url(&caller), caller.now).await.map_err(failure)?;
    let sealed = pending.seal(&caller.shared.server.services.secrets);
    let cookie = cookie::set_pending(&sealed, PENDING_SECONDS_MAX, caller.shared.is_secure);
    Ok(WithCookie::new(cookie, ProviderSignIn { url }))
}

async fn finish(caller: AppCaller, Body(returned): Body<ProviderReturn>) -> Result<WithCookie<Session>> {
    let provider = provider(&caller)?;
    let attempt = caller.attempt_link().await?;
    let keys = &caller.shared.server.services.secrets;
    let pending = caller
        .pending
        .as_deref()
        .and_then(|cookie| Pending::open(keys, cookie, returned.state.as_str(), caller.now))
        .ok_or_else(not_begun)?;
    let claims = provider
        .identify(returned.code.as_str(), &pending, &return_url(&caller), caller.now)
        .await
        .map_err(failure)?;
    let person = Person::new(&provider.config, &claims)?;
    let (recorder, address, now) =
        (caller.shared.server.recorder.clone(), caller.browser.address.clone(), caller.now);
    let login = caller
        .write(move |tx| people::admit(tx, &person, &Writer { ids: recorder.ids(), address: &address, now }))
        .await?;
    // The provider decides which proofs it asks for, so the second factor of the login is not asked for as well.
    let begun = session::begin(&caller, login, None, attempt).await?;
    Ok(begun.and(cookie::clear_pending(caller.shared.is_secure)))
}

fn not_begun() -> Failure {
    Failure::bad_request(
        "This sign-in was not begun in this browser, or more than a quarter of an hour ago. Begin again on the \
         sign-in page.",
    )
}

/// The reason is logged. It may name addresses of the operator, which are nobody else's business.
fn failure(error: ProviderError) -> Failure {
    tracing::warn!(%error, "a sign-in at the OpenID provider failed");
    if error.is_temporary() {
        let message = "The provider does not respond. Try again in a moment, or sign in with your password.";
        return Failure::not_yet(message, RETRY_SECONDS);
    }
    let message = "The provider did not confirm this sign-in. Begin again on the sign-in page; if it keeps failing, \
                   whoever runs the server finds the reason in its log.";
    Failure::forbidden("provider_refused", message)
}
