//! What tests of notifications begin with: browsers of members, and a push service that decrypts like a browser.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use frontdesk_e2e::{App, Engine, Given, Received, Sink, Start};
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey as Signer};
use serde_json::{Value, json};

use crate::app_scene::{Browser, member};
use crate::inbox_scene::{self, Inbox};
use crate::shapes::text;

/// An inbox, and the push service of all browsers.
pub(crate) struct Pushes {
    pub(crate) inbox: Inbox,
    pub(crate) sink: Sink,
}

impl Given for Pushes {
    fn given(engine: Engine) -> Self {
        Self { inbox: Inbox::of(start(engine)), sink: Sink::start() }
    }
}

/// A server that may call the push service of the tests.
pub(crate) fn start(engine: Engine) -> Start {
    inbox_scene::start(engine).env("FRONTDESK_ALLOW_PRIVATE_TARGETS", "true")
}

/// A member who is signed in with a browser that gets notifications.
pub(crate) struct Person {
    pub(crate) id: String,
    pub(crate) browser: Browser,
    pub(crate) device: Device,
    /// The id of the device.
    pub(crate) device_id: String,
}

/// The keys of a browser: the private one is a byte repeated.
#[derive(Clone)]
pub(crate) struct Device {
    private: [u8; 32],
    auth: [u8; 16],
    /// The path of the push service at which it is reached.
    pub(crate) path: String,
}

impl Device {
    pub(crate) fn new(number: u8) -> Self {
        Self { private: [number; 32], auth: [number; 16], path: format!("/push/{number}") }
    }

    /// A private key is good for one agreement, so it is made each time, as only the library's own tests make it.
    #[expect(deprecated, reason = "nothing else makes a known key pair")]
    fn key(&self) -> EphemeralPrivateKey {
        let fixed = ring::test::rand::FixedSliceRandom { bytes: &self.private };
        EphemeralPrivateKey::generate(&ECDH_P256, &fixed).expect("a key")
    }

    fn public_key(&self) -> Vec<u8> {
        self.key().compute_public_key().expect("a public key").as_ref().to_vec()
    }

    /// What the page sends to the server.
    pub(crate) fn subscription(&self, sink: &Sink) -> Value {
        json!({
            "endpoint": sink.url(&self.path),
            "p256dh": URL_SAFE_NO_PAD.encode(self.public_key()),
            "auth": URL_SAFE_NO_PAD.encode(self.auth),
        })
    }

    /// The notification in a request, as RFC 8291 says.
    pub(crate) fn open(&self, received: &Received) -> Value {
        let (salt, rest) = received.body.split_at(16);
        let (record_bytes, rest) = rest.split_at(4);
        assert_eq!(record_bytes, 4096_u32.to_be_bytes());
        let (length, rest) = rest.split_first().expect("the length of the key");
        let (theirs, record) = rest.split_at(usize::from(*length));
        let public = self.public_key();
        let secret = agree_ephemeral(self.key(), &UnparsedPublicKey::new(&ECDH_P256, theirs), |shared| {
            let info: [&[u8]; 3] = [b"WebPush: info\0", &public, theirs];
            expand(&Salt::new(HKDF_SHA256, &self.auth).extract(shared), &info, 32)
        });
        let of_record = Salt::new(HKDF_SHA256, salt).extract(&secret.expect("a shared secret"));
        let key = expand(&of_record, &[b"Content-Encoding: aes128gcm\0"], 16);
        let nonce = expand(&of_record, &[b"Content-Encoding: nonce\0"], 12);
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).expect("a key"));
        let nonce = Nonce::try_assume_unique_for_key(&nonce).expect("a nonce");
        let mut record = record.to_vec();
        let text =
            key.open_in_place(nonce, Aad::empty(), &mut record).expect("it was encrypted for this browser");
        let (delimiter, text) = text.split_last().expect("a delimiter");
        assert_eq!(*delimiter, 2, "it is the last record");
        serde_json::from_slice(text).expect("JSON")
    }
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn expand(key: &Prk, info: &[&[u8]], bytes: usize) -> Vec<u8> {
    let mut made = vec![0; bytes];
    key.expand(info, Length(bytes)).and_then(|okm| okm.fill(&mut made)).expect("a short output");
    made
}

