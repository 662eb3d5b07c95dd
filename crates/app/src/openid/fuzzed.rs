//! Tokens, keys and cookies of sign-ins that nobody made.

use std::str::from_utf8;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use frontdesk_fuzz::Target;
use frontdesk_kernel::Timestamp;
use frontdesk_platform::sealing::{Keyring, SecretKey};

use super::id_token::{self, Expected};
use super::keys::{KeySet, Signed};
use super::pending::Pending;

const KEYS: &str = r#"{"keys":[{"kty":"EC","crv":"P-256","kid":"k","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},{"kty":"RSA","kid":"r","n":"AQAB","e":"AQAB"},{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;
const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

#[test]
fn fuzzed_tokens_prove_nothing() {
    let keys = KeySet::parse(KEYS.as_bytes()).expect("keys");
    let expected = Expected { issuer: "https://id.example", client_id: "desk", nonce: "n", now: NOW };
    let token = |header: &str| {
        let claims = r#"{"iss":"https://id.example","aud":"desk","sub":"ann","nonce":"n","exp":1900000000}"#;
        [header, claims, "signature"].map(|part| URL_SAFE_NO_PAD.encode(part)).join(".")
    };
    let examples = [
        r#"{"alg":"ES256","kid":"k"}"#,
        r#"{"alg":"none"}"#,
        r#"{"alg":"RS256","kid":"r"}"#,
        r#"{"alg":"EdDSA"}"#,
    ]
    .map(token);
    let words = [".", "..", "eyJhbGciOiJub25lIn0", "e30", "AAAA"];
    Target::new("id token").examples(examples).words(words).run(|bytes| {
        let Ok(text) = from_utf8(bytes) else { return None };
        Some(id_token::read(text, &keys, &expected).expect_err("nobody has signed it").to_string())
    });
}

#[test]
fn fuzzed_keys_of_a_provider_are_read_and_sign_nothing() {
    let words = [
        "keys", "kty", "kid", "use", "enc", "crv", "P-256", "P-384", "RSA", "EC", "OKP", "Ed25519", "n", "e",
        "x", "y", "AQAB", "",
    ];
    Target::new("jwks").examples([KEYS]).words(words).bytes_max(16 << 10).run(|bytes| {
        let Some(keys) = KeySet::parse(bytes) else { return Vec::new() };
        let check =
            |algorithm: &str| keys.check(algorithm, None, b"message", b"signature") != Signed::UnknownKey;
        assert!(
            ["none", "HS256", "ES256", "ES384", "EdDSA", "RS256", "PS512"]
                .iter()
                .all(|algorithm| { keys.check(algorithm, None, b"message", b"signature") != Signed::Yes })
        );
        vec![check("ES256")]
    });
}

#[test]
fn fuzzed_cookies_of_sign_ins_open_only_as_they_were_sealed() {
    let keys = Keyring::new(SecretKey::from_any_text("secret"));
    let pending = Pending::new(|| [7; 32], NOW);
    let cookie = pending.seal(&keys);
    Target::new("pending").examples([&cookie]).words(["-", "_", "="]).bytes_max(4 << 10).run(|bytes| {
        let Ok(text) = from_utf8(bytes) else { return 0 };
        let opened = Pending::open(&keys, text, &pending.state, NOW);
        assert!(opened.is_none() || text == cookie, "{text:?} opens");
        1 + u8::from(opened.is_some())
    });
}
