//! Channel binding: a login that is valid for one TLS connection and cannot be relayed to another.
//!
//! Client and server both sign a hash of the server's certificate (`tls-server-end-point`, RFC 5929). An
//! attacker in between has another certificate and cannot use the client's proof.

use sha2::{Digest, Sha256, Sha384, Sha512};

const SEQUENCE: u8 = 0x30;
const OBJECT_IDENTIFIER: u8 = 0x06;
/// The first field of the parameters of RSASSA-PSS, which names the hash.
const PSS_HASH: u8 = 0xa0;

/// Identifiers of signature algorithms, and of the hashes that RSASSA-PSS names, as DER writes them.
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01];
const ECDSA_SHA2: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03];
const ECDSA_SHA1: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x01];
const SHA2: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02];
const SHA1: &[u8] = &[0x2b, 0x0e, 0x03, 0x02, 0x1a];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hash {
    Sha256,
    Sha384,
    Sha512,
}

/// The hash that the login signs. None where the RFC does not define it: for Ed25519, which has no separate
/// hash.
pub(super) fn end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    Some(match hash_of(certificate)? {
        Hash::Sha256 => Sha256::digest(certificate).to_vec(),
        Hash::Sha384 => Sha384::digest(certificate).to_vec(),
        Hash::Sha512 => Sha512::digest(certificate).to_vec(),
    })
}

/// The hash of the algorithm that a certificate is signed with. MD5 and SHA-1 are replaced by SHA-256.
fn hash_of(certificate: &[u8]) -> Option<Hash> {
    let (certificate, _) = element(certificate, SEQUENCE)?;
    let (_signed, rest) = element(certificate, SEQUENCE)?;
    let (algorithm, _signature) = element(rest, SEQUENCE)?;
    let (identifier, parameters) = element(algorithm, OBJECT_IDENTIFIER)?;
    if identifier == ECDSA_SHA1 {
        return Some(Hash::Sha256);
    }
    let (last, family) = identifier.split_last()?;
    match (family, *last) {
        (RSA, 4 | 5 | 11) | (ECDSA_SHA2, 2) => Some(Hash::Sha256),
        (RSA, 12) | (ECDSA_SHA2, 3) => Some(Hash::Sha384),
        (RSA, 13) | (ECDSA_SHA2, 4) => Some(Hash::Sha512),
        (RSA, 10) => pss_hash(parameters),
        _ => None,
    }
}

fn pss_hash(parameters: &[u8]) -> Option<Hash> {
    let (parameters, _) = element(parameters, SEQUENCE)?;
    // Without the field it is SHA-1.
    let Some((field, _)) = element(parameters, PSS_HASH) else { return Some(Hash::Sha256) };
    let (algorithm, _) = element(field, SEQUENCE)?;
    let (identifier, _) = element(algorithm, OBJECT_IDENTIFIER)?;
    if identifier == SHA1 {
        return Some(Hash::Sha256);
    }
    let (last, family) = identifier.split_last()?;
    match (family, *last) {
        (SHA2, 1) => Some(Hash::Sha256),
        (SHA2, 2) => Some(Hash::Sha384),
        (SHA2, 3) => Some(Hash::Sha512),
        _ => None,
    }
}

/// The content of a DER element of this tag, and what follows it.
fn element(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    const LONG: u8 = 0x80;
    const LENGTH_BYTES_MAX: usize = 4;
    let (found, rest) = der.split_first()?;
    let (first, rest) = rest.split_first()?;
    if *found != tag {
        return None;
    }
    let (length, rest) = if first & LONG == 0 {
        (usize::from(*first), rest)
    } else {
        let bytes = usize::from(first & !LONG);
        if bytes == 0 || bytes > LENGTH_BYTES_MAX {
            return None;
        }
        let (length, rest) = rest.split_at_checked(bytes)?;
        (length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
    };
    rest.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A certificate that only contains the algorithm.
    fn signed_with(algorithm: &[u8]) -> Vec<u8> {
        let wrap = |content: &[u8]| [&[SEQUENCE, 0x81, content.len() as u8][..], content].concat();
        wrap(&[wrap(&[]), wrap(algorithm), vec![0x03, 0x01, 0x00]].concat())
    }

    fn identifier(family: &[u8], last: u8) -> Vec<u8> {
        [&[OBJECT_IDENTIFIER, family.len() as u8 + 1][..], family, &[last]].concat()
    }

    #[test]
    fn the_hash_is_that_of_the_signature() {
        let hash = |algorithm: &[u8]| hash_of(&signed_with(algorithm));
        assert_eq!(hash(&identifier(RSA, 11)), Some(Hash::Sha256));
        assert_eq!(hash(&identifier(RSA, 12)), Some(Hash::Sha384));
        assert_eq!(hash(&identifier(RSA, 13)), Some(Hash::Sha512));
        assert_eq!(hash(&identifier(ECDSA_SHA2, 3)), Some(Hash::Sha384));
        // Weak ones are replaced.
        assert_eq!(hash(&identifier(RSA, 5)), Some(Hash::Sha256));
        assert_eq!(hash(&[&[OBJECT_IDENTIFIER, 8], ECDSA_SHA1].concat()), None, "the length is wrong");
        assert_eq!(hash(&[&[OBJECT_IDENTIFIER, 7], ECDSA_SHA1].concat()), Some(Hash::Sha256));
        // Ed25519 is 1.3.101.112.
        assert_eq!(hash(&[OBJECT_IDENTIFIER, 3, 0x2b, 0x65, 0x70]), None);
    }

    #[test]
    fn pss_names_its_hash_in_its_parameters() {
        let named = identifier(SHA2, 2);
        let named = [&[SEQUENCE, named.len() as u8][..], &named].concat();
        let field = [&[PSS_HASH, named.len() as u8][..], &named].concat();
        let parameters = [&[SEQUENCE, field.len() as u8][..], &field].concat();
        assert_eq!(hash_of(&signed_with(&[identifier(RSA, 10), parameters].concat())), Some(Hash::Sha384));
        let none = [identifier(RSA, 10), vec![SEQUENCE, 0]].concat();
        assert_eq!(hash_of(&signed_with(&none)), Some(Hash::Sha256), "SHA-1 is the default");
    }

    #[test]
    fn bytes_that_are_not_a_certificate_have_no_hash() {
        for bytes in
            [&[][..], &[SEQUENCE], &[SEQUENCE, 0x84, 0xff, 0xff, 0xff, 0xff], &[SEQUENCE, 0x80], b"text"]
        {
            assert_eq!(end_point(bytes), None, "{bytes:?}");
        }
    }
}
