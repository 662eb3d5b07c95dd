//! Where a call comes from: allowlists, proxies, and the budget of failed authentication.

use frontdesk_e2e::{
    App, Budget, Client, Clocked, Engine, Response, at_once, came_true, on_every_engine, on_every_store,
    on_shared_stores,
};
use serde_json::Value;

const FAILURES: u64 = 30;

on_every_engine! {
    alone a_key_with_an_allowlist_works_from_there_alone,
    a_forwarded_address_is_believed_from_a_trusted_proxy_alone,
    the_right_most_untrusted_address_is_the_callers,
    a_caller_whose_address_is_unknown_is_refused_by_an_allowlist,
    failures_are_counted_by_the_callers_own_address,
    an_ipv6_client_cannot_evade_the_limit_by_changing_its_address,
    alone a_proxy_that_is_not_declared_is_reported,
}

on_every_store! {
    thirty_failures_close_an_address_even_to_a_valid_key,
    exactly_thirty_of_a_hundred_concurrent_failures_get_401,
}

on_shared_stores! {
    failures_are_counted_across_servers,
}

fn a_key_with_an_allowlist_works_from_there_alone(app: App) {
    let account = app.account();
    for allowed in ["127.0.0.1", "127.0.0.0/8", "0.0.0.0/0"] {
        let key = app.key_with(&account, &["--all-scopes", "--allow", "2001:db8::1", "--allow", allowed]);
        app.client(&key).get("/me").expect(200);
    }
    let key = app.key_with(&account, &["--all-scopes", "--allow", "203.0.113.0/24", "--allow", "::/0"]);
    let client = app.client(&key);
    refused(&client.get("/me"));
    refused(&client.with("x-forwarded-for", "203.0.113.7").get("/nowhere"));
    app.cli(&["key", "edit", &key.id, "--allow", "127.0.0.1"]);
    client.get("/me").expect(200);
}

#[track_caller]
fn refused(response: &Response) {
    assert_eq!(response.status, 403, "{}", response.text);
    assert_eq!(response.error("forbidden")["reason"], "ip_not_allowed");
}

/// A server that believes the proxies on this machine, and a key that is good from one network.
fn behind_proxies(engine: Engine) -> (App, Client) {
    let start = App::start(engine).movable_clock();
    let app = start.env("FRONTDESK_TRUSTED_PROXIES", "127.0.0.0/8, 198.51.100.0/24").ready();
    let allowed = ["--all-scopes", "--allow", "203.0.113.0/24", "--allow", "2001:db8::/32"];
    let key = app.key_with(&app.account(), &allowed);
    let client = app.client(&key);
    (app, client)
}

fn a_forwarded_address_is_believed_from_a_trusted_proxy_alone(engine: Engine) {
    let (app, client) = behind_proxies(engine);
    client.with("x-forwarded-for", "203.0.113.7").get("/me").expect(200);
    client.with("x-forwarded-for", "2001:db8::7").get("/me").expect(200);
    refused(&client.with("x-forwarded-for", "192.0.2.7").get("/me"));
    drop(app);

    let app = App::start(engine).env("FRONTDESK_TRUSTED_PROXIES", "192.0.2.0/24").ready();
    let key = app.key_with(&app.account(), &["--all-scopes", "--allow", "203.0.113.0/24"]);
    refused(&app.client(&key).with("x-forwarded-for", "203.0.113.7").get("/me"));
}

fn the_right_most_untrusted_address_is_the_callers(engine: Engine) {
    let (_app, client) = behind_proxies(engine);
    for through in ["192.0.2.1, 203.0.113.7", "203.0.113.7, 198.51.100.9", "junk, 203.0.113.7,127.0.0.9"] {
        client.with("x-forwarded-for", through).get("/me").expect(200);
    }
    for through in ["203.0.113.7, 192.0.2.1", "203.0.113.7, 192.0.2.1, 198.51.100.9"] {
        refused(&client.with("x-forwarded-for", through).get("/me"));
    }
}

fn a_caller_whose_address_is_unknown_is_refused_by_an_allowlist(engine: Engine) {
    let (app, client) = behind_proxies(engine);
    refused(&client.get("/me"));
    for unreadable in ["", "unknown", "203.0.113.7, unknown", "203.0.113.7.8"] {
        refused(&client.with("x-forwarded-for", unreadable).get("/me"));
    }
    let anywhere = app.key_with(&app.account(), &["--all-scopes", "--allow", "0.0.0.0/0", "--allow", "::/0"]);
    refused(&app.client(&anywhere).get("/me"));
    app.tenant().client.get("/me").expect(200);
}

/// Uses up an address's failures, and demands that each is told how many are left.
#[track_caller]
fn fail_thirty_times(mut call: impl FnMut() -> Response) {
    for left in (0..FAILURES).rev() {
        let response = call().expect(401);
        response.error("unauthorized");
        let Budget { limit, remaining, .. } = response.budget();
        assert_eq!((limit, remaining), (FAILURES, left));
    }
}

