//! What is sent how often: the table `attempts.json`, which every SDK passes.
//!
//! Each line has a `call`: `read`, `write` with an idempotency key, `change` by PATCH, `delete`, or `unkeyed`, a POST
//! without a key. The server's `replies` come in turn, and the last one always. `sent` says how often the request arrives,
//! and `ends` how the call does. A driver makes all calls at the same time.

use std::net::TcpListener;

use frontdesk_e2e::{App, Engine, Reply, Sink};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::driver::Sdk;
use super::{NOBODY, input};
use crate::shapes::text;

const TABLE: &str = include_str!("attempts.json");

pub(crate) fn attempts(sdk: &Sdk, engine: Engine) {
    let app = App::start(engine).ready();
    let tenant = app.tenant();
    let mut found = tenant.client.post("/contacts", json!({ "name": "Ann" })).expect(201).json;
    // So that it is read as the result of an erasure, too.
    found["data"]["deleted"] = json!(true);
    let table: Vec<Value> = serde_json::from_str(TABLE).expect("the table is JSON");
    let sink = Sink::start();
    let cases: Vec<Value> = table
        .iter()
        .enumerate()
        .map(|(line, case)| {
            let mut replies: Vec<Reply> =
                case["replies"].as_array().expect("replies").iter().map(|each| reply(each, &found)).collect();
            if let Some(last) = replies.pop() {
                sink.answer_in_turn(&path(line, case), replies, last);
            }
            let mut case = case.clone();
            let is_unreached = case["unreached"] == true;
            case["base_url"] = json!(if is_unreached { nowhere() } else { sink.url(&format!("/{line}")) });
            case
        })
        .collect();
    let said = sdk.run("attempts", &input(&app.base(), &tenant, json!({ "cases": cases })));
    let wrong: Vec<String> = table
        .iter()
        .enumerate()
        .filter_map(|(line, case)| {
            let problem = problem(case, &said["outcomes"][line], &sink, &path(line, case))?;
            Some(format!("{}: {problem}", text(&case["name"])))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let sent: u64 = table.iter().filter_map(|case| case["sent"].as_u64()).sum();
    assert_eq!(json!(sink.received().len()), json!(sent), "something else was called");
}

/// What is not as the line of the table says.
fn problem(case: &Value, outcome: &Value, sink: &Sink, path: &str) -> Option<String> {
    let received = sink.at(path);
    if (json!(received.len()), &outcome["ends"]) != (case["sent"].clone(), &case["ends"]) {
        return Some(format!("it was sent {} times and ended as {outcome}", received.len()));
    }
    let elapsed = outcome["elapsed_ms"].as_u64().unwrap_or_default();
    let at_least = case["at_least_ms"].as_u64().unwrap_or_default();
    let at_most = case["at_most_ms"].as_u64().unwrap_or(u64::MAX);
    if !(at_least..=at_most).contains(&elapsed) {
        return Some(format!("it took {elapsed} ms"));
    }
    let key_of = |at: usize| received[at].headers.get("idempotency-key");
    for (at, request) in received.iter().enumerate() {
        if (key_of(at), &request.body) != (key_of(0), &received[0].body) {
            return Some("its attempts differ".to_owned());
        }
        if key_of(at).is_some() != (case["call"] == "write") {
            return Some(format!("its key is {:?}", key_of(at)));
        }
        if case["key"].as_str().is_some_and(|given| request.header("idempotency-key") != given) {
            return Some("the key that was given is not sent".to_owned());
        }
    }
    None
}

/// Where the call of a line arrives.
fn path(line: usize, case: &Value) -> String {
    let below = match text(&case["call"]) {
        "write" => String::new(),
        "unkeyed" => format!("/{NOBODY}/merge"),
        "read" | "change" | "delete" => format!("/{NOBODY}"),
        other => panic!("there is no call {other}"),
    };
    format!("/{line}/api/v1/contacts{below}")
}

fn reply(said: &Value, found: &Value) -> Reply {
    let whole = found.to_string();
    match said.as_str() {
        Some("closed") => return Reply::closed(),
        Some("held") => return Reply::default().held(),
        Some("cut") => {
            let length = (whole.len() * 2).to_string();
            return Reply::default().header("content-length", &length).body(whole).hang_up();
        }
        _ => {}
    }
    let status = said["status"].as_u64().and_then(|status| u16::try_from(status).ok()).expect("a status");
    let mut reply = Reply::status(status).header("content-type", "application/json");
    if let Some(asked) = said["retry_after"].as_str() {
        reply = reply.header("retry-after", asked);
    }
    if let Some(seconds) = said["retry_after_date"].as_i64() {
        reply = reply.header("retry-after", &http_date(seconds));
    }
    reply.body(if status == 200 { whole } else { refusal(status, &said["reason"]) })
}

/// The date of HTTP that is so many seconds from now.
#[expect(clippy::disallowed_methods, reason = "the packages compare it with the clock of this machine")]
fn http_date(seconds: i64) -> String {
    let moment = Timestamp::now() + SignedDuration::from_secs(seconds);
    moment.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

fn refusal(status: u16, reason: &Value) -> String {
    let code = match status {
        400 => "bad_request",
        401 => "unauthorized",
        403 => "forbidden",
        404 => "not_found",
        409 => "conflict",
        422 => "unprocessable",
        429 => "rate_limited",
        _ => "internal",
    };
    let mut error = json!({ "code": code, "message": "It does not work.", "request_id": "req_1" });
    if reason.is_string() {
        error["reason"] = reason.clone();
    }
    json!({ "error": error }).to_string()
}

/// An address at which nobody listens.
fn nowhere() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    format!("http://{}", listener.local_addr().expect("its address"))
}
