//! The document of the API, the page made of it, and every route that it names.

use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;
use std::process::Command;
use std::{env, fs};

use frontdesk_e2e::{Account, App, Client, Engine, Response, on_every_engine, on_sqlite};
use serde_json::{Value, json};

use crate::bookings::{Calendar, booking};
use crate::inbox_scene::reachable;
use crate::receiver::reaching;
use crate::routes::{ROUTES, Route};
use crate::schema::faults;

on_every_engine! {
    every_route_refuses_strangers_and_serves_its_own,
}

on_sqlite! {
    streams_and_uploads_tell_of_every_refusal,
    the_document_is_the_committed_one,
    the_documentation_is_served_and_loads_nothing_from_elsewhere,
    the_interactive_reference_may_call_the_public_api_only,
}

/// The first address of a large range for tests. Each route is called from the next one, so that none reaches the
/// limit of failed authentications.
const STRANGERS: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 0);

/// Every operation of the document: `GET /contacts` and what it says.
fn operations(document: &Value) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        let Some(path) = path.strip_prefix("/api/v1") else { continue };
        for (method, operation) in item.as_object().expect("a path's methods") {
            // Streams and uploads are not walked; they have tests of their own.
            if operation["x-stream"] == true {
                continue;
            }
            found.insert(format!("{} {path}", method.to_uppercase()), operation.clone());
        }
    }
    found
}

fn streams_and_uploads_tell_of_every_refusal(app: App) {
    let document = app.anonymous().vendors().get("/openapi.json").expect(200).json;
    for (path, method, more) in
        [("/events/stream", "get", ["400"].as_slice()), ("/media", "post", &["400", "413", "415", "422"])]
    {
        let responses = &document["paths"][format!("/api/v1{path}")][method]["responses"];
        for refusal in ["401", "403", "429", "500", "503"].iter().chain(more) {
            let body = &responses[*refusal]["content"]["application/json"];
            assert!(body["schema"].is_object(), "{path} does not tell of {refusal}");
        }
    }
    let code = &document["paths"]["/api/v1/media"]["post"]["responses"]["403"]["content"]["application/json"]
        ["example"];
    assert_eq!(code["error"]["code"], "forbidden");
}

fn the_document_is_the_committed_one(app: App) {
    let served = app.anonymous().vendors().get("/openapi.json").expect(200);
    assert_eq!(served.header("content-type"), Some("application/json"));
    let path = format!("{}/../openapi.json", env!("CARGO_MANIFEST_DIR"));
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}; run `make openapi`"));
    let committed: Value = serde_json::from_str(&text).expect("JSON");
    // The server names its own address, which the committed document leaves open.
    let mut expected = committed.clone();
    expected["servers"] = json!([{ "url": app.base() }]);
    let differs = served.json != expected;
    assert!(!differs, "openapi.json is not what is served; run `make openapi`");
    assert_eq!(app.run_bare(&["openapi"]).expect_success().json(), committed);
    assert!(text_of(&committed["openapi"]).starts_with("3.1"));
}

/// Every example fits the schema beside it.
#[test]
fn every_response_has_an_example_that_fits() {
    let path = format!("{}/../openapi.json", env!("CARGO_MANIFEST_DIR"));
    let document: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let mut examples = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            for (status, response) in operation["responses"].as_object().unwrap() {
                let response = match response["$ref"].as_str() {
                    Some(reference) => document.pointer(&reference[1..]).expect("a response"),
                    None => response,
                };
                for (kind, body) in response["content"].as_object().into_iter().flatten() {
                    let name = format!("{method} {path} {status} {kind}");
                    assert!(body["example"] != Value::Null, "{name} has no example");
                    let found = faults(&document, &body["schema"], &body["example"]);
                    assert!(found.is_empty(), "the example of {name} does not fit: {found:?}");
                    examples += 1;
                }
            }
        }
    }
    assert!(examples > 500, "{examples}");
}

