//! The options and environment variables of `serve`, read and checked in one place.
//!
//! All mistakes are found before anything is started, and reported at once.

use std::net::ToSocketAddrs;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use frontdesk_app::OpenIdConfig;
use frontdesk_app::mail::SmtpSettings;
use frontdesk_db::{DatabaseUrl, Options, SlowStatements};
use frontdesk_files::FilePlaces;
use frontdesk_inbox::inbound::OptOutWords;
use frontdesk_inbox::web_chat::StreamLimits;
use frontdesk_kernel::Secret;
use frontdesk_models::ModelsConfig;
use frontdesk_platform::{Network, Proxies};
use tracing_subscriber::filter::Targets;

use crate::backup::BackupPlan;
use crate::clock;
use crate::cors::Cors;
use crate::installation::Installation;
use crate::retention::Retention;
use crate::store_options::store_options;
use crate::switch::read_switch;
use crate::watching::Watching;
use crate::{routes, secret_key};

/// Maximum for the configured number of PostgreSQL connections.
const POOL_MAX: usize = 1_000;
/// Maximum for the configured number of open connections, including web-chat streams.
const CONNECTIONS_MAX: usize = 1_000_000;
/// The default number of connections in addition to web-chat streams.
const OTHER_CONNECTIONS_DEFAULT: usize = 4_096;
/// The default number of connections from one address.
const CONNECTIONS_PER_ADDRESS_DEFAULT: usize = 512;
/// The default size of an account's uploads, and the maximum for the configured one, in MiB.
const UPLOADS_MIB_DEFAULT: usize = 20 << 10;
const UPLOADS_MIB_MAX: usize = 1 << 30;

/// The longest drain. Service managers and containers kill a server that takes longer than they allow.
const DRAIN_SECONDS_MAX: u64 = 600;
/// The largest pretended difference of a clock.
const CLOCK_AHEAD_SECONDS_MAX: i64 = 24 * 60 * 60;

/// The limit of open connections from one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddressLimit {
    pub(crate) connections_max: usize,
    /// Whether the operator set it. Only then it holds for this machine too.
    pub(crate) is_explicit: bool,
}

impl AddressLimit {
    fn of(given: Option<usize>) -> Self {
        Self {
            connections_max: given.unwrap_or(CONNECTIONS_PER_ADDRESS_DEFAULT),
            is_explicit: given.is_some(),
        }
    }
}

