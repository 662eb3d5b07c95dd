//! Signing in to the dashboard at an OpenID provider, and every way to fail or to cheat.

use frontdesk_e2e::{Account, App, Engine, Reply, Response, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::{Browser, OWNER, PASSWORD, account, code, cookie, invited, member, second_factor};
use crate::openid_provider::{Arrival, CLIENT_ID, CLIENT_SECRET, OpenIdProvider};
use crate::shapes::text;

on_every_engine! {
    alone a_member_signs_in_at_the_provider,
    alone a_person_is_known_by_the_providers_id_and_not_by_the_address,
    alone an_address_that_is_not_verified_proves_nothing,
    alone somebody_whom_nobody_invited_stays_out,
    alone an_invited_person_needs_no_link,
    alone groups_give_roles_and_take_them,
    alone a_sign_in_is_finished_by_the_browser_that_began_it_and_once,
    alone a_token_of_somebody_else_is_refused,
    alone a_provider_that_fails_is_told_and_asked_again,
    alone new_keys_of_the_provider_are_read,
    alone passwords_are_refused_where_the_provider_is_the_only_way_in,
    alone a_reset_login_is_free_for_the_right_person,
    alone without_a_provider_there_is_nothing_to_begin,
}

/// A server with a provider.
struct Scene {
    app: App,
    account: Account,
    provider: OpenIdProvider,
}

impl Scene {
    fn new(engine: Engine, more: &[(&str, &str)]) -> Self {
        let app = App::start(engine).alone().ready();
        let account = account(&app);
        let provider = OpenIdProvider::start();
        let scene = Self { app, account, provider };
        scene.configure(more);
        scene
    }

    /// One whose groups give roles in the account.
    fn with_roles(engine: Engine) -> Self {
        let scene = Self::new(engine, &[]);
        let account = scene.account.id.clone();
        scene.configure(&[
            ("FRONTDESK_OIDC_ACCOUNT", &account),
            ("FRONTDESK_OIDC_ROLES", "admin=bosses,agent=staff"),
        ]);
        scene
    }

    fn configure(&self, more: &[(&str, &str)]) {
        let issuer = self.provider.issuer();
        let usual = [
            ("FRONTDESK_OIDC_ISSUER", issuer.as_str()),
            ("FRONTDESK_OIDC_CLIENT_ID", CLIENT_ID),
            ("FRONTDESK_OIDC_CLIENT_SECRET", CLIENT_SECRET),
            ("FRONTDESK_OIDC_NAME", "Example ID"),
        ];
        self.app.restart_with(&[&usual[..], more].concat());
    }

    fn browser(&self) -> Browser {
        Browser::new(&self.app)
    }

    /// Signs a person in from the beginning to the end.
    #[track_caller]
    fn sign_in(&self, claims: &Value) -> Response {
        let (browser, arrival) = begin(&self.browser());
        let code = self.provider.consent(&arrival, now(), claims);
        finish(&browser, &code, arrival.get("state"))
    }
}

#[expect(clippy::disallowed_methods, reason = "the provider goes by the real clock, as the server does")]
fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// Begins in a browser: the browser with its cookie, and where it was sent.
#[track_caller]
fn begin(browser: &Browser) -> (Browser, Arrival) {
    let begun = browser.post("/session/provider", json!({})).expect(200);
    (browser.keeping(&begun), Arrival::at(text(&begun.data()["url"])))
}

#[track_caller]
fn finish(browser: &Browser, code: &str, state: &str) -> Response {
    browser.post("/session/provider/finish", json!({ "code": code, "state": state }))
}

/// What the provider says of the owner.
fn owner() -> Value {
    json!({ "sub": "7", "email": OWNER, "email_verified": true, "name": "Olive" })
}

fn a_member_signs_in_at_the_provider(engine: Engine) {
    let scene = Scene::new(engine, &[]);
    let shown = scene.browser().get("/sign-in").expect(200);
    assert_eq!(shown.data()["provider"], "Example ID");
    assert_eq!(shown.data()["provider_only"], false);
    let (browser, arrival) = begin(&scene.browser());
    let redirect = format!("{}/app/sign-in/provider", scene.app.base());
    for (name, value) in [
        ("tenant", "1"),
        ("response_type", "code"),
        ("client_id", CLIENT_ID),
        ("scope", "openid email profile"),
        ("code_challenge_method", "S256"),
        ("redirect_uri", &redirect),
    ] {
        assert_eq!(arrival.get(name), value, "{name}");
    }
    let code = scene.provider.consent(&arrival, now(), &owner());
    let response = finish(&browser, &code, arrival.get("state")).expect(200);
    assert_eq!(response.data()["user"]["id"], scene.account.owner.as_str());
    let session = browser.keeping(&response);
    assert_eq!(session.get("/session").expect(200).data()["user"]["email"], OWNER);
    // The way with the password goes on working, and the provider may leave the address out from now on.
    scene.browser().try_sign_in(OWNER, PASSWORD).expect(200);
    scene.provider.inform(&json!({ "sub": "7" }));
    scene.sign_in(&json!({ "sub": "7" })).expect(200);
    let log = session.get("/admin/audit-log").expect(200);
    let actions: Vec<_> = log.data().as_array().unwrap().iter().map(|entry| text(&entry["action"])).collect();
    assert!(actions.contains(&"identity.linked"), "{actions:?}");
}

fn a_person_is_known_by_the_providers_id_and_not_by_the_address(engine: Engine) {
    let scene = Scene::new(engine, &[]);
    scene.sign_in(&owner()).expect(200);
    let moved = json!({ "sub": "7", "email": "olive@example.org", "email_verified": true });
    let response = scene.sign_in(&moved).expect(200);
    assert_eq!(response.data()["user"]["id"], scene.account.owner.as_str());
    // Somebody else who was given the address at the provider is not the owner.
    let heir = json!({ "sub": "8", "email": OWNER, "email_verified": true });
    let refused = scene.sign_in(&heir).expect(403);
    assert_eq!(refused.error("forbidden")["reason"], "another_person");
    // A second factor of the login is the provider's business, but it guards the password as before.
    let session = scene.browser().sign_in(OWNER);
    let (secret, _) = second_factor(&session, PASSWORD, now());
    scene.sign_in(&owner()).expect(200);
    scene.browser().try_sign_in(OWNER, PASSWORD).expect(401);
    assert_eq!(code(&secret, now()).len(), 6);
}

fn an_address_that_is_not_verified_proves_nothing(engine: Engine) {
    let scene = Scene::new(engine, &[]);
    scene.provider.inform(&json!({ "sub": "9" }));
    for claims in [
        json!({ "sub": "9", "email": OWNER }),
        json!({ "sub": "9", "email": OWNER, "email_verified": false }),
        json!({ "sub": "9", "email": OWNER, "email_verified": "no" }),
        json!({ "sub": "9", "email": [OWNER], "email_verified": true }),
    ] {
        let refused = scene.sign_in(&claims).expect(403);
        assert_eq!(refused.error("forbidden")["reason"], "not_a_member", "{claims}");
    }
    // What the user-info endpoint says counts if it is about the same person.
    scene.provider.inform(&json!({ "sub": "1", "email": OWNER, "email_verified": true }));
    let refused = scene.sign_in(&json!({ "sub": "9" })).expect(403);
    assert_eq!(refused.error("forbidden")["reason"], "provider_refused");
    scene.provider.inform(&json!({ "sub": "9", "email": OWNER, "email_verified": true }));
    scene.sign_in(&json!({ "sub": "9" })).expect(200);
    // A provider that never says it may be trusted by the operator, but not against its word.
    scene.configure(&[("FRONTDESK_OIDC_TRUST_EMAIL", "true"), ("FRONTDESK_OIDC_DOMAINS", "example.com")]);
    member(&scene.app, &scene.account, "mia@example.com", "agent");
    scene.sign_in(&json!({ "sub": "m", "email": "mia@example.com", "email_verified": false })).expect(403);
    scene.sign_in(&json!({ "sub": "m", "email": "mia@example.com" })).expect(200);
    let refused = scene.sign_in(&json!({ "sub": "x", "email": "eve@example.com.evil.org" })).expect(403);
    assert_eq!(refused.error("forbidden")["reason"], "domain");
}

fn somebody_whom_nobody_invited_stays_out(engine: Engine) {
    let scene = Scene::new(engine, &[]);
    let refused =
        scene.sign_in(&json!({ "sub": "5", "email": "eve@example.com", "email_verified": true })).expect(403);
    assert_eq!(refused.error("forbidden")["reason"], "not_a_member");
    assert!(refused.header("set-cookie").is_none(), "{}", refused.text);
    // A member who has left is nobody any more.
    let mia = member(&scene.app, &scene.account, "mia@example.com", "agent");
    let claims = json!({ "sub": "m", "email": "mia@example.com", "email_verified": true });
    scene.sign_in(&claims).expect(200);
    scene.app.cli(&["member", "remove", &mia]);
    assert!(matches!(scene.sign_in(&claims).status, 401 | 403));
    // So is everybody of a suspended account.
    scene.sign_in(&owner()).expect(200);
    scene.app.cli(&["account", "suspend", &scene.account.id]);
    assert!(matches!(scene.sign_in(&owner()).status, 401 | 403));
}

fn an_invited_person_needs_no_link(engine: Engine) {
    let scene = Scene::new(engine, &[]);
    let mia = invited(&scene.app, &scene.account, "mia@example.com", "agent");
    let claims = json!({ "sub": "m", "email": "Mia@Example.com", "email_verified": true });
    let response = scene.sign_in(&claims).expect(200);
    assert_eq!((&response.data()["user"]["id"], &response.data()["role"]), (&json!(mia), &json!("agent")));
    assert_eq!(response.data()["user"]["has_password"], false);
    // The password form still refuses the address.
    scene.browser().try_sign_in("mia@example.com", PASSWORD).expect(401);
}

fn groups_give_roles_and_take_them(engine: Engine) {
    let scene = Scene::with_roles(engine);
    let claims = |groups: Value| json!({ "sub": "n", "email": "new@example.com", "email_verified": true, "name": "Nia", "groups": groups });
    let refused = scene.sign_in(&claims(json!(["visitors"]))).expect(403);
    assert_eq!(refused.error("forbidden")["reason"], "not_a_member");
    let role = |groups: Value| scene.sign_in(&claims(groups)).expect(200).data()["role"].clone();
    assert_eq!(role(json!(["staff"])), "agent");
    assert_eq!(role(json!(["staff", "bosses"])), "admin");
    assert_eq!(role(json!(["staff"])), "agent");
    let refused = scene.sign_in(&claims(json!([]))).expect(403);
    assert_eq!(refused.error("forbidden")["reason"], "no_role");
    let members = scene.browser().sign_in(OWNER).get("/v1/members").expect(200);
    let named: Vec<_> =
        members.data().as_array().unwrap().iter().filter(|one| one["name"] == "Nia").collect();
    assert_eq!(named.len(), 1, "{members:?}");
    // No group makes or unmakes an owner.
    let response = scene.sign_in(&owner()).expect(200);
    assert_eq!(response.data()["role"], "owner");
}

fn a_sign_in_is_finished_by_the_browser_that_began_it_and_once(engine: Engine) {
    let scene = Scene::new(engine, &[]);
    let (browser, arrival) = begin(&scene.browser());
    let code = scene.provider.consent(&arrival, now(), &owner());
    let state = arrival.get("state");
    // Another browser, with no cookie or its own, cannot finish it: nobody signs somebody else in.
    finish(&scene.browser(), &code, state).expect(400);
    let (other, _) = begin(&scene.browser());
    finish(&other, &code, state).expect(400);
    finish(&browser, &code, "guessed").expect(400);
    finish(&browser, "", state).expect(400);
    let altered =
        browser.with_cookie(&format!("{}x", cookie(&scene.browser().post("/session/provider", json!({})))));
    finish(&altered, &code, state).expect(400);
    // A request from another site does not even begin.
    let foreign = Browser { client: scene.browser().client.with("origin", "https://evil.example") };
    foreign.post("/session/provider", json!({})).expect(403);
    finish(&browser, &code, state).expect(200);
    // The code is used up.
    let refused = finish(&browser, &code, state).expect(403);
    assert_eq!(refused.error("forbidden")["reason"], "provider_refused");
    // Guesses count like failed sign-ins of the address.
    let mut last = 0;
    for _ in 0..40 {
        last = finish(&browser, "guess", state).status;
    }
    assert_eq!(last, 429);
}

fn a_token_of_somebody_else_is_refused(engine: Engine) {
    let scene = Scene::new(engine, &[]);
    for change in [
        json!({ "iss": "https://id.example.com" }),
        json!({ "aud": "another client" }),
        json!({ "nonce": "of another sign-in" }),
        json!({ "exp": now() - 600 }),
        json!({ "sub": null }),
    ] {
        let mut claims = owner();
        for (claim, value) in change.as_object().unwrap() {
            claims[claim] = value.clone();
        }
        let refused = scene.sign_in(&claims).expect(403);
        assert_eq!(refused.error("forbidden")["reason"], "provider_refused", "{change}");
    }
    assert!(!scene.app.logs().contains(CLIENT_SECRET));
}

fn a_provider_that_fails_is_told_and_asked_again(engine: Engine) {
    let scene = Scene::new(engine, &[]);
    let sink = scene.provider.sink();
    sink.respond("/token", Reply::status(503));
    let told = scene.sign_in(&owner()).expect(503);
    assert!(told.header("retry-after").is_some() && !told.text.contains("127.0.0.1"), "{}", told.text);
    sink.respond("/token", Reply::status(200).body("x".repeat(2 << 20)));
    scene.sign_in(&owner()).expect(403);
    sink.respond("/token", Reply::closed());
    scene.sign_in(&owner()).expect(503);
    scene.provider.sign_with("one more");
    scene.configure(&[]);
    scene.sign_in(&owner()).expect(200);
    // Without its addresses nothing begins, and the page still has the form.
    let configuration = "/.well-known/openid-configuration";
    sink.respond(configuration, Reply::status(500));
    scene.configure(&[]);
    let asked = sink.count(configuration);
    for _ in 0..5 {
        scene.browser().post("/session/provider", json!({})).expect(503);
    }
    assert_eq!(sink.count(configuration), asked + 1, "a provider that fails is not asked for every visitor");
    scene.browser().get("/sign-in").expect(200);
    scene.browser().try_sign_in(OWNER, PASSWORD).expect(200);
    let issuer = scene.provider.issuer();
    let provider = [("FRONTDESK_OIDC_ISSUER", issuer.as_str()), ("FRONTDESK_OIDC_CLIENT_ID", CLIENT_ID)];
    let doctor = scene.app.run_with(&provider, &["doctor"]);
    assert!(doctor.out.contains("sign-in") && doctor.out.contains("500"), "{}", doctor.out);
}

fn new_keys_of_the_provider_are_read(engine: Engine) {
    let scene = Scene::new(engine, &[]);
    scene.sign_in(&owner()).expect(200);
    scene.provider.sign_with("two");
    // Keys are not read again at once, so that made-up tokens do not make this server a burden.
    let keys = scene.provider.sink().count("/keys");
    scene.sign_in(&owner());
    assert!(scene.provider.sink().count("/keys") <= keys + 1);
    scene.configure(&[]);
    scene.sign_in(&owner()).expect(200);
}

fn passwords_are_refused_where_the_provider_is_the_only_way_in(engine: Engine) {
    let scene = Scene::new(engine, &[("FRONTDESK_OIDC_ONLY", "true")]);
    let refused = scene.browser().try_sign_in(OWNER, PASSWORD).expect(403);
    assert_eq!(refused.error("forbidden")["reason"], "provider_only");
    assert_eq!(scene.browser().get("/sign-in").expect(200).data()["provider_only"], true);
    scene.sign_in(&owner()).expect(200);
}

fn a_reset_login_is_free_for_the_right_person(engine: Engine) {
    let scene = Scene::new(engine, &[]);
    scene.sign_in(&json!({ "sub": "impostor", "email": OWNER, "email_verified": true })).expect(200);
    scene.sign_in(&owner()).expect(403);
    scene.app.cli(&["login", "reset", OWNER]);
    scene.sign_in(&owner()).expect(200);
    scene.sign_in(&json!({ "sub": "impostor", "email": OWNER, "email_verified": true })).expect(403);
}

fn without_a_provider_there_is_nothing_to_begin(engine: Engine) {
    let app = App::start(engine).alone().ready();
    let browser = Browser::new(&app);
    assert_eq!(browser.get("/sign-in").expect(200).data()["provider"], Value::Null);
    browser.post("/session/provider", json!({})).expect(404);
    browser.post("/session/provider/finish", json!({ "code": "c", "state": "s" })).expect(404);
}
