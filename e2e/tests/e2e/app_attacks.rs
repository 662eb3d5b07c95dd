//! Attacks on sessions: other origins, other roles, other accounts, stolen and expired cookies, fixation.

use frontdesk_e2e::{App, Engine, on_every_engine};
use serde_json::json;

use crate::app_scene::{Browser, OWNER, PASSWORD, account, cookie, invite, member, token};
use crate::inbox_scene::{Inbox, reachable};
use crate::people::add;
use crate::shapes::{NOTHING, text};
use crate::webhooks_scene::DAY;

on_every_engine! {
    a_change_from_another_origin_is_refused,
    a_cookie_is_for_the_dashboard_and_a_key_for_the_api,
    the_cookie_cannot_be_read_by_scripts_or_sent_by_other_sites,
    over_https_the_cookie_is_bound_to_the_host,
    a_planted_cookie_is_worth_nothing,
    a_stolen_cookie_ends_with_its_session,
    a_changed_password_ends_every_other_session,
    a_session_ends_with_its_member_and_its_account,
    a_session_ends_after_two_weeks_without_use,
    a_session_ends_after_ninety_days,
    an_agent_does_not_administer,
    nobody_reaches_into_another_account,
    only_the_owner_hands_out_the_owners_link,
    made_up_cookies_are_refused,
    alone what_was_done_is_in_the_audit_log,
    nothing_of_the_dashboard_is_shown_to_other_origins,
}

fn a_change_from_another_origin_is_refused(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let name = json!({ "name": "Ann" });
    // The last one is this server's host under another scheme.
    let other_scheme = app.base().replace("http://", "https://");
    for origin in
        ["https://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:1", "", &other_scheme]
    {
        let foreign = Browser { client: browser.client.with("origin", origin) };
        let refused = foreign.post("/v1/contacts", name.clone()).expect(403);
        assert_eq!(refused.error("forbidden")["reason"], "origin", "{origin}");
        foreign.send("DELETE", "/session").expect(403);
        foreign.try_sign_in(OWNER, PASSWORD).expect(403);
        // Reading needs none: a browser sends no origin with it.
        foreign.get("/v1/contacts").expect(200);
    }
    let without = Browser { client: app.anonymous().vendors() };
    without.try_sign_in(OWNER, PASSWORD).expect(403);
    browser.post("/v1/contacts", name).expect(201);
    assert!(browser.is_in());
}

fn a_cookie_is_for_the_dashboard_and_a_key_for_the_api(app: App) {
    let account = account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    browser.client.get("/api/v1/contacts").expect(401).error("unauthorized");
    let key = app.key_with(&account, &["--all-scopes"]);
    let with_key = Browser { client: Browser::new(&app).client.with_key(&key.secret) };
    for path in ["/session", "/v1/contacts", "/v1/me", "/inbox", "/admin/members", "/nowhere"] {
        with_key.get(path).expect(401).error("unauthorized");
    }
    with_key.post("/v1/contacts", json!({ "name": "Ann" })).expect(401);
    // Both at once are what each is alone.
    let both = Browser { client: browser.client.with_key(&key.secret) };
    both.get("/v1/contacts").expect(200);
    assert_eq!(both.client.get("/api/v1/me").expect(200).data()["key"]["id"], key.id.as_str());
}

fn the_cookie_cannot_be_read_by_scripts_or_sent_by_other_sites(app: App) {
    account(&app);
    let response = Browser::new(&app).try_sign_in(OWNER, PASSWORD).expect(200);
    let set = response.header("set-cookie").expect("a cookie");
    for part in ["HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(set.contains(part), "{set}");
    }
    assert!(!set.contains("Domain") && !set.contains("Secure"), "{set}");
    assert_eq!(response.header("cache-control"), Some("no-store"));
    let value = cookie(&response);
    assert!(!response.text.contains(value.split_once('=').expect("a value").1), "the body shows the token");
    assert!(!app.logs().contains(value.split_once('=').expect("a value").1), "the log shows the token");
    let out = Browser::new(&app).keeping(&response).send("DELETE", "/session").expect(200);
    assert!(out.header("set-cookie").is_some_and(|set| set.contains("Max-Age=0")));
}