/// The options of `serve`; what is read from the environment alone is named after them.
#[derive(Args)]
#[command(after_help = "\
Environment:
  FRONTDESK_TRUSTED_PROXIES  proxies whose X-Forwarded-For is believed: addresses or CIDR ranges, comma-separated
  FRONTDESK_METRICS_TOKEN    bearer token for /metrics, needed from other machines and with a public base URL
  FRONTDESK_CORS_ORIGINS     web origins that browsers may call the API from, comma-separated; none by default
  FRONTDESK_ALLOW_PRIVATE_TARGETS  true lets webhooks reach private and loopback addresses, and plain http
  FRONTDESK_SANDBOX_CLOCK    true lets POST /sandbox/clock move the server's clock, to try schedules in seconds
  FRONTDESK_SANDBOX_CLOCK_AHEAD  pretends that this machine's clock is ahead by so many seconds, or behind if negative,
                             to try servers whose clocks differ; needs FRONTDESK_SANDBOX_CLOCK
  FRONTDESK_SANDBOX_TOKEN    bearer token for /sandbox, needed from other machines and with a public base URL
  FRONTDESK_STOP_WORDS       words by which customers opt out of broadcasts, comma-separated (stop,unsubscribe)
  FRONTDESK_START_WORDS      words by which they opt in again (start,unstop)
  FRONTDESK_CONNECTIONS_MAX  maximum open connections; one more gets 503 (4096 more than FRONTDESK_CHAT_STREAMS)
  FRONTDESK_CONNECTIONS_PER_ADDRESS  maximum open connections from one address; one more gets 429 (512; trusted proxies
                             have no such limit, and this machine has none unless this is set)
  FRONTDESK_UPLOADS_MIB_MAX  maximum size of the uploads that an account has stored, in MiB (20480)
  FRONTDESK_CHAT_STREAMS     maximum concurrent web-chat streams (4096)
  FRONTDESK_CHAT_STREAMS_PER_ADDRESS  maximum concurrent web-chat streams from one address (64)
  FRONTDESK_RUN_DAYS         days for which runs are kept after they end, with their events, asks and model calls, or
                             never to keep them (365)
  FRONTDESK_AUDIT_LOG_DAYS   days for which entries of the audit log are kept, or never (730)
  FRONTDESK_BULK_JOB_DAYS    days for which bulk jobs that are over are kept, or never (30)
  FRONTDESK_ORPHANED_LOGIN_DAYS  days after which a login that no membership uses is deleted, or never (90)
  FRONTDESK_MEDIA            where new files go: database (the default), a directory such as /var/lib/frontdesk/media that
                             all servers share, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME
  FRONTDESK_BACKUP_TO        where backups go by themselves: a directory, or s3://BUCKET/PREFIX
  FRONTDESK_BACKUP_EVERY     how often: 30m, 24h or 7d (24h)
  FRONTDESK_BACKUP_KEEP      how many of them stay (7)
  FRONTDESK_BACKUP_SECRET_KEY  true adds the secret key to them
  FRONTDESK_BACKUP_MEDIA     false leaves files out that are outside the database (true)
  FRONTDESK_S3_ENDPOINT      the address of the storage, such as https://minio.example:9000; Amazon's when unset
  FRONTDESK_S3_REGION        its region (us-east-1)
  FRONTDESK_S3_ACCESS_KEY_ID   the id of a key that may write, list and delete there
  FRONTDESK_S3_SECRET_ACCESS_KEY  that key
  FRONTDESK_S3_PART_MIB      the size of the parts of a large file, one of which is in memory (16)
  FRONTDESK_SMTP_URL         the server that mails go to: smtps://USER:PASSWORD@HOST, or
                             smtp://USER:PASSWORD@HOST:587?tls=required for STARTTLS; no mails when unset
  FRONTDESK_MAIL_FROM        the address that mails come from, such as desk@example.com or Desk <desk@example.com>
  FRONTDESK_SMTP_CA          a PEM file with a certificate that is trusted for that server too
  FRONTDESK_OPENAI_BASE_URL  an OpenAI-compatible endpoint for models, usually ending in /v1 (https://api.openai.com/v1)
  FRONTDESK_OPENAI_API_KEY   its key; with no provider configured, the sandbox model is used
  FRONTDESK_ANTHROPIC_BASE_URL  Anthropic's endpoint (https://api.anthropic.com)
  FRONTDESK_ANTHROPIC_API_KEY   its key
  FRONTDESK_MODEL_PRICES     a JSON file of model prices, added to the built-in ones
  FRONTDESK_TRANSCRIPTION_MODEL  the model that transcribes voice notes (whisper-1)
  FRONTDESK_SPEECH_MODEL     the model that speaks voice replies (tts-1)
  FRONTDESK_OIDC_ISSUER      an OpenID provider at which members sign in, such as https://accounts.example.com
  FRONTDESK_OIDC_CLIENT_ID   the id that the provider gave this installation
  FRONTDESK_OIDC_CLIENT_SECRET  its secret; none for a public client
  FRONTDESK_OIDC_NAME        the provider's name on the sign-in page (its host)
  FRONTDESK_OIDC_SCOPES      what is asked for (openid email profile)
  FRONTDESK_OIDC_DOMAINS     domains of email addresses that may sign in, comma-separated (any)
  FRONTDESK_OIDC_ACCOUNT     the account that people join by their groups
  FRONTDESK_OIDC_ROLES       the groups that give a role there: admin=GROUP,agent=GROUP
  FRONTDESK_OIDC_ROLES_CLAIM  the claim with a person's groups, such as realm_access.roles (groups)
  FRONTDESK_OIDC_DEFAULT_ROLE  the role of people in none of the groups; needs FRONTDESK_OIDC_DOMAINS
  FRONTDESK_OIDC_TRUST_EMAIL  true takes an email address as verified if the provider does not say whether it is
  FRONTDESK_OIDC_ONLY        true refuses passwords
  FRONTDESK_SECRET_KEY       the key that secrets are sealed under, 32 bytes in base64; made and kept with the database
                             when unset
  FRONTDESK_SECRET_KEY_PREVIOUS  the key before it, while `frontdesk secret rotate` is not finished
  FRONTDESK_DATABASE_POOL    connections to PostgreSQL
  FRONTDESK_SLOW_STATEMENT_MS  statements that take at least this many milliseconds are logged; none when unset
  FRONTDESK_SLOW_STATEMENT_PLANS  true logs their plans too, once a minute for each
  OTEL_EXPORTER_OTLP_ENDPOINT  where traces go: a collector of OpenTelemetry, such as http://localhost:4318; off when unset
  OTEL_EXPORTER_OTLP_HEADERS   headers for it, such as authorization=Bearer%20TOKEN, comma-separated
  OTEL_SERVICE_NAME          the name of this service in traces (frontdesk)
  OTEL_TRACES_SAMPLER        which traces are recorded (parentbased_always_on), with OTEL_TRACES_SAMPLER_ARG as their share
  FRONTDESK_LOG              what is logged: error, warn, info (the default; at a terminal without
                             each request), debug or a filter
  FRONTDESK_LOG_FORMAT       text (the default) or json")]
pub(crate) struct ServeArgs {
    /// The address to listen on
    #[arg(long, env = "FRONTDESK_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS:PORT")]
    listen: String,

    /// The public URL of this server, such as `https://api.example.com`
    #[arg(long, env = "FRONTDESK_BASE_URL", value_name = "URL")]
    base_url: Option<String>,

    /// What this server does: serve the API, run background work, or both
    #[arg(long, env = "FRONTDESK_ROLE", value_enum, default_value_t = Role::All)]
    role: Role,

    /// For how many seconds the server is still there for requests after it was asked to stop, while /readyz says that it
    /// stops, so that load balancers turn to others
    #[arg(long, env = "FRONTDESK_DRAIN_SECONDS", default_value_t = 0, value_name = "SECONDS",
        value_parser = clap::value_parser!(u64).range(..=DRAIN_SECONDS_MAX))]
    drain_seconds: u64,

    /// On an empty database, create a Demo account with a key for everything and a sandbox channel, also when
    /// others can reach this server
    #[arg(long)]
    demo: bool,

    /// Never create a Demo account, also when only this machine can reach this server
    #[arg(long, conflicts_with = "demo")]
    no_demo: bool,
}

