//! The caller of the dashboard's own routes, and their shared state.

use std::net::IpAddr;
use std::sync::Arc;

use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::key::KeyHash;
use frontdesk_kernel::{Secret, Timestamp};
use frontdesk_platform::export::Exports;
use frontdesk_platform::limits::PerMinute;
use frontdesk_platform::notices::{self, Watched};
use frontdesk_platform::sign_in::audit::{self, Author};
use frontdesk_platform::sign_in::failures::{Attempt, Counted};
use frontdesk_platform::sign_in::sessions::Browser;
use frontdesk_platform::sign_in::{self, ActiveSession, LoginId, SessionId};
use frontdesk_platform::{By, ServerContext, store_failure};
use frontdesk_web::{Argument, Data, Describe, Failure, IntoReply, Operation, Reply, Request, Result};
use http::header::SET_COOKIE;
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::export_seats::Seats;
use crate::openid::Provider;
use crate::pairing_codes::Codes;
use crate::{cookie, origin};

/// Maximum concurrent password hashings. Each takes 19 MiB and a core for some tens of milliseconds.
const HASHINGS_MAX: usize = 4;
/// Sessions whose checks of entered values are counted in a minute.
const SESSIONS_COUNTED_MAX: usize = 10_000;

/// The shared state of the dashboard's own routes.
pub struct Shared {
    pub server: ServerContext,
    /// Random bytes.
    pub chance: fn() -> [u8; 32],
    hashing: Semaphore,
    /// What every crate exports.
    pub(crate) exports: Exports,
    pub(crate) export_seats: Seats,
    pub(crate) codes: Codes,
    /// Where people may sign in besides here.
    pub(crate) provider: Option<Arc<Provider>>,
    /// Checks of entered values, by session.
    pub(crate) checks: PerMinute<SessionId>,
    /// Whether the dashboard is served over https.
    pub(crate) is_secure: bool,
    /// Scheme, host and port of the dashboard.
    pub(crate) origin: String,
}

impl Shared {
    pub fn new(
        server: ServerContext,
        chance: fn() -> [u8; 32],
        exports: Exports,
        provider: Option<Arc<Provider>>,
    ) -> Self {
        let origin = origin::of(&server.services.base_url);
        let is_secure = origin.starts_with("https://");
        Self {
            server,
            chance,
            hashing: Semaphore::new(HASHINGS_MAX),
            exports,
            export_seats: Seats::default(),
            codes: Codes::default(),
            provider,
            checks: PerMinute::new(SESSIONS_COUNTED_MAX),
            is_secure,
            origin,
        }
    }
}

/// A route of the dashboard's own.
pub type AppRoute = frontdesk_web::Route<AppCaller>;
/// The dashboard's own routes.
pub type AppTable = frontdesk_web::Table<AppCaller>;

/// A request to the dashboard's own routes.
#[derive(Clone)]
pub struct AppCaller {
    pub(crate) shared: Arc<Shared>,
    pub(crate) now: Timestamp,
    pub(crate) session: Option<Arc<ActiveSession>>,
    /// The hash of the request's cookie, whether or not its session is valid.
    pub(crate) token: Option<KeyHash>,
    /// What the browser keeps of a sign-in at the provider, sealed.
    pub(crate) pending: Option<String>,
    pub(crate) browser: Browser,
    pub(crate) address: IpAddr,
    /// What its administration changes, and the id in the request's path.
    pub(crate) changes: Option<(Watched, Option<Uuid>)>,
}

impl AppCaller {
    /// The session of a signed-in caller.
    pub(crate) fn signed_in(&self) -> Result<&Arc<ActiveSession>> {
        self.session.as_ref().ok_or_else(Failure::signed_out)
    }

