//! Login to PostgreSQL: the startup message and authentication.

use fallible_iterator::FallibleIterator;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{self, SCRAM_SHA_256, SCRAM_SHA_256_PLUS, ScramSha256};
use postgres_protocol::message::backend::{AuthenticationSaslBody, Message};
use postgres_protocol::message::frontend;

use super::connect_options::{ChannelBinding, ConnectOptions};
use super::connection::PgConnection;
use crate::error::{Error, Result};

const UNKNOWN_PROOF: &str =
    "it wants another proof of identity than a password: allow scram-sha-256 in pg_hba.conf";

const UNBOUND: &str = "channel_binding=require: the server does not offer it. It needs TLS and a login by \
    scram-sha-256; correct the server, or use channel_binding=prefer";

/// The most rounds of hashing that a server may ask for. A million take a second; PostgreSQL asks for 4096.
const SCRAM_ROUNDS_MAX: u32 = 1_000_000;
const TOO_MANY_ROUNDS: &str =
    "it wants the password hashed more often than is reasonable: lower scram_iterations";

/// Logs in, and returns once PostgreSQL accepts statements.
pub(super) fn log_in(connection: &mut PgConnection, options: &ConnectOptions) -> Result<()> {
    let must_bind = options.channel_binding == ChannelBinding::Require;
    let parameters = [
        ("client_encoding", Some("UTF8")),
        ("user", Some(options.user.as_str())),
        ("database", options.database.as_deref()),
        ("options", options.options.as_deref()),
        ("application_name", Some(options.application.as_str())),
    ];
    let given = parameters.into_iter().filter_map(|(name, value)| Some((name, value?)));
    connection.send(|out| frontend::startup_message(given, out))?;
    let mut bound = false;
    loop {
        match connection.receive_welcome()? {
            Message::AuthenticationOk if must_bind && !bound => return Err(refused(UNBOUND)),
            Message::AuthenticationOk => return connection.settle(),
            Message::AuthenticationCleartextPassword | Message::AuthenticationMd5Password(_) if must_bind => {
                return Err(refused(UNBOUND));
            }
            Message::AuthenticationCleartextPassword => {
                let password = password(options)?;
                connection.send(|out| frontend::password_message(password, out))?;
            }
            Message::AuthenticationMd5Password(body) => {
                let hash = md5_hash(options.user.as_bytes(), password(options)?, body.salt());
                connection.send(|out| frontend::password_message(hash.as_bytes(), out))?;
            }
            Message::AuthenticationSasl(offer) => bound = prove(connection, options, &offer)?,
            _ => return Err(refused(UNKNOWN_PROOF)),
        }
    }
}

/// Proves, without sending it, that we have the password, and verifies the same proof of PostgreSQL. True if
/// the proof is bound to this TLS connection.
fn prove(
    connection: &mut PgConnection,
    options: &ConnectOptions,
    offer: &AuthenticationSaslBody,
) -> Result<bool> {
    let offered: Vec<_> = offer.mechanisms().map(|name| Ok(name.to_owned())).collect().map_err(refused)?;
    let offers = |mechanism: &str| offered.iter().any(|name| name == mechanism);
    let end_point = connection.end_point().filter(|_| options.channel_binding != ChannelBinding::Disable);
    let (mechanism, binding) = match end_point {
        Some(end_point) if offers(SCRAM_SHA_256_PLUS) => {
            (SCRAM_SHA_256_PLUS, sasl::ChannelBinding::tls_server_end_point(end_point))
        }
        // Tells the server that we support it, so that it detects an attacker who removed its offer.
        Some(_) => (SCRAM_SHA_256, sasl::ChannelBinding::unrequested()),
        None => (SCRAM_SHA_256, sasl::ChannelBinding::unsupported()),
    };
    let bound = mechanism == SCRAM_SHA_256_PLUS;
    if !bound && options.channel_binding == ChannelBinding::Require {
        return Err(refused(UNBOUND));
    }
    if !offers(mechanism) {
        return Err(refused(UNKNOWN_PROOF));
    }
    let mut scram = ScramSha256::new(password(options)?, binding);
    connection.send(|out| frontend::sasl_initial_response(mechanism, scram.message(), out))?;
    let Message::AuthenticationSaslContinue(body) = connection.receive_welcome()? else {
        return Err(refused(UNKNOWN_PROOF));
    };
    if rounds(body.data()).is_some_and(|rounds| rounds > SCRAM_ROUNDS_MAX) {
        return Err(refused(TOO_MANY_ROUNDS));
    }
    scram.update(body.data()).map_err(refused)?;
    connection.send(|out| frontend::sasl_response(scram.message(), out))?;
    let Message::AuthenticationSaslFinal(body) = connection.receive_welcome()? else {
        return Err(refused(UNKNOWN_PROOF));
    };
    scram.finish(body.data()).map_err(refused)?;
    Ok(bound)
}

/// The rounds that a server asks for, as in `r=NONCE,s=SALT,i=4096`.
fn rounds(first: &[u8]) -> Option<u32> {
    let parts = std::str::from_utf8(first).ok()?.split(',');
    parts.filter_map(|part| part.strip_prefix("i=")).find_map(|rounds| rounds.parse().ok())
}

fn password(options: &ConnectOptions) -> Result<&[u8]> {
    let password = options.password.as_deref().map(str::as_bytes);
    password.ok_or_else(|| refused("a password is wanted: postgres://USER:PASSWORD@HOST/NAME"))
}

fn refused(why: impl ToString) -> Error {
    Error::Unavailable(why.to_string())
}
