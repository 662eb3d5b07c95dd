//! The server, from its configuration to its shutdown.
//!
//! It prints its address only when it can respond. On SIGTERM or SIGINT it drains: `/readyz` says so, its workers release
//! their jobs, and it serves on for a while. Then it accepts no new connections, finishes running requests, and closes the
//! store last. A second signal ends it at once. Keys, headers and bodies are never logged.

mod address_slots;
mod background;
mod backups;
mod bookings;
mod client_close;
mod connections;
mod conversation;
mod dashboard;
mod deadline_socket;
mod demo;
mod documents;
mod heartbeat;
mod janitor;
mod load;
mod logging;
mod phase;
mod presence;
mod readiness;
mod reference;
mod refusals;
mod replays;
mod response;
mod sandbox;
mod sandbox_access;
mod sandbox_clock;
mod signals;
mod site;
pub(crate) mod telemetry;
mod traces;
mod undeclared_proxy;
mod workers;

use std::collections::HashMap;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use frontdesk_agent::{Agent, AgentServices, Trials};
use frontdesk_app::App;
use frontdesk_app::presence::Places;
use frontdesk_crm::pipelines;
use frontdesk_db::{Store, copies};
use frontdesk_inbox::InboxState;
use frontdesk_inbox::media::Files;
use frontdesk_inbox::web_chat::VisitorRegistry;
use frontdesk_kernel::Secret;
use frontdesk_mcp::McpServer;
use frontdesk_models::{Endpoint, Models, ModelsConfig};
use frontdesk_outbound::{Client, Reach};
use frontdesk_platform::events::Recorder;
use frontdesk_platform::events::live::Live;
use frontdesk_platform::events::order;
use frontdesk_platform::holds;
use frontdesk_platform::idempotency::InFlight;
use frontdesk_platform::limits::Limits;
use frontdesk_platform::operations::{Operations, OperationsSlot};
use frontdesk_platform::sealing::Keyring;
use frontdesk_platform::suspensions::Suspensions;
use frontdesk_platform::{
    BodyBudget, Dispatcher, Gate, PublicEndpoint, ServerContext, Services, is_local_url, sandbox_pass,
};
use frontdesk_triggers::RefusedCalls;
use http::HeaderValue;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::clock::{self, MovableClock};
use crate::config::{self, Config, DemoPolicy, ServeArgs};
use crate::error::{Error, Result};
use crate::installation::{Installation, ServerUrls};
use crate::retention::Retention;
use crate::{media_files, redis, routes};
use background::Background;
use backups::Backups;
use connections::{ConnectionSlots, Stop, Stopping};
use documents::Documents;
use load::ServerLoad;
use presence::Presence;
use readiness::Readiness;
use sandbox::SandboxService;
use sandbox_access::SandboxAccess;
use sandbox_clock::SandboxClock;
use signals::Signals;
use site::Site;
use telemetry::Telemetry;
use traces::Exporter;
use undeclared_proxy::ProxyWatch;
use workers::Workers;

#[cfg(test)]
pub(crate) use site::PAGES;
pub(crate) use undeclared_proxy::UndeclaredProxy;

/// The path of the sandbox's model, in OpenAI's format.
const SANDBOX_MODEL_PATH: &str = "/sandbox/model/v1";
/// How long remaining tasks may run after the store is closed.
const LEFTOVERS_TIME_MAX: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &ServeArgs, installation: &Installation) -> Result<()> {
    let config = Config::read(args, installation, config::environment)
        .map_err(|wrong| Error::Invalid(wrong.join("; ")))?;
    logging::start(&config)?;
    let telemetry = Telemetry::install()?;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(cores)
        .thread_name("server")
        .enable_all()
        .build()
        .map_err(Error::doing("start the server's threads"))?;
    // Opening blocks, so it happens before the runtime is entered.
    clock::pretend_ahead(config.clock_ahead_seconds);
    let store = Store::open(&config.store_options())?;
    let outcome = runtime.block_on(serve_traced(config, &store, telemetry));
    store.close();
    runtime.shutdown_timeout(LEFTOVERS_TIME_MAX);
    outcome
}

/// Serves, and exports traces meanwhile if they are configured.
async fn serve_traced(mut config: Config, store: &Store, telemetry: Telemetry) -> Result<()> {
    let exporter = config.watching.traces.take().map(Exporter::start);
    let outcome = serve(config, store, telemetry).await;
    if let Some(exporter) = exporter {
        exporter.end().await;
    }
    outcome
}

