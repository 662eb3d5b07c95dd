//! The dashboard's gate: every request under `/app/api` passes its checks, in one order.
//!
//! Origin of a change → session → the session's ceiling → path → method → body → role and scope → the operation.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use frontdesk_agent::Agent;
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::key::KeyHash;
use frontdesk_platform::dispatch::{Call, in_time};
use frontdesk_platform::events::live::{Listener, Live, Standing, StillGood};
use frontdesk_platform::limits::{PerMinute, seconds_left};
use frontdesk_platform::sign_in::sessions::{self, Browser};
use frontdesk_platform::sign_in::{ActiveSession, SessionId, token_hash};
use frontdesk_platform::uploads::{self, Uploads};
use frontdesk_platform::{
    BodyBudget, Budget, Dispatcher, Proxies, REQUEST_LOG, Table, observe, public_endpoint, read_body,
    store_failure,
};
use frontdesk_web::{Data, Failure, IntoReply, Reply, Request, RequestId, Result};
use futures_util::FutureExt;
use http::header::{CACHE_CONTROL, USER_AGENT};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use http_body_util::BodyExt;

use crate::caller::{AppCaller, AppTable, Shared};
use crate::presence::{self, Presence, SeenReply};
use crate::table::{table, views};
use crate::{cookie, mail, origin};

/// Requests that a session may make in a minute, ten times as many as a fast worker makes.
const SESSION_REQUESTS_MAX: i64 = 3_000;
/// Sessions that are counted in a minute.
const SESSIONS_COUNTED_MAX: usize = 100_000;
pub(crate) const PREFIX: &str = "/app/api";
const PUBLIC_PREFIX: &str = "/v1";
/// Neither is a route: a stream never ends, and presence is not stored.
const STREAM_PATH: &str = "/stream";
pub(crate) const PRESENCE_PATH: &str = "/presence";
const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// Names the member who has made a request. The browser's session may be somebody else's by the time it arrives.
const MEMBER: &str = "frontdesk-member";

/// The dashboard's own routes that need no session: those that begin one. Every other route refuses a caller without
/// a session before it looks at anything else of the request.
const OPEN_ROUTES: [(Method, &str); 8] = [
    (Method::POST, "/session"),
    (Method::POST, "/session/link"),
    (Method::POST, "/session/provider"),
    (Method::POST, "/session/provider/finish"),
    (Method::POST, "/password"),
    (Method::POST, "/invitation/check"),
    (Method::GET, "/sign-in"),
    (Method::POST, "/password/lost"),
];

fn is_open(method: &Method, path: &str) -> bool {
    OPEN_ROUTES.iter().any(|(open, at)| open == method && *at == path)
}

/// Whether a request that names its member comes with that member's session.
fn is_by_its_member(headers: &HeaderMap, session: &ActiveSession) -> bool {
    headers.get(MEMBER).is_none_or(|named| named.as_bytes() == session.user.to_string().as_bytes())
}

/// Serves the dashboard's requests.
pub struct App {
    dispatcher: Arc<Dispatcher>,
    shared: Arc<Shared>,
    proxies: Proxies,
    views: Table,
    own: AppTable,
    ceiling: PerMinute<SessionId>,
    live: Live,
    presence: Presence,
    uploads: Arc<dyn Uploads>,
    bodies: BodyBudget,
}

/// The progress of a request's checks, for the headers and the log.
struct Passage {
    now: Timestamp,
    request_id: RequestId,
    budget: Budget,
    session: Option<Arc<ActiveSession>>,
    route: &'static str,
}

impl App {
    pub fn new(
        dispatcher: Arc<Dispatcher>,
        shared: Shared,
        proxies: Proxies,
        presence: Presence,
        uploads: Arc<dyn Uploads>,
        bodies: BodyBudget,
        agent: &Arc<Agent>,
    ) -> Self {
        Self {
            dispatcher,
            shared: Arc::new(shared),
            proxies,
            views: views(Some(agent)),
            own: table(),
            ceiling: PerMinute::new(SESSIONS_COUNTED_MAX),
            live: presence.live().clone(),
            presence,
            uploads,
            bodies,
        }
    }

