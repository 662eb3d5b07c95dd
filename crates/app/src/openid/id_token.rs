//! ID tokens: the provider's signed statement of who has signed in.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use frontdesk_kernel::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::keys::{KeySet, Signed};

/// By how much the clocks of the provider and this server may differ.
const CLOCK_SECONDS_MAX: i64 = 120;
/// The largest token that is read.
const TOKEN_BYTES_MAX: usize = 64 << 10;
const SUBJECT_CHARS_MAX: usize = 255;

/// What a token must say.
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) client_id: &'a str,
    pub(super) nonce: &'a str,
    pub(super) now: Timestamp,
}

/// What the provider says of a person.
#[derive(Clone, Debug)]
pub(crate) struct Claims {
    /// The person's id at the provider, which never changes.
    pub(crate) subject: String,
    all: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum TokenError {
    #[error("it is no signed token")]
    Malformed,
    #[error("its key is not among the provider's")]
    UnknownKey,
    #[error("its signature is wrong, or of a kind that is not accepted")]
    Signature,
    #[error("another issuer has made it")]
    Issuer,
    #[error("it is for another client")]
    Audience,
    #[error("it has expired, or is not valid yet; compare the clocks of the provider and this server")]
    Time,
    #[error("it belongs to another sign-in")]
    Nonce,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
}

impl Claims {
    pub(super) fn new(all: Value) -> Option<Self> {
        let subject = all.get("sub")?.as_str().filter(|sub| !sub.is_empty())?.to_owned();
        (subject.chars().count() <= SUBJECT_CHARS_MAX).then_some(Self { subject, all })
    }

    pub(crate) fn all(&self) -> &Value {
        &self.all
    }

    pub(crate) fn text(&self, claim: &str) -> Option<&str> {
        self.all.get(claim)?.as_str().map(str::trim).filter(|text| !text.is_empty())
    }

    /// Whether the provider vouches for the email address. Some providers write the answer as text.
    pub(crate) fn is_email_verified(&self) -> bool {
        match self.all.get("email_verified") {
            Some(Value::Bool(verified)) => *verified,
            Some(Value::String(verified)) => verified == "true",
            _ => false,
        }
    }

    /// Adds what another response says of the same person. What is known stays.
    pub(super) fn add(&mut self, more: Self) {
        if let (Value::Object(all), Value::Object(more)) = (&mut self.all, more.all) {
            for (claim, value) in more {
                all.entry(claim).or_insert(value);
            }
        }
    }
}

/// Reads a token, or says why it proves nothing.
pub(super) fn read(token: &str, keys: &KeySet, expected: &Expected<'_>) -> Result<Claims, TokenError> {
    if token.len() > TOKEN_BYTES_MAX {
        return Err(TokenError::Malformed);
    }
    let (signed, signature) = token.rsplit_once('.').ok_or(TokenError::Malformed)?;
    let (header, body) = signed.split_once('.').ok_or(TokenError::Malformed)?;
    let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_| TokenError::Malformed);
    let (header, body, signature) = (decode(header)?, decode(body)?, decode(signature)?);
    let header: Header = serde_json::from_slice(&header).map_err(|_| TokenError::Malformed)?;
    match keys.check(&header.alg, header.kid.as_deref(), signed.as_bytes(), &signature) {
        Signed::Yes => {}
        Signed::No => return Err(TokenError::Signature),
        Signed::UnknownKey => return Err(TokenError::UnknownKey),
    }
    let all: Value = serde_json::from_slice(&body).map_err(|_| TokenError::Malformed)?;
    check(&all, expected)?;
    Claims::new(all).ok_or(TokenError::Malformed)
}