#[expect(clippy::too_many_lines, reason = "the start of the server, step by step")]
async fn serve(config: Config, store: &Store, telemetry: Telemetry) -> Result<()> {
    let presence = Presence::announce(store, &config).await?;
    refuse_if_moved(store, &config).await?;
    let secret = presence.keys().clone();
    let limits = counters(&config, store).await?;
    media_files::remember(store, &config.files).await?;
    if store.is_shared() {
        redis::remember(store, &secret, config.redis.as_ref().map(Secret::reveal)).await?;
    }
    look_for_restore(store).await?;
    let listener = listen(&config.listen).await?;
    let address = listener.local_addr().map_err(Error::doing("learn the address it listens on"))?;
    let mut signals = Signals::listen().map_err(Error::doing("listen for signals"))?;
    let recorder = routes::recorder();
    let clock = MovableClock::default();
    telemetry.watch(store, &config.database, clock.reader());
    if config.sandbox_clock {
        sandbox_clock::restore(store, &clock).await?;
    }
    let urls = settle_urls(&config, store, address).await?;
    let registry = VisitorRegistry::new(config.chat_streams);
    let slots = ConnectionSlots::of(&config);
    let (bodies, refused) = (BodyBudget::default(), Arc::default());
    let services = Arc::new(services(&config, &secret, &urls));
    let server = ServerContext {
        store: store.clone(),
        services: services.clone(),
        clock: clock.reader(),
        recorder: recorder.clone(),
        suspensions: Suspensions::default(),
    };
    let trials = Trials::default();
    let dispatcher = Arc::new(dispatcher(&server, &secret, &trials));
    let operations: Arc<dyn Operations> = dispatcher.clone();
    server.services.operations.fill(Arc::downgrade(&operations));
    let mcp = McpServer::new(dispatcher.clone(), &urls.base_url);
    let agent = Arc::new(agent(&config.models, &server, &dispatcher, &secret)?);
    trials.use_agent(&agent);
    let live = Live::new(store.clone(), frontdesk_inbox::desk::changed_rows);
    let inbox = inbox_state(&config, &registry, &live);
    let (telemetry, places) = (Arc::new(telemetry), Places::default());
    let (gate, app) = gates(&server, dispatcher, limits, &config, &inbox, &bodies, (&agent, &places));
    ensure_defaults(&server).await?;
    let may_demo = config.role.serves_api() && may_demo(config.demo, address, &urls);
    let demo = if may_demo { demo::create(store, &recorder, &secret, clock.now()).await? } else { None };

    let (mut background, mut workers) = (Background::new(), None);
    let backups = Backups::of(&config);
    if config.role.works() {
        workers =
            Some(background.start_workers(&server, agent, &places, (&backups, config.smtp.clone())).await?);
    }
    let movable = config
        .sandbox_clock
        .then(|| start_sandbox_clock(&mut background, store, &clock, recorder, workers, config.retention));
    let load = ServerLoad::new(address, &background.counts, &live, &registry);
    let access = SandboxAccess::new(config.sandbox_token, &secret, is_local_url(&urls.base_url));
    let sandbox = SandboxService::new(&server, clock.clone(), access, movable);
    let site = Arc::new(Site {
        proxy_watch: ProxyWatch::start(&server, &gate.proxies, config.role).await?,
        gate,
        app,
        mcp,
        role: config.role,
        telemetry: telemetry.clone(),
        metrics_token: config.metrics_token,
        cors: config.cors,
        sandbox,
        documents: Documents::new(&urls.base_url),
        server: server.clone(),
        readiness: Readiness::new(store, &background.supervisor, &backups.warning, &load.phases),
        load: load.clone(),
        public_endpoints: public_endpoints(inbox, &refused),
        bodies,
    });
    let (streams, presence, cleaned) = (live.clone(), Arc::new(presence), site.clone());
    let (role, retention) = (config.role, config.retention);
    background.start("event streams", move |_| streams.clone().keep_up());
    let present = presence.clone();
    background.start("presence", move |stopped| present.clone().keep_up(load.clone(), stopped));
    background.start("janitor", move |stopped| janitor::work(cleaned.clone(), role, retention, stopped));
    store_counts(&mut background, &site, refused);
    background.start("telemetry", move |stopped| telemetry.clone().keep_up(stopped));
    let ready = async {
        let greeting = match demo {
            None => demo::next_step(store).await?.to_owned(),
            Some(made) => {
                demo::furnish(&server, &made).await;
                demo::greeting(address, &urls.base_url, &made)
            }
        };
        announce(&format!("{greeting}listening on http://{address}\n"))?;
        let (version, base_url) = (env!("CARGO_PKG_VERSION"), &urls.base_url);
        tracing::info!(%address, role = ?config.role, base_url, version, "the server is ready");
        Ok::<(), Error>(())
    };
    // Setting up the Demo account's channel calls this server, so it serves before it announces itself.
    let on_end = || {
        registry.close();
        live.close();
    };
    let stopping = Stopping { drain_time: config.drain_time, on_drain: background.worker_stop(), on_end };
    let serving = connections::serve(listener, site, slots, &mut signals, stopping);
    let (stop, said) = tokio::join!(serving, ready);
    said?;
    end(background, stop, &mut signals, store, &presence).await;
    let closing = store.clone();
    let _ = tokio::task::spawn_blocking(move || closing.close()).await;
    tracing::info!("the server has shut down");
    Ok(())
}