fn over_https_the_cookie_is_bound_to_the_host(engine: Engine) {
    let app = App::start(engine).args(&["--base-url", "https://desk.example"]).ready();
    account(&app);
    let browser = Browser { client: app.anonymous().vendors().with("origin", "https://desk.example") };
    let response = browser.try_sign_in(OWNER, PASSWORD).expect(200);
    let set = response.header("set-cookie").expect("a cookie").to_owned();
    assert!(set.starts_with("__Host-frontdesk_session=") && set.ends_with("; Secure"), "{set}");
    assert!(browser.keeping(&response).is_in());
    // The name without the prefix may have been set by another host of the domain.
    assert!(!browser.with_cookie(&cookie(&response).replace("__Host-", "")).is_in());
}

fn a_planted_cookie_is_worth_nothing(app: App) {
    let ours = account(&app);
    member(&app, &ours, "eve@example.com", "agent");
    let planted = format!("frontdesk_session={}", "A".repeat(43));
    let victim = Browser::new(&app).with_cookie(&planted);
    let response = victim.try_sign_in(OWNER, PASSWORD).expect(200);
    assert_ne!(cookie(&response), planted);
    assert!(!victim.is_in() && victim.keeping(&response).is_in());
    // A session that somebody else left in the browser ends when another signs in.
    let eve = Browser::new(&app).sign_in("eve@example.com");
    let response = eve.try_sign_in(OWNER, PASSWORD).expect(200);
    assert!(!eve.is_in());
    assert_eq!(eve.keeping(&response).get("/session").expect(200).data()["role"], "owner");
}

fn a_stolen_cookie_ends_with_its_session(app: App) {
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let thief = browser.clone();
    assert!(thief.is_in());
    browser.send("DELETE", "/session").expect(200);
    assert!(!thief.is_in());
    thief.get("/v1/contacts").expect(401).error("unauthorized");
    // One that is listed is ended from elsewhere.
    let (here, there) = (Browser::new(&app).sign_in(OWNER), Browser::new(&app).sign_in(OWNER));
    let listed = here.get("/sessions").expect(200);
    let rows = listed.data().as_array().expect("a list");
    assert_eq!(rows.len(), 2, "{}", listed.text);
    assert_eq!(rows[0]["user_agent"], "Tester/1.0");
    let other = rows.iter().find(|row| row["current"] == false).expect("the other one");
    here.send("DELETE", &format!("/sessions/{}", text(&other["id"]))).expect(200);
    assert!(here.is_in() && !there.is_in());
    here.send("DELETE", &format!("/sessions/{}", text(&other["id"]))).expect(404);
    here.send("DELETE", &format!("/sessions/{NOTHING}")).expect(404);
}

fn a_changed_password_ends_every_other_session(app: App) {
    let owner = account(&app).owner;
    let (here, there) = (Browser::new(&app).sign_in(OWNER), Browser::new(&app).sign_in(OWNER));
    let change = |current: &str, new: &str| json!({ "current_password": current, "password": new });
    let wrong = here.post("/profile/password", change("wrong horse battery", "another horse battery"));
    wrong.expect(400).details_at(&["current_password"]);
    here.post("/profile/password", change(PASSWORD, "short")).expect(400).details_at(&["password"]);
    let changed = here.post("/profile/password", change(PASSWORD, "another horse battery")).expect(200);
    assert!(!there.is_in() && !here.is_in());
    let kept = here.keeping(&changed);
    assert!(kept.is_in());
    // A link ends this one too.
    let link = invite(&app, &owner);
    Browser::new(&app).post("/password", json!({ "token": link, "password": PASSWORD })).expect(200);
    assert!(!kept.is_in());
}

fn a_session_ends_with_its_member_and_its_account(app: App) {
    let account = account(&app);
    let mia = member(&app, &account, "mia@example.com", "agent");
    let (owner, agent) = (Browser::new(&app).sign_in(OWNER), Browser::new(&app).sign_in("mia@example.com"));
    app.cli(&["member", "remove", &mia]);
    assert!(!agent.is_in() && owner.is_in());
    app.cli(&["account", "suspend", &account.id]);
    assert!(!owner.is_in());
    app.cli(&["account", "resume", &account.id]);
    assert!(!owner.is_in(), "a session that ended does not come back");
    assert!(Browser::new(&app).sign_in(OWNER).is_in());
}

