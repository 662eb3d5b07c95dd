//! The form of an API key: a public prefix and 43 URL-safe characters, 58 in all.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::secret::Secret;

pub const KEY_PREFIX: &str = "frontdesk_live_";
const KEY_CHARS: usize = 58;
const KEY_RANDOM_BYTES: usize = 32;

/// The stored hash of a key, by which it is found. The key itself is never stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Encodes random bytes as a key.
pub fn mint(random: &[u8; KEY_RANDOM_BYTES]) -> Secret {
    Secret::new(format!("{KEY_PREFIX}{}", URL_SAFE_NO_PAD.encode(random)))
}

/// Parses `Bearer <key>`. Text without the form of a key is none, and needs no database lookup.
pub fn from_authorization(header: &[u8]) -> Option<KeyHash> {
    let (scheme, key) = header.split_at_checked(b"Bearer ".len())?;
    let shaped = scheme.eq_ignore_ascii_case(b"Bearer ")
        && key.len() == KEY_CHARS
        && key.starts_with(KEY_PREFIX.as_bytes())
        && key[KEY_PREFIX.len()..].iter().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_'));
    shaped.then(|| hash(key))
}

pub fn hash(key: &[u8]) -> KeyHash {
    KeyHash(Sha256::digest(key).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn near_misses_are_not_keys() {
        let key = mint(&[7; 32]);
        let key = key.reveal();
        for wrong in [
            String::new(),
            key.to_owned(),
            format!("Basic {key}"),
            format!("Bearer  {key}"),
            format!("Bearer {key} "),
            format!("Bearer {}", &key[1..]),
            format!("Bearer {}", key.replace("live", "test")),
            format!("Bearer {}+", &key[..57]),
            format!("Bearer {}é", &key[..56]),
        ] {
            assert_eq!(from_authorization(wrong.as_bytes()), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn a_minted_key_has_the_shape_and_finds_its_hash(random: [u8; 32]) {
            let key = mint(&random);
            prop_assert_eq!(key.reveal().len(), KEY_CHARS);
            let header = format!("Bearer {}", key.reveal());
            prop_assert_eq!(from_authorization(header.as_bytes()), Some(hash(key.reveal().as_bytes())));
        }

        #[test]
        fn no_bytes_make_it_fall_over(header: Vec<u8>) {
            let _ = from_authorization(&header);
        }
    }
}
