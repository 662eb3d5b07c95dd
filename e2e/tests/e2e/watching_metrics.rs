//! What a busy server's metrics show, compared with what is documented.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use frontdesk_e2e::{Client, Engine, Reply, Scratch, Sink, came_true, on_every_engine};
use serde_json::json;

use crate::agent_scene::Desk;
use crate::inbox_scene::{self, Inbox, hello_to};

on_every_engine! {
    a_busy_server_shows_what_is_documented_and_nothing_else,
    no_request_adds_a_label_of_its_own,
    refusals_are_counted_by_the_limit_that_was_reached,
}

/// What a test does not bring about: faults of the server, overload, browsers, and what only one engine has.
const RARE: &[&str] = &[
    "frontdesk_http_connections_refused_total",
    "frontdesk_http_bodies_refused_total",
    "frontdesk_event_streams",
    "frontdesk_web_chat_streams",
    "frontdesk_set_aside_total",
    "frontdesk_task_panics_total",
    "frontdesk_task_failing",
    "frontdesk_mails_total",
    "frontdesk_mails_declined_total",
    "frontdesk_file_calls_total",
    "frontdesk_file_call_duration_seconds",
    "frontdesk_file_bytes_total",
    "frontdesk_db_reads_total",
    "frontdesk_db_replica_refusals_total",
    "frontdesk_db_replica_used",
    "frontdesk_db_replica_lag_seconds",
    "frontdesk_channels_disconnected_total",
    "frontdesk_push_notifications_total",
    "frontdesk_db_round_trips_total",
    "frontdesk_disk_free_bytes",
    "frontdesk_disk_size_bytes",
    "frontdesk_database_size_bytes",
    "frontdesk_trace_spans_exported_total",
    "frontdesk_trace_spans_dropped_total",
    "frontdesk_redis_lost_total",
    "process_resident_memory_bytes",
];

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

/// The documented metrics with their types.
pub(crate) fn documented() -> BTreeMap<String, String> {
    let page = fs::read_to_string(repository().join("docs/operating.md")).expect("the page");
    let rows =
        page.lines().filter(|line| line.starts_with("| `frontdesk_") || line.starts_with("| `process_"));
    let read = |row: &str| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        (cells[1].trim_matches('`').to_owned(), cells[2].to_owned())
    };
    rows.map(read).collect()
}

#[track_caller]
fn scrape(client: &Client) -> String {
    client.vendors().get("/metrics").expect(200).text
}

/// The metrics of a page with their types, each of which must have a description.
fn shown(page: &str) -> BTreeMap<String, String> {
    let mut shown = BTreeMap::new();
    for line in page.lines() {
        if let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|rest| rest.split_once(' ')) {
            assert!(page.contains(&format!("# HELP {name} ")), "{name} has no description");
            assert!(shown.insert(name.to_owned(), kind.to_owned()).is_none(), "{name} is shown twice");
        }
    }
    shown
}