fn a_session_ends_after_two_weeks_without_use(inbox: Inbox) {
    member(&inbox.app, &inbox.tenant.account, "mia@example.com", "agent");
    let (used, unused) = (
        Browser::new(&inbox.app).sign_in("mia@example.com"),
        Browser::new(&inbox.app).sign_in("mia@example.com"),
    );
    inbox.advance(10 * DAY);
    assert!(used.is_in());
    inbox.advance(5 * DAY);
    assert!(used.is_in() && !unused.is_in());
}

fn a_session_ends_after_ninety_days(inbox: Inbox) {
    member(&inbox.app, &inbox.tenant.account, "mia@example.com", "agent");
    let browser = Browser::new(&inbox.app).sign_in("mia@example.com");
    for _ in 0..8 {
        inbox.advance(11 * DAY);
        assert!(browser.is_in());
    }
    inbox.advance(3 * DAY);
    assert!(!browser.is_in());
}

fn an_agent_does_not_administer(app: App) {
    let account = account(&app);
    let mia = member(&app, &account, "mia@example.com", "agent");
    let agent = Browser::new(&app).sign_in("mia@example.com");
    let key = app.key_with(&account, &["--all-scopes"]).id;
    for path in ["/admin/members", "/admin/keys", "/admin/connections", "/admin/audit-log"] {
        let refused = agent.get(path).expect(403);
        assert_eq!(refused.error("forbidden")["reason"], "role", "{path}");
    }
    agent
        .post("/admin/members", json!({ "name": "X", "email": "x@example.com", "role": "admin" }))
        .expect(403);
    agent.patch(&format!("/admin/members/{mia}"), json!({ "role": "admin" })).expect(403);
    agent.send("DELETE", &format!("/admin/members/{}", account.owner)).expect(403);
    agent.post(&format!("/admin/members/{mia}/invitation"), json!({})).expect(403);
    agent.post("/admin/keys", json!({ "name": "X", "scopes": ["contacts:read"] })).expect(403);
    agent.post(&format!("/admin/keys/{key}/revoke"), json!({ "reason": "x" })).expect(403);
    agent.post(&format!("/admin/keys/{key}/regenerate"), json!({})).expect(403);
    let refused = agent.post("/v1/webhooks", json!({ "url": "https://example.com" })).expect(403);
    assert_eq!(refused.error("forbidden")["reason"], "scope");
    assert_eq!(agent.get("/session").expect(200).data()["role"], "agent");
}

fn nobody_reaches_into_another_account(app: App) {
    account(&app);
    let other = app.tenant();
    let theirs = add(&other.client, json!({ "name": "Ann" }));
    let their_member = member(&app, &other.account, "eve@example.com", "admin");
    let browser = Browser::new(&app).sign_in(OWNER);
    browser.get(&format!("/v1/contacts/{theirs}")).expect(404).error("not_found");
    browser.patch(&format!("/v1/contacts/{theirs}"), json!({ "name": "X" })).expect(404);
    assert_eq!(browser.get("/v1/contacts").expect(200).data(), &json!([]));
    assert_eq!(browser.get(&format!("/contacts/names?ids={theirs}")).expect(200).data(), &json!([]));
    browser.get(&format!("/contacts/{theirs}/inquiries")).expect(404);
    browser.get(&format!("/inbox/{NOTHING}")).expect(404);
    browser.patch(&format!("/admin/members/{their_member}"), json!({ "name": "X" })).expect(404);
    browser.send("DELETE", &format!("/admin/members/{their_member}")).expect(404);
    browser.post(&format!("/admin/members/{their_member}/invitation"), json!({})).expect(404);
    browser.post(&format!("/admin/keys/{}/revoke", other.key.id), json!({ "reason": "x" })).expect(404);
    browser.post(&format!("/admin/keys/{}/regenerate", other.key.id), json!({})).expect(404);
    other.client.get("/me").expect(200);
    let eves = Browser::new(&app).sign_in("eve@example.com");
    let session = eves.get("/sessions").expect(200).data()[0]["id"].clone();
    browser.send("DELETE", &format!("/sessions/{}", text(&session))).expect(404);
    assert!(eves.is_in());
}

