//! Signing in to the dashboard: links, passwords, the second factor, and every way to fail.

use frontdesk_e2e::{App, Engine, at_once, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::{
    Browser, OWNER, PASSWORD, account, code, cookie, invite, invited, member, second_factor, set_password,
    token,
};
use crate::inbox_scene::Inbox;
use crate::shapes::{has_fields, text};
use crate::webhooks_scene::DAY;

on_every_engine! {
    a_member_sets_a_password_by_a_link_and_signs_in,
    a_link_works_once,
    a_link_works_for_72_hours,
    a_new_link_replaces_the_one_before,
    a_weak_password_is_refused_and_the_link_still_works,
    every_failed_sign_in_looks_the_same,
    a_session_tells_who_is_in,
    a_second_factor_is_asked_for,
    a_second_factor_is_removed_with_the_password_and_a_code,
    a_second_factor_is_replaced_with_the_password_and_a_code,
    a_code_counts_once,
    a_recovery_code_stands_in_once,
    a_second_factor_counts_once_it_is_confirmed,
    a_person_switches_between_accounts,
    demo the_first_start_prints_a_link_that_signs_in_once,
    what_is_wrong_with_a_sign_in_is_told,
}

fn a_member_sets_a_password_by_a_link_and_signs_in(app: App) {
    let account = account(&app);
    let mia = invited(&app, &account, "mia@example.com", "agent");
    let browser = Browser::new(&app);
    browser.try_sign_in("mia@example.com", PASSWORD).expect(401);
    let link = app.cli(&["member", "invite", &mia]);
    assert!(text(&link["url"]).starts_with(&format!("{}/app/password#token=", app.base())), "{link}");
    let set = json!({ "token": token(text(&link["url"])), "password": PASSWORD });
    assert_eq!(browser.post("/password", set).expect(200).data(), &json!({ "email": "mia@example.com" }));
    let response = browser.try_sign_in("MIA@example.com", PASSWORD).expect(200);
    assert_eq!(response.data()["user"]["id"], mia.as_str());
    assert_eq!(browser.keeping(&response).get("/session").expect(200).data(), response.data());
    // The same link resets it.
    set_password(&app, &mia, "another horse battery");
    browser.try_sign_in("mia@example.com", PASSWORD).expect(401);
    browser.try_sign_in("mia@example.com", "another horse battery").expect(200);
}

fn a_link_works_once(app: App) {
    let owner = app.account_with(&["--owner-email", OWNER]).owner;
    let link = invite(&app, &owner);
    let browser = Browser::new(&app);
    browser.post("/password", json!({ "token": link, "password": PASSWORD })).expect(200);
    for again in [PASSWORD, "another horse battery"] {
        let response = browser.post("/password", json!({ "token": link, "password": again })).expect(404);
        assert!(text(&response.error("not_found")["message"]).contains("member invite"), "{}", response.text);
    }
    browser.post("/password", json!({ "token": "x", "password": PASSWORD })).expect(404);
    // A link for a password does not sign in.
    let link = invite(&app, &owner);
    browser.post("/session/link", json!({ "token": link })).expect(404);
}

fn a_link_works_for_72_hours(inbox: Inbox) {
    let mia = invited(&inbox.app, &inbox.tenant.account, "mia@example.com", "agent");
    let browser = Browser::new(&inbox.app);
    let (early, late) = (invite(&inbox.app, &mia), "another horse battery");
    inbox.advance(3 * DAY - 60);
    browser.post("/password", json!({ "token": early, "password": PASSWORD })).expect(200);
    // Commands read the system's clock, so this link was made three days ago.
    let expired = invite(&inbox.app, &mia);
    inbox.advance(120);
    browser.post("/password", json!({ "token": expired, "password": late })).expect(404);
    browser.try_sign_in("mia@example.com", PASSWORD).expect(200);
}

fn a_new_link_replaces_the_one_before(app: App) {
    let owner = app.account_with(&["--owner-email", OWNER]).owner;
    let (first, second) = (invite(&app, &owner), invite(&app, &owner));
    let browser = Browser::new(&app);
    browser.post("/password", json!({ "token": first, "password": PASSWORD })).expect(404);
    browser.post("/password", json!({ "token": second, "password": PASSWORD })).expect(200);
    let removed = invited(&app, &account(&app), "mia@example.com", "agent");
    let link = invite(&app, &removed);
    app.cli(&["member", "remove", &removed]);
    browser.post("/password", json!({ "token": link, "password": PASSWORD })).expect(404);
    app.run(&["member", "invite", &removed]).expect_failure();
}

fn a_weak_password_is_refused_and_the_link_still_works(app: App) {
    let owner = app.account_with(&["--owner-email", OWNER]).owner;
    let link = invite(&app, &owner);
    let browser = Browser::new(&app);
    for weak in ["", "short", "password1234", "Password1234!", "aaaaaaaaaaaa", "123456789012"] {
        let response = browser.post("/password", json!({ "token": link, "password": weak })).expect(400);
        response.error("validation_error");
        response.details_at(&["password"]);
    }
    browser.post("/password", json!({ "token": link, "password": PASSWORD })).expect(200);
}

fn every_failed_sign_in_looks_the_same(app: App) {
    let account = account(&app);
    invited(&app, &account, "invited@example.com", "agent");
    let gone = member(&app, &account, "gone@example.com", "agent");
    app.cli(&["member", "remove", &gone]);
    let browser = Browser::new(&app);
    let said = |email: &str, password: &str| {
        let response = browser.try_sign_in(email, password).expect(401);
        let mut error = response.error("unauthorized").clone();
        error.as_object_mut().expect("an error").remove("request_id");
        assert_eq!(response.header("set-cookie"), None);
        error
    };
    let first = said(OWNER, "wrong horse battery");
    assert_eq!(first.get("reason"), None);
    for (email, password) in [
        ("nobody@example.com", PASSWORD),
        ("invited@example.com", PASSWORD),
        ("gone@example.com", PASSWORD),
        (OWNER, ""),
        (OWNER, "Correct horse battery"),
    ] {
        assert_eq!(said(email, password), first, "{email}");
    }
    app.cli(&["account", "suspend", &account.id]);
    assert_eq!(said(OWNER, PASSWORD), first);
}

fn a_session_tells_who_is_in(app: App) {
    let account = account(&app);
    let mia = member(&app, &account, "mia@example.com", "agent");
    let browser = Browser::new(&app).sign_in("mia@example.com");
    let session = browser.get("/session").expect(200);
    has_fields(session.data(), "user account role scopes accounts");
    has_fields(&session.data()["user"], "id name email second_factor has_password");
    assert_eq!(
        session.data()["user"],
        json!({ "id": mia, "name": "Mia", "email": "mia@example.com", "second_factor": false, "has_password": true })
    );
    let acme = json!({ "id": account.id, "name": "Acme", "timezone": "UTC", "country": null });
    assert_eq!(session.data()["account"], acme);
    assert_eq!(session.data()["role"], "agent");
    let scopes = session.data()["scopes"].as_array().expect("scopes");
    assert!(scopes.contains(&json!("messages:send")) && !scopes.contains(&json!("webhooks:manage")));
    let accounts = json!([{ "id": account.id, "name": "Acme", "role": "agent" }]);
    assert_eq!(session.data()["accounts"], accounts);
    let renamed = browser.patch("/profile", json!({ "name": "Mia Lee" })).expect(200);
    assert_eq!(renamed.data()["user"]["name"], "Mia Lee");
    browser.patch("/profile", json!({ "name": " " })).expect(400).details_at(&["name"]);
}

/// An inbox whose account has the member mia, and her browser.
fn with_mia(inbox: &Inbox) -> Browser {
    member(&inbox.app, &inbox.tenant.account, "mia@example.com", "agent");
    Browser::new(&inbox.app).sign_in("mia@example.com")
}

#[track_caller]
fn with_code(inbox: &Inbox, code: &str) -> frontdesk_e2e::Response {
    let body = json!({ "email": "mia@example.com", "password": PASSWORD, "code": code });
    Browser::new(&inbox.app).post("/session", body)
}

fn a_second_factor_is_asked_for(inbox: Inbox) {
    let mia = with_mia(&inbox);
    let (secret, codes) = second_factor(&mia, PASSWORD, inbox.now());
    assert_eq!(codes.len(), 10);
    assert_eq!(mia.get("/session").expect(200).data()["user"]["second_factor"], true);
    let browser = Browser::new(&inbox.app);
    let asked = browser.try_sign_in("mia@example.com", PASSWORD).expect(401);
    assert_eq!(asked.error("unauthorized")["reason"], "code_required");
    // Only whoever knows the password learns of it.
    let wrong = browser.try_sign_in("mia@example.com", "wrong horse battery").expect(401);
    assert_eq!(wrong.error("unauthorized").get("reason"), None);
    inbox.advance(60);
    let refused = with_code(&inbox, "000000").expect(401);
    assert_eq!(refused.error("unauthorized").get("reason"), None);
    with_code(&inbox, &code(&secret, inbox.now() - 300)).expect(401);
    with_code(&inbox, &code(&secret, inbox.now())).expect(200);
}

fn a_second_factor_is_removed_with_the_password_and_a_code(inbox: Inbox) {
    let mia = with_mia(&inbox);
    let remove = |password: &str, code: &str| {
        mia.post("/profile/second-factor/remove", json!({ "password": password, "code": code }))
    };
    remove(PASSWORD, "000000").expect(409).error("conflict");
    let (secret, codes) = second_factor(&mia, PASSWORD, inbox.now());
    inbox.advance(60);
    let shown = code(&secret, inbox.now());
    remove("wrong horse battery", &shown).expect(400).details_at(&["password"]);
    remove(PASSWORD, "000000").expect(400).details_at(&["code"]);
    mia.post("/profile/second-factor/remove", json!({ "password": PASSWORD }))
        .expect(400)
        .details_at(&["code"]);
    remove(PASSWORD, &shown).expect(200);
    Browser::new(&inbox.app).try_sign_in("mia@example.com", PASSWORD).expect(200);
    // Recovery codes go with it.
    let (_, newer) = second_factor(&mia, PASSWORD, inbox.now());
    remove(PASSWORD, &codes[0]).expect(400).details_at(&["code"]);
    remove(PASSWORD, &newer[0]).expect(200);
}

fn a_second_factor_is_replaced_with_the_password_and_a_code(inbox: Inbox) {
    let mia = with_mia(&inbox);
    let begin = |body: Value| mia.post("/profile/second-factor", body);
    for (body, wrong) in [
        (json!({}), "password"),
        (json!({ "password": "wrong horse battery" }), "password"),
        (json!({ "password": "" }), "password"),
    ] {
        begin(body).expect(400).details_at(&[wrong]);
    }
    let (first, codes) = second_factor(&mia, PASSWORD, inbox.now());
    inbox.advance(60);
    let shown = code(&first, inbox.now());
    for (body, wrong) in [
        (json!({ "password": PASSWORD }), "code"),
        (json!({ "password": PASSWORD, "code": "000000" }), "code"),
        (json!({ "password": "wrong horse battery", "code": shown }), "password"),
    ] {
        begin(body).expect(400).details_at(&[wrong]);
    }
    let begun = begin(json!({ "password": PASSWORD, "code": shown })).expect(200);
    // A code is used up, and the first one counts until the other is confirmed.
    begin(json!({ "password": PASSWORD, "code": shown })).expect(400).details_at(&["code"]);
    with_code(&inbox, &codes[0]).expect(200);
    let second = text(&begun.data()["secret"]).to_owned();
    let confirmation = json!({ "code": code(&second, inbox.now()) });
    mia.post("/profile/second-factor/confirm", confirmation).expect(200);
    inbox.advance(60);
    with_code(&inbox, &code(&first, inbox.now())).expect(401);
    with_code(&inbox, &codes[1]).expect(401);
    with_code(&inbox, &code(&second, inbox.now())).expect(200);
}

fn a_code_counts_once(inbox: Inbox) {
    let (mia, at) = (with_mia(&inbox), inbox.now());
    let (secret, _) = second_factor(&mia, PASSWORD, at);
    // The code that confirmed it is used up too.
    with_code(&inbox, &code(&secret, at)).expect(401);
    inbox.advance(90);
    let shown = code(&secret, inbox.now());
    with_code(&inbox, &shown).expect(200);
    with_code(&inbox, &shown).expect(401);
}

fn a_recovery_code_stands_in_once(inbox: Inbox) {
    let mia = with_mia(&inbox);
    let (_, codes) = second_factor(&mia, PASSWORD, inbox.now());
    with_code(&inbox, &codes[0].to_uppercase().replace('-', " ")).expect(200);
    with_code(&inbox, &codes[0]).expect(401);
    with_code(&inbox, &codes[9]).expect(200);
}

fn a_second_factor_counts_once_it_is_confirmed(inbox: Inbox) {
    let mia = with_mia(&inbox);
    let wrong = mia.post("/profile/second-factor/confirm", json!({ "code": "123456" })).expect(400);
    wrong.details_at(&["code"]);
    mia.post("/profile/second-factor", json!({ "password": PASSWORD })).expect(200);
    mia.post("/profile/second-factor/confirm", json!({ "code": "000000" })).expect(400).details_at(&["code"]);
    Browser::new(&inbox.app).try_sign_in("mia@example.com", PASSWORD).expect(200);
}

fn a_person_switches_between_accounts(app: App) {
    let (ours, theirs) = (account(&app), app.tenant().account);
    let mia = member(&app, &ours, "mia@example.com", "agent");
    // Whoever signs in to the login of their other account is the same person.
    let as_admin = member(&app, &theirs, "mia@example.com", "admin");
    let browser = Browser::new(&app).sign_in("mia@example.com");
    let session = browser.get("/session").expect(200);
    assert_eq!(session.data()["accounts"].as_array().map(Vec::len), Some(2));
    assert_eq!((&session.data()["user"]["id"], &session.data()["role"]), (&json!(mia), &json!("agent")));
    browser.get("/admin/members").expect(403);
    let response = browser.post("/session/account", json!({ "account_id": theirs.id })).expect(200);
    assert_eq!(
        (&response.data()["user"]["id"], &response.data()["role"]),
        (&json!(as_admin), &json!("admin"))
    );
    let switched = browser.keeping(&response);
    switched.get("/admin/members").expect(200);
    // The cookie from before is worth nothing.
    assert!(!browser.is_in());
    let other = app.tenant().account;
    switched.post("/session/account", json!({ "account_id": other.id })).expect(404).error("not_found");
}

fn the_first_start_prints_a_link_that_signs_in_once(engine: Engine) {
    let app = App::start(engine).ready();
    let printed = app.printed();
    let line = printed.lines().find(|line| line.contains("/app/sign-in#token="));
    let link = token(line.unwrap_or_else(|| panic!("no link in {printed}")).trim());
    let browser = Browser::new(&app);
    let response = browser.post("/session/link", json!({ "token": link })).expect(200);
    assert_eq!(
        (&response.data()["role"], &response.data()["account"]["name"]),
        (&json!("owner"), &json!("Demo"))
    );
    browser.post("/session/link", json!({ "token": link })).expect(404);
    // The owner sets a password, with none to show before.
    let owner = browser.keeping(&response);
    // Without one, a second factor would lock them out.
    let early = owner.post("/profile/second-factor", json!({ "password": "" })).expect(422);
    assert_eq!(early.error("unprocessable")["reason"], "password_missing");
    assert_eq!(response.data()["user"]["has_password"], false);
    // Nothing is accepted as a current password where there is none.
    for current in ["", "anything", PASSWORD] {
        let body = json!({ "current_password": current, "password": PASSWORD });
        owner.post("/profile/password", body).expect(400).details_at(&["current_password"]);
    }
    // Two requests at once set one password.
    let others = ["another horse battery", PASSWORD].map(|password| json!({ "password": password }));
    let outcomes = at_once(2, |number| owner.post("/profile/password", others[number].clone()));
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.iter().enumerate().partition(|(_, one)| one.status == 200);
    let [(number, changed)] = won[..] else { panic!("one of them: {outcomes:?}") };
    assert!(lost.iter().all(|(_, one)| matches!(one.status, 400 | 401 | 409)), "{outcomes:?}");
    assert_eq!(changed.data()["user"]["has_password"], true);
    let owner = browser.keeping(changed);
    // From now on the current one is needed.
    let body = json!({ "password": PASSWORD });
    owner.post("/profile/password", body).expect(400).details_at(&["current_password"]);
    let current = others[number]["password"].clone();
    let body = json!({ "current_password": current, "password": PASSWORD });
    let changed = owner.post("/profile/password", body).expect(200);
    assert!(!cookie(&changed).is_empty());
    browser.try_sign_in(text(&response.data()["user"]["email"]), PASSWORD).expect(200);
    app.restart();
    assert!(!app.printed().contains("#token="), "{}", app.printed());
}

fn what_is_wrong_with_a_sign_in_is_told(app: App) {
    let browser = Browser::new(&app);
    let cases: [(Value, &[&str]); 3] = [
        (json!({}), &["email", "password"]),
        (json!({ "email": "nowhere", "password": 7 }), &["email", "password"]),
        (
            json!({ "email": OWNER, "password": "x".repeat(257), "code": "x".repeat(51) }),
            &["password", "code"],
        ),
    ];
    for (body, paths) in cases {
        let response = browser.post("/session", body).expect(400);
        response.error("validation_error");
        response.details_at(paths);
    }
}