    /// Refuses a password if the provider is the only way in.
    pub(crate) fn may_use_password(&self) -> Result<()> {
        match self.shared.provider.as_deref().filter(|provider| provider.is_only()) {
            None => Ok(()),
            Some(provider) => {
                let message = format!("Passwords are not used here. Sign in with {}.", provider.name());
                Err(Failure::forbidden("provider_only", message))
            }
        }
    }

    /// The session of an owner or an admin.
    pub(crate) fn manager(&self) -> Result<&Arc<ActiveSession>> {
        let session = self.signed_in()?;
        if session.role.manages() {
            return Ok(session);
        }
        let message = "This is for owners and admins. Ask one of them to do it.";
        Err(Failure::forbidden("role", message))
    }

    /// The actor, for attributed writes.
    pub(crate) fn by(&self, session: &ActiveSession) -> By {
        By::new(&session.principal(), self.now, &self.shared.server.recorder)
    }

    /// The actor, for the audit log.
    pub(crate) fn author(&self, session: &ActiveSession) -> Author {
        Author {
            account: session.account,
            user: Some(session.user),
            address: Some(self.browser.address.clone()),
        }
    }

    pub(crate) async fn read<T: Send + 'static>(
        &self,
        operation: impl Fn(&mut ReadTx<'_>) -> Outcome<T> + Send + 'static,
    ) -> Result<T> {
        self.shared.server.store.read(operation).await.map_err(Failure::from)
    }

    pub(crate) async fn write<T: Send + 'static>(
        &self,
        operation: impl Fn(&mut Tx<'_>) -> Outcome<T> + Send + 'static,
    ) -> Result<T> {
        let account = self.session.as_ref().map(|session| session.account.uuid());
        let operation = move |tx: &mut Tx<'_>| {
            if let Some(account) = account {
                tx.changes(account);
            }
            operation(tx)
        };
        self.shared.server.store.write(operation).await.map_err(Failure::from)
    }

    /// A change by a manager of the account, with its entry in the audit log. Open dashboards are told of it.
    pub(crate) async fn administer<T: Send + 'static>(
        &self,
        action: &'static str,
        operation: impl Fn(&mut Tx<'_>, &ActiveSession) -> Outcome<(T, Option<String>)> + Send + 'static,
    ) -> Result<T> {
        let session = self.manager()?.clone();
        let (author, recorder, now) = (self.author(&session), self.shared.server.recorder.clone(), self.now);
        let changes = self.changes;
        self.write(move |tx| {
            let (done, subject) = operation(tx, &session)?;
            if let Some((watched, id)) = changes {
                notices::changed(tx, session.account, watched, id);
            }
            audit::write(tx, recorder.ids(), &author, action, subject.as_deref(), now)?;
            Ok(done)
        })
        .await
    }

    /// Runs CPU-bound work such as hashing a password. Only a few run at once.
    pub(crate) async fn hashing<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let _turn = self.shared.hashing.acquire().await.map_err(|_| Failure::internal())?;
        tokio::task::spawn_blocking(work).await.map_err(|_| Failure::internal())
    }

    /// Counts an attempt of the caller's address before anything is checked, and in the same transaction what `count`
    /// adds to it.
    pub(crate) async fn attempt<T: Send + 'static>(
        &self,
        count: impl Fn(&mut Tx<'_>, &mut Attempt) -> Counted<T> + Send + 'static,
    ) -> Result<(Attempt, T)> {
        let (address, now) = (self.address, self.now);
        let counted = self.shared.server.store.write(move |tx| {
            let mut attempt = match Attempt::take(tx, address, now)? {
                Ok(attempt) => attempt,
                Err(too_many) => return Ok(Err(too_many)),
            };
            Ok(count(tx, &mut attempt)?.map(|counted| (attempt, counted)))
        });
        counted.await.map_err(|error: db::Error| store_failure(&error))?.map_err(|too_many| {
            let wait = too_many.seconds_left;
            let message = format!(
                "Too many attempts to sign in have failed. Wait {wait} seconds, and check the email address and the password."
            );
            Failure::rate_limited(message, wait).of_limit("sign_in")
        })
    }

    /// Counts an attempt to prove the password or a code of a login.
    pub(crate) async fn attempt_login(&self, login: LoginId) -> Result<Attempt> {
        let counted = self.attempt(move |tx, attempt| attempt.take_logins(tx, &[login])).await;
        counted.map(|(attempt, _)| attempt)
    }

    /// Counts the use of a one-time link.
    pub(crate) async fn attempt_link(&self) -> Result<Attempt> {
        self.attempt(|_, _| Ok(Ok(()))).await.map(|(attempt, ())| attempt)
    }

    /// A new token for a cookie, and its hash.
    pub(crate) fn new_token(&self) -> (Secret, KeyHash) {
        let token = sign_in::token(&(self.shared.chance)());
        let hash = sign_in::token_hash(token.reveal());
        (token, hash)
    }

    /// A response that sets the session's cookie.
    pub(crate) fn with_cookie<T>(&self, token: &Secret, data: T) -> WithCookie<T> {
        WithCookie::new(cookie::set(token, self.shared.is_secure), data)
    }

    /// A response that removes the session's cookie.
    pub(crate) fn without_cookie<T>(&self, data: T) -> WithCookie<T> {
        WithCookie::new(cookie::clear(self.shared.is_secure), data)
    }
}