fn a_busy_server_shows_what_is_documented_and_nothing_else(engine: Engine) {
    let (sink, backups) = (Sink::start(), Scratch::new());
    let start = inbox_scene::start(engine)
        .env("FRONTDESK_ALLOW_PRIVATE_TARGETS", "true")
        .env("FRONTDESK_SLOW_STATEMENT_MS", "0")
        .env("FRONTDESK_LOG", "error")
        .env("FRONTDESK_BACKUP_TO", backups.path().to_str().expect("a path"));
    let desk = Desk::of(Inbox::of(start));
    let (inbox, client) = (&desk.inbox, &desk.client);
    sink.respond("/gone", Reply::status(410));
    for path in ["/fine", "/gone"] {
        client.post("/webhooks", json!({ "url": sink.url(path) })).expect(201);
    }
    client.post("/contacts", json!({ "name": "Ann", "phone": "+4915112345678" })).expect(201);
    inbox.sends(hello_to("+4915112345678"));
    let run = desk.starts(json!({}));
    desk.becomes(&run, "succeeded");
    desk.hears("4915198765432", "Hello");
    // Reads that follow each other use the names that the first one has read.
    for _ in 0..10 {
        client.get("/contacts").expect(200);
    }
    for _ in 0..40 {
        inbox.app.anonymous().with_key("fd_live_nobody").get("/me");
    }
    inbox.settle();

    let documented = documented();
    let mut page = String::new();
    // PostgreSQL without Redis caches no keys.
    let caches = engine != Engine::Postgres;
    let is_expected = |name: &&String| {
        !RARE.contains(&name.as_str()) && (caches || *name != "frontdesk_cache_lookups_total")
    };
    let expected: BTreeSet<&String> = documented.keys().filter(is_expected).collect();
    let missing = |page: &str| {
        let shown = shown(page);
        expected
            .iter()
            .filter(|name| !shown.contains_key(**name))
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    let came = came_true(|| {
        page = scrape(&inbox.app.anonymous());
        missing(&page).is_empty()
    });
    assert!(came, "these are documented and not shown: {:?}", missing(&page));
    // The first scrape is counted by the second.
    let page = scrape(&inbox.app.anonymous());
    for (name, kind) in shown(&page) {
        assert_eq!(documented.get(&name), Some(&kind), "{name}: the table of docs/operating.md");
    }
    for kind in
        ["courier", "sender", "fetcher", "runs", "answers", "triggers", "trigger events", "broadcasts"]
    {
        assert!(page.contains(&format!("frontdesk_queue_jobs{{kind=\"{kind}\"}} 0")), "{kind}: {page}");
    }
    let is_positive = |line: &&str| {
        line.rsplit(' ').next().is_some_and(|value| value.parse::<f64>().is_ok_and(|value| value > 0.0))
    };
    for busy in [
        "frontdesk_http_requests_total{method=\"POST\",route=\"/contacts\",status=\"201\"}",
        "frontdesk_http_requests_total{method=\"GET\",route=\"/metrics\",status=\"200\"}",
        "frontdesk_cache_lookups_total{cache=\"reader\",outcome=\"hit\"}",
        "frontdesk_store_queue_wait_seconds_count",
        "frontdesk_jobs_total{kind=\"courier\",outcome=\"done\"}",
        "frontdesk_backups_total{outcome=\"",
    ] {
        if engine == Engine::Sqlite || !busy.contains("reader") {
            assert!(
                page.lines().filter(|line| line.starts_with(busy)).any(|line| is_positive(&line)),
                "{busy}: {page}"
            );
        }
    }
}

fn no_request_adds_a_label_of_its_own(engine: Engine) {
    let app = inbox_scene::start(engine).alone().ready();
    let (tenant, anybody) = (app.tenant(), app.anonymous());
    let ask = |n: usize| {
        let id = format!("0192f0c4-7d3a-7bb0-9c4e-1f2a3b4c{n:04}");
        tenant.client.get(&format!("/contacts/{id}"));
        tenant.client.get(&format!("/unknown-{n}/{id}"));
        tenant.client.send("TRACE", "/contacts", None);
        for path in ["forms", "app", "app/api", "app/api/v1/contacts", "media", "sandbox", "nowhere"] {
            anybody.vendors().get(&format!("/{path}/{id}-{n}?q={n}"));
        }
        anybody.with_key(&format!("fd_live_{n}")).get("/me");
    };
    (0..3).for_each(ask);
    let series = |page: &str| -> BTreeSet<String> {
        let lines = page.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        lines.filter_map(|line| line.rsplit_once(' ').map(|(name, _)| name.to_owned())).collect()
    };
    let before = series(&scrape(&anybody));
    (100..130).for_each(ask);
    let page = scrape(&anybody);
    let after = series(&page);
    let added = after.difference(&before).filter(|name| name.contains("http")).cloned();
    // The first scrape is counted by the second.
    let added: Vec<String> = added.filter(|name| !name.contains("route=\"/metrics\"")).collect();
    // The failed keys reach their limit, which changes a status and nothing else.
    assert!(added.iter().all(|name| name.contains("status=\"429\"")), "{added:?}");
    for own in ["0192f0c4", "unknown-", tenant.account.id.as_str(), tenant.key.id.as_str()] {
        assert!(!page.contains(own), "{own} is a label");
    }
}

fn refusals_are_counted_by_the_limit_that_was_reached(engine: Engine) {
    let app = inbox_scene::start(engine).alone().ready();
    let account = app.account_with(&["--rate-limit", "3"]);
    let client = app.client(&app.key(&account, "contacts:read"));
    for _ in 0..10 {
        client.get("/me");
    }
    for _ in 0..40 {
        app.anonymous().with_key("fd_live_nobody").get("/me");
    }
    let page = scrape(&app.anonymous());
    for limit in ["key_rate", "failed_keys"] {
        let line = format!("frontdesk_refusals_total{{limit=\"{limit}\"}} ");
        let count = page.lines().find_map(|shown| shown.strip_prefix(&line)?.parse::<f64>().ok());
        assert!(count.is_some_and(|count| count >= 3.0), "{limit}: {count:?}");
    }
}
