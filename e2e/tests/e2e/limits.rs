//! The request budget: counted exactly, in fixed windows, and told on every response.

use frontdesk_e2e::{
    Account, App, Budget, Client, Clocked, Response, at_once, on_every_engine, on_every_store,
    on_shared_stores,
};
use serde_json::json;

/// How often a trial is repeated because the machine was too busy for it.
const ATTEMPTS: usize = 10;

on_every_engine! {
    every_response_tells_the_budget,
    refusals_cost_what_the_call_costs,
    a_call_that_costs_more_than_what_is_left_takes_nothing,
}

on_every_store! {
    a_spent_budget_is_refused_with_retry_after,
    exactly_fifty_of_two_hundred_calls_at_once_pass,
    a_window_refills_all_at_once_on_the_minute,
    a_read_with_a_changed_key_is_checked_anew_and_costs_once,
}

on_shared_stores! {
    the_count_is_shared_by_servers,
}

fn every_response_tells_the_budget(app: Clocked) {
    let account = app.account_with(&["--rate-limit", "100"]);
    let key = app.key(&account, "contacts:write");
    let client = app.client(&key);
    app.begin_minute();
    let id = "0192f0c4-0000-7000-8000-000000000000";
    let ours: [(u16, Response); 10] = [
        (200, client.get("/me")),
        (201, client.post("/contacts", json!({ "name": "Ada" }))),
        (400, client.post("/contacts", json!({}))),
        (400, client.get("/contacts?limit=abc")),
        (403, client.get("/members")),
        (404, client.get(&format!("/contacts/{id}"))),
        (404, client.get("/nowhere")),
        (405, client.delete("/me")),
        (413, declared_too_large(&app, &key.secret)),
        (415, client.with("content-type", "text/plain").send("POST", "/contacts", Some(b"{}"))),
    ];
    for (used, (status, response)) in (1..).zip(ours) {
        let response = response.expect(status);
        response.request_id();
        let Budget { limit, remaining, reset } = response.budget();
        assert_eq!((limit, remaining, reset % 60), (100, 100 - used, 0), "at the {status}");
        assert_eq!(response.header("retry-after"), None, "only a 429 says when to retry");
    }
    let response = app.anonymous().get("/me").expect(401);
    response.request_id();
    assert_eq!(response.budget().limit, 30);
}

/// Only the head of a request whose body would be too large.
fn declared_too_large(app: &App, secret: &str) -> Response {
    let mut wire = app.wire();
    wire.send(format!(
        "POST /api/v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\n\
         Content-Type: application/json\r\nContent-Length: 1048577\r\n\r\n"
    ))
    .unwrap();
    wire.response()
}

fn refusals_cost_what_the_call_costs(app: Clocked) {
    let client = limited(&app, 3);
    in_one_window(&app, || {
        let client = client();
        client.get("/nowhere").expect(404);
        client.post_text("/contacts", "{").expect(400);
        client.delete("/me").expect(405);
        vec![client.get("/me").expect(429), client.get("/nowhere").expect(429)]
    });
}

fn a_spent_budget_is_refused_with_retry_after(app: Clocked) {
    let client = limited(&app, 2);
    let responses = in_one_window(&app, || {
        let client = client();
        (0..4).map(|_| client.get("/me")).collect()
    });
    for (response, (status, left)) in responses.iter().zip([(200, 1), (200, 0), (429, 0), (429, 0)]) {
        assert_eq!((response.status, response.budget().remaining), (status, left), "{}", response.text);
        assert_eq!(response.budget().limit, 2);
    }
    let message = responses[3].error("rate_limited")["message"].as_str().unwrap();
    assert!(message.to_lowercase().contains("limit"), "{message}");
    let wait: u64 = responses[3].header("retry-after").expect("Retry-After").parse().expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
}

fn exactly_fifty_of_two_hundred_calls_at_once_pass(app: Clocked) {
    let client = limited(&app, 50);
    let counted = (0..ATTEMPTS).find_map(|_| {
        let lost = redis_lost(&app);
        let responses = in_one_window(&app, || {
            let client = client();
            at_once(200, |_| client.get("/me"))
        });
        (redis_lost(&app) == lost).then_some(responses)
    });
    fifty_passed(&counted.expect("Redis answers in time"));
}

