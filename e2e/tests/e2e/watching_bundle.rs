//! The file for a bug report: what is in it, and what never is.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use frontdesk_e2e::{Engine, Scratch, on_every_engine, on_sqlite};
use serde_json::json;

use crate::agent_scene::new_assistant;
use crate::inbox_scene::{self, Inbox, hello_to};

on_every_engine! {
    a_bundle_has_what_a_bug_report_needs_and_nothing_that_is_secret_or_anybodys,
}

on_sqlite! {
    a_bundle_is_written_without_a_database_and_replaces_no_file,
}

/// Variables with secrets and names, as an operator might set them. The server starts with none of them.
const SECRETS: &[(&str, &str)] = &[
    ("FRONTDESK_METRICS_TOKEN", "metrics-token-0f11"),
    ("FRONTDESK_SANDBOX_TOKEN", "sandbox-token-1e22"),
    ("FRONTDESK_OPENAI_API_KEY", "sk-openai-2d33"),
    ("FRONTDESK_OPENAI_BASE_URL", "http://127.0.0.1:1/models-3c44"),
    ("FRONTDESK_ANTHROPIC_API_KEY", "sk-ant-4b55"),
    ("FRONTDESK_ANTHROPIC_BASE_URL", "http://127.0.0.1:1/claude-5a66"),
    ("FRONTDESK_BACKUP_TO", "s3://bucket-6977/prefix"),
    ("FRONTDESK_S3_ENDPOINT", "http://127.0.0.1:1"),
    ("FRONTDESK_S3_ACCESS_KEY_ID", "AKIA-7888"),
    ("FRONTDESK_S3_SECRET_ACCESS_KEY", "s3-secret-8799"),
    ("FRONTDESK_STOP_WORDS", "stop-96aa"),
    ("FRONTDESK_CORS_ORIGINS", "https://origin-a5bb.example"),
    ("FRONTDESK_BASE_URL", "https://desk-b4cc.example"),
    ("FRONTDESK_TRUSTED_PROXIES", "10.66.77.88"),
    ("FRONTDESK_TRANSCRIPTION_MODEL", "model-c3dd"),
    ("FRONTDESK_LOG", "info,frontdesk_d2ee=debug"),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector-e1ff.example:4318"),
    ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=otlp-f000"),
    ("OTEL_SERVICE_NAME", "service-0a1b"),
    ("FRONTDESK_UNKNOWN_SECRET", "unknown-1b2c"),
];