    /// Whether a path belongs to the dashboard.
    pub fn serves(path: &str) -> bool {
        path.strip_prefix(PREFIX).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Responds to a request whose path [belongs here](Self::serves). Never panics.
    #[expect(clippy::disallowed_methods, reason = "measures how long it takes")]
    pub async fn respond<B>(&self, parts: Parts, body: B, peer: IpAddr) -> public_endpoint::PublicResponse
    where
        B: BodyExt<Data = Bytes> + Unpin + Send,
    {
        let now = (self.shared.server.clock)();
        let request_id = RequestId::from_uuid(self.dispatcher.recorder.next::<RequestId>(now).uuid());
        let started = std::time::Instant::now();
        let mut passage = Passage {
            now,
            request_id,
            budget: Budget::of_session(SESSION_REQUESTS_MAX, 0, now),
            session: None,
            route: "none",
        };
        let outcome = AssertUnwindSafe(self.pass(&mut passage, &parts, body, peer)).catch_unwind().await;
        let Passage { request_id, budget, session, route, .. } = passage;
        let outcome = outcome.unwrap_or_else(|_| {
            tracing::error!(%request_id, "an operation of the dashboard panicked");
            Err(Failure::internal())
        });
        let mut response = outcome.unwrap_or_else(|failure| failure.render(&request_id).into());
        let reply = &mut response.reply;
        reply.headers.extend(budget.headers());
        reply.headers.push((CACHE_CONTROL, HeaderValue::from_static("no-store")));
        if let Ok(id) = HeaderValue::from_str(request_id.as_str()) {
            reply.headers.push((HeaderName::from_static("x-request-id"), id));
        }
        let (elapsed, status) = (started.elapsed(), reply.status.as_u16());
        observe(&parts.method, route, status, elapsed, Some(&request_id));
        tracing::info!(
            target: REQUEST_LOG,
            %request_id,
            method = %parts.method,
            route,
            status,
            account = session.as_ref().map(|session| tracing::field::display(session.account)),
            user = session.as_ref().map(|session| tracing::field::display(session.user)),
            micros = elapsed.as_micros() as u64,
            "answered in the dashboard"
        );
        response
    }

    async fn pass<B>(
        &self,
        passage: &mut Passage,
        parts: &Parts,
        body: B,
        peer: IpAddr,
    ) -> Result<public_endpoint::PublicResponse>
    where
        B: BodyExt<Data = Bytes> + Unpin + Send,
    {
        origin::check(&parts.method, &parts.headers, &self.shared.origin)?;
        let address = self.proxies.client(peer, &parts.headers).unwrap_or(peer.to_canonical());
        let token = cookie::token(&parts.headers, self.shared.is_secure).map(token_hash);
        if let Some(hash) = token {
            let now = passage.now;
            let found = async {
                let found = self.shared.server.store.read(move |tx| sessions::find(tx, &hash, now)).await;
                found.map_err(|error| store_failure(&error))
            };
            passage.session = in_time(&passage.request_id, "session", found).await?.map(Arc::new);
        }
        if let Some(session) = passage.session.clone() {
            if !is_by_its_member(&parts.headers, &session) {
                return Err(Failure::signed_out());
            }
            self.count(passage, &session)?;
            self.touch(&session, address, passage.now).await?;
        }
        let path = parts.uri.path().strip_prefix(PREFIX).unwrap_or_default();
        if let Some(found) = self.own.find(path) {
            let route = found.route(&parts.method);
            if passage.session.is_none()
                && !route.as_ref().is_ok_and(|route| is_open(&route.method, route.path))
            {
                return Err(Failure::signed_out());
            }
            let route = route.map_err(|allow| Failure::method_not_allowed(&allow))?;
            passage.route = route.path;
            let mut share = passage.session.is_none().then(|| self.bodies.share(Some(address)));
            let body = read_body(parts, body, route.takes_body, share.as_mut()).await?;
            let user_agent = parts.headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
            let browser = Browser {
                user_agent: user_agent.unwrap_or_default().to_owned(),
                address: address.to_string(),
            };
            let caller = AppCaller {
                shared: self.shared.clone(),
                now: passage.now,
                session: passage.session.clone(),
                token,
                pending: cookie::pending(&parts.headers, self.shared.is_secure).map(str::to_owned),
                browser,
                address,
                changes: None,
            };
            let request = Request {
                method: parts.method.clone(),
                path: path.to_owned(),
                query: parts.uri.query().unwrap_or_default().to_owned(),
                params: found.params,
                body,
                request_id: passage.request_id.clone(),
                account: passage.session.as_ref().map(|session| session.account.uuid()).unwrap_or_default(),
                cursor_key: self.dispatcher.cursor_key,
                route_path: route.path,
                caller,
                ignored: OnceLock::new(),
            };
            return route.call(&request).await.map(public_endpoint::PublicResponse::from);
        }
        let session = passage.session.clone().ok_or_else(Failure::signed_out)?;
        match path {
            STREAM_PATH => self.stream(parts, &session, token).await,
            PRESENCE_PATH => self
                .tell_presence(parts, body, &session, passage.now)
                .await
                .map(public_endpoint::PublicResponse::from),
            _ => self
                .dispatch(passage, &session, parts, path, body)
                .await
                .map(public_endpoint::PublicResponse::from),
        }
    }

    /// Calls a route of the public API or a view as the signed-in member.
    async fn dispatch<B>(
        &self,
        passage: &mut Passage,
        session: &ActiveSession,
        parts: &Parts,
        path: &str,
        body: B,
    ) -> Result<Reply>
    where
        B: BodyExt<Data = Bytes> + Unpin + Send,
    {
        if path.strip_prefix(PUBLIC_PREFIX) == Some(uploads::PATH) {
            return uploads::respond(&*self.uploads, &session.principal(), parts, body, passage.now).await;
        }
        let public = path.strip_prefix(PUBLIC_PREFIX).filter(|rest| rest.starts_with('/'));
        let (table, path) = public.map_or((&self.views, path), |rest| (&self.dispatcher.table, rest));
        let not_found = || Failure::not_found("There is no such path. See /docs for those there are.");
        let found = table.find(path).ok_or_else(not_found)?;
        let route = found.route(&parts.method).map_err(|allow| Failure::method_not_allowed(&allow))?;
        passage.route = route.path;
        let body = read_body(parts, body, route.takes_body, None).await?;
        let call = Call {
            request_id: &passage.request_id,
            now: passage.now,
            method: &parts.method,
            path,
            query: parts.uri.query().unwrap_or_default(),
            params: found.params,
            body,
            idempotency_key: parts.headers.get(IDEMPOTENCY_KEY).map(HeaderValue::as_bytes),
            companion: None,
        };
        self.dispatcher.dispatch(&session.principal(), route, call).await
    }

    /// Streams the events that the member may see.
    async fn stream(
        &self,
        parts: &Parts,
        session: &ActiveSession,
        token: Option<KeyHash>,
    ) -> Result<public_endpoint::PublicResponse> {
        if !matches!(parts.method, Method::GET | Method::HEAD) {
            return Err(Failure::method_not_allowed("GET"));
        }
        let (server, id, account) = (self.shared.server.clone(), session.id, session.account);
        let still_good: StillGood = Box::new(move || {
            let (store, now) = (server.store.clone(), (server.clock)());
            Box::pin(async move {
                let Some(hash) = token else { return Standing::Ended };
                let Ok(found) = store.read(move |tx| sessions::find(tx, &hash, now)).await else {
                    return Standing::Unknown;
                };
                let found = found.filter(|session| session.id == id && session.account == account);
                found.map_or(Standing::Ended, |session| Standing::Listens(listener(&session)))
            })
        });
        self.live
            .open(session.account, session.id.uuid(), listener(session), &parts.headers, still_good)
            .await
    }

    /// Stores what the member looks at, and notifies the others.
    async fn tell_presence<B>(
        &self,
        parts: &Parts,
        body: B,
        session: &ActiveSession,
        now: Timestamp,
    ) -> Result<Reply>
    where
        B: BodyExt<Data = Bytes> + Unpin + Send,
    {
        if parts.method != Method::POST {
            return Err(Failure::method_not_allowed("POST"));
        }
        let body = read_body(parts, body, true, None).await?;
        let seen = presence::read(&body)?;
        let conversation = seen.conversation_id;
        self.presence.put(session.account, session.user, seen, now);
        if let Some(conversation) = conversation {
            let saw = mail::saw(&self.shared.server, session.account, session.user, conversation).await;
            saw.map_err(|error| store_failure(&error))?;
        }
        Ok(Data(SeenReply { ok: true }).reply(StatusCode::OK))
    }

    fn count(&self, passage: &mut Passage, session: &ActiveSession) -> Result<()> {
        let taken = self.ceiling.take(session.id, 1, SESSION_REQUESTS_MAX, passage.now);
        passage.budget = Budget::of_session(SESSION_REQUESTS_MAX, taken.used, passage.now);
        if taken.taken {
            return Ok(());
        }
        let wait = seconds_left(passage.now);
        let message = format!(
            "This session has made {SESSION_REQUESTS_MAX} requests in a minute, which is the most. Wait {wait} seconds."
        );
        Err(Failure::rate_limited(message, wait).of_limit("session_rate"))
    }

    /// Records from time to time that a session is used.
    async fn touch(&self, session: &ActiveSession, address: IpAddr, now: Timestamp) -> Result<()> {
        if !session.is_to_be_touched(now) {
            return Ok(());
        }
        let (id, address) = (session.id, address.to_string());
        let touched = self.shared.server.store.write(move |tx| sessions::touch(tx, id, &address, now)).await;
        touched.map_err(|error| store_failure(&error))
    }
}

/// A member listens with the scopes of their role.
fn listener(session: &ActiveSession) -> Listener {
    Listener::Member(session.role.scopes().effective())
}
