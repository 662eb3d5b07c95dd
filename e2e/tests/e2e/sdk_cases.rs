//! What every SDK must do, whatever its language: one table of cases, run against the real server by a package that was
//! built, packed and installed into an empty project.
//!
//! A case is done by the package's driver, a small program that reads an input and prints an outcome as JSON. The
//! drivers are `sdk/typescript/test/driver.ts`, and others of that name beside it. What they print is judged here.

mod attempts;
mod driver;
pub(crate) mod first_page;
mod relay;
mod values;

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use frontdesk_e2e::{App, Client, Engine, Reply, Sink, Tenant};
use frontdesk_sdk_generator::Model;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Map, Value, json};
use sha2::Sha256;

use crate::bookings::{Calendar, booking};
use crate::inbox_scene::{a_number, reachable};
use crate::receiver::reaching;
use crate::shapes::text;
use crate::webhooks_scene::hook;

pub(crate) use attempts::attempts;
pub(crate) use driver::Sdk;
use first_page::FirstPage;
use relay::Relay;

/// Every case, for the SDK in this directory of `sdk/`.
macro_rules! sdk_passes_every_case {
    ($language:literal) => {
        use crate::sdk_cases::{self, Sdk};
        use frontdesk_e2e::{Engine, on_every_engine, on_sqlite};

        static SDK: Sdk = Sdk::new($language);

        on_every_engine! {
            the_first_lines_of_the_documentation_send_a_message,
            every_sample_of_the_documentation_runs,
            a_list_is_walked_page_by_page,
            a_refusal_tells_its_code_and_reason,
            a_call_over_the_limit_waits_and_succeeds,
            a_write_takes_effect_once_although_the_server_is_killed,
            a_stream_continues_over_broken_connections,
            a_webhook_is_verified_and_typed,
        }

        // What these call is a stand-in for the server.
        on_sqlite! {
            every_call_is_sent_as_often_as_the_table_says,
            a_deadline_and_a_cancellation_end_a_call,
            unknown_events_and_words_are_no_errors,
        }

        #[test]
        fn the_package_passes_its_own_tests() {
            SDK.pass_own_tests();
        }

        fn the_first_lines_of_the_documentation_send_a_message(engine: Engine) {
            sdk_cases::first(&SDK, engine);
        }

        fn every_sample_of_the_documentation_runs(engine: Engine) {
            sdk_cases::samples(&SDK, engine);
        }

        fn a_list_is_walked_page_by_page(engine: Engine) {
            sdk_cases::pages(&SDK, engine);
        }

        fn a_refusal_tells_its_code_and_reason(engine: Engine) {
            sdk_cases::refused(&SDK, engine);
        }

        fn a_call_over_the_limit_waits_and_succeeds(engine: Engine) {
            sdk_cases::limited(&SDK, engine);
        }

        fn a_write_takes_effect_once_although_the_server_is_killed(engine: Engine) {
            sdk_cases::killed(&SDK, engine);
        }

        fn a_stream_continues_over_broken_connections(engine: Engine) {
            sdk_cases::stream(&SDK, engine);
        }

        fn a_webhook_is_verified_and_typed(engine: Engine) {
            sdk_cases::webhook(&SDK, engine);
        }

        fn every_call_is_sent_as_often_as_the_table_says(engine: Engine) {
            sdk_cases::attempts(&SDK, engine);
        }

        fn a_deadline_and_a_cancellation_end_a_call(engine: Engine) {
            sdk_cases::slow(&SDK, engine);
        }

        fn unknown_events_and_words_are_no_errors(engine: Engine) {
            sdk_cases::unknown(&SDK, engine);
        }
    };
}
pub(crate) use sdk_passes_every_case;

const NOBODY: &str = "0190f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f";

/// The input of a case: where the server is, the caller's key, and more.
fn input(base: &str, tenant: &Tenant, more: Value) -> Value {
    let mut input = json!({ "base_url": base.trim_end_matches('/'), "api_key": tenant.key.secret });
    for (name, value) in more.as_object().into_iter().flatten() {
        input[name] = value.clone();
    }
    input
}