/// Demands what a push service demands of a request, with the key that the browser was given.
#[track_caller]
pub(crate) fn is_a_push(received: &Received, public_key: &str, origin: &str, now: i64) {
    assert_eq!((received.method.as_str(), received.header("content-encoding")), ("POST", "aes128gcm"));
    let seconds: i64 = received.header("ttl").parse().expect("seconds");
    assert!((1..=600).contains(&seconds), "{seconds}");
    assert!(received.header("topic").len() <= 32);
    let (token, key) = received
        .header("authorization")
        .strip_prefix("vapid t=")
        .and_then(|rest| rest.split_once(", k="))
        .expect("vapid");
    assert_eq!(key, public_key);
    let (signed, signature) = token.rsplit_once('.').expect("a signature");
    let bytes = |part: &str| URL_SAFE_NO_PAD.decode(part).expect("base64url");
    Signer::new(&ECDSA_P256_SHA256_FIXED, bytes(key))
        .verify(signed.as_bytes(), &bytes(signature))
        .expect("it is signed by the key");
    let claims: Value =
        serde_json::from_slice(&bytes(signed.split_once('.').expect("claims").1)).expect("JSON");
    assert_eq!(claims["aud"], origin);
    let left = claims["exp"].as_i64().expect("seconds") - now;
    assert!((1..=24 * 60 * 60).contains(&left), "{left}");
}

impl Pushes {
    /// Adds a member whose browser is a device with this number.
    #[track_caller]
    pub(crate) fn person(&self, name: &str, role: &str, number: u8) -> Person {
        let email = format!("{name}@example.com");
        let id = member(&self.inbox.app, &self.inbox.tenant.account, &email, role);
        self.subscribed(id, Browser::new(&self.inbox.app).sign_in(&email), number)
    }

    #[track_caller]
    pub(crate) fn subscribed(&self, id: String, browser: Browser, number: u8) -> Person {
        let device = Device::new(number);
        let made = browser.post("/push/devices", device.subscription(&self.sink)).expect(201);
        let device_id = text(&made.data()["id"]).to_owned();
        Person { id, browser, device, device_id }
    }

    /// Everything that a browser was told so far.
    pub(crate) fn told(&self, person: &Person) -> Vec<Value> {
        self.sink.at(&person.device.path).iter().map(|received| person.device.open(received)).collect()
    }

    /// What a browser was told, as soon as it is this many notifications.
    #[track_caller]
    pub(crate) fn told_soon(&self, person: &Person, many: usize) -> Vec<Value> {
        self.sink.wait(&person.device.path, many);
        let told = self.told(person);
        assert_eq!(told.len(), many, "{told:?}");
        told
    }

    /// Demands that a browser was told nothing but these kinds: a test that comes last shows that nothing is on its way.
    #[track_caller]
    pub(crate) fn was_told(&self, person: &Person, kinds: &[&str]) {
        self.inbox.advance(2);
        person.browser.post(&format!("/push/devices/{}/test", person.device_id), json!({})).expect(200);
        let told = self.told_soon(person, kinds.len() + 1);
        let expected: Vec<&str> = kinds.iter().copied().chain(["test"]).collect();
        assert_eq!(told.iter().map(|one| text(&one["kind"])).collect::<Vec<_>>(), expected);
    }
}

impl Person {
    #[track_caller]
    pub(crate) fn assigns(&self, conversation: &Value, to: &Self) {
        let path = format!("/v1/conversations/{}", text(&conversation["id"]));
        self.browser.patch(&path, json!({ "assigned_user_id": to.id })).expect(200);
    }

    #[track_caller]
    pub(crate) fn mentions(&self, conversation: &Value, whom: &Self, words: &str) {
        let path = format!("/v1/conversations/{}/notes", text(&conversation["id"]));
        self.browser.post(&path, json!({ "body": words, "mentioned_user_ids": [whom.id] })).expect(201);
    }
}

/// The key that browsers of an installation are given.
#[track_caller]
pub(crate) fn public_key(browser: &Browser) -> String {
    text(&browser.get("/push").expect(200).data()["public_key"]).to_owned()
}

/// Whether the server has named nothing of a device in its log.
pub(crate) fn is_silent_about(app: &App, device: &Device) -> bool {
    let log = app.logs();
    !log.contains(&device.path) && !log.contains(&URL_SAFE_NO_PAD.encode(device.auth))
}
