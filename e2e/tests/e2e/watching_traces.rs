//! Traces: what is exported of requests, transactions, jobs and calls, and what never is.

use std::time::Duration;

use frontdesk_e2e::{
    Collector, Engine, ExportedSpan, ModelProvider, Reply, Stopwatch, at_once, came_true, on_every_engine,
    on_sqlite,
};
use serde_json::json;

use crate::agent_scene::{Desk, new_assistant};
use crate::inbox_scene::{self, Inbox, hello_to};
use crate::webhooks_scene::{Scene, start};

on_every_engine! {
    a_request_its_transaction_its_job_and_its_call_are_one_trace,
    nothing_that_a_caller_or_a_customer_sent_is_exported,
    a_trace_that_is_not_recorded_is_passed_on_as_such,
}

on_sqlite! {
    a_model_call_is_a_span_of_its_run,
    a_slow_collector_delays_nobody_and_spans_are_dropped_and_counted,
    a_collector_that_is_busy_gets_the_same_spans_again,
    what_is_queued_is_exported_when_the_server_stops,
    without_a_collector_no_trace_is_told_to_anybody,
}

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// A `traceparent` header.
fn traceparent(is_sampled: bool) -> String {
    format!("00-{TRACE}-{PARENT}-0{}", u8::from(is_sampled))
}

fn named<'s>(spans: &'s [ExportedSpan], name: &str) -> Option<&'s ExportedSpan> {
    spans.iter().find(|span| span.name == name)
}

fn a_request_its_transaction_its_job_and_its_call_are_one_trace(engine: Engine) {
    let collector = Collector::new();
    let scene = Scene::of(start(engine).env(ENDPOINT, &collector.endpoint()));
    scene.hook("/hook");
    let client = scene.client.with("traceparent", traceparent(true));
    // The courier of this process takes a delivery over directly once it has caught up with the endpoint.
    let (mut found, mut posted) = (None, 0);
    assert!(
        came_true(|| {
            client.post("/contacts", json!({ "name": "Ann" })).expect(201);
            posted += 1;
            scene.sink.wait("/hook", posted);
            let spans = collector.spans();
            // A span may be exported before its parent, which ends later.
            let is_whole = |call: &&ExportedSpan| {
                let mut parent = call.parent.clone();
                for _ in 0..3 {
                    match spans.iter().find(|span| Some(&span.id) == parent.as_ref()) {
                        Some(span) => parent.clone_from(&span.parent),
                        None => return false,
                    }
                }
                true
            };
            let calls = spans.iter().rev().filter(|span| span.trace == TRACE && span.name == "POST");
            let call = calls.into_iter().find(is_whole).cloned();
            found = call.map(|call| (spans, call));
            found.is_some()
        }),
        "no call belongs to the request's trace: {:#?}",
        collector.spans()
    );
    let (spans, call) = found.expect("it was found");
    let of =
        |id: &Option<String>| spans.iter().find(|span| Some(&span.id) == id.as_ref()).expect("the parent");
    let job = of(&call.parent);
    assert_eq!((job.name.as_str(), job.attribute("frontdesk.job.attempt").as_str()), ("courier", "1"));
    let transaction = of(&job.parent);
    assert_eq!(transaction.name, "transaction");
    assert!(transaction.attribute("frontdesk.statements").parse::<i64>().is_ok_and(|count| count > 1));
    assert!(!transaction.attribute("frontdesk.commit_wait_us").is_empty());
    let request = of(&transaction.parent);
    assert_eq!((request.name.as_str(), request.parent.as_deref()), ("POST /contacts", Some(PARENT)));
    assert_eq!(request.kind, 2, "a server's span");
    for (key, value) in
        [("http.request.method", "POST"), ("http.route", "/contacts"), ("http.response.status_code", "201")]
    {
        assert_eq!(request.attribute(key), value);
    }
    assert!(request.attribute("frontdesk.request_id").starts_with("req_"));
    assert!(spans.iter().all(|span| span.nanoseconds < 60_000_000_000), "{spans:#?}");

    // The endpoint learns the trace, and that the call is its parent.
    assert_eq!((call.attribute("server.address").as_str(), call.kind), ("127.0.0.1", 3));
    let told = format!("00-{TRACE}-{}-01", call.id);
    assert!(scene.sink.at("/hook").iter().any(|received| received.header("traceparent") == told));
}

