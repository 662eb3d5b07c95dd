//! Message authentication codes (HMAC): signing and verification.
//!
//! Comparisons take constant time. An empty key verifies nothing, so a secret that was never set does not
//! accept everything.

use hmac::{Hmac, KeyInit, Mac as _};
use sha2::{Sha256, Sha512};
use subtle::ConstantTimeEq;

const SHA256_BYTES: usize = 32;

/// An HMAC-SHA256 in progress. Clones continue from the same state.
#[derive(Clone)]
pub struct Mac(Hmac<Sha256>);

impl Mac {
    pub fn new(key: &[u8]) -> Self {
        Self(Hmac::new_from_slice(key).expect("HMAC takes keys of any length"))
    }

    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    #[must_use]
    pub fn chain(mut self, bytes: &[u8]) -> Self {
        self.update(bytes);
        self
    }

    /// The first bytes of the code; at most 32.
    pub fn tag<const N: usize>(self) -> [u8; N] {
        const { assert!(N <= SHA256_BYTES, "HMAC-SHA256 has 32 bytes") };
        let whole = self.0.finalize().into_bytes();
        std::array::from_fn(|at| whole[at])
    }

    /// Whether these are exactly the first `N` bytes of the code.
    pub fn is_tag<const N: usize>(self, given: &[u8]) -> bool {
        is_equal(&self.tag::<N>(), given)
    }
}

/// Whether both are the same.
pub fn is_equal(one: &[u8], other: &[u8]) -> bool {
    one.ct_eq(other).into()
}

/// Whether a token is the expected one.
pub fn is_agreed(agreed: &str, given: &[u8]) -> bool {
    !agreed.is_empty() && is_equal(agreed.as_bytes(), given)
}

/// Whether `hex` is the HMAC-SHA256 of the bytes, in either case.
pub fn is_hex_sha256(key: &str, bytes: &[u8], hex: &str) -> bool {
    is_hex::<Hmac<Sha256>>(key, bytes, hex)
}

/// Whether `hex` is the HMAC-SHA512 of the bytes, in either case.
pub fn is_hex_sha512(key: &str, bytes: &[u8], hex: &str) -> bool {
    is_hex::<Hmac<Sha512>>(key, bytes, hex)
}

fn is_hex<M: hmac::Mac + KeyInit>(key: &str, bytes: &[u8], hex: &str) -> bool {
    let Some(signature) = decoded(hex).filter(|_| !key.is_empty()) else { return false };
    let mut mac = <M as KeyInit>::new_from_slice(key.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(bytes);
    mac.verify_slice(&signature).is_ok()
}

fn decoded(hex: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        hex.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect::<Option<_>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test case 2.
    const KEY: &str = "Jefe";
    const BYTES: &[u8] = b"what do ya want for nothing?";
    const SHA256: &str = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    const SHA512: &str = "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737";

    #[test]
    fn it_knows_the_signature_of_the_standard_s_own_example() {
        assert!(is_hex_sha256(KEY, BYTES, SHA256));
        assert!(is_hex_sha256(KEY, BYTES, &SHA256.to_uppercase()));
        assert!(!is_hex_sha256(KEY, b"what do ya want for something?", SHA256));
        assert!(!is_hex_sha256("jefe", BYTES, SHA256));
        assert!(is_hex_sha512(KEY, BYTES, SHA512));
        assert!(!is_hex_sha512(KEY, BYTES, SHA256));
    }

    #[test]
    fn a_malformed_signature_is_refused() {
        for odd in ["", "5", &SHA256[1..], &SHA256[2..], "zz", "é", &format!("{SHA256}00")] {
            assert!(!is_hex_sha256(KEY, BYTES, odd), "{odd}");
        }
    }

    #[test]
    fn an_empty_secret_opens_nothing() {
        let of_nothing = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad";
        assert!(!is_hex_sha256("", b"", of_nothing));
        assert!(!is_agreed("", b""));
        assert!(is_agreed("token", b"token") && !is_agreed("token", b"tokem") && !is_agreed("token", b""));
    }

    #[test]
    fn a_tag_is_the_beginning_of_the_code() {
        let code = decoded(SHA256).unwrap();
        let mac = Mac::new(KEY.as_bytes()).chain(b"what do ya ").chain(b"want for nothing?");
        assert_eq!(mac.clone().tag::<32>(), code[..]);
        assert_eq!(mac.clone().tag::<16>(), code[..16]);
        assert!(mac.clone().is_tag::<16>(&code[..16]));
        assert!(!mac.clone().is_tag::<16>(&code));
        assert!(!mac.is_tag::<16>(&code[1..17]));
    }
}