fn model() -> Model {
    let path = format!("{}/../openapi.json", env!("CARGO_MANIFEST_DIR"));
    let document = fs::read_to_string(path).expect("the committed document");
    frontdesk_sdk_generator::read::model(&serde_json::from_str(&document).expect("JSON"))
}

fn ids(rows: &Value) -> Vec<&str> {
    rows.as_array().expect("a list").iter().map(|row| text(&row["id"])).collect()
}

pub(crate) fn samples(sdk: &Sdk, engine: Engine) {
    let app = reaching(engine).movable_clock().ready();
    let tenant = reachable(&app);
    assert!(Calendar::connect(&app, &tenant).tell("BOOKING_CREATED", booking("abc")));
    let model = model();
    let values: Map<String, Value> = model
        .operations()
        .map(|operation| (operation.id.clone(), values::of(operation, &tenant.client)))
        .collect();
    assert!(values.len() > 110, "{}", values.len());
    let said = sdk.run("samples", &input(&app.base(), &tenant, json!({ "values": values })));
    let outcomes = said["outcomes"].as_object().expect("outcomes");
    for operation in model.operations() {
        let outcome = outcomes.get(&operation.id).unwrap_or_else(|| panic!("{} was not run", operation.id));
        assert_eq!(outcome, "ok", "the sample of {}", operation.id);
    }
}

pub(crate) fn first(sdk: &Sdk, engine: Engine) {
    /// From installing the package to running the program.
    const LINES_MAX: usize = 9;
    let page = FirstPage::of(sdk.language);
    let lines = page.lines();
    assert!((4..=LINES_MAX).contains(&lines.len()), "{} lines: {lines:#?}", lines.len());
    assert!(lines.iter().any(|line| line.contains("send(")), "{lines:#?}");
    let project = sdk.beginners_project(&page);
    let app = App::start(engine).ready();
    let tenant = reachable(&app);
    page.run(project, app.base().trim_end_matches('/'), &tenant.key.secret);
    let conversations = tenant.client.get("/conversations").expect(200);
    let messages = format!("/conversations/{}/messages", text(&conversations.data()[0]["id"]));
    let sent = tenant.client.get(&messages).expect(200);
    assert_eq!(
        (&sent.data()[0]["direction"], sent.data().as_array().map(Vec::len)),
        (&json!("outbound"), Some(1))
    );
}

pub(crate) fn pages(sdk: &Sdk, engine: Engine) {
    let app = App::start(engine).ready();
    let tenant = app.tenant();
    for number in 0..5 {
        tenant.client.post("/contacts", json!({ "name": format!("Contact {number}") })).expect(201);
    }
    let all = tenant.client.get("/contacts").expect(200);
    let expected = ids(all.data());
    let said = sdk.run("pages", &input(&app.base(), &tenant, json!({})));
    assert_eq!(said["ids"], json!(expected));
    assert_eq!(said["first"], json!(expected[..2]));
    assert_eq!(said["second"], json!(expected[2..4]));
    assert_eq!(said["has_more"], true);
}

pub(crate) fn refused(sdk: &Sdk, engine: Engine) {
    let app = App::start(engine).movable_clock().ready();
    let tenant = reachable(&app);
    let said = sdk.run("refused", &input(&app.base(), &tenant, json!({ "phone": a_number() })));
    let refusals = said["refusals"].as_array().expect("refusals");
    let told = |at: usize| {
        let refusal = &refusals[at];
        assert!(text(&refusal["request_id"]).starts_with("req_"), "{refusal}");
        assert!(text(&refusal["message"]).len() > 20, "{refusal}");
        (text(&refusal["kind"]), refusal["status"].as_u64(), text(&refusal["code"]))
    };
    assert_eq!(told(0), ("Unprocessable", Some(422), "unprocessable"));
    assert_eq!(refusals[0]["reason"], "outside_window");
    assert_eq!(told(1), ("Validation", Some(400), "validation_error"));
    assert!(!refusals[1]["paths"].as_array().expect("paths").is_empty());
    assert_eq!(told(2), ("NotFound", Some(404), "not_found"));
}

