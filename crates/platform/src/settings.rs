//! What an installation remembers about itself, and the key its secrets are kept under.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use chacha20poly1305::aead::Aead;
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use frontdesk_db::{self as db, Tx, only};
use sha2::{Digest, Sha256};

frontdesk_db::statements! {
    GET = "SELECT value FROM settings WHERE name = $1";
    PUT = "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    PUT_FIRST = "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
    REMOVE = "DELETE FROM settings WHERE name = $1";
    SWAP = "UPDATE settings SET value = $3 WHERE name = $1 AND value = $2";
}

pub fn get(tx: &mut Tx<'_>, name: &str) -> db::Result<Option<String>> {
    tx.find(GET, &[&name], only)
}

pub fn put(tx: &mut Tx<'_>, name: &str, value: &str) -> db::Result<()> {
    tx.execute(PUT, &[&name, &value])?.exactly(1)
}

/// Removes a value, if there is one.
pub fn remove(tx: &mut Tx<'_>, name: &str) -> db::Result<()> {
    tx.execute(REMOVE, &[&name]).map(|_| ())
}

/// Writes the value unless there is one, and returns the one there is.
pub fn put_first(tx: &mut Tx<'_>, name: &str, value: &str) -> db::Result<String> {
    if tx.execute(PUT_FIRST, &[&name, &value])?.any() {
        return Ok(value.to_owned());
    }
    get(tx, name)?.ok_or(db::Error::Decode("setting"))
}

/// Writes a value in place of the one that was read. False when another has been written meanwhile.
pub fn swap(tx: &mut Tx<'_>, name: &str, read: Option<&str>, value: &str) -> db::Result<bool> {
    let touched = match read {
        Some(read) => tx.execute(SWAP, &[&name, &read, &value])?,
        None => tx.execute(PUT_FIRST, &[&name, &value])?,
    };
    Ok(touched.any())
}

/// The installation's secret key. Keys for each purpose are derived from it, so none can stand in for another.
#[derive(Clone)]
pub struct SecretKey([u8; 32]);

const NONCE_BYTES: usize = 24;

impl SecretKey {
    /// Any text will do; a long random one is meant.
    pub fn from_text(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }

    /// The key for one purpose.
    pub fn derive(&self, purpose: &str) -> [u8; 32] {
        Sha256::new().chain_update(self.0).chain_update(purpose.as_bytes()).finalize().into()
    }

    /// Encrypts a text for the database.
    pub fn seal(&self, text: &str) -> String {
        let nonce: [u8; NONCE_BYTES] = rand::random();
        let cipher = XChaCha20Poly1305::new(&self.derive("secrets at rest").into());
        let sealed = cipher
            .encrypt(&XNonce::from(nonce), text.as_bytes())
            .expect("encryption in memory does not fail");
        STANDARD_NO_PAD.encode([&nonce[..], &sealed].concat())
    }

    /// Decrypts what [`Self::seal`] made. None when it was made under another key or has been altered.
    pub fn open(&self, sealed: &str) -> Option<String> {
        let bytes = STANDARD_NO_PAD.decode(sealed).ok()?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_BYTES>()?;
        let cipher = XChaCha20Poly1305::new(&self.derive("secrets at rest").into());
        let text = cipher.decrypt(&XNonce::from(*nonce), sealed).ok()?;
        String::from_utf8(text).ok()
    }
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_text_opens_only_under_its_key() {
        let key = SecretKey::from_text("one");
        let sealed = key.seal("redis://:pass@host");
        assert_eq!(key.open(&sealed).as_deref(), Some("redis://:pass@host"));
        assert_eq!(SecretKey::from_text("two").open(&sealed), None);
        assert_eq!(key.open(&sealed[..sealed.len() - 2]), None);
        assert_eq!(key.open("nonsense"), None);
        assert_ne!(key.seal("same"), key.seal("same"));
        assert!(!format!("{key:?}").contains("one"));
    }
}
