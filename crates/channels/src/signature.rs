//! Whether bytes were signed with a key that only the vendor and we know.
//!
//! Every comparison takes the same time whatever is compared, and an empty key signs nothing: a connection whose
//! secret was never set refuses every webhook instead of accepting one that anybody could sign.

use frontdesk_kernel::Secret;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Sha256, Sha512};
use subtle::ConstantTimeEq;

/// Whether `hex` is the HMAC-SHA256 of the bytes, in either case.
pub(crate) fn is_hmac_sha256(key: &Secret, bytes: &[u8], hex: &str) -> bool {
    is_hmac::<Hmac<Sha256>>(key, bytes, hex)
}

/// Whether `hex` is the HMAC-SHA512 of the bytes, in either case.
pub(crate) fn is_hmac_sha512(key: &Secret, bytes: &[u8], hex: &str) -> bool {
    is_hmac::<Hmac<Sha512>>(key, bytes, hex)
}

/// Whether a token is the one that was agreed.
pub(crate) fn is_same(agreed: &Secret, given: &str) -> bool {
    let agreed = agreed.reveal();
    !agreed.is_empty() && bool::from(agreed.as_bytes().ct_eq(given.as_bytes()))
}

fn is_hmac<M: Mac + KeyInit>(key: &Secret, bytes: &[u8], hex: &str) -> bool {
    let Some(signature) = decoded(hex) else { return false };
    if key.reveal().is_empty() {
        return false;
    }
    let mut mac =
        <M as KeyInit>::new_from_slice(key.reveal().as_bytes()).expect("HMAC takes keys of any length");
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
    const SHA256: &str = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";

    #[test]
    fn it_knows_the_signature_of_the_standard_s_own_example() {
        let (key, bytes) = (Secret::new("Jefe"), b"what do ya want for nothing?");
        assert!(is_hmac_sha256(&key, bytes, SHA256));
        assert!(is_hmac_sha256(&key, bytes, &SHA256.to_uppercase()));
        assert!(!is_hmac_sha256(&key, b"what do ya want for something?", SHA256));
        assert!(!is_hmac_sha256(&Secret::new("jefe"), bytes, SHA256));
    }

    #[test]
    fn what_is_no_signature_is_refused() {
        let (key, bytes) = (Secret::new("Jefe"), b"what do ya want for nothing?");
        for odd in ["", "5", &SHA256[1..], &SHA256[2..], "zz", "é", &format!("{SHA256}00")] {
            assert!(!is_hmac_sha256(&key, bytes, odd), "{odd}");
        }
    }

    #[test]
    fn an_empty_secret_opens_nothing() {
        let empty = Secret::new("");
        let of_nothing = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad";
        assert!(!is_hmac_sha256(&empty, b"", of_nothing));
        assert!(!is_same(&empty, ""));
    }
}