#[track_caller]
fn closed(response: &Response) {
    assert_eq!(response.status, 429, "{}", response.text);
    response.error("rate_limited");
    let Budget { limit, remaining, reset } = response.budget();
    assert_eq!((limit, remaining, reset % 60), (FAILURES, 0, 0));
    let seconds: u64 = response.header("retry-after").expect("Retry-After").parse().expect("seconds");
    assert!((1..=60).contains(&seconds), "{seconds}");
}

fn thirty_failures_close_an_address_even_to_a_valid_key(app: Clocked) {
    let client = app.tenant().client;
    app.begin_minute();
    client.get("/me").expect(200);
    fail_thirty_times(|| app.anonymous().get("/me"));
    closed(&client.get("/me"));
    closed(&client.get("/nowhere"));
    closed(&app.anonymous().get("/me"));
}

fn exactly_thirty_of_a_hundred_concurrent_failures_get_401(app: Clocked) {
    let stranger = app.anonymous();
    app.begin_minute();
    let responses = at_once(100, |_| stranger.get("/me").status);
    assert_eq!(responses.iter().filter(|status| **status == 401).count(), 30);
    assert_eq!(responses.iter().filter(|status| **status == 429).count(), 70);
}

fn failures_are_counted_across_servers(app: Clocked) {
    // A server that starts takes over where the clock stands.
    app.begin_minute();
    let second = app.second_server();
    let client = app.tenant().client;
    let strangers = [app.anonymous(), app.anonymous().at(&second)];
    let mut turns = strangers.iter().cycle();
    fail_thirty_times(|| turns.next().unwrap().get("/me"));
    closed(&client.get("/me"));
    closed(&client.at(&second).get("/me"));
}

fn failures_are_counted_by_the_callers_own_address(engine: Engine) {
    let (app, _) = behind_proxies(engine);
    let client = app.tenant().client;
    let from = |address: &str| client.with("x-forwarded-for", address);
    let stranger = app.anonymous().with("x-forwarded-for", "192.0.2.1");
    app.begin_minute();
    fail_thirty_times(|| stranger.get("/me"));
    closed(&from("192.0.2.1").get("/me"));
    closed(&from("203.0.113.7, 192.0.2.1").get("/me"));
    from("192.0.2.2").get("/me").expect(200);
    // Undetermined callers are counted together, as the proxy they came through.
    client.get("/me").expect(200);
    fail_thirty_times(|| app.anonymous().get("/me"));
    closed(&client.get("/me"));
    closed(&from("unknown").get("/me"));
    from("192.0.2.2").get("/me").expect(200);
}

fn an_ipv6_client_cannot_evade_the_limit_by_changing_its_address(engine: Engine) {
    let (app, _) = behind_proxies(engine);
    let client = app.tenant().client;
    let from = |address: &str| client.with("x-forwarded-for", address);
    app.begin_minute();
    let mut last = 0;
    fail_thirty_times(|| {
        last += 1;
        app.anonymous().with("x-forwarded-for", format!("2001:db8:0:1:a:b:c:{last:x}")).get("/me")
    });
    closed(&from("2001:db8:0:1::ffff").get("/me"));
    from("2001:db8:0:2::1").get("/me").expect(200);
    // An IPv4-mapped address is the IPv4 address.
    let mut turns = ["::ffff:192.0.2.7", "192.0.2.7"].into_iter().cycle();
    fail_thirty_times(|| app.anonymous().with("x-forwarded-for", turns.next().unwrap()).get("/me"));
    closed(&from("192.0.2.7").get("/me"));
    from("192.0.2.8").get("/me").expect(200);
}

/// What the doctor says about proxies.
fn examined(app: &App, environment: &[(&str, &str)]) -> Option<Value> {
    let outcome = app.run_with(environment, &["doctor", "--listen", "127.0.0.1:0", "--json"]);
    let checks = outcome.json()["checks"].as_array().expect("checks").clone();
    checks.into_iter().find(|check| check["name"] == "proxies")
}

fn a_proxy_that_is_not_declared_is_reported(app: App) {
    const ADVICE: &str = "set FRONTDESK_TRUSTED_PROXIES";
    let proxies = [("FRONTDESK_TRUSTED_PROXIES", "127.0.0.1")];
    let said = || app.logs().matches(ADVICE).count();
    app.anonymous().vendors().get("/healthz").expect(200);
    assert_eq!((said(), examined(&app, &[])), (0, None));
    for header in ["x-forwarded-for", "forwarded", "x-forwarded-for"] {
        app.anonymous().with(header, "203.0.113.7").get("/me").expect(401);
    }
    // It is said once in a while, not with each request.
    assert!(came_true(|| said() == 1 && examined(&app, &[]).is_some()), "{}", app.logs());
    let check = examined(&app, &[]).expect("a check");
    assert_eq!(check["status"], "warning");
    let message = check["message"].as_str().expect("a message");
    assert!(message.contains(ADVICE) && message.contains("127.0.0.1"), "{message}");
    let check = examined(&app, &proxies).expect("a check");
    assert!(
        check["message"].as_str().is_some_and(|message| message.contains("restart the server")),
        "{check}"
    );
    app.restart_with(&proxies);
    app.anonymous().with("x-forwarded-for", "203.0.113.7").get("/me").expect(401);
    assert_eq!(examined(&app, &proxies), None);
}
