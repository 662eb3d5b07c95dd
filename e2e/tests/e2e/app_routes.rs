//! The walk over all routes by the session: every role gets what it may, and nothing else.

use frontdesk_e2e::{App, Engine, Response, on_every_engine};
use serde_json::Value;

use crate::app_scene::{Browser, OWNER, PASSWORD, member, set_password};
use crate::inbox_scene::connect;
use crate::receiver::reaching;
use crate::routes::{ROUTES, Route};
use crate::shapes::text;

on_every_engine! {
    every_role_is_served_what_it_may_do,
    a_stranger_gets_401_whatever_is_wrong_with_the_request,
}

/// What an agent lacks, as the contract says.
const NOT_FOR_AGENTS: &[&str] =
    &["broadcasts:send", "assistants:write", "runs:start", "ai:usage", "webhooks:manage"];

fn call(browser: &Browser, route: &Route, path: &str, body: Option<&Value>) -> Response {
    let method = route.name.split(' ').next().expect("a method");
    let path = format!("/app/api/v1{path}");
    match body {
        Some(body) => {
            let client = browser.client.with("content-type", "application/json");
            client.send(method, &path, Some(body.to_string().as_bytes()))
        }
        None => browser.client.send(method, &path, None),
    }
}

/// The routes that begin a session, and so need none.
const OPEN: &[&str] = &[
    "post /session",
    "post /session/link",
    "post /session/provider/finish",
    "post /password",
    "post /invitation/check",
    "post /password/lost",
];
/// Those of them that take no body.
const OPEN_WITHOUT_BODY: &[(&str, u16)] = &[("get /sign-in", 200), ("post /session/provider", 404)];

fn a_stranger_gets_401_whatever_is_wrong_with_the_request(app: App) {
    let document = include_str!("../../../dashboard/openapi.json");
    let document: Value = serde_json::from_str(document).expect("JSON");
    let stranger = Browser::new(&app).client.with("content-type", "text/plain");
    for (path, item) in document["paths"].as_object().expect("paths") {
        let path = path.strip_prefix("/app/api").expect("a path of the dashboard");
        let here = format!("/app/api{}?limit=abc&cursor=x", path.replace(['{', '}'], ""));
        for method in item.as_object().expect("methods").keys() {
            let body = (method != "get").then_some(b"{ nonsense".as_slice());
            let response = stranger.send(&method.to_uppercase(), &here, body);
            let name = format!("{method} {path}");
            if let Some((_, status)) = OPEN_WITHOUT_BODY.iter().find(|(open, _)| *open == name) {
                assert_eq!(response.status, *status, "{name}: {}", response.text);
            } else if OPEN.contains(&name.as_str()) {
                assert_eq!(response.status, 415, "{method} {path}: {}", response.text);
            } else {
                assert_eq!(response.status, 401, "{method} {path}: {}", response.text);
                response.error("unauthorized");
            }
        }
        // Neither do they learn which methods there are.
        let open = OPEN.iter().chain(OPEN_WITHOUT_BODY.iter().map(|(open, _)| open));
        if !open.into_iter().any(|open| open.ends_with(&format!(" {path}"))) {
            assert_eq!(stranger.send("PUT", &here, None).status, 401, "PUT {path}");
        }
    }
    for path in ["/nothing", "/v1/nothing", "/v1/events/stream"] {
        assert_eq!(stranger.get(&format!("/app/api{path}")).status, 401, "{path}");
    }
}

fn every_role_is_served_what_it_may_do(engine: Engine) {
    let app = reaching(engine).env("FRONTDESK_SANDBOX_CLOCK", "true").ready();
    let account = app.account_with(&["--rate-limit", "1000000", "--owner-email", OWNER]);
    set_password(&app, &account.owner, PASSWORD);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    connect(&app, &account, "whatsapp");
    let stranger = Browser::new(&app);
    let browsers = ["owner", "admin", "agent"].map(|role| {
        let email = format!("{role}@example.com");
        if role != "owner" {
            member(&app, &account, &email, role);
        }
        (role, stranger.sign_in(&email))
    });
    for route in ROUTES {
        let name = route.name;
        for (role, browser) in &browsers {
            let (path, body) = (route.prepare)(&client);
            let response = call(&stranger, route, &path, body.as_ref());
            assert_eq!(response.status, 401, "{name} answered a stranger: {}", response.text);
            let response = call(browser, route, &path, body.as_ref());
            let is_lacking =
                *role == "agent" && route.scope.is_some_and(|scope| NOT_FOR_AGENTS.contains(&scope));
            if is_lacking {
                assert_eq!(response.status, 403, "{name} served an {role}: {}", response.text);
                assert_eq!(response.error("forbidden")["reason"], "scope", "{name}");
            } else if name == "GET /me" {
                // It describes a key, and there is none.
                assert_eq!(response.status, 404, "{}", response.text);
            } else {
                assert!((200..300).contains(&response.status), "{name} refused an {role}: {}", response.text);
            }
        }
    }
    // What a member sends is an agent's.
    let sent = browsers[2].1.post("/v1/messages", crate::inbox_scene::hello_to("+14155550177")).expect(201);
    assert_eq!(sent.data()["sender_type"], "agent");
    let note = browsers[2].1.post(
        &format!("/v1/conversations/{}/notes", text(&sent.data()["conversation_id"])),
        serde_json::json!({ "body": "Hm." }),
    );
    let agent = browsers[2].1.get("/session").expect(200);
    assert_eq!(note.expect(201).data()["author_user_id"], agent.data()["user"]["id"]);
}