impl Argument<Self> for AppCaller {
    fn describe(_: &mut Operation) {}

    fn take(request: &Request<Self>) -> Result<Self> {
        let id = || request.params.first().and_then(|id| Uuid::try_parse(id).ok());
        let changes = administered(request.route_path).map(|watched| (watched, id()));
        Ok(Self { changes, ..request.caller.clone() })
    }
}

/// The resource of a path of the administration, and who may know of its changes.
fn administered(path: &'static str) -> Option<Watched> {
    let resource = path.strip_prefix("/admin/")?.split('/').next()?;
    Some(match resource {
        // Every member sees the name and the timezone, and agents see who their colleagues are.
        "account" => notices::ACCOUNT,
        "members" => notices::MEMBERS,
        resource => Watched::managed(resource),
    })
}

/// A response that sets or removes cookies.
pub(crate) struct WithCookie<T> {
    cookies: Vec<HeaderValue>,
    data: T,
}

impl<T> WithCookie<T> {
    pub(crate) fn new(cookie: HeaderValue, data: T) -> Self {
        Self { cookies: vec![cookie], data }
    }

    pub(crate) fn and(mut self, cookie: HeaderValue) -> Self {
        self.cookies.push(cookie);
        self
    }
}

impl<T: Serialize + Describe> IntoReply for WithCookie<T> {
    fn describe(operation: &mut Operation) {
        Data::<T>::describe(operation);
    }

    fn reply(self, status: StatusCode) -> Reply {
        self.cookies
            .into_iter()
            .fold(Data(self.data).reply(status), |reply, cookie| reply.header(SET_COOKIE, cookie))
    }
}

/// The result of an operation of the dashboard.
pub(crate) type Outcome<T> = std::result::Result<T, AppError>;

/// Errors of the dashboard's own operations.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AppError {
    #[error(transparent)]
    Store(#[from] db::Error),
    #[error("{0}")]
    Told(Failure),
}

impl From<Failure> for AppError {
    fn from(failure: Failure) -> Self {
        Self::Told(failure)
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        match error {
            AppError::Store(error) => store_failure(&error),
            AppError::Told(failure) => failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_owners_and_admins_know_of_what_they_alone_administer() {
        assert_eq!(administered("/admin/keys/{id}/revoke"), Some(Watched::managed("keys")));
        assert_eq!(administered("/admin/connections"), Some(notices::CONNECTIONS));
        assert_eq!(administered("/admin/members/{id}"), Some(notices::MEMBERS));
        assert_eq!(administered("/profile"), None);
    }
}
