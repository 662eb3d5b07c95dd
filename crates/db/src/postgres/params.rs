//! The parameters after the question mark of a `postgres://` URL.

use std::collections::HashMap;
use std::str::FromStr;
use std::time::Duration;

use percent_encoding::percent_decode_str;

use crate::error::{Error, Result};

const KNOWN: &[&str] = &[
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_count",
    "keepalives_idle",
    "keepalives_interval",
    "load_balance_hosts",
    "options",
    "password",
    "port",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "target_session_attrs",
    "tcp_user_timeout",
    "user",
];
/// The name of one of them in Rust's drivers.
const KEEPALIVES_RETRIES: (&str, &str) = ("keepalives_retries", "keepalives_count");

pub(super) fn parse(query: &str) -> Result<HashMap<String, String>> {
    let mut given = HashMap::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| invalid("a parameter of the URL is NAME=VALUE, with & between several"))?;
        let name = if name == KEEPALIVES_RETRIES.0 { KEEPALIVES_RETRIES.1 } else { name };
        if !KNOWN.contains(&name) {
            let known = KNOWN.join(", ");
            return Err(invalid(format!("the URL's parameter {name} is not supported: use {known}")));
        }
        let value = percent_decode_str(value).decode_utf8();
        let value = value.map_err(|_| invalid(format!("{name} is not UTF-8 after percent-decoding")))?;
        given.insert(name.to_owned(), value.into_owned());
    }
    Ok(given)
}

/// One of several values.
pub(super) fn choice<T: Copy>(name: &str, given: Option<String>, choices: &[(&str, T)]) -> Result<Option<T>> {
    let Some(given) = given else { return Ok(None) };
    let found = choices.iter().find(|(word, _)| *word == given);
    let found = found.ok_or_else(|| {
        let words: Vec<_> = choices.iter().map(|(word, _)| *word).collect();
        invalid(format!("{name}={given} is not known: use {}", words.join(", ")))
    })?;
    Ok(Some(found.1))
}

pub(super) fn number<T: FromStr>(name: &str, given: Option<String>) -> Result<Option<T>> {
    let parsed = given.map(|given| given.parse()).transpose();
    parsed.map_err(|_| invalid(format!("{name} must be a whole number")))
}

pub(super) fn seconds(name: &str, given: Option<String>) -> Result<Option<Duration>> {
    Ok(number(name, given)?.map(Duration::from_secs))
}

pub(super) fn flag(name: &str, given: Option<String>) -> Result<Option<bool>> {
    Ok(number::<u8>(name, given)?.map(|number| number != 0))
}
pub(super) fn invalid(why: impl ToString) -> Error {
    Error::Unavailable(why.to_string())
}