/// Every event type has a schema of its own in `Event`, and a webhook with an example that fits it.
#[test]
fn every_event_type_has_a_schema_and_a_webhook() {
    let path = format!("{}/../openapi.json", env!("CARGO_MANIFEST_DIR"));
    let document: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let schemas = &document["components"]["schemas"];
    let types: Vec<&str> = schemas["EventType"]["enum"].as_array().unwrap().iter().map(text_of).collect();
    let webhooks = document["webhooks"].as_object().unwrap();
    assert_eq!(types.iter().collect::<BTreeSet<_>>().len(), webhooks.len());
    assert_eq!(schemas["Event"]["oneOf"].as_array().unwrap().len(), webhooks.len());
    for event_type in types {
        let body = &webhooks[event_type]["post"]["requestBody"]["content"]["application/json"];
        assert_eq!(schemas["Event"]["discriminator"]["mapping"][event_type], body["schema"]["$ref"]);
        assert_eq!(body["example"]["event_type"], event_type);
        let event = json!({ "$ref": "#/components/schemas/Event" });
        for schema in [&body["schema"], &event] {
            let found = faults(&document, schema, &body["example"]);
            assert!(found.is_empty(), "the example of {event_type} does not fit {schema}: {found:?}");
        }
        let mut without = body["example"].clone();
        without["data"] = json!({});
        assert!(!faults(&document, &event, &without).is_empty(), "{event_type} says nothing of its data");
    }
}

/// Runs a script that fails when a client cannot be generated, warns, or does not work.
#[track_caller]
fn clients(arguments: &[&str]) {
    let script = format!("{}/../scripts/api-clients", env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(script).args(arguments).output().expect("the script runs");
    let (said, why) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}{why}");
}

/// The dashboard's types are generated from the committed document.
#[test]
fn the_dashboards_document_is_the_committed_one() {
    let app = App::start(Engine::Sqlite).ready();
    let path = format!("{}/../dashboard/openapi.json", env!("CARGO_MANIFEST_DIR"));
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}; run `make openapi`"));
    let committed: Value = serde_json::from_str(&text).expect("JSON");
    let differs = app.run_bare(&["openapi", "--dashboard"]).expect_success().json() != committed;
    assert!(!differs, "dashboard/openapi.json is not what the routes declare; run `make openapi`");
}

#[test]
fn a_generated_python_client_works() {
    let app = App::start(Engine::Sqlite).ready();
    let tenant = reachable(&app);
    let document = format!("{}/../openapi.json", env!("CARGO_MANIFEST_DIR"));
    clients(&["python", &document, app.base().trim_end_matches('/'), &tenant.key.secret]);
}

#[test]
fn generated_typescript_types_compile() {
    clients(&["typescript", &format!("{}/../openapi.json", env!("CARGO_MANIFEST_DIR"))]);
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("text was expected: {value}"))
}

fn the_documentation_is_served_and_loads_nothing_from_elsewhere(app: App) {
    let anyone = app.anonymous().vendors();
    let page = anyone.get("/docs").expect(200);
    assert!(page.header("content-type").is_some_and(|kind| kind.starts_with("text/html")));
    let html = page.text.to_lowercase();
    let starts = [" src=", " href=", " action=", " srcset=", " data=", " poster=", "url(", "@import"];
    let mut links = 0;
    for start in starts {
        for (at, _) in html.match_indices(start) {
            let value = html[at + start.len()..].trim_start_matches(['"', '\'', ' ']);
            let elsewhere = value.starts_with("http") || value.starts_with("//");
            assert!(!elsewhere, "{start} {}", value.chars().take(80).collect::<String>());
            links += 1;
        }
    }
    assert!(links > 20, "the page has no links to its parts");
    assert!(page.text.contains(&format!("export FRONTDESK_URL={}\n", app.base())), "it names another server");
    let document = anyone.get("/openapi.json").expect(200).json;
    for path in document["paths"].as_object().unwrap().keys() {
        let shown = path.strip_prefix("/api/v1").unwrap_or(path);
        assert!(page.text.contains(shown), "{shown} is not on the page");
    }
}

