//! Connects to one of several hosts, with or without TLS.

use std::time::Duration;

use super::connect_options::{ConnectOptions, Host, SslMode, Target};
use super::connection::PgConnection;
use super::login;
use super::socket::{Address, ConnectFailure, Socket};
use super::timelines::{self, Newest};
use super::tls::Tls;
use crate::error::{Error, Result};

/// How long connecting to a host may take that may have been promoted.
const LOOK_TIME_MAX: Duration = Duration::from_secs(1);

/// Why connecting to an address failed.
enum Failure {
    /// The next address may succeed.
    Next(String),
    /// All addresses would fail, for example because of a wrong password.
    Final(Error),
}

/// Connects to the first address that accepts us and matches `target_session_attrs`. A primary among several hosts must not
/// be on an older timeline than one that was seen before; when none was, all hosts are asked.
pub(super) fn connect(options: &ConnectOptions) -> Result<PgConnection> {
    let tls = Tls::new(&options.tls)?;
    let newest = options.follows_primary().then(|| Newest::of(&options.place));
    let wanted: &[Target] = match &options.target {
        Target::PreferStandby => &[Target::Standby, Target::Any],
        other => std::slice::from_ref(other),
    };
    let (mut failures, mut found) = (Vec::new(), None::<PgConnection>);
    for target in wanted {
        for address in addresses(options, &mut failures) {
            let mut connection = match open(&address, options, tls.as_ref(), *target) {
                Ok(connection) => connection,
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Next(why)) => {
                    failures.push(why);
                    continue;
                }
            };
            let Some(newest) = &newest else { return Ok(connection) };
            if newest.is_older(connection.timeline()) {
                failures.push(format!(
                    "{} is an old primary: another host was promoted since. Stop it, and let it follow the new one \
                     (pg_rewind)",
                    address.name()
                ));
                continue;
            }
            if newest.get().is_some() || connection.timeline() == 0 {
                connection.follow(newest);
                return Ok(connection);
            }
            if found.as_ref().is_none_or(|found| found.timeline() < connection.timeline()) {
                found = Some(connection);
            }
        }
    }
    if let (Some(mut connection), Some(newest)) = (found, &newest) {
        connection.follow(newest);
        return Ok(connection);
    }
    failures.dedup();
    Err(Error::Unavailable(failures.join("; ")))
}

/// Looks whether another host was promoted while connections to the primary live. Does nothing for a single host.
pub(crate) fn look_for_promotion(url: &str) -> Result<()> {
    let mut options = ConnectOptions::parse(url)?;
    options.connect_time_max = options.connect_time_max.min(LOOK_TIME_MAX);
    if !options.follows_primary() {
        return Ok(());
    }
    let (tls, newest) = (Tls::new(&options.tls)?, Newest::of(&options.place));
    for address in addresses(&options, &mut Vec::new()) {
        if let Ok(connection) = open(&address, &options, tls.as_ref(), options.target) {
            newest.note(connection.timeline());
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "spreads connections over the hosts")]
fn addresses(options: &ConnectOptions, failures: &mut Vec<String>) -> Vec<Address> {
    let mut hosts: Vec<&Host> = options.hosts.iter().collect();
    if options.shuffled {
        hosts.sort_by_cached_key(|_| rand::random::<u32>());
    }
    let mut found = Vec::new();
    for host in hosts {
        match Address::of(host) {
            Ok(mut addresses) => {
                if options.shuffled {
                    addresses.sort_by_cached_key(|_| rand::random::<u32>());
                }
                found.extend(addresses);
            }
            Err(error) => failures.push(error.to_string()),
        }
    }
    found
}

fn open(
    address: &Address,
    options: &ConnectOptions,
    tls: Option<&Tls>,
    target: Target,
) -> Result<PgConnection, Failure> {
    let next = |refused: ConnectFailure| Failure::Next(refused.why);
    let prefers = options.tls.mode == SslMode::Prefer;
    let socket = match address.connect(options, tls, !prefers) {
        Err(refused) if prefers && refused.tls => address.connect(options, None, false).map_err(next)?,
        connected => connected.map_err(next)?,
    };
    let encrypted = socket.is_encrypted();
    let mut connection = match log_in(socket, options) {
        Err((_, true)) if prefers && encrypted => {
            let plain = address.connect(options, None, false).map_err(next)?;
            log_in(plain, options).map_err(|(failure, _)| failure)?
        }
        logged_in => logged_in.map_err(|(failure, _)| failure)?,
    };
    if is_wanted(&mut connection, target).map_err(|error| Failure::Next(error.to_string()))? {
        return Ok(connection);
    }
    Err(Failure::Next(format!("{} is not what target_session_attrs asks for", address.name())))
}

/// Logs in. A failure also says whether a login without TLS may succeed.
fn log_in(socket: Socket, options: &ConnectOptions) -> Result<PgConnection, (Failure, bool)> {
    let mut connection = PgConnection::new(socket);
    let logged_in = connection
        .limit_login(options.connect_time_max)
        .and_then(|()| login::log_in(&mut connection, options))
        .and_then(|()| connection.end_login());
    match (logged_in, connection.last_refusal()) {
        (Ok(()), _) => Ok(connection),
        (Err(error), Some(refusal)) => {
            let without_rule = refusal.is_without_rule();
            let failure =
                if refusal.is_about_login() { Failure::Final(error) } else { Failure::Next(text_of(error)) };
            Err((failure, without_rule))
        }
        (Err(error), None) => Err((Failure::Next(text_of(error)), false)),
    }
}

/// The text without "the database cannot be reached", with which the whole list begins.
fn text_of(error: Error) -> String {
    if let Error::Unavailable(why) = error { why } else { error.to_string() }
}

/// Asks a server what it is, and one that may be the primary for its timeline.
fn is_wanted(connection: &mut PgConnection, target: Target) -> Result<bool> {
    const READ_ONLY: &str = "SHOW transaction_read_only";
    const STANDBY: &str = "SELECT CASE WHEN pg_is_in_recovery() THEN 'on' ELSE 'off' END";
    const WRITABLE: &str = "SELECT CASE WHEN pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' THEN 'on' \
        ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END";
    const PRIMARY: &str = "SELECT CASE WHEN pg_is_in_recovery() THEN 'on' \
        ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END";
    let (question, wants_on) = match target {
        Target::Any | Target::PreferStandby => return Ok(true),
        Target::ReadWrite => (WRITABLE, false),
        Target::ReadOnly => (READ_ONLY, true),
        Target::Primary => (PRIMARY, false),
        Target::Standby => (STANDBY, true),
    };
    let Some(response) = connection.query_text(question)? else { return Ok(false) };
    if !wants_on {
        connection.set_timeline(timelines::parse(&response));
    }
    Ok((response == "on") == wants_on)
}