fn nothing_that_a_caller_or_a_customer_sent_is_exported(engine: Engine) {
    let collector = Collector::new();
    let token = "otlp-token-5f2c";
    let start = inbox_scene::start(engine)
        .env("FRONTDESK_ALLOW_PRIVATE_TARGETS", "true")
        .env(ENDPOINT, &collector.endpoint())
        .env("OTEL_EXPORTER_OTLP_HEADERS", &format!("x-token={token}"));
    let inbox = Inbox::of(start);
    let client = &inbox.client;
    let sink = frontdesk_e2e::Sink::start();
    let hook = sink.url("/hook-path-71aa?signature=hook-query-82bb");
    client.post("/webhooks", json!({ "url": hook })).expect(201);
    let made = client
        .with("x-custom", "header-93cc")
        .with("idempotency-key", "idempotency-a4dd")
        .post(
            "/contacts",
            json!({ "name": "Zoe Quellwasser", "phone": "+4915112345678", "email": "zoe@quell.example" }),
        )
        .expect(201);
    client.get("/contacts?q=Quellwasser&phone=%2B4915112345678").expect(200);
    client.get(&format!("/contacts/{}", made.id())).expect(200);
    client.get("/contacts/path-b5ee").expect(404);
    client.post("/contacts", json!({ "nonsense": "body-c6ff" })).expect(400);
    inbox.app.anonymous().with_key("fd_live_wrong-key-d711").get("/me").expect(401);
    inbox.app.anonymous().vendors().get("/forms/form-token-e822").expect(404);
    inbox.hears("4915198765432", "my password is hunter2-f933");
    inbox.sends(hello_to("+4915112345678"));
    let assistant = new_assistant(client, json!({ "name": "Robin-0a44" }));
    client.post("/runs", json!({ "assistant_id": assistant, "goal": "goal-1b55" })).expect(202);
    inbox.settle();
    sink.wait("/hook-path-71aa?signature=hook-query-82bb", 1);
    collector.wait("a call of a webhook, of a run and of a request", |spans| {
        let has = |name| named(spans, name).is_some();
        (has("GET /contacts/{id}") && has("courier") && has("runs") && has("chat") && has("sender"))
            .then_some(())
    });
    // All that came before is exported too.
    inbox.app.stop();
    let bytes = String::from_utf8(collector.bytes()).expect("text");
    assert!(bytes.contains(token), "the collector gets its own token");
    for secret in [
        "Quellwasser",
        "Zoe",
        "15112345678",
        "15198765432",
        "quell.example",
        "hook-path-71aa",
        "hook-query-82bb",
        "header-93cc",
        "idempotency-a4dd",
        "path-b5ee",
        "body-c6ff",
        "wrong-key-d711",
        "form-token-e822",
        "hunter2-f933",
        "Robin-0a44",
        "goal-1b55",
        inbox.tenant.key.secret.as_str(),
        made.id().as_str(),
        inbox.tenant.account.id.as_str(),
    ] {
        assert!(!bytes.contains(secret), "{secret} was exported");
    }
}

fn a_trace_that_is_not_recorded_is_passed_on_as_such(engine: Engine) {
    let collector = Collector::new();
    let start = start(engine)
        .env(ENDPOINT, &collector.endpoint())
        .env("OTEL_TRACES_SAMPLER", "parentbased_always_off");
    let scene = Scene::of(start);
    scene.hook("/hook");
    let client = scene.client.with("traceparent", traceparent(false));
    let prefix = format!("00-{TRACE}-");
    let mut posted = 0;
    assert!(came_true(|| {
        client.post("/contacts", json!({ "name": "Ann" })).expect(201);
        posted += 1;
        scene.sink.wait("/hook", posted);
        let told =
            scene.sink.at("/hook").into_iter().map(|received| received.header("traceparent").to_owned());
        told.into_iter()
            .any(|told| told.starts_with(&prefix) && told.ends_with("-00") && !told.contains(PARENT))
    }));
    scene.app.stop();
    assert!(collector.spans().is_empty(), "{:?}", collector.spans());
}

