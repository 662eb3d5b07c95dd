//! An account with a key, called over HTTP and from inside the process.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use bytes::Bytes;
use frontdesk_db::{Error, Options, Store, Tx, only};
use frontdesk_inbox::connections::{self, Bridge, Channel, Credentials, NewConnection};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::scope::Scopes;
use frontdesk_kernel::{Ids, Patch, Scope, Secret, Timestamp, key};
use frontdesk_outbound::{Client, Reach};
use frontdesk_platform::dispatch::Invocation;
use frontdesk_platform::events::live::Live;
use frontdesk_platform::events::{Catalogue, Recorder};
use frontdesk_platform::idempotency::InFlight;
use frontdesk_platform::keys::{self, CreateKey, Expiry};
use frontdesk_platform::limits::Limits;
use frontdesk_platform::operations::OperationsSlot;
use frontdesk_platform::sealing::{Keyring, SecretKey};
use frontdesk_platform::uploads::{UploadBody, Uploads};
use frontdesk_platform::webhooks::Webhooks;
use frontdesk_platform::{Dispatcher, Gate, Principal, Proxies, Services, Table, accounts};
use frontdesk_testdb::TestDatabase;
use http::{Method, Request};
use http_body_util::Full;
use serde_json::{Value, json};

pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
const RATE_LIMIT: i64 = 10_000;

/// A response: its status, its body, and whether it was replayed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) body: Value,
    pub(crate) replayed: bool,
}

pub(crate) struct Scene {
    pub(crate) gate: Gate,
    pub(crate) account: AccountId,
    pub(crate) owner: UserId,
    /// The key that HTTP requests carry, and its principal.
    key: Secret,
    pub(crate) principal: Principal,
}

impl Scene {
    async fn new(store: Store, scopes: Scopes) -> Self {
        let recorder = Arc::new(Recorder::new(Ids::new(), vec![Arc::new(Webhooks)]));
        let secrets = Keyring::new(SecretKey::from_any_text("secret"));
        let (ids, sealing) = (recorder.clone(), secrets.clone());
        let made = store.write(move |tx| furnish(tx, &ids, &sealing, scopes));
        let (account, owner, key) = made.await.expect("an account is made");
        let hash = key::hash(key.as_bytes());
        let record = store.read(move |tx| keys::find(tx, &hash)).await.expect("a read works");
        let services = Services {
            operations: OperationsSlot::default(),
            secrets,
            outbound: Client::new(Reach::Public),
            vendors: Client::new(Reach::Public),
            files: Arc::new(frontdesk_files::FilePlaces::database()),
            local_url: "http://localhost".into(),
            base_url: "https://desk.example".into(),
        };
        let declared =
            [frontdesk_crm::event_types(), frontdesk_inbox::event_types(), frontdesk_platform::event_types()];
        let catalogue = Catalogue::new(declared.concat());
        let routes =
            [frontdesk_platform::routes(&catalogue), frontdesk_crm::routes(&[]), frontdesk_inbox::routes()]
                .into_iter();
        let dispatcher = Dispatcher {
            table: Table::new(routes.flatten().collect()),
            store: store.clone(),
            services: Arc::new(services),
            clock: Arc::new(|| NOW),
            cursor_key: [7; 32],
            recorder,
            in_flight: InFlight::default(),
        };
        let gate = Gate {
            live: Live::new(store.clone(), frontdesk_inbox::desk::changed_rows),
            uploads: Arc::new(NoUploads),
            dispatcher: Arc::new(dispatcher),
            limits: Limits::new(store),
            proxies: Proxies::default(),
            clock: Arc::new(|| NOW),
            key_uses: Arc::default(),
        };
        let principal = Principal::of_key(Arc::new(record.expect("the key is found")));
        Self { gate, account, owner, key: Secret::new(key), principal }
    }

    /// Sends a request with the key.
    pub(crate) async fn http(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        headers: &[(&str, &str)],
    ) -> Response {
        let authorization = format!("Bearer {}", self.key.reveal());
        let mut request = Request::builder()
            .method(method)
            .uri(format!("http://localhost{path}"))
            .header("authorization", authorization)
            .header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let bytes = body.map(Value::to_string).unwrap_or_default();
        let (parts, body) = request.body(Full::new(Bytes::from(bytes))).expect("a request").into_parts();
        let path = parts.uri.path().to_owned();
        let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
        response(self.gate.respond(parts, &path, body, peer).await.reply)
    }

