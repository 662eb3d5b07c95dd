//! Sealing: encryption of secrets before they are stored.
//!
//! A value is sealed with XChaCha20-Poly1305 under a key derived from the installation's secret key. Its
//! place (table, column, account and row) is associated data, so a sealed value that is copied to another row
//! does not open. A sealed text is `v2.KEY_ID.BASE64`; the id selects the key of a [`Keyring`] that opens it.
//! Texts without that prefix were written before values were bound to their place. They still open, and the
//! next write or rotation binds them.

mod column;
mod key;
pub mod rotation;

pub(crate) use column::sealed_column;
pub use column::{RowId, SealedCell, SealedColumn};
pub use key::{KEY_BYTES, NotAKey, SecretKey};

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};

const VERSION: &str = "v2.";
const NONCE_BYTES: usize = 24;

/// The keys of an installation: the one that seals, and during a rotation also the one before it, which only opens.
#[derive(Clone, Debug)]
pub struct Keyring {
    current: SecretKey,
    previous: Option<SecretKey>,
}

impl Keyring {
    pub fn new(current: SecretKey) -> Self {
        Self { current, previous: None }
    }

    /// A ring in the middle of a rotation.
    #[must_use]
    pub fn with_previous(self, previous: SecretKey) -> Self {
        Self { previous: Some(previous), ..self }
    }

    /// The ring with a new key; the current one becomes the previous.
    #[must_use]
    pub fn renewed(&self, key: SecretKey) -> Self {
        Self { current: key, previous: Some(self.current.clone()) }
    }

    pub fn current(&self) -> &SecretKey {
        &self.current
    }

    pub fn previous(&self) -> Option<&SecretKey> {
        self.previous.as_ref()
    }

    /// The key for one purpose, derived from the current secret key.
    pub fn derive(&self, purpose: &str) -> [u8; 32] {
        self.current.derive(purpose)
    }

    /// Encrypts a text for its place in the database.
    #[expect(clippy::disallowed_methods, reason = "a nonce must never repeat")]
    pub fn seal(&self, place: &SealedCell<'_>, text: &str) -> String {
        let nonce: [u8; NONCE_BYTES] = rand::random();
        let payload = Payload { msg: text.as_bytes(), aad: &place.associated_data() };
        let sealed = cipher(&self.current)
            .encrypt(&XNonce::from(nonce), payload)
            .expect("encryption in memory does not fail");
        let bytes = [&nonce[..], &sealed].concat();
        format!("{VERSION}{}.{}", self.current.id(), STANDARD_NO_PAD.encode(bytes))
    }

    /// Decrypts what [`Self::seal`] made. None when it was sealed under a key that is not on the ring or for another
    /// place, or has been altered.
    pub fn open(&self, place: &SealedCell<'_>, sealed: &str) -> Option<String> {
        let mut keys = std::iter::once(&self.current).chain(&self.previous);
        match sealed.strip_prefix(VERSION) {
            Some(rest) => {
                let (id, bytes) = rest.split_once('.')?;
                decrypt(keys.find(|key| key.id() == id)?, bytes, &place.associated_data())
            }
            None => keys.find_map(|key| decrypt(key, sealed, &[])),
        }
    }

    /// Whether a text is sealed under the current key and bound to its place.
    pub fn is_current(&self, sealed: &str) -> bool {
        key_id_of(sealed) == Some(self.current.id())
    }

    /// Encrypts a text as it was before values were bound to their place.
    #[cfg(test)]
    #[expect(clippy::disallowed_methods, reason = "a nonce must never repeat")]
    fn seal_unbound(&self, text: &str) -> String {
        let nonce: [u8; NONCE_BYTES] = rand::random();
        let sealed =
            cipher(&self.current).encrypt(&XNonce::from(nonce), text.as_bytes()).expect("it is encrypted");
        STANDARD_NO_PAD.encode([&nonce[..], &sealed].concat())
    }

