//! The encryption of a notification for one browser: RFC 8291, with the content coding `aes128gcm` of RFC 8188.
//!
//! Only the browser can read it; its push service sees nothing but the length. Pure: chance is an argument.

use ring::aead::{AES_128_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use ring::rand::SecureRandom;

/// An uncompressed point of P-256.
pub(crate) const PUBLIC_KEY_BYTES: usize = 65;
pub(crate) const AUTH_BYTES: usize = 16;
const SALT_BYTES: usize = 16;
const KEY_BYTES: usize = 16;
/// The record size in the header. There is one record, and push services take no more than this.
const RECORD_BYTES: u32 = 4096;
/// Ends the last record.
const DELIMITER: u8 = 2;
/// The longest text. With header, delimiter and tag it stays below what every push service takes.
pub(crate) const TEXT_BYTES_MAX: usize = 3 * 1024;

/// The keys of a browser, which the page passes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BrowserKeys {
    pub(crate) public_key: [u8; PUBLIC_KEY_BYTES],
    pub(crate) auth: [u8; AUTH_BYTES],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotEncrypted {
    #[error("the text is longer than {TEXT_BYTES_MAX} bytes")]
    TooLong,
    #[error("the browser's key is not a point of P-256")]
    Key,
    #[error("there are no random bytes")]
    Chance,
}

/// Whether these bytes are a public key with which a secret can be agreed on.
pub(crate) fn is_public_key(bytes: &[u8], chance: &dyn SecureRandom) -> bool {
    let Ok(ours) = EphemeralPrivateKey::generate(&ECDH_P256, chance) else { return false };
    agree_ephemeral(ours, &UnparsedPublicKey::new(&ECDH_P256, bytes), |_| ()).is_ok()
}

/// Encrypts a text under a new key pair: the body of the request to the push service.
pub(crate) fn encrypt(
    text: &[u8],
    browser: &BrowserKeys,
    chance: &dyn SecureRandom,
) -> Result<Vec<u8>, NotEncrypted> {
    let ours = EphemeralPrivateKey::generate(&ECDH_P256, chance).map_err(|_| NotEncrypted::Chance)?;
    let mut salt = [0; SALT_BYTES];
    chance.fill(&mut salt).map_err(|_| NotEncrypted::Chance)?;
    encrypt_with(text, browser, ours, &salt)
}

fn encrypt_with(
    text: &[u8],
    browser: &BrowserKeys,
    ours: EphemeralPrivateKey,
    salt: &[u8; SALT_BYTES],
) -> Result<Vec<u8>, NotEncrypted> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(NotEncrypted::TooLong);
    }
    let our_public = ours.compute_public_key().map_err(|_| NotEncrypted::Key)?;
    let theirs = UnparsedPublicKey::new(&ECDH_P256, browser.public_key);
    let secret = agree_ephemeral(ours, &theirs, |shared| {
        let info: [&[u8]; 3] = [b"WebPush: info\0", &browser.public_key, our_public.as_ref()];
        expand::<32>(&Salt::new(HKDF_SHA256, &browser.auth).extract(shared), &info)
    })
    .map_err(|_| NotEncrypted::Key)?;
    let of_record = Salt::new(HKDF_SHA256, salt).extract(&secret);
    let key = expand::<KEY_BYTES>(&of_record, &[b"Content-Encoding: aes128gcm\0"]);
    let nonce = expand::<NONCE_LEN>(&of_record, &[b"Content-Encoding: nonce\0"]);

    let mut record = [text, &[DELIMITER]].concat();
    let key = UnboundKey::new(&AES_128_GCM, &key).expect("a key of this length");
    LessSafeKey::new(key)
        .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut record)
        .expect("a short record");
    let header: [&[u8]; 4] =
        [salt, &RECORD_BYTES.to_be_bytes(), &[PUBLIC_KEY_BYTES as u8], our_public.as_ref()];
    Ok([&header.concat(), record.as_slice()].concat())
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn expand<const BYTES: usize>(key: &Prk, info: &[&[u8]]) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    key.expand(info, Length(BYTES)).and_then(|okm| okm.fill(&mut bytes)).expect("a short output");
    bytes
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use ring::rand::SystemRandom;

    use super::*;

    fn bytes<const BYTES: usize>(text: &str) -> [u8; BYTES] {
        URL_SAFE_NO_PAD.decode(text).unwrap().try_into().unwrap()
    }

    /// A key pair of which the private key is known, as only the library's own tests make it.
    #[expect(deprecated, reason = "nothing else makes a known key pair")]
    fn known(private: &[u8; 32]) -> EphemeralPrivateKey {
        let fixed = ring::test::rand::FixedSliceRandom { bytes: private };
        EphemeralPrivateKey::generate(&ECDH_P256, &fixed).unwrap()
    }

    /// RFC 8291, appendix A.
    #[test]
    fn the_example_of_the_rfc_is_encrypted_to_its_bytes() {
        let browser = BrowserKeys {
            public_key: bytes(
                "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            ),
            auth: bytes("BTBZMqHH6r4Tts7J_aSIgg"),
        };
        let ours = known(&bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"));
        let body = encrypt_with(
            b"When I grow up, I want to be a watermelon",
            &browser,
            ours,
            &bytes("DGv6ra1nlYgDCS1FRnbzlw"),
        );
        assert_eq!(
            URL_SAFE_NO_PAD.encode(body.unwrap()),
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tl\
             zAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-f\
             N"
        );
    }

    #[test]
    fn a_text_that_is_too_long_and_a_key_that_is_none_are_refused() {
        let chance = SystemRandom::new();
        let theirs = known(&[7; 32]).compute_public_key().unwrap();
        let browser = BrowserKeys { public_key: theirs.as_ref().try_into().unwrap(), auth: [1; AUTH_BYTES] };
        let longest = vec![b'x'; TEXT_BYTES_MAX];
        let body = encrypt(&longest, &browser, &chance).unwrap();
        assert!(body.len() <= RECORD_BYTES as usize);
        assert_ne!(body, encrypt(&longest, &browser, &chance).unwrap(), "a new key pair each time");
        assert_eq!(encrypt(&[&longest[..], b"x"].concat(), &browser, &chance), Err(NotEncrypted::TooLong));
        let none = BrowserKeys { public_key: [4; PUBLIC_KEY_BYTES], ..browser };
        assert_eq!(encrypt(b"x", &none, &chance), Err(NotEncrypted::Key));
        assert!(is_public_key(&browser.public_key, &chance) && !is_public_key(&none.public_key, &chance));
    }
}