fn check(claims: &Value, expected: &Expected<'_>) -> Result<(), TokenError> {
    let text = |claim: &str| claims.get(claim).and_then(Value::as_str);
    if text("iss") != Some(expected.issuer) {
        return Err(TokenError::Issuer);
    }
    let is_ours = match claims.get("aud") {
        Some(Value::String(one)) => one == expected.client_id,
        // With several audiences the token must have been made for this client.
        Some(Value::Array(many)) => {
            let named = many.iter().any(|one| one.as_str() == Some(expected.client_id));
            named && (many.len() == 1 || text("azp") == Some(expected.client_id))
        }
        _ => false,
    };
    if !is_ours || text("azp").is_some_and(|client| client != expected.client_id) {
        return Err(TokenError::Audience);
    }
    let seconds = |claim: &str| claims.get(claim).and_then(Value::as_f64).map(|seconds| seconds as i64);
    let now = expected.now.seconds();
    let has_expired = seconds("exp").is_none_or(|end| end <= now - CLOCK_SECONDS_MAX);
    let is_early =
        ["nbf", "iat"].iter().filter_map(|claim| seconds(claim)).any(|at| at > now + CLOCK_SECONDS_MAX);
    if has_expired || is_early {
        return Err(TokenError::Time);
    }
    if text("nonce") == Some(expected.nonce) { Ok(()) } else { Err(TokenError::Nonce) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
    use serde_json::json;

    const NOW_SECONDS: i64 = 1_800_000_000;

    struct Signer {
        pair: EcdsaKeyPair,
    }

    impl Signer {
        fn new() -> Self {
            let chance = SystemRandom::new();
            let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &chance).unwrap();
            let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, made.as_ref(), &chance);
            Self { pair: pair.unwrap() }
        }

        fn keys(&self) -> KeySet {
            let point = self.pair.public_key().as_ref();
            let [x, y] = [&point[1..33], &point[33..]].map(|half| URL_SAFE_NO_PAD.encode(half));
            let key = json!({ "kty": "EC", "crv": "P-256", "kid": "k", "x": x, "y": y });
            KeySet::parse(json!({ "keys": [key] }).to_string().as_bytes()).unwrap()
        }

        fn sign(&self, header: &Value, claims: &Value) -> String {
            let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
            let signed = format!("{}.{}", part(header), part(claims));
            let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
            format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
        }
    }

    fn good() -> Value {
        json!({
            "iss": "https://id.example.com", "aud": "desk", "sub": "42", "nonce": "n",
            "iat": NOW_SECONDS - 1, "exp": NOW_SECONDS + 300,
        })
    }

    fn read_by(signer: &Signer, token: &str) -> Result<Claims, TokenError> {
        let now = Timestamp::of_minute(NOW_SECONDS / 60);
        let expected = Expected { issuer: "https://id.example.com", client_id: "desk", nonce: "n", now };
        read(token, &signer.keys(), &expected)
    }

    fn outcome(change: Value) -> Result<String, TokenError> {
        let (signer, mut claims) = (Signer::new(), good());
        for (claim, value) in change.as_object().unwrap() {
            claims[claim] = value.clone();
        }
        let token = signer.sign(&json!({ "alg": "ES256", "kid": "k" }), &claims);
        read_by(&signer, &token).map(|claims| claims.subject)
    }

    #[test]
    fn a_token_is_accepted_only_if_everything_fits() {
        assert_eq!(outcome(json!({})).as_deref(), Ok("42"));
        assert_eq!(outcome(json!({ "aud": ["desk"] })).as_deref(), Ok("42"));
        assert_eq!(outcome(json!({ "aud": ["desk", "other"], "azp": "desk" })).as_deref(), Ok("42"));
        for (change, error) in [
            (json!({ "iss": "https://id.example.com/" }), TokenError::Issuer),
            (json!({ "iss": null }), TokenError::Issuer),
            (json!({ "aud": "other" }), TokenError::Audience),
            (json!({ "aud": ["desk", "other"] }), TokenError::Audience),
            (json!({ "azp": "other" }), TokenError::Audience),
            (json!({ "aud": null }), TokenError::Audience),
            (json!({ "exp": NOW_SECONDS - 121 }), TokenError::Time),
            (json!({ "exp": null }), TokenError::Time),
            (json!({ "exp": "never" }), TokenError::Time),
            (json!({ "iat": NOW_SECONDS + 121 }), TokenError::Time),
            (json!({ "nbf": NOW_SECONDS + 121 }), TokenError::Time),
            (json!({ "nonce": "m" }), TokenError::Nonce),
            (json!({ "nonce": null }), TokenError::Nonce),
            (json!({ "sub": "" }), TokenError::Malformed),
            (json!({ "sub": 7 }), TokenError::Malformed),
            (json!({ "sub": "x".repeat(256) }), TokenError::Malformed),
        ] {
            assert_eq!(outcome(change.clone()), Err(error), "{change}");
        }
    }

    #[test]
    fn a_token_that_is_not_signed_by_the_provider_proves_nothing() {
        let (signer, stranger) = (Signer::new(), Signer::new());
        let header = json!({ "alg": "ES256", "kid": "k" });
        let error = |token: &str| read_by(&signer, token).unwrap_err();
        assert_eq!(error(&stranger.sign(&header, &good())), TokenError::Signature);
        assert_eq!(
            error(&signer.sign(&json!({ "alg": "ES256", "kid": "j" }), &good())),
            TokenError::UnknownKey
        );
        let none = signer.sign(&json!({ "alg": "none", "kid": "k" }), &good());
        assert_eq!(error(&none), TokenError::Signature);
        assert_eq!(error(&format!("{}.", none.rsplit_once('.').unwrap().0)), TokenError::Signature);
        let token = signer.sign(&header, &good());
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let (head, _) = signed.split_once('.').unwrap();
        let other = URL_SAFE_NO_PAD.encode(json!({ "sub": "1" }).to_string());
        assert_eq!(error(&format!("{head}.{other}.{signature}")), TokenError::Signature);
        for nonsense in ["", "a", "a.b", "a.b.c", "..", &"x".repeat(TOKEN_BYTES_MAX + 1)] {
            assert_eq!(error(nonsense), TokenError::Malformed, "{}", nonsense.len());
        }
    }

    #[test]
    fn what_another_response_says_never_replaces_what_is_signed() {
        let mut claims = Claims::new(json!({ "sub": "1", "email": "ann@example.com" })).unwrap();
        claims.add(Claims::new(json!({ "sub": "1", "email": "eve@example.com", "name": "Ann" })).unwrap());
        assert_eq!((claims.text("email"), claims.text("name")), (Some("ann@example.com"), Some("Ann")));
        assert!(!claims.is_email_verified());
    }
}
