//! Visitor tokens, signed by this installation, so that nothing is stored until a visitor writes.
//!
//! A token is valid for one connection and one year. It names the visitor and may contain their name, their
//! email and the website's own id of them, sealed, because browsers put tokens into the URLs of streams, and
//! URLs end up in the logs of proxies.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use frontdesk_kernel::mac::Mac;
use frontdesk_kernel::{Email, Id, Timestamp};
use frontdesk_platform::Services;
use frontdesk_platform::sealing::{Keyring, SealedCell};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::connections::ConnectionId;

/// The validity of a token.
const GOOD: Duration = Duration::from_hours(24 * 365);
const SIGNATURE_BYTES: usize = 32;
const ID_BYTES: usize = 16;

/// Marks the id of a visitor, which contains the time of their first visit.
pub(super) enum VisitorMark {}
pub(super) type VisitorId = Id<VisitorMark>;

/// The holder of a valid token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Visitor {
    pub(super) id: VisitorId,
    pub(super) name: Option<String>,
    pub(super) email: Option<Email>,
    /// For a visitor whom the website knows.
    pub(super) user: Option<SignedUser>,
}

/// The website's own id of a visitor, and its signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SignedUser {
    pub(super) id: String,
    /// In hexadecimal: HMAC-SHA256 of the id with the connection's identity secret. It is verified with every request,
    /// so that a new secret ends the tokens that were issued under the previous one.
    pub(super) hash: String,
}

/// What a visitor said about themselves, as it is sealed.
#[derive(Serialize, Deserialize)]
struct Introduction {
    name: Option<String>,
    email: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user: Option<SignedUser>,
}

/// The place to which a sealed introduction is bound: its visitor's token.
fn introduction_of(visitor: VisitorId) -> SealedCell<'static> {
    SealedCell::outside("web chat introduction", visitor.uuid())
}

/// Creates and verifies tokens.
pub(super) struct Tokens<'s> {
    key: [u8; 32],
    secrets: &'s Keyring,
}

impl<'s> Tokens<'s> {
    pub(super) fn of(services: &'s Services) -> Self {
        Self::under(&services.secrets)
    }

    fn under(secrets: &'s Keyring) -> Self {
        Self { key: secrets.derive("web chat visitors"), secrets }
    }

    pub(super) fn issue(&self, connection: ConnectionId, visitor: &Visitor) -> String {
        let mut said = Vec::with_capacity(2 * ID_BYTES);
        said.extend_from_slice(connection.uuid().as_bytes());
        said.extend_from_slice(visitor.id.uuid().as_bytes());
        if visitor.name.is_some() || visitor.email.is_some() || visitor.user.is_some() {
            let introduction = Introduction {
                name: visitor.name.clone(),
                email: visitor.email.as_ref().map(ToString::to_string),
                user: visitor.user.clone(),
            };
            let text = serde_json::to_string(&introduction).expect("an introduction is texts");
            said.extend_from_slice(self.secrets.seal(&introduction_of(visitor.id), &text).as_bytes());
        }
        URL_SAFE_NO_PAD.encode([&self.mac(&said).tag::<SIGNATURE_BYTES>()[..], &said].concat())
    }

    /// The visitor of a token, if it was created here, for this connection, and has not expired.
    pub(super) fn open(&self, token: &str, connection: ConnectionId, now: Timestamp) -> Option<Visitor> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (signature, said) = bytes.split_first_chunk::<SIGNATURE_BYTES>()?;
        if !self.mac(said).is_tag::<SIGNATURE_BYTES>(signature) {
            return None;
        }
        let (for_connection, rest) = said.split_first_chunk::<ID_BYTES>()?;
        let (id, sealed) = rest.split_first_chunk::<ID_BYTES>()?;
        let id = VisitorId::from_uuid(Uuid::from_bytes(*id));
        if for_connection != connection.uuid().as_bytes() || id.created_at() + GOOD <= now {
            return None;
        }
        let introduction = self.introduction(id, sealed);
        Some(Visitor {
            id,
            name: introduction.as_ref().and_then(|known| known.name.clone()),
            user: introduction.as_ref().and_then(|known| known.user.clone()),
            email: introduction.and_then(|known| known.email?.parse().ok()),
        })
    }

    fn introduction(&self, id: VisitorId, sealed: &[u8]) -> Option<Introduction> {
        let text = self.secrets.open(&introduction_of(id), std::str::from_utf8(sealed).ok()?)?;
        serde_json::from_str(&text).ok()
    }

    fn mac(&self, said: &[u8]) -> Mac {
        Mac::new(&self.key).chain(said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_kernel::Ids;
    use frontdesk_platform::sealing::SecretKey;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn ann() -> Visitor {
        let id = Ids::seeded(1).next(NOW);
        let email = Some("ann@example.com".parse().unwrap());
        Visitor { id, name: Some("Ann Ü".into()), email, user: None }
    }

    fn connection(number: u128) -> ConnectionId {
        ConnectionId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn a_token_is_good_for_its_connection_and_for_a_year() {
        let secrets = Keyring::new(SecretKey::from_any_text("one"));
        let tokens = Tokens::under(&secrets);
        let user = Some(SignedUser { id: "42".into(), hash: "00".into() });
        for visitor in
            [ann(), Visitor { name: None, email: None, ..ann() }, Visitor { name: None, user, ..ann() }]
        {
            let token = tokens.issue(connection(1), &visitor);
            assert_eq!(tokens.open(&token, connection(1), NOW), Some(visitor.clone()));
            assert_eq!(tokens.open(&token, connection(1), NOW.plus_days(364)), Some(visitor));
            assert_eq!(tokens.open(&token, connection(1), NOW.plus_days(365)), None);
            assert_eq!(tokens.open(&token, connection(2), NOW), None);
            let elsewhere = Keyring::new(SecretKey::from_any_text("two"));
            assert_eq!(Tokens::under(&elsewhere).open(&token, connection(1), NOW), None);
        }
    }

    #[test]
    fn an_altered_token_is_good_for_nothing() {
        let secrets = Keyring::new(SecretKey::from_any_text("one"));
        let tokens = Tokens::under(&secrets);
        let token = tokens.issue(connection(1), &ann());
        for at in 0..token.len() {
            let mut altered = token.clone().into_bytes();
            altered[at] = if altered[at] == b'A' { b'B' } else { b'A' };
            let altered = String::from_utf8(altered).unwrap();
            assert_eq!(tokens.open(&altered, connection(1), NOW), None, "{at}");
            assert_eq!(tokens.open(&token[..at], connection(1), NOW), None, "{at}");
        }
        assert_eq!(tokens.open("nonsense", connection(1), NOW), None);
    }

    #[test]
    fn a_token_does_not_reveal_the_visitors_name() {
        let secrets = Keyring::new(SecretKey::from_any_text("one"));
        let token = Tokens::under(&secrets).issue(connection(1), &ann());
        let bytes = URL_SAFE_NO_PAD.decode(token).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("ann@"));
    }
}
