//! Options of a connection, parsed from a `postgres://` URL.
//!
//! The parameters have the names and meanings of libpq. An unknown one is an error, so that a misspelt
//! `sslmode` never leads to a connection without TLS.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;

use super::params::{self, choice, flag, invalid, number, seconds};
use crate::error::Result;
use crate::url::DatabaseUrl;

const PORT_DEFAULT: u16 = 5432;
const FORM: &str = "postgres://USER:PASSWORD@HOST/NAME";
/// The application name that PostgreSQL shows for our connections.
const APPLICATION: &str = "frontdesk";
const CONNECT_TIME_DEFAULT: Duration = Duration::from_secs(5);
/// Operating systems send the first probe after two hours, long after a firewall has dropped the connection.
const KEEPALIVE_DEFAULT: Keepalive =
    Keepalive { idle: Duration::from_mins(1), interval: Duration::from_secs(10), count: 3 };

#[derive(Debug)]
pub(crate) struct ConnectOptions {
    pub(super) hosts: Vec<Host>,
    pub(super) user: String,
    pub(super) password: Option<String>,
    pub(super) database: Option<String>,
    pub(super) options: Option<String>,
    pub(super) application: String,
    /// How long connecting and logging in to one address may take.
    pub(super) connect_time_max: Duration,
    pub(super) keepalive: Option<Keepalive>,
    pub(super) user_timeout: Option<Duration>,
    pub(super) tls: TlsOptions,
    pub(super) channel_binding: ChannelBinding,
    pub(super) target: Target,
    /// Whether hosts are tried in random order.
    pub(super) shuffled: bool,
    /// The hosts and the database, as the URL names them.
    pub(super) place: String,
}

#[derive(Debug, PartialEq)]
pub(super) struct Host {
    pub(super) place: HostAddress,
    pub(super) port: u16,
}