    /// Calls an operation as the key.
    pub(crate) async fn invoke(&self, operation: &str, invocation: Invocation) -> Response {
        self.invoke_as(&self.principal, operation, invocation).await
    }

    pub(crate) async fn invoke_as(
        &self,
        principal: &Principal,
        operation: &str,
        invocation: Invocation,
    ) -> Response {
        response(self.gate.dispatcher.invoke(principal, operation, invocation, NOW).await)
    }

    /// How many rows a table has.
    pub(crate) async fn count(&self, table: &'static str) -> i64 {
        let count = format!("SELECT count(*) FROM {table}");
        let read = self.gate.dispatcher.store.read(move |tx| tx.find(&count, &[], only));
        read.await.map_err(|error: Error| error.to_string()).expect("a read works").unwrap_or(0)
    }
}

fn response(reply: frontdesk_web::Reply) -> Response {
    let replayed = reply.headers.iter().any(|(name, _)| name == "idempotent-replayed");
    let body = serde_json::from_slice(&reply.body).expect("every body is JSON");
    Response { status: reply.status.as_u16(), body, replayed }
}

type Furnished = (AccountId, UserId, String);

fn furnish(
    tx: &mut Tx<'_>,
    recorder: &Arc<Recorder>,
    secrets: &Keyring,
    scopes: Scopes,
) -> Result<Furnished, Error> {
    let settings = accounts::AccountSettings {
        name: Some("Acme".into()),
        rate_limit: Patch::Set(RATE_LIMIT),
        ..accounts::AccountSettings::default()
    };
    let made = accounts::create(tx, recorder.ids(), &settings, NOW).expect("an account is made");
    frontdesk_crm::pipelines::ensure_default(tx, made.account, NOW, recorder)?;
    let wanted = CreateKey {
        account: made.account,
        name: "Test".into(),
        scopes,
        member: None,
        expiry: Expiry::Never,
        allowlist: Vec::new(),
        rate_limit: None,
        unattended: false,
    };
    let key = keys::create(tx, recorder.ids(), &[7; 32], &wanted, NOW).expect("a key is made");
    let bridge = Bridge {
        bridge_url: None,
        bridge_key: "bridge".into(),
        session: "acme".into(),
        webhook_key: "hook".into(),
    };
    let new = NewConnection {
        account: made.account,
        channel: Channel::PersonalWhatsapp,
        name: "Phone".into(),
        address: None,
        sandbox: true,
        credentials: Credentials::Bridge(bridge),
    };
    connections::create(tx, recorder, secrets, &new, NOW)?;
    Ok((made.account, made.owner, key.key.reveal().to_owned()))
}

pub(crate) fn every_scope() -> Scopes {
    Scope::ALL.iter().fold(Scopes::default(), |scopes, scope| scopes.with(*scope))
}

/// A body for comparison, without values that differ in every request.
pub(crate) fn settled(mut response: Response) -> Response {
    for (part, name) in
        [("error", "request_id"), ("data", "id"), ("data", "created_at"), ("data", "updated_at")]
    {
        if let Some(object) = response.body.get_mut(part).and_then(Value::as_object_mut)
            && object.contains_key(name)
        {
            object.insert(name.to_owned(), json!("…"));
        }
    }
    response
}

/// Runs a test on SQLite and on PostgreSQL, with a key that has these scopes.
pub(crate) fn on_both<F: Future<Output = ()>>(scopes: Scopes, test: impl Fn(Scene) -> F) {
    for database in TestDatabase::both() {
        let url = database.url().parse().expect("the URL is valid");
        let store = Store::open(&Options::new(url)).expect("the store opens");
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.expect("a runtime starts").block_on(async {
            test(Scene::new(store.clone(), scopes).await).await;
        });
        store.close();
    }
}

/// No test here uploads a file.
struct NoUploads;

impl Uploads for NoUploads {
    fn take<'a>(
        &'a self,
        _: &'a Principal,
        _: Option<&'a str>,
        _: UploadBody<'a>,
        _: Timestamp,
    ) -> std::pin::Pin<Box<dyn Future<Output = frontdesk_web::Result<frontdesk_web::Reply>> + Send + 'a>>
    {
        Box::pin(async { Err(frontdesk_web::Failure::internal()) })
    }
}
