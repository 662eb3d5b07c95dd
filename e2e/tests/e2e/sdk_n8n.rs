//! The community node for n8n, installed as its first page says and run against the real server. n8n itself is not needed: the driver
//! gives the nodes what n8n would. `make n8n` loads them with n8n's own loader.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use frontdesk_e2e::{App, Engine, Scratch, Tenant, on_every_engine, on_sqlite};
use serde_json::{Value, json};

use crate::people::{add, walk};
use crate::receiver::reaching;
use crate::sdk_cases::first_page::{self, FirstPage};
use crate::shapes::text;

on_every_engine! {
    a_node_makes_calls_of_every_shape,
    a_node_returns_lists_of_many_pages,
    a_node_says_what_the_server_refuses,
    a_trigger_starts_on_signed_events_alone,
}

on_sqlite! {
    a_node_repeats_what_has_no_second_effect,
}

/// More than a page, which has at most 100 rows.
const CONTACTS: usize = 105;

fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk/n8n")
}

/// Where n8n finds the package after somebody has followed its first page. What is not packed is not there.
#[track_caller]
fn installed(scratch: &Scratch) -> PathBuf {
    let checkout = first_page::checkout("n8n", scratch.path());
    FirstPage::of("n8n").install(&checkout, Some(scratch.path()));
    scratch.path().join(".n8n/nodes/node_modules/n8n-nodes-frontdesk")
}

#[track_caller]
fn driven(app: &App, tenant: &Tenant, case: &str) -> Value {
    let scratch = Scratch::new();
    let mut node = Command::new("node")
        .arg(package().join("test/driver.cjs"))
        .arg(installed(&scratch))
        .arg(case)
        .env("NODE_PATH", package().join("test/stubs"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("node runs");
    let input = json!({ "base_url": app.base(), "api_key": tenant.key.secret }).to_string();
    node.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("written");
    let done = node.wait_with_output().expect("it ends");
    assert!(done.status.success(), "{case}: {}", String::from_utf8_lossy(&done.stderr));
    serde_json::from_slice(&done.stdout).expect("JSON")
}

fn a_node_makes_calls_of_every_shape(app: App) {
    let tenant = app.tenant();
    let done = driven(&app, &tenant, "operations");
    let stored = walk(&tenant.client, "/contacts");
    assert_eq!(stored.len(), 1, "the second try of the same execution made no second contact");
    assert_eq!((&stored[0]["id"], &done["made"]["id"]), (&done["again"]["id"], &done["again"]["id"]));
    assert_eq!((&done["made"]["name"], &done["changed"]["name"]), (&json!("Ann Lee"), &json!("Ann Smith")));
    assert_eq!(stored[0]["company"], Value::Null);
    assert_eq!(stored[0]["tags"][0]["name"], "vip");
    assert_eq!(done["note"]["body"], "Likes tea.");
    assert_eq!(
        (&done["uploaded"]["size"], &done["uploaded"]["content_type"]),
        (&json!(5), &json!("text/plain"))
    );
}

fn a_node_returns_lists_of_many_pages(app: App) {
    let tenant = app.tenant();
    for number in 0..CONTACTS {
        add(&tenant.client, json!({ "name": format!("Contact {number}.") }));
    }
    let done = driven(&app, &tenant, "pages");
    let ids: Vec<Value> = walk(&tenant.client, "/contacts").iter().map(|row| row["id"].clone()).collect();
    assert_eq!(done["all"], json!(ids));
    assert_eq!(done["some"], json!(ids[..3]));
    assert_eq!(done["found"].as_array().map(Vec::len), Some(11), "{}", done["found"]);
}

fn a_node_says_what_the_server_refuses(app: App) {
    let tenant = app.tenant();
    let done = driven(&app, &tenant, "refusals");
    assert_eq!(done["empty"]["status"], "400", "{done}");
    for case in ["missing", "escaped"] {
        assert!(["404", "400"].contains(&text(&done[case]["status"])), "{done}");
    }
    assert!(text(&done["missing"]["description"]).contains("req_"), "{done}");
    assert!(text(&done["blank"]["message"]).contains("must not be blank"), "{done}");
    assert!(text(&done["json"]["message"]).contains("must be JSON"), "{done}");
    assert_eq!(done["union"]["status"], "422", "{done}");
    assert_eq!(done["test"], json!(format!("{}/api/v1/me", app.base())));
    assert!(!done.to_string().contains(&tenant.key.secret));
}

fn a_node_repeats_what_has_no_second_effect(app: App) {
    let tenant = app.tenant();
    let sent = driven(&app, &tenant, "retries");
    let expected = json!({
        "get 429": 2, "get 503": 2, "get broken": 2,
        "update 429": 2, "update 503": 1, "update broken": 1,
        "create 429": 2, "create 503": 2, "create broken": 2,
    });
    assert_eq!(sent, expected);
}

fn a_trigger_starts_on_signed_events_alone(engine: Engine) {
    let app = reaching(engine).ready();
    let tenant = app.tenant();
    let done = driven(&app, &tenant, "trigger");
    assert_eq!(
        (&done["existed"], &done["exists"], &done["changed"]),
        (&json!(false), &json!(true), &json!(false))
    );
    let arrived = done["arrived"].as_array().expect("a list");
    let types: Vec<&str> = arrived.iter().map(|event| text(&event["event_type"])).collect();
    assert_eq!(types, ["contact.created", "moon.landed"], "what was forged did not arrive");
    assert_eq!(arrived[0]["data"]["contact"]["name"], "Ann Lee");
    assert_eq!(done["refusals"], json!(vec![401; 9]));
    assert_eq!((&done["unknown"], &done["late"]), (&json!(200), &json!(401)));
    assert_eq!((&done["isGone"], &done["kept"]), (&json!(true), &json!({})));
    assert_eq!(done["endpoints"], json!([[true, []]]));
    assert!(text(&done["first"]["secret"]).starts_with("whsec_"));
    assert_eq!(walk(&tenant.client, "/webhooks"), Vec::<Value>::new());
}