/// The clock that the sandbox moves. It follows other servers' clocks.
fn start_sandbox_clock(
    background: &mut Background,
    store: &Store,
    clock: &MovableClock,
    recorder: Arc<Recorder>,
    workers: Option<Workers>,
    retention: Retention,
) -> SandboxClock {
    let (followed, following) = (store.clone(), clock.clone());
    let follow = move |stopped| sandbox_clock::follow(followed.clone(), following.clone(), stopped);
    background.start("sandbox clock", follow);
    SandboxClock::new(store.clone(), clock.clone(), recorder, workers, retention)
}

/// Ends all tasks. After a second signal nothing is waited for, and other servers take over what this one holds.
async fn end(
    mut background: Background,
    stop: Stop,
    signals: &mut Signals,
    store: &Store,
    presence: &Presence,
) {
    if stop == Stop::InOrder {
        tokio::select! {
            () = background.end() => return,
            () = signals.next() => tracing::warn!("asked to stop again; some jobs did not finish"),
        }
    }
    let leaving = async { tokio::join!(background.abandon(store), presence.leave()) };
    // Others notice its silence otherwise.
    let _ = tokio::time::timeout(LEFTOVERS_TIME_MAX, leaving).await;
}

/// Stores what requests count in memory: the uses of keys, and refused calls of triggers' addresses.
fn store_counts(background: &mut Background, site: &Arc<Site>, refused: Arc<RefusedCalls>) {
    let (used, server) = (site.clone(), site.server.clone());
    background.start("key uses", move |stopped| store_key_uses(used.clone(), stopped));
    background.start("refused calls", move |stopped| store_refused(refused.clone(), server.clone(), stopped));
}

/// Stores when keys were last used, until the server stops.
async fn store_key_uses(site: Arc<Site>, stopped: watch::Receiver<bool>) {
    site.gate.key_uses.keep_up(site.server.store.clone(), stopped).await;
}

/// Stores which calls of triggers' addresses were refused, until the server stops.
async fn store_refused(refused: Arc<RefusedCalls>, server: ServerContext, stopped: watch::Receiver<bool>) {
    refused.keep_up(&server, stopped).await;
}

/// The endpoints for visitors without a key, by name.
fn public_endpoints(inbox: InboxState, refused: &Arc<RefusedCalls>) -> HashMap<&'static str, PublicEndpoint> {
    let endpoints = routes::public_endpoints(inbox, refused.clone());
    endpoints.into_iter().map(|endpoint| (endpoint.name, endpoint)).collect()
}

fn may_demo(policy: DemoPolicy, address: SocketAddr, urls: &ServerUrls) -> bool {
    match policy {
        DemoPolicy::Always => true,
        DemoPolicy::Never => false,
        DemoPolicy::WhenPrivate => demo::is_private(address, urls),
    }
}

/// Gives every account its default pipeline.
async fn ensure_defaults(server: &ServerContext) -> Result<()> {
    let (now, recorder) = ((server.clock)(), server.recorder.clone());
    Ok(server.store.write(move |tx| pipelines::ensure_defaults(tx, now, &recorder)).await?)
}

async fn listen(address: &str) -> Result<TcpListener> {
    let listening = TcpListener::bind(address).await;
    listening.map_err(Error::doing(format!("listen on {address} (--listen chooses another address)")))
}

fn dispatcher(server: &ServerContext, secrets: &Keyring, trials: &Trials) -> Dispatcher {
    Dispatcher {
        table: routes::table_with(trials),
        store: server.store.clone(),
        services: server.services.clone(),
        clock: server.clock.clone(),
        cursor_key: secrets.derive("page cursors"),
        recorder: server.recorder.clone(),
        in_flight: InFlight::default(),
    }
}

/// The state of the channels' endpoint.
fn inbox_state(config: &Config, registry: &VisitorRegistry, live: &Live) -> InboxState {
    InboxState {
        words: Arc::new(config.words.clone()),
        registry: registry.clone(),
        live: live.clone(),
        file_bytes_total_max: config.upload_bytes_max,
    }
}

