//! Who sends notifications: the installation's key pair, and the token that it signs for each push service (RFC 8292).
//!
//! A browser ties its subscription to the public key, so the pair is made once and never changes. The private key is
//! stored sealed, like every secret.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::sealing::{Keyring, SealedCell};
use frontdesk_platform::settings;
use http::Uri;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::json;

/// The setting with the sealed private key.
pub const SETTING: &str = "push_key";
/// How long a token is valid. Push services refuse more than 24 hours.
const TOKEN_SECONDS: i64 = 12 * 60 * 60;

/// The installation's key pair.
pub(crate) struct SenderKey {
    pair: EcdsaKeyPair,
}

impl SenderKey {
    fn read(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let chance = SystemRandom::new();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &bytes, &chance).ok()?;
        Some(Self { pair })
    }

    /// A new private key, as [`Self::read`] reads it.
    fn make() -> String {
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        URL_SAFE_NO_PAD.encode(made.expect("random bytes"))
    }

    /// The public key as browsers take it.
    pub(crate) fn public(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.pair.public_key().as_ref())
    }

    /// The `Authorization` of a request to a push service. `contact` says who runs this installation.
    pub(crate) fn authorization(&self, endpoint: &Uri, contact: &str, now: Timestamp) -> Option<String> {
        let audience = format!("{}://{}", endpoint.scheme_str()?, endpoint.authority()?);
        let header = json!({ "typ": "JWT", "alg": "ES256" }).to_string();
        let claims =
            json!({ "aud": audience, "exp": now.seconds() + TOKEN_SECONDS, "sub": contact }).to_string();
        let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes()).ok()?;
        let token = format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()));
        Some(format!("vapid t={token}, k={}", self.public()))
    }
}

/// The key pair, if one was made and the ring opens it.
pub(crate) fn find(tx: &mut ReadTx<'_>, keys: &Keyring) -> db::Result<Option<SenderKey>> {
    let sealed = settings::get(tx, SETTING)?;
    Ok(sealed.and_then(|sealed| open(keys, &sealed)))
}

/// The key pair; the first call makes it. None if it was sealed under a key that is not on the ring.
pub(crate) fn find_or_make(tx: &mut Tx<'_>, keys: &Keyring) -> db::Result<Option<SenderKey>> {
    let sealed = match settings::get(tx, SETTING)? {
        Some(sealed) => sealed,
        None => {
            settings::put_first(tx, SETTING, &keys.seal(&SealedCell::setting(SETTING), &SenderKey::make()))?
        }
    };
    Ok(open(keys, &sealed))
}

fn open(keys: &Keyring, sealed: &str) -> Option<SenderKey> {
    keys.open(&SealedCell::setting(SETTING), sealed).as_deref().and_then(SenderKey::read)
}

#[cfg(test)]
mod tests {
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_token_names_the_push_service_and_is_signed_by_the_key_beside_it() {
        let key = SenderKey::read(&SenderKey::make()).unwrap();
        let endpoint: Uri = "https://push.example.com:8443/send/abc?x=1".parse().unwrap();
        let now = Timestamp::from_millis(1_700_000_000_000);
        let value = key.authorization(&endpoint, "https://desk.example.com", now).unwrap();
        let (token, public) = value.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        let public = URL_SAFE_NO_PAD.decode(public).unwrap();
        assert_eq!((public.len(), public[0]), (65, 4), "an uncompressed point");
        let (signed, signature) = token.rsplit_once('.').unwrap();
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public)
            .verify(signed.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).unwrap())
            .unwrap();
        let (header, claims) = signed.split_once('.').unwrap();
        let part =
            |text: &str| serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(text).unwrap()).unwrap();
        assert_eq!(part(header), json!({ "typ": "JWT", "alg": "ES256" }));
        assert_eq!(
            part(claims),
            json!({
                "aud": "https://push.example.com:8443", "exp": 1_700_043_200, "sub": "https://desk.example.com",
            })
        );
    }

    #[test]
    fn two_keys_differ_and_nonsense_is_none() {
        assert_ne!(SenderKey::make(), SenderKey::make());
        for wrong in ["", "nonsense", "AAAA"] {
            assert!(SenderKey::read(wrong).is_none(), "{wrong}");
        }
    }
}