fn a_model_call_is_a_span_of_its_run(engine: Engine) {
    let (collector, provider) = (Collector::new(), ModelProvider::openai());
    let start = inbox_scene::start(engine)
        .env(ENDPOINT, &collector.endpoint())
        .env("FRONTDESK_OPENAI_BASE_URL", &provider.base_url());
    let desk = Desk::of(Inbox::of(start));
    desk.set(json!({ "model": "gpt-5" }));
    let run = desk.starts(json!({}));
    desk.becomes(&run, "succeeded");
    let (chat, call) = collector.wait("a chat with its call", |spans| {
        let chat = named(spans, "chat")?;
        let call = spans.iter().find(|span| span.parent.as_ref() == Some(&chat.id))?;
        let job = spans.iter().find(|span| Some(&span.id) == chat.parent.as_ref())?;
        assert_eq!((job.name.as_str(), &job.trace), ("runs", &chat.trace));
        Some((chat.clone(), call.clone()))
    });
    assert_eq!(chat.attribute("gen_ai.request.model"), "gpt-5");
    assert_eq!(chat.attribute("gen_ai.usage.input_tokens"), "100");
    assert_eq!(chat.attribute("gen_ai.usage.output_tokens"), "10");
    let told = format!("00-{}-{}-01", chat.trace, call.id);
    assert_eq!(provider.received()[0].header("traceparent"), told);
}

fn a_slow_collector_delays_nobody_and_spans_are_dropped_and_counted(engine: Engine) {
    let collector = Collector::new();
    collector.respond([], Reply::default().held());
    let scene = Scene::of(start(engine).env(ENDPOINT, &collector.endpoint()));
    let count = |metric: &str| {
        let page = scene.app.anonymous().vendors().get("/metrics").expect(200).text;
        let line =
            page.lines().find_map(|line| line.strip_prefix(metric)?.strip_prefix(' ').map(str::to_owned));
        line.map_or(0.0, |value| value.parse::<f64>().expect("a number"))
    };
    let dropped = || count("frontdesk_trace_spans_dropped_total{reason=\"queue_full\"}");
    assert!(came_true(|| {
        at_once(4, |_| (0..50).for_each(|_| drop(scene.client.get("/contacts").expect(200))));
        dropped() > 0.0
    }));
    // The collector is back: what was queued arrives.
    collector.sink().release();
    assert!(came_true(|| count("frontdesk_trace_spans_exported_total") > 1_000.0));
}

fn a_collector_that_is_busy_gets_the_same_spans_again(engine: Engine) {
    let collector = Collector::new();
    let busy = Reply::status(503).header("retry-after", "0");
    collector.respond(
        [busy.clone(), busy, Reply::status(429).header("retry-after", "0"), Reply::closed()],
        Reply::default(),
    );
    let scene = Scene::of(start(engine).env(ENDPOINT, &collector.endpoint()));
    scene.contact();
    let requests = || collector.sink().at("/v1/traces");
    assert!(came_true(|| requests().len() >= 5), "it was given up after {} requests", requests().len());
    let requests = requests();
    assert!(requests[1..5].iter().all(|request| request.body == requests[0].body));
    assert_eq!(requests[0].header("content-type"), "application/json");
}

fn what_is_queued_is_exported_when_the_server_stops(engine: Engine) {
    let collector = Collector::new();
    let scene =
        Scene::of(start(engine).env(ENDPOINT, &collector.endpoint()).env("OTEL_SERVICE_NAME", "desk"));
    scene.client.with("traceparent", traceparent(true)).get("/me").expect(200);
    scene.app.stop();
    let spans = collector.spans();
    assert!(spans.iter().any(|span| span.trace == TRACE && span.name == "GET /me"), "{spans:#?}");
    assert!(String::from_utf8_lossy(&collector.bytes()).contains("\"desk\""), "the name of the service");

    // A collector that never responds does not keep the server from stopping.
    collector.respond([], Reply::default().held());
    scene.app.restart();
    scene.client.get("/me").expect(200);
    let began = Stopwatch::start();
    scene.app.stop();
    assert!(began.elapsed() < Duration::from_secs(20), "stopping took {:?}", began.elapsed());
}

fn without_a_collector_no_trace_is_told_to_anybody(engine: Engine) {
    let scene = Scene::of(start(engine));
    scene.hook("/hook");
    scene
        .client
        .with("traceparent", traceparent(true))
        .post("/contacts", json!({ "name": "Ann" }))
        .expect(201);
    scene.settle();
    let received = scene.sink.wait("/hook", 1);
    assert!(!received[0].headers.contains_key("traceparent"), "{:?}", received[0].headers);
}