/// The ways in: with a key, and with a session.
fn gates(
    server: &ServerContext,
    dispatcher: Arc<Dispatcher>,
    limits: Limits,
    config: &Config,
    inbox: &InboxState,
    bodies: &BodyBudget,
    (agent, places): (&Arc<Agent>, &Places),
) -> (Gate, App) {
    let live = &inbox.live;
    let proxies = config.proxies.clone();
    let provider = config.openid.clone().map(|config| {
        let client = server.services.vendors.clone();
        Arc::new(frontdesk_app::OpenIdProvider::new(config, client))
    });
    let shared = frontdesk_app::Shared::new(server.clone(), rand::random, routes::exports(), provider);
    let uploads = Arc::new(Files::new(server.clone(), config.upload_bytes_max));
    let app = App::new(
        dispatcher.clone(),
        shared,
        proxies.clone(),
        frontdesk_app::presence::Presence::new(live.clone(), inbox.registry.clone(), places.clone()),
        uploads.clone(),
        bodies.clone(),
        agent,
    );
    let gate = Gate {
        dispatcher,
        limits,
        proxies,
        clock: server.clock.clone(),
        live: live.clone(),
        uploads,
        key_uses: Arc::default(),
    };
    (gate, app)
}

/// The context of assistants' runs. Without a provider they call the sandbox's model on this server.
fn agent(
    settings: &ModelsConfig,
    server: &ServerContext,
    dispatcher: &Arc<Dispatcher>,
    secrets: &Keyring,
) -> Result<Agent> {
    let pass: HeaderValue = sandbox_pass::of(secrets)
        .parse()
        .map_err(|_| Error::Invalid("the sandbox's pass is no header".to_owned()))?;
    let base = format!("{}{SANDBOX_MODEL_PATH}", server.services.local_url);
    let sandbox = Endpoint::sandbox(&base, Some((sandbox_pass::HEADER, pass))).map_err(Error::Invalid)?;
    let models = Models::new(server.services.vendors.clone(), settings, sandbox);
    let (server, dispatcher, settings) = (server.clone(), dispatcher.clone(), settings.clone());
    Ok(Agent::new(Arc::new(AgentServices { server, dispatcher, models, settings, chance: rand::random })))
}

/// A copy may have begun since the database was opened. It does not go on while it sees this server, so this server ends.
async fn refuse_if_moved(store: &Store, config: &Config) -> Result<()> {
    let place = config.database.place();
    Ok(store.read(move |tx| copies::check(tx, &place)).await?)
}

/// Notices that the database was restored: new events are kept after old ones if it was restored into another cluster, and
/// the operator is reminded of work that waits.
async fn look_for_restore(store: &Store) -> Result<()> {
    if store.write(order::mend).await? {
        tracing::warn!(
            "this database was restored into another cluster; its events are ordered after the old ones"
        );
    }
    if let Some(hold) = store.read(holds::find).await? {
        tracing::warn!("{}", hold.message());
    }
    Ok(())
}

/// Stores this server's URLs, which commands read. A worker cannot be reached by others, so it uses the URLs
/// that the last API server stored.
async fn settle_urls(config: &Config, store: &Store, address: SocketAddr) -> Result<ServerUrls> {
    if !config.role.serves_api() {
        return Ok(store.read(ServerUrls::recall).await?);
    }
    let local_url = format!("http://{}", demo::reachable(address));
    let urls =
        ServerUrls { base_url: config.base_url.clone().unwrap_or_else(|| local_url.clone()), local_url };
    urls.remember(store).await?;
    Ok(urls)
}

fn services(config: &Config, secrets: &Keyring, urls: &ServerUrls) -> Services {
    let reach = if config.private_targets { Reach::Anywhere } else { Reach::Public };
    Services {
        operations: OperationsSlot::default(),
        secrets: secrets.clone(),
        outbound: Client::new(reach),
        vendors: Client::new(Reach::Anywhere),
        files: config.files.clone(),
        base_url: urls.base_url.clone(),
        local_url: urls.local_url.clone(),
    }
}

async fn counters(config: &Config, store: &Store) -> Result<Limits> {
    match &config.redis {
        None => Ok(Limits::new(store.clone())),
        Some(_) if !store.is_shared() => {
            tracing::warn!("Redis is not used: SQLite serves one server, which counts in memory");
            Ok(Limits::new(store.clone()))
        }
        Some(url) => redis::connect(store, url.reveal()).await.map_err(|why| {
            Error::Invalid(format!(
                "Redis cannot be reached: {why}. Start it, correct --redis, or leave it out"
            ))
        }),
    }
}

/// Prints a text for the operator, in one write.
fn announce(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(Error::doing("say where the server listens"))
}