pub(crate) fn limited(sdk: &Sdk, engine: Engine) {
    /// So late in the minute that the wait is short, and so early that the driver has begun by its end.
    const SECONDS: u32 = 50;
    sdk.prepare();
    let app = App::start(engine).movable_clock().ready();
    let mut tenant = app.tenant();
    tenant.key = app.key_with(&tenant.account, &["--all-scopes", "--rate-limit", "2"]);
    let client = app.client(&tenant.key);
    app.begin_minute();
    let clock = app.anonymous().vendors();
    clock.post("/sandbox/clock", json!({ "advance_seconds": SECONDS })).expect(200);
    while client.get("/me").status == 200 {}
    let said = sdk.run("limited", &input(&app.base(), &tenant, json!({})));
    let first = &said["first"];
    assert_eq!((&first["kind"], &first["status"]), (&json!("RateLimited"), &json!(429)), "{said}");
    assert_eq!(first["code"], "rate_limited");
    assert!(first["retry_after"].as_f64().is_some_and(|seconds| (1.0..=12.0).contains(&seconds)), "{said}");
    assert_eq!(said["account"], tenant.account.id);
    assert!(said["waited_ms"].as_f64().is_some_and(|waited| waited >= 500.0), "{said}");
    assert_eq!((&said["limit"], &said["remaining"]), (&json!(2), &json!(1)));
}

pub(crate) fn killed(sdk: &Sdk, engine: Engine) {
    let app = App::start(engine).ready();
    let tenant = app.tenant();
    let relay = Relay::to(&app.base());
    relay.swallow_next();
    let running = sdk.begin("killed", &input(&relay.url(), &tenant, json!({ "name": "Only one" })));
    // The contact is stored, and the client does not know.
    relay.wait_until_swallowed();
    app.kill();
    app.restart();
    relay.lead_to(&app.base());
    let said = running.finish();
    let found = tenant.client.get("/contacts?q=only").expect(200);
    assert_eq!(ids(found.data()), [text(&said["id"])]);
    let events = tenant.client.get("/events?event_type=contact.created").expect(200);
    assert_eq!(events.data().as_array().map(Vec::len), Some(1));
}

pub(crate) fn stream(sdk: &Sdk, engine: Engine) {
    const ROUNDS: usize = 3;
    let app = App::start(engine).ready();
    let tenant = app.tenant();
    let make =
        |client: &Client, name: String| drop(client.post("/contacts", json!({ "name": name })).expect(201));
    make(&tenant.client, "Before".to_owned());
    let first = tenant.client.get("/events").expect(200);
    let after = text(&first.data()[0]["event_id"]).to_owned();
    let relay = Relay::to(&app.base());
    let more = json!({ "after": after, "count": 2 * ROUNDS });
    let running = sdk.begin("stream", &input(&relay.url(), &tenant, more));
    for round in 0..ROUNDS {
        relay.wait_for_connections(round + 1);
        make(&tenant.client, format!("Connected {round}"));
        relay.cut();
        make(&tenant.client, format!("Cut off {round}"));
    }
    let said = running.finish();
    let events = tenant.client.get(&format!("/events?after={after}&limit=100")).expect(200);
    let expected: Vec<&Value> =
        events.data().as_array().expect("events").iter().map(|event| &event["event_id"]).collect();
    assert_eq!(expected.len(), 2 * ROUNDS);
    assert_eq!(said["ids"], json!(expected));
}

/// A delivery of this body, signed now.
fn signed(body: &str, secret: &str, at: i64) -> Value {
    let key = STANDARD.decode(secret.strip_prefix("whsec_").expect("a secret")).expect("base64");
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("any length is good");
    mac.update(format!("evt_1.{at}.{body}").as_bytes());
    let signature = STANDARD.encode(mac.finalize().into_bytes());
    let headers = json!({
        "Webhook-Id": "evt_1", "Webhook-Timestamp": at.to_string(),
        "Webhook-Signature": format!("v1,bm9uc2Vuc2U= v1,{signature}"),
    });
    json!({ "body": body, "headers": headers, "secret": secret })
}

