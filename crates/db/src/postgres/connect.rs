//! Connecting: which of several hosts, with TLS or without.

use super::line::Line;
use super::login;
use super::settings::{Host, Settings, SslMode, Target};
use super::socket::{Address, Refused, Socket};
use super::tls::Tls;
use crate::{Error, Result};

/// Why an address did not take us.
enum Failure {
    /// The next one may.
    Next(String),
    /// All would refuse it, such as a wrong password.
    Final(Error),
}

/// Connects to the first address that takes us and is what `target_session_attrs` asks for.
pub(super) fn connect(settings: &Settings) -> Result<Line> {
    let tls = Tls::new(&settings.tls)?;
    let wanted: &[Target] = match &settings.target {
        Target::PreferStandby => &[Target::Standby, Target::Any],
        other => std::slice::from_ref(other),
    };
    let mut failures = Vec::new();
    for target in wanted {
        for address in addresses(settings, &mut failures) {
            match open(&address, settings, tls.as_ref(), *target) {
                Ok(line) => return Ok(line),
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Next(why)) => failures.push(why),
            }
        }
    }
    failures.dedup();
    Err(Error::Unavailable(failures.join("; ")))
}

fn addresses(settings: &Settings, failures: &mut Vec<String>) -> Vec<Address> {
    let mut hosts: Vec<&Host> = settings.hosts.iter().collect();
    if settings.shuffled {
        hosts.sort_by_cached_key(|_| rand::random::<u32>());
    }
    let mut found = Vec::new();
    for host in hosts {
        match Address::of(host) {
            Ok(mut addresses) => {
                if settings.shuffled {
                    addresses.sort_by_cached_key(|_| rand::random::<u32>());
                }
                found.extend(addresses);
            }
            Err(error) => failures.push(error.to_string()),
        }
    }
    found
}

fn open(address: &Address, settings: &Settings, tls: Option<&Tls>, target: Target) -> Result<Line, Failure> {
    let next = |refused: Refused| Failure::Next(refused.why);
    let prefers = settings.tls.mode == SslMode::Prefer;
    let socket = match address.connect(settings, tls, !prefers) {
        Err(refused) if prefers && refused.tls => address.connect(settings, None, false).map_err(next)?,
        connected => connected.map_err(next)?,
    };
    let encrypted = socket.is_encrypted();
    let mut line = match log_in(socket, settings) {
        Err((_, true)) if prefers && encrypted => {
            let plain = address.connect(settings, None, false).map_err(next)?;
            log_in(plain, settings).map_err(|(failure, _)| failure)?
        }
        logged_in => logged_in.map_err(|(failure, _)| failure)?,
    };
    if is_wanted(&mut line, target).map_err(|error| Failure::Next(error.to_string()))? {
        return Ok(line);
    }
    Err(Failure::Next(format!("{} is not what target_session_attrs asks for", address.name())))
}

/// Logs in. A failure also says whether it may be allowed without TLS.
fn log_in(socket: Socket, settings: &Settings) -> Result<Line, (Failure, bool)> {
    let mut line = Line::new(socket);
    let logged_in = line
        .limit_login(settings.connect_time_max)
        .and_then(|()| login::log_in(&mut line, settings))
        .and_then(|()| line.end_login());
    match (logged_in, line.last_refusal()) {
        (Ok(()), _) => Ok(line),
        (Err(error), Some(refusal)) => {
            let without_rule = refusal.is_without_rule();
            let failure =
                if refusal.is_about_login() { Failure::Final(error) } else { Failure::Next(text_of(error)) };
            Err((failure, without_rule))
        }
        (Err(error), None) => Err((Failure::Next(text_of(error)), false)),
    }
}

/// The text without "the database cannot be reached", which the whole list begins with.
fn text_of(error: Error) -> String {
    if let Error::Unavailable(why) = error { why } else { error.to_string() }
}

fn is_wanted(line: &mut Line, target: Target) -> Result<bool> {
    const READ_ONLY: &str = "SHOW transaction_read_only";
    const STANDBY: &str = "SELECT CASE WHEN pg_is_in_recovery() THEN 'on' ELSE 'off' END";
    let (question, wanted) = match target {
        Target::Any | Target::PreferStandby => return Ok(true),
        Target::ReadWrite => (READ_ONLY, "off"),
        Target::ReadOnly => (READ_ONLY, "on"),
        Target::Primary => (STANDBY, "off"),
        Target::Standby => (STANDBY, "on"),
    };
    Ok(line.ask_text(question)?.as_deref() == Some(wanted))
}