/// How often this server counted in SQL, because Redis was too slow. Such a minute is not exact.
fn redis_lost(app: &App) -> Option<String> {
    let page = app.anonymous().vendors().get("/metrics").expect(200).text;
    page.lines().find(|line| line.starts_with("frontdesk_redis_lost_total")).map(str::to_owned)
}

fn the_count_is_shared_by_servers(app: Clocked) {
    let here = limited(&app, 50)();
    // A server that starts takes over where the clock stands.
    app.begin_minute();
    let second = app.second_server();
    let there = here.at(&second);
    let responses = at_once(200, |number| if number % 2 == 0 { here.get("/me") } else { there.get("/me") });
    in_one_minute(&responses);
    fifty_passed(&responses);
}

#[track_caller]
fn fifty_passed(responses: &[Response]) {
    let mut left: Vec<_> = responses
        .iter()
        .filter(|response| response.status == 200)
        .map(|response| response.budget().remaining)
        .collect();
    left.sort_unstable();
    assert_eq!(left, (0..50).collect::<Vec<_>>(), "each unit is given out once");
    for refused in responses.iter().filter(|response| response.status != 200) {
        assert_eq!((refused.status, refused.budget().remaining), (429, 0), "{}", refused.text);
    }
}

fn a_call_that_costs_more_than_what_is_left_takes_nothing(app: Clocked) {
    let client = limited(&app, 4);
    let responses = in_one_window(&app, || {
        let client = client();
        vec![client.post("/broadcasts", json!({})), client.get("/me"), client.post("/broadcasts", json!({}))]
    });
    assert_eq!(responses[0].budget().remaining, 4);
    let message = responses[0].error("rate_limited")["message"].as_str().unwrap();
    assert!(message.contains("never"), "{message}");
    assert_eq!((responses[1].status, responses[1].budget().remaining), (200, 3));
    assert_eq!((responses[2].status, responses[2].budget().remaining), (429, 3));
}

fn a_window_refills_all_at_once_on_the_minute(app: Clocked) {
    let client = limited(&app, 2)();
    app.begin_minute();
    client.get("/me").expect(200);
    client.get("/me").expect(200);
    let reset = client.get("/me").expect(429).budget().reset;
    app.begin_minute();
    let budget = client.get("/me").expect(200).budget();
    assert_eq!(budget, Budget { limit: 2, remaining: 1, reset: reset + 60 });
}

fn a_read_with_a_changed_key_is_checked_anew_and_costs_once(app: Clocked) {
    let account = app.account_with(&["--rate-limit", "100"]);
    let key = app.key(&account, "contacts:read");
    let (client, id) = (app.client(&key), key.id.as_str());
    app.begin_minute();
    let changes: [(u16, &[&str]); 8] = [
        (200, &["key", "edit", id, "--name", "Reader"]),
        (403, &["key", "edit", id, "--scopes", "deals:read"]),
        (200, &["key", "edit", id, "--scopes", "contacts:read"]),
        (403, &["key", "edit", id, "--allow", "203.0.113.7"]),
        (200, &["key", "edit", id, "--allow", "127.0.0.0/8"]),
        (403, &["account", "suspend", &account.id]),
        (200, &["account", "resume", &account.id]),
        (401, &["key", "revoke", id, "--reason", "left"]),
    ];
    client.get("/contacts").expect(200);
    for (used, (status, change)) in (2..).step_by(2).zip(changes) {
        app.cli(change);
        let first = client.get("/contacts").expect(status);
        let again = client.get("/contacts").expect(status);
        if status != 401 {
            assert_eq!(
                (first.budget().remaining, again.budget().remaining),
                (100 - used, 99 - used),
                "{change:?}"
            );
        }
    }
    // The path is not told to a key that is gone.
    client.get("/nowhere").expect(401);
}

/// Makes callers, each with a fresh key and this budget.
fn limited(app: &App, units: u32) -> impl Fn() -> Client {
    let account: Account = app.account_with(&["--rate-limit", &units.to_string()]);
    move || app.client(&app.key(&account, "contacts:write"))
}

/// Makes the calls in one minute.
#[track_caller]
fn in_one_window(app: &App, attempt: impl FnOnce() -> Vec<Response>) -> Vec<Response> {
    app.begin_minute();
    let responses = attempt();
    in_one_minute(&responses);
    responses
}

#[track_caller]
fn in_one_minute(responses: &[Response]) {
    let same = responses.windows(2).all(|pair| pair[0].budget().reset == pair[1].budget().reset);
    assert!(same, "the calls took longer than a minute");
}
