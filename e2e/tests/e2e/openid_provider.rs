//! An OpenID provider for tests, on a loopback port of the test's own process. It signs its tokens with a key of its own,
//! and refuses a code that comes without the right verifier, client or address, as a real provider does.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use frontdesk_e2e::{Reply, Sink};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub(crate) const CLIENT_ID: &str = "desk";
pub(crate) const CLIENT_SECRET: &str = "s3cret of the client";
const CONFIGURATION: &str = "/.well-known/openid-configuration";
const TOKEN: &str = "/token";
const KEYS: &str = "/keys";
const USER_INFO: &str = "/userinfo";

/// A key pair that signs tokens.
struct Signer {
    id: String,
    pair: EcdsaKeyPair,
}

impl Signer {
    fn new(id: &str) -> Self {
        let chance = SystemRandom::new();
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &chance).expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, made.as_ref(), &chance);
        Self { id: id.to_owned(), pair: pair.expect("the key") }
    }

    fn sign(&self, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&json!({ "alg": "ES256", "kid": self.id })), part(claims));
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes()).expect("a signature");
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
    }

    fn public(&self) -> Value {
        let point = self.pair.public_key().as_ref();
        let [x, y] = [&point[1..33], &point[33..]].map(|half| URL_SAFE_NO_PAD.encode(half));
        json!({ "kty": "EC", "crv": "P-256", "use": "sig", "kid": self.id, "x": x, "y": y })
    }
}

/// What a code stands for.
struct Grant {
    challenge: String,
    redirect: String,
    claims: Value,
}

type Grants = Arc<Mutex<HashMap<String, Grant>>>;

/// A provider, gone when dropped.
pub(crate) struct OpenIdProvider {
    sink: Sink,
    grants: Grants,
}

/// A sign-in as it arrives at the provider.
pub(crate) struct Arrival {
    query: HashMap<String, String>,
}

impl Arrival {
    /// Reads the address to which the browser was sent.
    pub(crate) fn at(url: &str) -> Self {
        let (_, query) = url.split_once('?').expect("a query");
        let decode = |text: &str| {
            let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
            while let Some((first, after)) = rest.split_first() {
                let is_encoded = *first == b'%' && after.len() >= 2;
                let hex = || u8::from_str_radix(std::str::from_utf8(&after[..2]).ok()?, 16).ok();
                match (is_encoded.then(hex).flatten(), *first) {
                    (Some(byte), _) => {
                        bytes.push(byte);
                        rest = &after[2..];
                    }
                    (None, b'+') => {
                        bytes.push(b' ');
                        rest = after;
                    }
                    (None, byte) => {
                        bytes.push(byte);
                        rest = after;
                    }
                }
            }
            String::from_utf8(bytes).expect("text")
        };
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        Self { query: pairs.map(|(name, value)| (decode(name), decode(value))).collect() }
    }

    pub(crate) fn get(&self, name: &str) -> &str {
        self.query.get(name).unwrap_or_else(|| panic!("no {name} in {:?}", self.query))
    }
}

impl OpenIdProvider {
    pub(crate) fn start() -> Self {
        let provider = Self { sink: Sink::start(), grants: Grants::default() };
        let base = provider.sink.url("");
        let configuration = json!({
            "issuer": base,
            "authorization_endpoint": format!("{base}/authorize?tenant=1"),
            "token_endpoint": format!("{base}{TOKEN}"),
            "jwks_uri": format!("{base}{KEYS}"),
            "userinfo_endpoint": format!("{base}{USER_INFO}"),
        });
        provider.sink.respond(CONFIGURATION, reply(200, &configuration));
        provider.sign_with("one");
        provider
    }

    pub(crate) fn sink(&self) -> &Sink {
        &self.sink
    }

    pub(crate) fn issuer(&self) -> String {
        self.sink.url("")
    }

    /// Signs with a new key from now on, and publishes that one alone.
    pub(crate) fn sign_with(&self, key: &str) {
        let signer = Signer::new(key);
        self.sink.respond(KEYS, reply(200, &json!({ "keys": [signer.public()] })));
        let grants = self.grants.clone();
        let secret = STANDARD.encode(format!("{CLIENT_ID}:s3cret+of+the+client"));
        self.sink.answer_by(TOKEN, move |request| {
            let form = Arrival::at(&format!("?{}", String::from_utf8_lossy(&request.body)));
            let is_client = request.header("authorization") == format!("Basic {secret}");
            // A code counts once.
            let grant = grants.lock().unwrap_or_else(PoisonError::into_inner).remove(form.get("code"));
            let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(form.get("code_verifier")));
            match grant {
                _ if !is_client => reply(401, &json!({ "error": "invalid_client" })),
                Some(grant) if grant.challenge == challenge && grant.redirect == form.get("redirect_uri") => {
                    let token = signer.sign(&grant.claims);
                    reply(200, &json!({ "token_type": "Bearer", "access_token": "at", "id_token": token }))
                }
                _ => reply(400, &json!({ "error": "invalid_grant" })),
            }
        });
    }

    /// Says what the user-info endpoint responds.
    pub(crate) fn inform(&self, claims: &Value) {
        self.sink.respond(USER_INFO, reply(200, claims));
    }

    /// The person signs in: the code with which the browser is sent back. `claims` are added to the usual ones.
    pub(crate) fn consent(&self, arrival: &Arrival, now_seconds: i64, claims: &Value) -> String {
        let mut all = json!({
            "iss": self.issuer(), "aud": CLIENT_ID, "nonce": arrival.get("nonce"),
            "iat": now_seconds, "exp": now_seconds + 300,
        });
        for (claim, value) in claims.as_object().into_iter().flatten() {
            all[claim] = value.clone();
        }
        let mut grants = self.grants.lock().unwrap_or_else(PoisonError::into_inner);
        let code = format!("code-{}", grants.len() + self.sink.count(TOKEN) * 1000);
        let [challenge, redirect] =
            ["code_challenge", "redirect_uri"].map(|name| arrival.get(name).to_owned());
        grants.insert(code.clone(), Grant { challenge, redirect, claims: all });
        code
    }
}

fn reply(status: u16, body: &Value) -> Reply {
    Reply::status(status).header("content-type", "application/json").body(body.to_string())
}
