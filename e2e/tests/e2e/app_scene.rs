//! What tests of the dashboard begin with: members who have a password, and their browsers.

use frontdesk_e2e::{Account, App, Client, Response};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha1::Sha1;

use crate::shapes::{has_fields, text};

pub(crate) const PASSWORD: &str = "correct horse battery";
/// The email address of the owner of [`account`].
pub(crate) const OWNER: &str = "owner@example.com";

/// A browser at the dashboard. Paths are relative to `/app/api`.
#[derive(Clone)]
pub(crate) struct Browser {
    pub(crate) client: Client,
}

impl Browser {
    /// A browser in which nobody is signed in.
    pub(crate) fn new(app: &App) -> Self {
        Self { client: app.anonymous().vendors().with("origin", app.base()).with("user-agent", "Tester/1.0") }
    }

    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Response {
        self.client.get(&format!("/app/api{path}"))
    }

    #[track_caller]
    pub(crate) fn post(&self, path: &str, body: Value) -> Response {
        self.client.post(&format!("/app/api{path}"), body)
    }

    #[track_caller]
    pub(crate) fn patch(&self, path: &str, body: Value) -> Response {
        self.client.patch(&format!("/app/api{path}"), body)
    }

    #[track_caller]
    pub(crate) fn send(&self, method: &str, path: &str) -> Response {
        self.client.send(method, &format!("/app/api{path}"), None)
    }

    /// The same browser with the cookie that an answer sets.
    #[track_caller]
    pub(crate) fn keeping(&self, response: &Response) -> Self {
        self.with_cookie(&cookie(response))
    }

    /// The same browser with this cookie.
    pub(crate) fn with_cookie(&self, cookie: &str) -> Self {
        Self { client: self.client.with("cookie", cookie) }
    }

    /// Signs in: what the server answers.
    #[track_caller]
    pub(crate) fn try_sign_in(&self, email: &str, password: &str) -> Response {
        self.post("/session", json!({ "email": email, "password": password }))
    }

    /// Signs in: the browser with its session.
    #[track_caller]
    pub(crate) fn sign_in(&self, email: &str) -> Self {
        let response = self.try_sign_in(email, PASSWORD).expect(200);
        self.keeping(&response)
    }

    /// Whether somebody is signed in.
    #[track_caller]
    pub(crate) fn is_in(&self) -> bool {
        let response = self.get("/session");
        assert!(matches!(response.status, 200 | 401), "{}", response.text);
        response.status == 200
    }
}

/// The name and value of the cookie that an answer sets.
#[track_caller]
pub(crate) fn cookie(response: &Response) -> String {
    let set = response.header("set-cookie").unwrap_or_else(|| panic!("no cookie: {}", response.text));
    set.split(';').next().unwrap_or_default().to_owned()
}

/// The token of a link.
#[track_caller]
pub(crate) fn token(url: &str) -> String {
    let (_, token) = url.split_once("#token=").unwrap_or_else(|| panic!("no token: {url}"));
    token.to_owned()
}

/// An account whose owner has a password.
#[track_caller]
pub(crate) fn account(app: &App) -> Account {
    let account = app.account_with(&["--rate-limit", "1000000", "--owner-email", OWNER]);
    set_password(app, &account.owner, PASSWORD);
    account
}

/// Adds a member who has no password yet: their id.
#[track_caller]
pub(crate) fn invited(app: &App, account: &Account, email: &str, role: &str) -> String {
    let made = app.cli(&[
        "member",
        "add",
        "--account",
        &account.id,
        "--name",
        "Mia",
        "--email",
        email,
        "--role",
        role,
    ]);
    text(&made["user_id"]).to_owned()
}

/// Adds a member who has a password: their id.
#[track_caller]
pub(crate) fn member(app: &App, account: &Account, email: &str, role: &str) -> String {
    let id = invited(app, account, email, role);
    set_password(app, &id, PASSWORD);
    id
}

/// Adds a member and signs them in.
#[track_caller]
pub(crate) fn signed_in(app: &App, account: &Account, email: &str, role: &str) -> Browser {
    member(app, account, email, role);
    Browser::new(app).sign_in(email)
}

/// Somebody of another account, signed in.
#[track_caller]
pub(crate) fn stranger(app: &App) -> Browser {
    signed_in(app, &app.account(), "stranger@example.com", "admin")
}

/// A link by which a member sets a password: its token.
#[track_caller]
pub(crate) fn invite(app: &App, user: &str) -> String {
    token(text(&app.cli(&["member", "invite", user, "--print-link"])["url"]))
}

/// Sets a member's password by a link of the operator. A member whose address has a login already, with this password,
/// joins it.
#[track_caller]
pub(crate) fn set_password(app: &App, user: &str, password: &str) {
    let (link, browser) = (invite(app, user), Browser::new(app));
    let told = browser.post("/invitation/check", json!({ "token": link })).expect(200);
    if told.data()["sets_password"] == true {
        browser.post("/password", json!({ "token": link, "password": password })).expect(200);
    } else {
        let response = browser.try_sign_in(text(&told.data()["email"]), password).expect(200);
        browser.keeping(&response).post("/invitation", json!({ "token": link })).expect(200);
    }
}

/// Sets up a second factor for somebody who has none: its secret and the recovery codes.
#[track_caller]
pub(crate) fn second_factor(browser: &Browser, password: &str, seconds: i64) -> (String, Vec<String>) {
    let begun = browser.post("/profile/second-factor", json!({ "password": password })).expect(200);
    has_fields(begun.data(), "secret uri");
    let secret = text(&begun.data()["secret"]).to_owned();
    assert!(text(&begun.data()["uri"]).contains(&format!("secret={secret}")), "{}", begun.text);
    let shown = json!({ "code": code(&secret, seconds) });
    let confirmed = browser.post("/profile/second-factor/confirm", shown).expect(200);
    let codes = confirmed.data()["recovery_codes"].as_array().expect("codes");
    (secret, codes.iter().map(|code| text(code).to_owned()).collect())
}

/// The code that an authenticator app shows for a secret at a moment.
pub(crate) fn code(secret: &str, seconds: i64) -> String {
    let mac = Hmac::<Sha1>::new_from_slice(&unbase32(secret)).expect("any key");
    let tag = mac.chain_update((seconds / 30).to_be_bytes()).finalize().into_bytes();
    let at = usize::from(tag[19] & 15);
    let number = u32::from_be_bytes([tag[at] & 127, tag[at + 1], tag[at + 2], tag[at + 3]]);
    format!("{:06}", number % 1_000_000)
}

fn unbase32(text: &str) -> Vec<u8> {
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_u32, 0);
    for c in text.bytes() {
        let value = if c.is_ascii_uppercase() { c - b'A' } else { c - b'2' + 26 };
        held = (held << 5) | u32::from(value);
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    bytes
}
