//! Checks that each connected channel accepts the stored token.

use frontdesk_channels::{Class, Refusal, SessionState};
use frontdesk_db::{self as db, Store};
use frontdesk_inbox::connections::{self, Channel, StoredConnection, VerifyError};
use frontdesk_platform::Services;
use frontdesk_platform::sealing::Keyring;
use futures_util::StreamExt;

use super::Check;
use crate::connection_draft;
use crate::installation::ServerUrls;

const NAME: &str = "channel";
/// Channels that are called at the same time.
const CALLS_MAX: usize = 8;

/// Calls every connected channel, several at a time. A web chat has no token.
pub(super) async fn examine(store: &Store, keys: Keyring) -> Vec<Check> {
    let read = store.scan(|tx| db::Result::Ok((connections::list_connected(tx)?, ServerUrls::recall(tx)?)));
    let (mut connections, urls) = match read.await {
        Ok(read) => read,
        Err(error) => return vec![Check::store_failed(NAME, &error)],
    };
    connections.retain(|connection| connection.channel() != Channel::WebChat);
    let services = connection_draft::services(keys, urls);
    let calls = connections.iter().map(|connection| ask(&services, connection));
    futures_util::stream::iter(calls).buffered(CALLS_MAX).collect().await
}

async fn ask(services: &Services, connection: &StoredConnection) -> Check {
    let (id, name) = (connection.id(), &connection.public.name);
    let shown = format!("{id} ({}, {name})", connection.channel());
    let Some(credentials) = connection.credentials(&services.secrets) else {
        return Check::failed(
            NAME,
            format!(
                "{shown}: the secret key does not open its token. Use the key it was stored under, or connect it again"
            ),
        );
    };
    let asked = connections::verify(services, connection.channel(), connection.sandbox, credentials).await;
    let is_bridge = connection.channel() == Channel::PersonalWhatsapp;
    match asked {
        Ok(identity) if is_bridge && identity.session != Some(SessionState::Working) => Check::failed(
            NAME,
            format!(
                "{shown}: the bridge's session is not working. Link the device again with `frontdesk channel reconnect \
                 {id}`"
            ),
        ),
        Ok(_) => Check::ok(NAME, format!("{shown}: the token is good")),
        Err(VerifyError::Unreached(_)) if connection.sandbox => Check::ok(
            NAME,
            format!("{shown}: not checked, for the sandbox answers only while the server runs"),
        ),
        Err(VerifyError::Refused(Refusal { class: Class::Token, message, .. })) => Check::failed(
            NAME,
            format!(
                "{shown}: the token is refused ({message}). Give it a new one with `frontdesk channel reconnect {id} \
                 --access-token TOKEN`"
            ),
        ),
        Err(VerifyError::Refused(Refusal { message, .. })) => Check::failed(
            NAME,
            format!(
                "{shown}: it is refused ({message}). Connect it again with the ids that the vendor shows"
            ),
        ),
        Err(VerifyError::Unreached(why)) => Check::failed(
            NAME,
            format!("{shown}: it cannot be reached ({why}). Check the address and this machine's network"),
        ),
    }
}
