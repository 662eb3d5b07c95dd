//! The provider's public keys, and whether a signature was made by one of them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey,
};
use serde::Deserialize;

/// Keys of a provider that are read.
const KEYS_MAX: usize = 100;

/// A set of keys as RFC 7517 writes it.
#[derive(Deserialize)]
struct WrittenSet {
    keys: Vec<WrittenKey>,
}

#[derive(Deserialize)]
struct WrittenKey {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    used_for: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

enum PublicKey {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// The keys that the provider signs with.
pub(super) struct KeySet {
    keys: Vec<(Option<String>, PublicKey)>,
}

/// The outcome of looking for the key of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signed {
    Yes,
    No,
    /// None of the keys is the one that is named. The provider may have new ones.
    UnknownKey,
}

impl KeySet {
    /// Reads a set of keys. Keys of a kind that is not known here are left out.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let written: WrittenSet = serde_json::from_slice(bytes).ok()?;
        let signing = written.keys.into_iter().filter(|key| key.used_for.as_deref() != Some("enc"));
        let keys = signing.take(KEYS_MAX).filter_map(|key| Some((key.kid.clone(), key.read()?))).collect();
        Some(Self { keys })
    }

    /// Whether the provider has signed a message. The algorithm must fit the key, so that none can be chosen that would
    /// accept anything else.
    pub(super) fn check(
        &self,
        algorithm: &str,
        id: Option<&str>,
        message: &[u8],
        signature: &[u8],
    ) -> Signed {
        let named = |key: &&(Option<String>, PublicKey)| id.is_none() || key.0.as_deref() == id;
        let mut candidates = self.keys.iter().filter(named).peekable();
        if candidates.peek().is_none() {
            return Signed::UnknownKey;
        }
        let is_signed = candidates.any(|(_, key)| key.has_signed(algorithm, message, signature));
        if is_signed { Signed::Yes } else { Signed::No }
    }
}

impl WrittenKey {
    fn read(&self) -> Option<PublicKey> {
        let bytes = |text: &Option<String>| URL_SAFE_NO_PAD.decode(text.as_deref()?).ok();
        // A point that is not compressed.
        let point = || Some([vec![4], bytes(&self.x)?, bytes(&self.y)?].concat());
        match (self.kty.as_str(), self.crv.as_deref()) {
            ("RSA", _) => Some(PublicKey::Rsa { n: bytes(&self.n)?, e: bytes(&self.e)? }),
            ("EC", Some("P-256")) => Some(PublicKey::P256(point()?)),
            ("EC", Some("P-384")) => Some(PublicKey::P384(point()?)),
            ("OKP", Some("Ed25519")) => Some(PublicKey::Ed25519(bytes(&self.x)?)),
            _ => None,
        }
    }
}

impl PublicKey {
    fn has_signed(&self, algorithm: &str, message: &[u8], signature: &[u8]) -> bool {
        let checked = match (self, algorithm) {
            (Self::Rsa { n, e }, _) => {
                let Some(parameters) = rsa(algorithm) else { return false };
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            (Self::P256(point), "ES256") => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature)
            }
            (Self::P384(point), "ES384") => {
                UnparsedPublicKey::new(&ECDSA_P384_SHA384_FIXED, point).verify(message, signature)
            }
            (Self::Ed25519(key), "EdDSA") => UnparsedPublicKey::new(&ED25519, key).verify(message, signature),
            _ => return false,
        };
        checked.is_ok()
    }
}

fn rsa(algorithm: &str) -> Option<&'static RsaParameters> {
    match algorithm {
        "RS256" => Some(&RSA_PKCS1_2048_8192_SHA256),
        "RS384" => Some(&RSA_PKCS1_2048_8192_SHA384),
        "RS512" => Some(&RSA_PKCS1_2048_8192_SHA512),
        "PS256" => Some(&RSA_PSS_2048_8192_SHA256),
        "PS384" => Some(&RSA_PSS_2048_8192_SHA384),
        "PS512" => Some(&RSA_PSS_2048_8192_SHA512),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The example of RFC 7515, appendix A.2.
    const RFC_N: &str = "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ";
    const RFC_MESSAGE: &str = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    const RFC_SIGNATURE: &str = "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";

    fn rfc_key(more: &str) -> KeySet {
        let text = format!(r#"{{"keys":[{{"kty":"RSA","kid":"one","n":"{RFC_N}","e":"AQAB"{more}}}]}}"#);
        KeySet::parse(text.as_bytes()).unwrap()
    }

    fn signature() -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(RFC_SIGNATURE).unwrap()
    }

    #[test]
    fn the_example_of_the_standard_is_signed() {
        let (keys, message) = (rfc_key(""), RFC_MESSAGE.as_bytes());
        assert_eq!(keys.check("RS256", Some("one"), message, &signature()), Signed::Yes);
        assert_eq!(keys.check("RS256", None, message, &signature()), Signed::Yes);
        assert_eq!(keys.check("RS256", Some("two"), message, &signature()), Signed::UnknownKey);
        assert_eq!(keys.check("RS256", Some("one"), b"another message", &signature()), Signed::No);
        assert_eq!(keys.check("RS256", Some("one"), message, b""), Signed::No);
    }

    #[test]
    fn no_algorithm_is_accepted_that_does_not_fit_the_key() {
        let keys = rfc_key("");
        for algorithm in ["none", "None", "HS256", "HS512", "ES256", "RS384", "PS256", "EdDSA", ""] {
            let found = keys.check(algorithm, Some("one"), RFC_MESSAGE.as_bytes(), &signature());
            assert_eq!(found, Signed::No, "{algorithm}");
        }
    }

    #[test]
    fn keys_for_encryption_and_of_other_kinds_are_left_out() {
        assert_eq!(rfc_key(r#","use":"enc""#).keys.len(), 0);
        assert_eq!(rfc_key(r#","use":"sig""#).keys.len(), 1);
        let other =
            br#"{"keys":[{"kty":"oct","k":"AAAA"},{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}]}"#;
        assert_eq!(KeySet::parse(other).unwrap().keys.len(), 0);
        assert!(KeySet::parse(b"{}").is_none());
    }
}
