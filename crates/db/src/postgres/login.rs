//! How a line to PostgreSQL begins: who we are, and the proof of it.

use postgres::Config;
use postgres::config::SslMode;
use postgres::fallible_iterator::FallibleIterator;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::backend::{AuthenticationSaslBody, Message};
use postgres_protocol::message::frontend;

use super::line::Line;
use crate::{Error, Result};

const UNKNOWN_PROOF: &str =
    "it wants another proof of identity than a password: allow scram-sha-256 in pg_hba.conf";

/// Logs in, and returns once PostgreSQL takes statements.
pub(super) fn log_in(line: &mut Line, config: &Config) -> Result<()> {
    if config.get_ssl_mode() == SslMode::Require {
        return Err(refused("sslmode=require: encrypted connections are not supported; leave it out"));
    }
    let user = config.get_user().map(str::to_owned).or_else(|| std::env::var("USER").ok());
    let user = user.ok_or_else(|| refused("name a user: postgres://USER:PASSWORD@HOST/NAME"))?;
    let parameters = [
        ("client_encoding", Some("UTF8")),
        ("user", Some(user.as_str())),
        ("database", config.get_dbname()),
        ("options", config.get_options()),
        ("application_name", config.get_application_name()),
    ];
    let given = parameters.into_iter().filter_map(|(name, value)| Some((name, value?)));
    line.send(|out| frontend::startup_message(given, out))?;
    loop {
        match line.receive_welcome()? {
            Message::AuthenticationOk => return line.settle(),
            Message::AuthenticationCleartextPassword => {
                let password = password(config)?;
                line.send(|out| frontend::password_message(password, out))?;
            }
            Message::AuthenticationMd5Password(body) => {
                let hash = md5_hash(user.as_bytes(), password(config)?, body.salt());
                line.send(|out| frontend::password_message(hash.as_bytes(), out))?;
            }
            Message::AuthenticationSasl(body) => prove(line, password(config)?, &body)?,
            _ => return Err(refused(UNKNOWN_PROOF)),
        }
    }
}

/// Proves, without telling it, that we have the password; and has PostgreSQL prove the same.
fn prove(line: &mut Line, password: &[u8], offer: &AuthenticationSaslBody) -> Result<()> {
    if !offer.mechanisms().any(|mechanism| Ok(mechanism == SCRAM_SHA_256)).map_err(refused)? {
        return Err(refused(UNKNOWN_PROOF));
    }
    let mut scram = ScramSha256::new(password, ChannelBinding::unsupported());
    line.send(|out| frontend::sasl_initial_response(SCRAM_SHA_256, scram.message(), out))?;
    let Message::AuthenticationSaslContinue(body) = line.receive_welcome()? else {
        return Err(refused(UNKNOWN_PROOF));
    };
    scram.update(body.data()).map_err(refused)?;
    line.send(|out| frontend::sasl_response(scram.message(), out))?;
    let Message::AuthenticationSaslFinal(body) = line.receive_welcome()? else {
        return Err(refused(UNKNOWN_PROOF));
    };
    scram.finish(body.data()).map_err(refused)
}

fn password(config: &Config) -> Result<&[u8]> {
    config.get_password().ok_or_else(|| refused("a password is wanted: postgres://USER:PASSWORD@HOST/NAME"))
}

fn refused(why: impl ToString) -> Error {
    Error::Unavailable(why.to_string())
}