#[derive(Debug, PartialEq)]
pub(super) enum HostAddress {
    /// The name that the server's certificate must have, and its address if given.
    Tcp(String, Option<IpAddr>),
    /// The directory of a Unix socket.
    Unix(PathBuf),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Keepalive {
    pub(super) idle: Duration,
    pub(super) interval: Duration,
    pub(super) count: u32,
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct TlsOptions {
    pub(super) mode: SslMode,
    pub(super) roots: Roots,
    /// The client's certificate and its key, as PEM files.
    pub(super) client: Option<(PathBuf, PathBuf)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SslMode {
    Disable,
    #[default]
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

/// The certificate authorities that a server's certificate is checked against.
#[derive(Debug, Default, PartialEq)]
pub(super) enum Roots {
    #[default]
    Unset,
    /// Mozilla's list, compiled into this program.
    System,
    File(PathBuf),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ChannelBinding {
    Disable,
    #[default]
    Prefer,
    Require,
}

/// Which of several hosts to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Any,
    ReadWrite,
    ReadOnly,
    Primary,
    Standby,
    PreferStandby,
}

impl ConnectOptions {
    /// The options of a connection to a read replica. Among several hosts it goes to a standby, unless the URL says otherwise.
    pub(crate) fn of_replica(url: &str, connect_time_max: Duration) -> Result<Self> {
        let mut options = Self::parse(url)?;
        if !url.contains("target_session_attrs") && options.hosts.len() > 1 {
            options.target = Target::Standby;
        }
        options.connect_time_max = options.connect_time_max.min(connect_time_max);
        Ok(options)
    }

    /// Whether it looks for the primary among several hosts.
    pub(super) fn follows_primary(&self) -> bool {
        self.hosts.len() > 1 && matches!(self.target, Target::ReadWrite | Target::Primary)
    }

    pub(crate) fn parse(url: &str) -> Result<Self> {
        let rest = ["postgres://", "postgresql://"].iter().find_map(|scheme| url.strip_prefix(scheme));
        let rest = rest.ok_or_else(|| invalid(format!("a PostgreSQL URL is {FORM}")))?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (credentials, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (user, password) = match credentials.split_once(':') {
            Some((user, password)) => (user, Some(decode(password)?)),
            None => (credentials, None),
        };
        let mut given = params::parse(query)?;
        let mut take = |name: &str| given.remove(name).filter(|value| !value.is_empty());

        let user = Some(decode(user)?).filter(|user| !user.is_empty()).or_else(|| take("user"));
        let user = user.or_else(|| std::env::var("USER").ok());
        let hosts = hosts_of(hosts, take("host"), take("hostaddr"), take("port"))?;
        let keepalive = Keepalive {
            idle: seconds("keepalives_idle", take("keepalives_idle"))?.unwrap_or(KEEPALIVE_DEFAULT.idle),
            interval: seconds("keepalives_interval", take("keepalives_interval"))?
                .unwrap_or(KEEPALIVE_DEFAULT.interval),
            count: number("keepalives_count", take("keepalives_count"))?.unwrap_or(KEEPALIVE_DEFAULT.count),
        };
        let keepalive = flag("keepalives", take("keepalives"))?.unwrap_or(true).then_some(keepalive);
        let user_timeout = number("tcp_user_timeout", take("tcp_user_timeout"))?.filter(|millis| *millis > 0);
        let target = choice("target_session_attrs", take("target_session_attrs"), TARGETS)?;
        let balance = choice("load_balance_hosts", take("load_balance_hosts"), BALANCES)?;
        let connect_time =
            seconds("connect_timeout", take("connect_timeout"))?.filter(|time| !time.is_zero());
        Ok(Self {
            user: user.ok_or_else(|| invalid(format!("name a user: {FORM}")))?,
            password: password.or_else(|| take("password")),
            database: Some(decode(database)?).filter(|name| !name.is_empty()).or_else(|| take("dbname")),
            options: take("options"),
            application: take("application_name").unwrap_or_else(|| APPLICATION.to_owned()),
            connect_time_max: connect_time.unwrap_or(CONNECT_TIME_DEFAULT),
            keepalive,
            user_timeout: user_timeout.map(Duration::from_millis),
            tls: tls_of(&mut take)?,
            channel_binding: choice("channel_binding", take("channel_binding"), BINDINGS)?
                .unwrap_or_default(),
            // A server writes, so among several hosts it needs the writable one.
            target: target.unwrap_or(if hosts.len() > 1 { Target::ReadWrite } else { Target::Any }),
            shuffled: balance.unwrap_or(false),
            hosts,
            place: DatabaseUrl::Postgres(url.to_owned()).place(),
        })
    }
}

const MODES: &[(&str, SslMode)] = &[
    ("disable", SslMode::Disable),
    ("prefer", SslMode::Prefer),
    ("require", SslMode::Require),
    ("verify-ca", SslMode::VerifyCa),
    ("verify-full", SslMode::VerifyFull),
];
const BINDINGS: &[(&str, ChannelBinding)] = &[
    ("disable", ChannelBinding::Disable),
    ("prefer", ChannelBinding::Prefer),
    ("require", ChannelBinding::Require),
];
const TARGETS: &[(&str, Target)] = &[
    ("any", Target::Any),
    ("read-write", Target::ReadWrite),
    ("read-only", Target::ReadOnly),
    ("primary", Target::Primary),
    ("standby", Target::Standby),
    ("prefer-standby", Target::PreferStandby),
];
const BALANCES: &[(&str, bool)] = &[("disable", false), ("random", true)];

fn tls_of(take: &mut impl FnMut(&str) -> Option<String>) -> Result<TlsOptions> {
    let mode = choice("sslmode", take("sslmode"), MODES)?;
    let roots = match take("sslrootcert") {
        None => Roots::Unset,
        Some(path) if path == "system" => Roots::System,
        Some(path) => Roots::File(path.into()),
    };
    let client = match (take("sslcert"), take("sslkey")) {
        (Some(certificate), Some(key)) => Some((certificate.into(), key.into())),
        (None, None) => None,
        _ => return Err(invalid("sslcert and sslkey are given together: a certificate and its key")),
    };
    let mode = match (mode, &roots) {
        // As in libpq: public authorities prove nothing without checking the name.
        (None, Roots::System) => SslMode::VerifyFull,
        (Some(mode), Roots::System) if mode != SslMode::VerifyFull => {
            return Err(invalid("sslrootcert=system goes with sslmode=verify-full"));
        }
        (Some(SslMode::VerifyCa), Roots::Unset) => {
            return Err(invalid(
                "sslmode=verify-ca needs sslrootcert=PATH, the file of the certificate authority",
            ));
        }
        // As in libpq: a given authority is also checked.
        (Some(SslMode::Require), Roots::File(_)) => SslMode::VerifyCa,
        (mode, _) => mode.unwrap_or_default(),
    };
    Ok(TlsOptions { mode, roots, client })
}

/// Hosts are before the path, or in `host` and `hostaddr`, with their ports in `port`.
fn hosts_of(
    listed: &str,
    names: Option<String>,
    addresses: Option<String>,
    ports: Option<String>,
) -> Result<Vec<Host>> {
    let split = |list: &str| list.split(',').map(str::to_owned).collect::<Vec<_>>();
    let (mut places, mut found_ports) = (Vec::new(), Vec::new());
    for host in listed.split(',').filter(|_| !listed.is_empty()) {
        let (name, port) = match host.strip_prefix('[').and_then(|host| host.split_once(']')) {
            Some((name, port)) => (name, port.strip_prefix(':')),
            None => host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port))),
        };
        places.push(decode(name)?);
        found_ports.push(port.unwrap_or_default().to_owned());
    }
    if let Some(names) = &names {
        places = split(names);
    }
    if names.is_some() || ports.is_some() {
        found_ports = ports.as_deref().map(split).unwrap_or_default();
    }
    let addresses = addresses.as_deref().map(split).unwrap_or_default();
    if places.is_empty() {
        places.clone_from(&addresses);
    }
    if places.iter().all(String::is_empty) {
        return Err(invalid(format!("name a host: {FORM}")));
    }
    if !addresses.is_empty() && addresses.len() != places.len() {
        return Err(invalid("hostaddr must list as many addresses as there are hosts"));
    }
    if found_ports.len() > 1 && found_ports.len() != places.len() {
        return Err(invalid("port must list one port, or as many as there are hosts"));
    }
    let host = |(at, name): (usize, String)| {
        let address = addresses.get(at).map(|address| address.parse());
        let address = address.transpose().map_err(|_| invalid("hostaddr must be an IP address"))?;
        let port = found_ports.get(at).or(found_ports.first()).filter(|port| !port.is_empty());
        let port = port.map_or(Ok(PORT_DEFAULT), |port| port.parse());
        let port = port.map_err(|_| invalid("a port is a number from 1 to 65535"))?;
        let is_path = name.starts_with('/');
        Ok(Host {
            place: if is_path { HostAddress::Unix(name.into()) } else { HostAddress::Tcp(name, address) },
            port,
        })
    };
    places.into_iter().enumerate().map(host).collect()
}

fn decode(text: &str) -> Result<String> {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map(Into::into).map_err(|_| invalid("the URL is not UTF-8 after percent-decoding"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> ConnectOptions {
        ConnectOptions::parse(url).unwrap()
    }

    fn refusal(url: &str) -> String {
        ConnectOptions::parse(url).unwrap_err().to_string()
    }

    #[test]
    fn a_url_is_read_whole() {
        let options = parse("postgresql://ann%40x:s%3Acret@db.example:6432/front%20desk?options=-c%20a%3Db");
        assert_eq!(options.user, "ann@x");
        assert_eq!(options.password.as_deref(), Some("s:cret"));
        assert_eq!(options.database.as_deref(), Some("front desk"));
        assert_eq!(options.options.as_deref(), Some("-c a=b"));
        assert_eq!(options.hosts, [Host { place: HostAddress::Tcp("db.example".into(), None), port: 6432 }]);
        assert_eq!(options.tls, TlsOptions::default());
        assert_eq!(options.target, Target::Any);
        assert_eq!(options.keepalive, Some(KEEPALIVE_DEFAULT));
    }

    #[test]
    fn hosts_are_listed_in_either_place() {
        let tcp = |name: &str, port| Host { place: HostAddress::Tcp(name.into(), None), port };
        let several = parse("postgres://u@a:1,b,[::1]:3/x");
        assert_eq!(several.hosts, [tcp("a", 1), tcp("b", 5432), tcp("::1", 3)]);
        assert_eq!(several.target, Target::ReadWrite, "several hosts and nothing said");
        assert_eq!(parse("postgres://u@/x?host=a,b&port=7").hosts, [tcp("a", 7), tcp("b", 7)]);
        assert_eq!(parse("postgres://u@a/x?port=7").hosts, [tcp("a", 7)]);
        let unix = parse("postgres://u@%2Frun%2Fpg/x");
        assert_eq!(unix.hosts, [Host { place: HostAddress::Unix("/run/pg".into()), port: 5432 }]);
        let addressed = parse("postgres://u@a,b/x?hostaddr=10.0.0.1,10.0.0.2").hosts;
        assert_eq!(addressed[1].place, HostAddress::Tcp("b".into(), Some("10.0.0.2".parse().unwrap())));
        assert!(refusal("postgres://u@/x").contains("name a host"));
        assert!(refusal("postgres://u@a,b/x?hostaddr=10.0.0.1").contains("as many"));
        assert!(refusal("postgres://u@a:port/x").contains("port"));
    }

    #[test]
    fn tls_follows_libpq() {
        let mode = |query: &str| parse(&format!("postgres://u@a/x?{query}")).tls.mode;
        assert_eq!(mode(""), SslMode::Prefer);
        assert_eq!(mode("sslmode=disable"), SslMode::Disable);
        assert_eq!(mode("sslmode=verify-full"), SslMode::VerifyFull);
        assert_eq!(mode("sslmode=require&sslrootcert=/ca.pem"), SslMode::VerifyCa);
        assert_eq!(mode("sslrootcert=system"), SslMode::VerifyFull);
        let refused = |query: &str| refusal(&format!("postgres://u@a/x?{query}"));
        assert!(refused("sslmode=verify-ca").contains("sslrootcert=PATH"));
        assert!(refused("sslmode=require&sslrootcert=system").contains("verify-full"));
        assert!(refused("sslmode=requrie").contains("disable, prefer, require, verify-ca, verify-full"));
        assert!(refused("sslcert=/a").contains("together"));
    }

    #[test]
    fn a_parameter_that_is_not_known_is_refused() {
        assert!(refusal("postgres://u@a/x?ssl_mode=require").contains("ssl_mode"));
        assert!(refusal("postgres://u@a/x?sslmode").contains("NAME=VALUE"));
        assert!(refusal("postgres://u@a/x?sslnegotiation=direct").contains("sslnegotiation"));
        assert!(refusal("postgres://u@a/x?keepalives_idle=soon").contains("keepalives_idle"));
    }

    #[test]
    fn keepalive_and_waiting_are_set_by_the_url() {
        let options = parse("postgres://u@a/x?keepalives_idle=5&keepalives_count=9&connect_timeout=2");
        let keepalive = options.keepalive.unwrap();
        assert_eq!((keepalive.idle, keepalive.count), (Duration::from_secs(5), 9));
        assert_eq!(options.connect_time_max, Duration::from_secs(2));
        assert_eq!(parse("postgres://u@a/x?keepalives=0").keepalive, None);
    }
}