/// What a server does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    All,
    Api,
    Worker,
}

impl Role {
    pub(crate) fn serves_api(self) -> bool {
        self != Self::Worker
    }

    pub(crate) fn works(self) -> bool {
        self != Self::Api
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Api => "api",
            Self::Worker => "worker",
        }
    }
}

/// When the first start on an empty database creates the Demo account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DemoPolicy {
    /// If only this machine can reach the server.
    WhenPrivate,
    Always,
    Never,
}

impl DemoPolicy {
    fn of(args: &ServeArgs) -> Self {
        match (args.demo, args.no_demo) {
            (true, _) => Self::Always,
            (false, true) => Self::Never,
            (false, false) => Self::WhenPrivate,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// A valid configuration.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) database: DatabaseUrl,
    /// The read replica.
    pub(crate) replica: Option<DatabaseUrl>,
    pub(crate) pool: Option<usize>,
    pub(crate) redis: Option<Secret>,
    pub(crate) listen: String,
    pub(crate) base_url: Option<String>,
    pub(crate) role: Role,
    pub(crate) demo: DemoPolicy,
    pub(crate) proxies: Proxies,
    pub(crate) metrics_token: Option<Secret>,
    pub(crate) cors: Option<Cors>,
    /// Whether webhooks may reach private and loopback addresses.
    pub(crate) private_targets: bool,
    /// Whether the sandbox can move the clock.
    pub(crate) sandbox_clock: bool,
    /// How far the machine's clock is pretended to be ahead.
    pub(crate) clock_ahead_seconds: i64,
    /// How long the server drains.
    pub(crate) drain_time: Duration,
    /// Opens the sandbox to callers from other machines.
    pub(crate) sandbox_token: Option<Secret>,
    /// The opt-out words.
    pub(crate) words: OptOutWords,
    /// Maximum open connections.
    pub(crate) connections_max: usize,
    /// Maximum open connections from one address.
    pub(crate) connections_per_address: AddressLimit,
    /// Maximum web-chat streams.
    pub(crate) chat_streams: StreamLimits,
    /// How long old data is kept.
    pub(crate) retention: Retention,
    /// When backups are taken, and where they go.
    pub(crate) backups: Option<BackupPlan>,
    /// How mails are sent; none if they are not.
    pub(crate) smtp: Option<SmtpSettings>,
    /// Where new files go, and how other places are reached.
    pub(crate) files: Arc<FilePlaces>,
    /// Maximum bytes of an account's uploads.
    pub(crate) upload_bytes_max: i64,
    /// Where members may sign in besides here.
    pub(crate) openid: Option<OpenIdConfig>,
    /// The providers of models, and prices.
    pub(crate) models: ModelsConfig,
    /// What the server tells of its own work.
    pub(crate) watching: Watching,
    /// The filter of the log, if it was set.
    pub(crate) log: Option<String>,
    pub(crate) log_format: LogFormat,
}

impl Config {
    /// Reads the configuration, or reports everything that is wrong with it.
    #[expect(clippy::too_many_lines, reason = "one step for each setting")]
    pub(crate) fn read(
        args: &ServeArgs,
        installation: &Installation,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, Vec<String>> {
        // A variable that is set to an empty text counts as unset.
        let variable = |name: &str| trimmed(environment(name));
        let mut wrong = Vec::new();
        let mut note = |problem: String| wrong.push(problem);

        let database = installation.database().map_err(|error| note(error.to_string()));
        let replica = match &database {
            // One mistake is not reported twice.
            Ok(_) => installation.replica().map_err(|error| note(error.to_string())).ok().flatten(),
            Err(()) => None,
        };
        let listen = args.listen.trim().to_owned();
        if !listen.to_socket_addrs().is_ok_and(|mut found| found.next().is_some()) {
            note(format!("{listen:?} is no address to listen on: use ADDRESS:PORT, such as 127.0.0.1:8080"));
        }
        let base_url = args.base_url.as_deref().filter(|url| !url.trim().is_empty()).map(read_base_url);
        let base_url = base_url.transpose().map_err(&mut note);
        let proxies = Network::parse_list(&variable("FRONTDESK_TRUSTED_PROXIES").unwrap_or_default())
            .map_err(|error| note(format!("FRONTDESK_TRUSTED_PROXIES: {error}")));
        let cors = variable("FRONTDESK_CORS_ORIGINS").map(|list| Cors::parse(&list)).transpose();
        let cors = cors.map_err(|error| note(format!("FRONTDESK_CORS_ORIGINS: {error}")));
        let mut number = |name: &str, most: usize| {
            let read = |text: String| read_number(name, &text, most);
            variable(name).map(read).transpose().map_err(&mut note)
        };
        let pool = number("FRONTDESK_DATABASE_POOL", POOL_MAX);
        let connections = number("FRONTDESK_CONNECTIONS_MAX", CONNECTIONS_MAX);
        let chat_streams = number("FRONTDESK_CHAT_STREAMS", CONNECTIONS_MAX);
        let per_address = number("FRONTDESK_CHAT_STREAMS_PER_ADDRESS", CONNECTIONS_MAX);
        let at_one_address = number("FRONTDESK_CONNECTIONS_PER_ADDRESS", CONNECTIONS_MAX).ok().flatten();
        let uploads_mib = number("FRONTDESK_UPLOADS_MIB_MAX", UPLOADS_MIB_MAX).ok().flatten();
        let usual = StreamLimits::default();
        let chat_streams = StreamLimits {
            total_max: chat_streams.ok().flatten().unwrap_or(usual.total_max),
            per_address_max: per_address.ok().flatten().unwrap_or(usual.per_address_max),
        };
        let connections_max =
            connections.ok().flatten().unwrap_or(chat_streams.total_max + OTHER_CONNECTIONS_DEFAULT);
        if connections_max <= chat_streams.total_max {
            note(too_few_connections(connections_max, chat_streams.total_max));
        }
        let mut switch =
            |name: &str| read_switch(name, variable(name).as_deref()).map_err(&mut note).unwrap_or_default();
        let private_targets = switch("FRONTDESK_ALLOW_PRIVATE_TARGETS");
        let sandbox_clock = switch("FRONTDESK_SANDBOX_CLOCK");
        let ahead = read_clock_ahead(variable("FRONTDESK_SANDBOX_CLOCK_AHEAD"), sandbox_clock);
        let clock_ahead_seconds = ahead.map_err(&mut note).unwrap_or_default();
        let words = read_opt_out(variable);
        let retention = Retention::read(variable, &mut note);
        let backups = BackupPlan::read(variable, &mut note);
        let openid = OpenIdConfig::read(variable).unwrap_or_else(|problems| {
            problems.into_iter().for_each(&mut note);
            None
        });
        let smtp = SmtpSettings::read(variable, &mut note);
        let files = FilePlaces::read(variable, clock::now).map_err(&mut note);
        let watching = Watching::read(variable, &mut note);
        let models =
            ModelsConfig::read(variable).map_err(|problems| problems.into_iter().for_each(&mut note));
        if let Some(Err(problem)) = variable(secret_key::VARIABLE).map(|text| secret_key::parse(&text)) {
            note(problem);
        }
        let log = variable("FRONTDESK_LOG");
        if let Some(Err(error)) = log.as_ref().map(|text| text.parse::<Targets>()) {
            note(format!("FRONTDESK_LOG: {error}; use error, warn, info or debug"));
        }
        let log_format = read_log_format(variable("FRONTDESK_LOG_FORMAT")).map_err(&mut note);
        match (database, base_url, proxies, cors, pool, models, log_format, files) {
            (
                Ok(database),
                Ok(base_url),
                Ok(proxies),
                Ok(cors),
                Ok(pool),
                Ok(models),
                Ok(log_format),
                Ok(files),
            ) if wrong.is_empty() => Ok(Self {
                database,
                replica,
                pool,
                redis: installation.redis().map(Secret::new),
                listen,
                base_url,
                role: args.role,
                demo: DemoPolicy::of(args),
                proxies: Proxies::new(proxies),
                metrics_token: variable("FRONTDESK_METRICS_TOKEN").map(Secret::new),
                cors,
                private_targets,
                sandbox_clock,
                clock_ahead_seconds,
                drain_time: Duration::from_secs(args.drain_seconds),
                sandbox_token: variable("FRONTDESK_SANDBOX_TOKEN").map(Secret::new),
                words,
                connections_max,
                connections_per_address: AddressLimit::of(at_one_address),
                upload_bytes_max: (uploads_mib.unwrap_or(UPLOADS_MIB_DEFAULT) as i64) << 20,
                chat_streams,
                retention,
                backups,
                openid,
                smtp,
                files: Arc::new(files),
                models,
                watching,
                log,
                log_format,
            }),
            _ => Err(wrong),
        }
    }

    /// The options for opening the database.
    pub(crate) fn store_options(&self) -> Options {
        let defaults = store_options(self.database.clone());
        let slow_statements = self.watching.slow_statements.map(|(time_min, plans)| {
            let statements = [routes::sqlite_statements(), routes::postgres_statements()].concat();
            let names = statements.into_iter().map(|(name, sql)| (sql, name)).collect();
            SlowStatements { time_min, plans, names }
        });
        let (pool, replica) = (self.pool.unwrap_or(defaults.pool), self.replica.clone());
        Options { server: true, pool, replica, slow_statements, ..defaults }
    }
}

/// A variable of this process, unless it is empty.
pub(crate) fn variable(name: &str) -> Option<String> {
    trimmed(environment(name))
}

fn trimmed(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn read_log_format(text: Option<String>) -> Result<LogFormat, String> {
    match text.as_deref() {
        None | Some("text") => Ok(LogFormat::Text),
        Some("json") => Ok(LogFormat::Json),
        Some(other) => Err(format!("FRONTDESK_LOG_FORMAT is text or json, not {other:?}")),
    }
}

/// How far the machine's clock is pretended to be ahead, where the sandbox may move the clock.
fn read_clock_ahead(text: Option<String>, sandbox_clock: bool) -> Result<i64, String> {
    let Some(text) = text else { return Ok(0) };
    let allowed = -CLOCK_AHEAD_SECONDS_MAX..=CLOCK_AHEAD_SECONDS_MAX;
    let seconds = text.parse().ok().filter(|seconds: &i64| sandbox_clock && allowed.contains(seconds));
    seconds.ok_or_else(|| {
        format!(
            "FRONTDESK_SANDBOX_CLOCK_AHEAD is a number of seconds, at most {CLOCK_AHEAD_SECONDS_MAX} either way, and needs \
             FRONTDESK_SANDBOX_CLOCK=true"
        )
    })
}

/// The environment of this process.
pub(crate) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

pub(crate) fn read_base_url(text: &str) -> Result<String, String> {
    let bare = text.trim().trim_end_matches('/');
    let uri: Option<http::Uri> = bare.parse().ok();
    let usable = uri.is_some_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some() && uri.query().is_none()
    });
    if usable { Ok(bare.to_owned()) } else { Err(format!("{text:?} is no base URL: use https://HOST")) }
}

/// The words by which customers opt out and in.
fn read_opt_out(variable: impl Fn(&str) -> Option<String>) -> OptOutWords {
    let usual = OptOutWords::default();
    OptOutWords {
        stop: variable("FRONTDESK_STOP_WORDS").map_or(usual.stop, |list| read_words(&list)),
        start: variable("FRONTDESK_START_WORDS").map_or(usual.start, |list| read_words(&list)),
    }
}

fn read_words(list: &str) -> Vec<String> {
    list.split(',').map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect()
}

fn too_few_connections(connections_max: usize, streams_max: usize) -> String {
    format!(
        "FRONTDESK_CONNECTIONS_MAX ({connections_max}) must be more than FRONTDESK_CHAT_STREAMS ({streams_max}): each \
         stream is a connection"
    )
}

fn read_number(name: &str, text: &str, most: usize) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("{name} is a number from 1 to {most}, not {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use std::collections::HashMap;

    #[derive(Parser)]
    struct Serve {
        #[command(flatten)]
        serve: ServeArgs,
        #[command(flatten)]
        installation: Installation,
    }

    fn read(args: &[&str], environment: &[(&str, &str)]) -> Result<Config, Vec<String>> {
        let parsed = Serve::parse_from([&["serve"], args].concat());
        let variables: HashMap<_, _> = environment.iter().copied().collect();
        Config::read(&parsed.serve, &parsed.installation, |name| {
            variables.get(name).map(|text| (*text).to_owned())
        })
    }

    #[test]
    fn nothing_needs_to_be_configured() {
        let config = read(&[], &[("FRONTDESK_METRICS_TOKEN", ""), ("FRONTDESK_CORS_ORIGINS", " ")]).unwrap();
        assert_eq!((config.listen.as_str(), config.role), ("127.0.0.1:8080", Role::All));
        assert_eq!((config.log.as_deref(), config.log_format), (None, LogFormat::Text));
        assert!(config.metrics_token.is_none() && config.cors.is_none() && config.redis.is_none());
        assert!(config.store_options().server);
        assert_eq!(config.chat_streams, StreamLimits::default());
        assert_eq!(config.connections_max, 8_192);
        assert_eq!(config.retention, Retention::default());
        assert!(config.models.is_sandbox());
    }

    #[test]
    fn every_mistake_is_named_at_once() {
        let wrong = read(
            &["--listen", "here", "--base-url", "example.com", "--database", "mysql:x"],
            &[
                ("FRONTDESK_TRUSTED_PROXIES", "10.0.0.0/33"),
                ("FRONTDESK_CORS_ORIGINS", "example.com"),
                ("FRONTDESK_DATABASE_POOL", "0"),
                ("FRONTDESK_CONNECTIONS_MAX", "100"),
                ("FRONTDESK_CHAT_STREAMS", "many"),
                ("FRONTDESK_OPENAI_BASE_URL", "localhost:11434"),
                ("FRONTDESK_MODEL_PRICES", "/nowhere/prices.json"),
                ("FRONTDESK_SECRET_KEY", "hunter2"),
                ("FRONTDESK_SLOW_STATEMENT_MS", "0.1"),
                ("FRONTDESK_SLOW_STATEMENT_PLANS", "sometimes"),
                ("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318"),
                ("FRONTDESK_LOG", "frontdesk=loud"),
                ("FRONTDESK_MEDIA", "ftp://files"),
                ("FRONTDESK_LOG_FORMAT", "xml"),
            ],
        )
        .unwrap_err();
        let named = [
            "sqlite:PATH",
            "here",
            "base URL",
            "10.0.0.0/33",
            "ORIGINS",
            "POOL",
            "STREAMS",
            "CONNECTIONS_MAX (100) must be more",
            "FRONTDESK_MEDIA",
            "FRONTDESK_SLOW_STATEMENT_PLANS",
            "FRONTDESK_SLOW_STATEMENT_MS",
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "FRONTDESK_OPENAI_BASE_URL",
            "FRONTDESK_MODEL_PRICES",
            "32 bytes in base64",
            "FRONTDESK_LOG:",
            "xml",
        ];
        assert_eq!(wrong.len(), named.len(), "{wrong:?}");
        for (problem, name) in wrong.iter().zip(named) {
            assert!(problem.contains(name), "{name} is not in {problem}");
        }
    }

    #[test]
    fn a_read_replica_goes_with_postgresql() {
        let replica = "postgres://frontdesk:hidden@replica/frontdesk";
        let config = read(&["--database", "postgres://primary/frontdesk", "--database-read", replica], &[]);
        assert!(config.unwrap().store_options().replica.is_some());
        for (database, replica) in [("sqlite:x.db", replica), ("postgres://primary/frontdesk", "sqlite:x.db")]
        {
            let wrong = read(&["--database", database, "--database-read", replica], &[]).unwrap_err();
            assert!(wrong.len() == 1 && wrong[0].contains("--database-read"), "{wrong:?}");
            assert!(!wrong[0].contains("hidden"));
        }
    }

    #[test]
    fn a_base_url_is_kept_without_its_last_slash() {
        let config = read(&["--base-url", "https://api.example.com/"], &[]).unwrap();
        assert_eq!(config.base_url.as_deref(), Some("https://api.example.com"));
    }

    #[test]
    fn roles_say_what_a_server_does() {
        assert!(Role::All.serves_api() && Role::All.works());
        assert!(Role::Api.serves_api() && !Role::Api.works());
        assert!(!Role::Worker.serves_api() && Role::Worker.works());
    }
}