fn only_the_owner_hands_out_the_owners_link(app: App) {
    let account = account(&app);
    let mia = member(&app, &account, "mia@example.com", "admin");
    let (owner, admin) = (Browser::new(&app).sign_in(OWNER), Browser::new(&app).sign_in("mia@example.com"));
    let to_owner = format!("/admin/members/{}/invitation", account.owner);
    assert_eq!(admin.post(&to_owner, json!({})).expect(403).error("forbidden")["reason"], "role");
    admin.send("DELETE", &format!("/admin/members/{}", account.owner)).expect(409);
    admin.patch(&format!("/admin/members/{}", account.owner), json!({ "role": "agent" })).expect(409);
    owner.post(&to_owner, json!({})).expect(201);
    let link = owner.post(&format!("/admin/members/{mia}/invitation"), json!({})).expect(201);
    assert_eq!(link.data()["mailed"], false);
    assert_eq!(token(text(&link.data()["url"])).len(), 43);
}

fn made_up_cookies_are_refused(app: App) {
    account(&app);
    let real = cookie(&Browser::new(&app).try_sign_in(OWNER, PASSWORD).expect(200));
    let (name, token) = real.split_once('=').expect("a cookie");
    let mut altered = token.to_owned();
    altered.replace_range(..1, if token.starts_with('A') { "B" } else { "A" });
    for made_up in [
        format!("{name}="),
        format!("{name}={altered}"),
        format!("{name}={}", &token[1..]),
        format!("{name}={token}A"),
        format!("{name}=' OR 1=1 --"),
        format!("other={token}"),
        token.to_owned(),
    ] {
        assert!(!Browser::new(&app).with_cookie(&made_up).is_in(), "{made_up}");
    }
    assert!(Browser::new(&app).with_cookie(&format!("a=b; {real}; c=d")).is_in());
}

fn what_was_done_is_in_the_audit_log(app: App) {
    let account = account(&app);
    let owner = Browser::new(&app).sign_in(OWNER);
    let new = json!({ "name": "Mia", "email": "mia@example.com", "role": "agent" });
    let mia = text(&owner.post("/admin/members", new).expect(201).data()["member"]["id"]).to_owned();
    let made = owner.post("/admin/keys", json!({ "name": "CI", "scopes": ["contacts:read"] })).expect(201);
    let (key, secret) = (text(&made.data()["key"]["id"]), text(&made.data()["secret"]));
    assert!(secret.ends_with(text(&made.data()["key"]["hint"])));
    app.anonymous().with_key(secret).get("/contacts").expect(200);
    owner.post(&format!("/admin/keys/{key}/revoke"), json!({ "reason": "done" })).expect(200);
    app.anonymous().with_key(secret).get("/contacts").expect(401);
    owner.send("DELETE", &format!("/admin/members/{mia}")).expect(200);
    let log = owner.get("/admin/audit-log").expect(200);
    let rows: Vec<(&str, Option<&str>)> = log
        .data()
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| {
            assert_eq!((&row["user_id"], &row["address"]), (&json!(account.owner), &json!("127.0.0.1")));
            (text(&row["action"]), row["subject"].as_str())
        })
        .collect();
    let wanted = [
        ("member.removed", Some(mia.as_str())),
        ("key.revoked", Some(key)),
        ("key.created", Some(key)),
        ("member.added", Some(mia.as_str())),
        ("session.created", None),
        ("password.set", None),
    ];
    assert_eq!(rows, wanted);
    let page = owner.get("/admin/audit-log?limit=2").expect(200);
    let next = text(&page.json["meta"]["next_cursor"]);
    let rest = owner.get(&format!("/admin/audit-log?limit=2&cursor={next}")).expect(200);
    assert_eq!(rest.data()[0]["action"], "key.created");
    // A refused change leaves no entry.
    owner.send("DELETE", &format!("/admin/members/{NOTHING}")).expect(404);
    assert_eq!(owner.get("/admin/audit-log").expect(200).data().as_array().map(Vec::len), Some(6));
}

fn nothing_of_the_dashboard_is_shown_to_other_origins(engine: Engine) {
    let app = App::start(engine).env("FRONTDESK_CORS_ORIGINS", "*").ready();
    reachable(&app);
    account(&app);
    let browser = Browser::new(&app).sign_in(OWNER);
    let foreign = browser.client.with("origin", "https://evil.example");
    for path in ["/app", "/app/api/session", "/app/api/v1/contacts"] {
        let response = foreign.get(path).expect(200);
        assert_eq!(response.header("access-control-allow-origin"), None, "{path}");
    }
    let page = foreign.get("/app/inbox").expect(200);
    assert!(
        page.header("content-security-policy")
            .is_some_and(|policy| policy.contains("frame-ancestors 'none'"))
    );
}