    /// The prefix of all texts sealed under the current key, as a LIKE pattern.
    fn current_pattern(&self) -> String {
        format!("{VERSION}{}.%", self.current.id())
    }
}

/// The id of the key that a text is sealed under, if the text contains it.
pub fn key_id_of(sealed: &str) -> Option<&str> {
    sealed.strip_prefix(VERSION)?.split_once('.').map(|(id, _)| id)
}

fn decrypt(key: &SecretKey, sealed: &str, aad: &[u8]) -> Option<String> {
    let bytes = STANDARD_NO_PAD.decode(sealed).ok()?;
    let (nonce, msg) = bytes.split_first_chunk::<NONCE_BYTES>()?;
    let text = cipher(key).decrypt(&XNonce::from(*nonce), Payload { msg, aad }).ok()?;
    String::from_utf8(text).ok()
}

fn cipher(key: &SecretKey) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(key.at_rest().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_kernel::ids::AccountId;
    use uuid::Uuid;

    const TOKENS: SealedColumn = crate::sealed_column!("tokens", "id", "token", Uuid);
    const SECRETS: SealedColumn = crate::sealed_column!("tokens", "id", "secret", Uuid);

    fn ring(text: &str) -> Keyring {
        Keyring::new(SecretKey::from_any_text(text))
    }

    fn account(number: u128) -> AccountId {
        AccountId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn a_sealed_text_opens_only_under_its_key_and_at_its_place() {
        let (one, two) = (ring("one"), ring("two"));
        let place = TOKENS.at(account(1), "7");
        let sealed = one.seal(&place, "redis://:pass@host");
        assert_eq!(one.open(&place, &sealed).as_deref(), Some("redis://:pass@host"));
        assert_eq!(two.open(&place, &sealed), None);
        for elsewhere in [
            TOKENS.at(account(2), "7"),
            TOKENS.at(account(1), "8"),
            SECRETS.at(account(1), "7"),
            SealedCell::setting("7"),
        ] {
            assert_eq!(one.open(&elsewhere, &sealed), None, "{elsewhere:?}");
        }
        assert_eq!(one.open(&place, &sealed[..sealed.len() - 2]), None);
        for nonsense in ["nonsense", "", "v2.", "v2..", "v2.00000000.AAAA"] {
            assert_eq!(one.open(&place, nonsense), None, "{nonsense}");
        }
        assert_ne!(one.seal(&place, "same"), one.seal(&place, "same"));
        assert!(!format!("{:?}", ring("hunter2")).contains("hunter2"));
    }

    #[test]
    fn a_text_sealed_before_values_were_bound_still_opens() {
        let unbound = ring("one").seal_unbound("old");
        let place = TOKENS.at(account(1), "7");
        assert_eq!(ring("one").open(&place, &unbound).as_deref(), Some("old"));
        assert_eq!(ring("two").open(&place, &unbound), None);
        assert_eq!(
            ring("one").renewed(SecretKey::from_any_text("two")).open(&place, &unbound).as_deref(),
            Some("old")
        );
        assert!(!ring("one").is_current(&unbound));
    }

    #[test]
    fn a_ring_opens_both_keys_and_seals_under_the_new_one() {
        let (old, place) = (ring("old"), SealedCell::setting("x"));
        let both = old.renewed(SecretKey::from_any_text("new"));
        let (before, after) = (old.seal(&place, "before"), both.seal(&place, "after"));
        assert_eq!(both.open(&place, &before).as_deref(), Some("before"));
        assert_eq!(both.open(&place, &after).as_deref(), Some("after"));
        assert!(both.is_current(&after) && !both.is_current(&before));
        assert_eq!(
            (ring("new").open(&place, &after).as_deref(), ring("new").open(&place, &before)),
            (Some("after"), None)
        );
        assert_eq!(key_id_of(&after), Some(both.current().id()));
    }
}
