//! The installation's secret key.

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use sha2::{Digest, Sha256};

/// The length of a key.
pub const KEY_BYTES: usize = 32;

const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const ALPHABETS: [GeneralPurpose; 2] =
    [GeneralPurpose::new(&alphabet::STANDARD, LENIENT), GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT)];

/// The installation's secret key. Each purpose has its own derived key, so none can replace another.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey {
    root: [u8; KEY_BYTES],
    id: String,
    at_rest: [u8; KEY_BYTES],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a secret key is {KEY_BYTES} bytes in base64, such as `openssl rand -base64 {KEY_BYTES}` prints")]
pub struct NotAKey;

impl SecretKey {
    /// Reads a key: 32 bytes in base64, in the standard or the URL-safe alphabet, padded or not.
    pub fn parse(text: &str) -> Result<Self, NotAKey> {
        let decoded = ALPHABETS.iter().find_map(|alphabet| alphabet.decode(text.trim()).ok());
        let bytes: [u8; KEY_BYTES] = decoded.and_then(|bytes| bytes.try_into().ok()).ok_or(NotAKey)?;
        // All spellings of the same bytes are the same key.
        Ok(Self::hashed(&Self::write(&bytes)))
    }

    /// Reads a key of an early version, which accepted any text.
    pub fn from_any_text(text: &str) -> Self {
        Self::parse(text).unwrap_or_else(|NotAKey| Self::hashed(text.trim()))
    }

    /// These bytes as [`Self::parse`] reads them.
    pub fn write(bytes: &[u8; KEY_BYTES]) -> String {
        STANDARD.encode(bytes)
    }

    /// The key as [`Self::from_root`] reads it. Unlike its text, this exists for every key.
    pub fn root(&self) -> String {
        STANDARD.encode(self.root)
    }

    pub fn from_root(text: &str) -> Result<Self, NotAKey> {
        let bytes = STANDARD.decode(text.trim()).map_err(|_| NotAKey)?;
        Ok(Self::of_root(bytes.try_into().map_err(|_| NotAKey)?))
    }

    /// A short id of the key. It reveals nothing about the key itself.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The key for secrets in the database. It is needed often, so it is derived once.
    pub(super) fn at_rest(&self) -> &[u8; KEY_BYTES] {
        &self.at_rest
    }

    /// The key for one purpose.
    pub fn derive(&self, purpose: &str) -> [u8; 32] {
        derive(&self.root, purpose)
    }

    fn hashed(text: &str) -> Self {
        Self::of_root(Sha256::digest(text.as_bytes()).into())
    }

    fn of_root(root: [u8; KEY_BYTES]) -> Self {
        let [a, b, c, d, ..] = derive(&root, "key id");
        let id = format!("{:08x}", u32::from_be_bytes([a, b, c, d]));
        Self { root, id, at_rest: derive(&root, "secrets at rest") }
    }
}

fn derive(root: &[u8; KEY_BYTES], purpose: &str) -> [u8; 32] {
    Sha256::new().chain_update(root).chain_update(purpose.as_bytes()).finalize().into()
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SecretKey({})", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_thirty_two_bytes_in_base64() {
        let bytes = [0xfb; KEY_BYTES];
        let text = SecretKey::write(&bytes);
        let key = SecretKey::parse(&text).unwrap();
        assert_eq!(key, SecretKey::hashed(&text), "keys from before this check stay the same");
        let bare = text.trim_end_matches('=');
        for same in [bare, &format!(" {text}\n"), &bare.replace('+', "-").replace('/', "_")] {
            assert_eq!(SecretKey::parse(same).unwrap(), key, "{same}");
        }
        for wrong in
            ["", "hunter2", &STANDARD.encode([1; 31]), &STANDARD.encode([1; 33]), &format!("{text}{text}")]
        {
            assert_eq!(SecretKey::parse(wrong), Err(NotAKey), "{wrong}");
        }
        assert_eq!(SecretKey::from_any_text(&text), key);
        assert_ne!(SecretKey::from_any_text("hunter2"), SecretKey::from_any_text("hunter3"));
    }

    #[test]
    fn a_key_is_known_by_its_id_and_carried_by_its_root() {
        let key = SecretKey::from_any_text("hunter2");
        assert_eq!(SecretKey::from_root(&key.root()).unwrap(), key);
        assert_eq!(key.id().len(), 8);
        assert!(!format!("{key:?}").contains(&key.root()));
    }
}
