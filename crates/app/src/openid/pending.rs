//! A sign-in that has begun: what the browser keeps while its user is at the provider.
//!
//! It is a sealed cookie, so no server stores anything of a sign-in that is never finished, and any server can finish it.
//! It ties the sign-in to the browser: a link that somebody else has begun leads nowhere.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use frontdesk_kernel::Timestamp;
use frontdesk_platform::sealing::{Keyring, SealedCell};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use uuid::Uuid;

/// How long a person may take at the provider.
pub(crate) const PENDING_SECONDS_MAX: i64 = 15 * 60;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pending {
    /// Returned by the provider with the code.
    pub(crate) state: String,
    /// Repeated in the ID token.
    pub(crate) nonce: String,
    /// Proves at the token endpoint that the code was asked for here (RFC 7636).
    pub(crate) verifier: String,
    until_seconds: i64,
}

impl Pending {
    pub(crate) fn new(chance: fn() -> [u8; 32], now: Timestamp) -> Self {
        let random = || URL_SAFE_NO_PAD.encode(chance());
        Self {
            state: random(),
            nonce: random(),
            verifier: random(),
            until_seconds: now.seconds() + PENDING_SECONDS_MAX,
        }
    }

    /// The verifier's hash, which the provider compares with the verifier later.
    pub(crate) fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(&self.verifier))
    }

    /// The value of the cookie.
    pub(crate) fn seal(&self, keys: &Keyring) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        URL_SAFE_NO_PAD.encode(keys.seal(&place(), &text))
    }

    /// The sign-in of a cookie, if it may still be finished with this state.
    pub(crate) fn open(keys: &Keyring, cookie: &str, state: &str, now: Timestamp) -> Option<Self> {
        let sealed = String::from_utf8(URL_SAFE_NO_PAD.decode(cookie).ok()?).ok()?;
        let pending: Self = serde_json::from_str(&keys.open(&place(), &sealed)?).ok()?;
        let is_same: bool = pending.state.as_bytes().ct_eq(state.as_bytes()).into();
        (is_same && pending.until_seconds > now.seconds()).then_some(pending)
    }
}

fn place() -> SealedCell<'static> {
    SealedCell::outside("openid_sign_in", Uuid::nil())
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_platform::sealing::SecretKey;

    const NOW: Timestamp = Timestamp::from_millis(0);

    #[test]
    fn a_sign_in_is_finished_by_its_own_browser_with_its_own_state_and_in_time() {
        let keys = Keyring::new(SecretKey::from_any_text("one"));
        let pending = Pending::new(|| [7; 32], NOW);
        let cookie = pending.seal(&keys);
        assert!(cookie.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')));
        let open = |cookie: &str, state: &str, now| Pending::open(&keys, cookie, state, now);
        assert_eq!(open(&cookie, &pending.state, NOW), Some(pending.clone()));
        assert_eq!(open(&cookie, "another", NOW), None);
        assert_eq!(open(&cookie, "", NOW), None);
        assert_eq!(open("", &pending.state, NOW), None);
        assert_eq!(open(&cookie[..cookie.len() - 4], &pending.state, NOW), None);
        let late = Timestamp::of_minute(PENDING_SECONDS_MAX / 60);
        assert_eq!(open(&cookie, &pending.state, late), None);
        let other = Keyring::new(SecretKey::from_any_text("two"));
        assert_eq!(Pending::open(&other, &cookie, &pending.state, NOW), None);
    }

    #[test]
    fn the_challenge_is_that_of_the_standard() {
        // RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned();
        let pending = Pending { verifier, ..Pending::new(|| [7; 32], NOW) };
        assert_eq!(pending.challenge(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }
}