fn a_bundle_has_what_a_bug_report_needs_and_nothing_that_is_secret_or_anybodys(engine: Engine) {
    let inbox = Inbox::of(inbox_scene::start(engine).alone());
    let client = &inbox.client;
    let contact =
        json!({ "name": "Zoe Quellwasser", "phone": "+4915112345678", "email": "zoe@quell.example" });
    let made = client.post("/contacts", contact).expect(201);
    client.post("/tags", json!({ "name": "tag-2c3d" })).expect(201);
    client.post("/webhooks", json!({ "url": "https://hook-3d4e.example/path" })).expect(201);
    inbox.hears("4915198765432", "my password is hunter2-4e5f");
    inbox.sends(hello_to("+4915112345678"));
    new_assistant(client, json!({ "name": "Robin-5f60", "system_prompt": "prompt-6071" }));
    inbox.member("owner-7182@quell.example");
    inbox.settle();
    // Routes are shown, and not what was asked for.
    client.get(&format!("/contacts/{}?q=query-8293", made.id())).expect(200);

    let scratch = Scratch::new();
    let path = scratch.path().join("bundle.txt");
    let shown = path.to_str().expect("a path");
    // The token of /metrics is not the server's, which needs none.
    let ran = inbox.app.run_with(SECRETS, &["doctor", "--bundle", shown]);
    assert!(ran.out.contains("Read it before you send it"), "{ran:?}");
    let bundle = fs::read_to_string(&path).expect("the bundle");
    for needed in [
        concat!("version ", env!("CARGO_PKG_VERSION")),
        "## Findings",
        "statements",
        "are understood",
        "## Settings",
        "FRONTDESK_OPENAI_API_KEY             set",
        "FRONTDESK_SECRET_KEY                 not set",
        "## Migrations",
        "none is pending",
        "## Tables",
        "contacts",
        "delivery_attempts",
        "## Queues",
        "courier",
        "trigger events",
        "## Servers",
        "1 run",
        "## Metrics",
        "frontdesk_http_requests_total{method=\"POST\",route=\"/contacts\",status=\"201\"}",
    ] {
        assert!(bundle.contains(needed), "{needed} is not in it:\n{bundle}");
    }
    let secrets = SECRETS.iter().map(|(_, value)| *value).map(str::to_owned);
    let parts = [
        "bucket-6977",
        "desk-b4cc",
        "origin-a5bb",
        "collector-e1ff",
        "otlp-f000",
        "10.66.77.88",
        "frontdesk_d2ee",
        "Zoe",
        "Quellwasser",
        "15112345678",
        "15198765432",
        "quell.example",
        "tag-2c3d",
        "hook-3d4e",
        "hunter2-4e5f",
        "Robin-5f60",
        "prompt-6071",
        "owner-7182",
        "query-8293",
        "Acme",
    ];
    let ids = [
        made.id(),
        inbox.tenant.account.id.clone(),
        inbox.tenant.key.secret.clone(),
        inbox.tenant.key.id.clone(),
        inbox.whatsapp.clone(),
    ];
    let url = inbox.app.database().trim_start_matches("sqlite:").to_owned();
    let place =
        url.split('@').next_back().unwrap_or_default().split('?').next().unwrap_or_default().to_owned();
    for secret in secrets.chain(parts.map(str::to_owned)).chain(ids).chain([place]) {
        assert!(!secret.is_empty() && !bundle.contains(&secret), "{secret} is in the bundle:\n{bundle}");
    }
    let mode = fs::metadata(&path).expect("the bundle").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "only its owner reads it");
}

fn a_bundle_is_written_without_a_database_and_replaces_no_file(engine: Engine) {
    let app = frontdesk_e2e::App::start(engine).unstarted();
    let scratch = Scratch::new();
    let path = scratch.path().join("bundle.txt");
    let shown = path.to_str().expect("a path");
    let bad =
        [("FRONTDESK_DATABASE_POOL", "hunter2-pool"), ("FRONTDESK_DATABASE", "sqlite:/nowhere/hunter2.db")];
    let mut args =
        vec!["doctor", "--bundle", shown, "--database", "sqlite:/nowhere/hunter2-dir/frontdesk.db"];
    let ran = app.run_bare(&args);
    assert!(ran.code.is_some() && path.exists(), "{ran:?}");
    let bundle = fs::read_to_string(&path).expect("the bundle");
    assert!(bundle.contains("## Settings") && !bundle.contains("hunter2"), "{bundle}");

    let error = app.run_bare(&args).expect_failure();
    assert!(error.contains("exists already") && error.contains("--bundle"), "{error}");
    assert_eq!(fs::read_to_string(&path).expect("the bundle"), bundle, "it is as it was");
    let link = scratch.path().join("link.txt");
    std::os::unix::fs::symlink("/nowhere/target", &link).expect("a link");
    args[2] = link.to_str().expect("a path");
    app.run_bare(&args).expect_failure();

    // Settings that are not valid are counted, and not repeated.
    let other = scratch.path().join("other.txt");
    let ran = app.run_with(&bad, &["doctor", "--bundle", other.to_str().expect("a path")]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let bundle = fs::read_to_string(&other).expect("the bundle");
    assert!(bundle.contains("not valid: 1 problems") && !bundle.contains("hunter2"), "{bundle}");
}