pub(crate) fn webhook(sdk: &Sdk, engine: Engine) {
    // The clock of this server goes right, unlike those that tests move.
    let app = reaching(engine).ready();
    let tenant = app.tenant();
    let sink = Sink::start();
    let hook = hook(&tenant.client, json!({ "url": sink.url("/hook"), "event_types": ["contact.created"] }));
    tenant.client.post("/contacts", json!({ "name": "Zoë 🎉" })).expect(201);
    let received = sink.wait("/hook", 1).remove(0);
    let headers: Map<String, Value> = ["webhook-id", "webhook-timestamp", "webhook-signature"]
        .map(|name| (name.to_owned(), json!(received.header(name))))
        .into_iter()
        .collect();
    let body = String::from_utf8(received.body.clone()).expect("text");
    let delivery = |body: &str, secret: &str| json!({ "body": body, "headers": headers, "secret": secret });
    let now: i64 = received.header("webhook-timestamp").parse().expect("seconds");
    let other_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let later = received.json().to_string().replace("contact.created", "contact.exploded");
    let deliveries = json!([
        delivery(&body, &hook.secret),
        delivery(&body.replace("Zo", "Jo"), &hook.secret),
        delivery(&body, other_secret),
        signed(&later, other_secret, now),
        signed(&later, other_secret, now - 600),
        signed(&later, other_secret, now + 600),
        { "body": body, "headers": {}, "secret": hook.secret },
    ]);
    let said = sdk.run("webhook", &input(&app.base(), &tenant, json!({ "deliveries": deliveries })));
    let events = said["events"].as_array().expect("events");
    let id = &received.json()["event_id"];
    assert_eq!(events[0], json!({ "event_type": "contact.created", "event_id": id, "known": true }));
    assert_eq!(events[3], json!({ "event_type": "contact.exploded", "event_id": id, "known": false }));
    for refused in [1, 2, 4, 5, 6] {
        assert_eq!(events[refused], json!({ "refused": "Signature" }), "{refused}");
    }
}

pub(crate) fn slow(sdk: &Sdk, engine: Engine) {
    let app = App::start(engine).ready();
    let tenant = app.tenant();
    let sink = Sink::start();
    sink.respond("/api/v1/me", Reply::default().held());
    let said = sdk.run("slow", &input(&sink.url(""), &tenant, json!({})));
    assert_eq!((&said["deadline"], &said["cancelled"]), (&json!("Timeout"), &json!(true)), "{said}");
    assert!(
        said["elapsed_ms"].as_f64().is_some_and(|elapsed| (600.0..20_000.0).contains(&elapsed)),
        "{said}"
    );
    sink.release();
}

pub(crate) fn unknown(sdk: &Sdk, engine: Engine) {
    let app = App::start(engine).ready();
    let tenant = app.tenant();
    let deal = tenant.client.post("/deals", json!({ "title": "Forty chairs" })).expect(201);
    let path = format!("/deals/{}", deal.id());
    let mut altered = tenant.client.get(&path).expect(200).json;
    altered["data"]["status"] = json!("frozen");
    altered["data"]["melts_at"] = json!({ "degrees": 0 });
    let mut events = tenant.client.get("/events").expect(200).json;
    let mut other = events["data"][0].clone();
    other["event_type"] = json!("deal.melted");
    other["data"] = json!([1, 2, 3]);
    events["data"].as_array_mut().expect("events").insert(0, other);
    let sink = Sink::start();
    sink.respond(&format!("/api/v1{path}"), Reply::default().body(altered.to_string()));
    sink.respond("/api/v1/events", Reply::default().body(events.to_string()));
    let said = sdk.run("unknown", &input(&sink.url(""), &tenant, json!({ "deal_id": deal.id() })));
    assert_eq!(said["status"], "frozen");
    assert_eq!(said["event_types"][0], "deal.melted");
    assert_eq!(said["event_types"][1], events["data"][1]["event_type"]);
    assert_eq!((&said["known"][0], &said["known"][1]), (&json!(false), &json!(true)));
}