fn the_interactive_reference_may_call_the_public_api_only(app: App) {
    let anyone = app.anonymous().vendors();
    let light = anyone.get("/docs").expect(200);
    let policy = light.header("content-security-policy");
    assert_eq!(
        policy,
        Some("default-src 'none'; style-src 'unsafe-inline'"),
        "the light page runs no script"
    );
    let page = anyone.get("/docs/interactive");
    let is_built = page.status == 200;
    assert_eq!(
        light.text.contains("href=\"/docs/interactive\""),
        is_built,
        "the link is there if the page is"
    );
    anyone.send("POST", "/docs/interactive", None).expect(405);
    if !is_built {
        let refusal = page.expect(404);
        assert!(text_of(&refusal.json["error"]["message"]).contains("make dashboard"), "{}", refusal.text);
        return;
    }
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    let host = app.base().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let policy = page.header("content-security-policy").expect("a policy");
    let directives: Vec<&str> = policy.split("; ").collect();
    for directive in [
        "default-src 'none'".to_owned(),
        format!("script-src {host}/app/assets/"),
        format!("connect-src {host}/api/v1/ {host}/openapi.json"),
        "sandbox allow-scripts allow-same-origin allow-downloads".to_owned(),
        "frame-ancestors 'none'".to_owned(),
        "form-action 'none'".to_owned(),
    ] {
        assert!(directives.contains(&directive.as_str()), "{directive} is not in {policy}");
    }
    // Under the dashboard's path the same file is not served, because the dashboard's policy lets scripts use a session.
    let beside = anyone.get("/app/reference.html").expect(200);
    assert!(!beside.text.contains("id=\"reference\""));
    let sources: Vec<&str> =
        page.text.split(" src=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(!sources.is_empty());
    for source in sources {
        assert!(source.starts_with("/app/assets/"), "{source}");
        let script = anyone.get(source).expect(200);
        assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
    }
}

fn call(client: &Client, route: &Route, path: &str, body: Option<&Value>) -> Response {
    let (method, _) = route.name.split_once(' ').expect("a method and a path");
    match body {
        Some(body) => client.with("content-type", "application/json").send(
            method,
            path,
            Some(body.to_string().as_bytes()),
        ),
        None => client.send(method, path, None),
    }
}

/// A caller with every scope but this one, and those that include it.
fn without(app: &App, account: &Account, scope: &str, all: &[String]) -> Client {
    let noun = |scope: &str| scope.split(':').next().map(ToOwned::to_owned);
    let includes = |other: &str| match scope {
        "templates:read" => other == scope || other.ends_with(":send"),
        _ if scope.ends_with(":read") => noun(other) == noun(scope),
        _ => other == scope,
    };
    let kept = all.iter().map(String::as_str).filter(|other| !includes(other));
    app.client(&app.key(account, &kept.collect::<Vec<_>>().join(",")))
}

fn every_route_refuses_strangers_and_serves_its_own(engine: Engine) {
    // Failed authentication is counted by address; each stranger comes from one of its own.
    let app = reaching(engine)
        .env("FRONTDESK_TRUSTED_PROXIES", "127.0.0.0/8")
        .env("FRONTDESK_SANDBOX_CLOCK", "true")
        .ready();
    let document = app.anonymous().vendors().get("/openapi.json").expect(200).json;
    let operations = operations(&document);
    let named: BTreeSet<&str> = ROUTES.iter().map(|route| route.name).collect();
    let documented: BTreeSet<&str> = operations.keys().map(String::as_str).collect();
    assert_eq!(named, documented, "tests/e2e/routes.rs must name every route");

    let (ours, theirs) = (reachable(&app), reachable(&app));
    assert!(Calendar::connect(&app, &ours).tell("BOOKING_CREATED", booking("abc")));
    let me = ours.client.get("/me").expect(200);
    let all: Vec<String> =
        me.data()["scopes"].as_array().unwrap().iter().map(|scope| text_of(scope).to_owned()).collect();
    let (mut lacking, mut holding) = (BTreeMap::new(), BTreeMap::new());
    for (number, route) in ROUTES.iter().enumerate() {
        let name = route.name;
        let operation = &operations[name];
        assert_eq!(operation["x-scope"].as_str(), route.scope, "{name}");
        assert!(operation.get("security").is_none(), "{name} is described as open");
        let (path, body) = (route.prepare)(&ours.client);
        let address = Ipv4Addr::from_bits(STRANGERS.to_bits() + number as u32);
        let stranger = app.anonymous().with("x-forwarded-for", address.to_string());
        let response = call(&stranger, route, &path, body.as_ref());
        assert_eq!(response.status, 401, "{name} answered a stranger: {}", response.text);
        response.error("unauthorized");
        // Nothing else that is wrong with a stranger's request is looked at.
        let method = name.split(' ').next().expect("a method");
        let nonsense = stranger.with("content-type", "text/plain").with("idempotency-key", "é");
        let response = nonsense.send(method, &format!("{path}?limit=abc&cursor=x"), Some(b"{ nonsense"));
        assert_eq!(response.status, 401, "{name} answered a stranger's nonsense: {}", response.text);
        if let Some(scope) = route.scope {
            let lacking = lacking.entry(scope).or_insert_with(|| without(&app, &ours.account, scope, &all));
            let response = call(lacking, route, &path, body.as_ref());
            assert_eq!(response.status, 403, "{name} needs no {scope}: {}", response.text);
            assert_eq!(response.error("forbidden")["reason"], "scope", "{name}");
        }
        if name.contains('{') {
            let (their_path, their_body) = (route.prepare)(&theirs.client);
            let response = call(&ours.client, route, &their_path, their_body.as_ref());
            assert_eq!(response.status, 404, "{name} reached into another account: {}", response.text);
            response.error("not_found");
            let nowhere = path.split('/').map(|part| if part.len() == 36 { "nothing" } else { part });
            let response = call(&ours.client, route, &nowhere.collect::<Vec<_>>().join("/"), body.as_ref());
            assert_eq!(response.status, 404, "{name} took a malformed id: {}", response.text);
        }
        let scope = route.scope.unwrap_or("ai:usage");
        let holder = holding.entry(scope).or_insert_with(|| app.client(&app.key(&ours.account, scope)));
        serves(&document, operation, route, &call(holder, route, &path, body.as_ref()));
    }
}

/// Demands the success that the document describes, in its status and its body.
#[track_caller]
fn serves(document: &Value, operation: &Value, route: &Route, response: &Response) {
    let name = route.name;
    let responses = operation["responses"].as_object().expect("responses");
    let successes: Vec<&String> = responses.keys().filter(|status| status.starts_with('2')).collect();
    assert_eq!(successes, [&response.status.to_string()], "{name} answered {}", response.text);
    let schema = &responses[successes[0]]["content"]["application/json"]["schema"];
    assert!(schema.is_object(), "{name} has no schema");
    let found = faults(document, schema, &response.json);
    assert!(found.is_empty(), "{name} is not as described: {found:?}");
    let ignored = response.header("frontdesk-ignored-fields");
    assert_eq!(ignored, None, "{name} does not know all fields of its body");
    let rows = response.data().as_array().map_or(1, Vec::len);
    assert!(rows > 0, "{name} shows nothing, so its rows are not checked");
    for refusal in ["401", "403", "429", "500", "503"] {
        assert!(responses.contains_key(refusal), "{name} does not tell of {refusal}");
    }
    assert!(responses.contains_key("404") || !name.contains('{'), "{name} does not tell of 404");
}
