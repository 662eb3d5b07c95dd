//! Who may call, as whom, and what they may do.

use frontdesk_e2e::{Account, App, Client, Clocked, Engine, Key, Response, on_every_engine, on_every_store};
use serde_json::{Value, json};

on_every_store! {
    every_unusable_key_gets_the_same_answer,
    a_revoked_key_stops_at_its_next_request,
    an_expired_key_stops_at_its_next_request,
    a_regenerated_key_keeps_everything_but_its_secret,
    a_suspended_account_gets_its_error_even_past_its_budget,
}

on_every_engine! {
    an_unauthorized_answer_is_shaped_like_every_error,
    a_key_is_read_from_the_authorization_header_alone,
    me_returns_the_keys_account_and_scopes,
    me_needs_no_particular_scope,
    a_missing_scope_is_named,
    a_write_scope_includes_its_reads,
    rows_of_another_account_are_not_found,
}

fn every_unusable_key_gets_the_same_answer(app: App) {
    let account = app.account();
    let [revoked, expired, regenerated] = [(); 3].map(|()| app.key(&account, "contacts:read"));
    for key in [&revoked, &expired, &regenerated] {
        app.client(key).get("/me").expect(200);
    }
    app.cli(&["key", "revoke", &revoked.id, "--reason", "leaked"]);
    app.cli(&["key", "edit", &expired.id, "--expires-at", "2020-01-01T00:00:00Z"]);
    app.cli(&["key", "regenerate", &regenerated.id]);

    let good = app.key(&account, "contacts:read").secret;
    let anyone = app.anonymous();
    let with = |header: String| anyone.with("authorization", header);
    let callers: [(&str, Client); 12] = [
        ("no header", anyone.clone()),
        ("an empty header", with(String::new())),
        ("a scheme alone", with("Bearer".into())),
        ("a key alone", with(good.clone())),
        ("another scheme", with(format!("Basic {good}"))),
        ("a short key", with(format!("Bearer {}", &good[..57]))),
        ("a long key", with(format!("Bearer {good}A"))),
        (
            "a key with a stranger's prefix",
            with(format!("Bearer {}", good.replace("frontdesk", "backstage"))),
        ),
        ("an unknown key", anyone.with_key(&format!("frontdesk_live_{}", "A".repeat(43)))),
        ("a revoked key", app.client(&revoked)),
        ("an expired key", app.client(&expired)),
        ("a regenerated key", app.client(&regenerated)),
    ];
    let first = unremarkable(&callers[0].1.get("/me"));
    for (what, caller) in &callers {
        assert_eq!(unremarkable(&caller.get("/me")), first, "{what}");
        assert_eq!(caller.get("/nowhere").status, 401, "{what}");
    }
}

/// All of a 401 but what tells one request from another.
fn unremarkable(response: &Response) -> (u16, String, Vec<(String, String)>) {
    let own = ["date", "x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset"];
    let mut headers: Vec<_> = response
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .filter(|(name, _)| !own.contains(&name.as_str()))
        .collect();
    headers.sort();
    (response.status, response.text.replace(response.request_id(), "req_"), headers)
}

fn an_unauthorized_answer_is_shaped_like_every_error(app: App) {
    let response = app.anonymous().get("/me").expect(401);
    let mut fields: Vec<_> = response.error("unauthorized").as_object().unwrap().keys().collect();
    fields.sort();
    assert_eq!(fields, ["code", "message", "request_id"]);
    assert_eq!(response.json.as_object().unwrap().len(), 1, "{}", response.text);
}

fn a_key_is_read_from_the_authorization_header_alone(app: App) {
    let secret = app.tenant().key.secret;
    let anyone = app.anonymous();
    for query in ["api_key", "key", "token", "access_token"] {
        anyone.get(&format!("/me?{query}={secret}")).expect(401).error("unauthorized");
    }
    anyone.with("cookie", format!("api_key={secret}")).get("/me").expect(401);
    anyone.with("x-api-key", &secret).get("/me").expect(401);
}

fn a_revoked_key_stops_at_its_next_request(app: App) {
    let account = app.account();
    let key = app.key(&account, "contacts:read");
    let client = app.client(&key);
    client.get("/contacts").expect(200);
    app.cli(&["key", "revoke", &key.id, "--reason", "leaked in a log"]);
    client.get("/contacts").expect(401).error("unauthorized");
}

#[test]
fn a_key_revoked_by_a_command_that_cannot_reach_redis_stops_at_its_next_request() {
    let app = App::start(Engine::PostgresRedis).ready();
    let second = app.second_server();
    let account = app.account();
    for command in ["revoke", "regenerate", "edit"] {
        let key = app.key(&account, "contacts:read");
        let clients = [app.client(&key), app.client(&key).at(&second)];
        for _ in 0..5 {
            for client in &clients {
                client.get("/me").expect(200);
            }
        }
        let options: &[&str] = match command {
            "revoke" => &["--reason", "leaked in a log"],
            "edit" => &["--expires-at", "2020-01-01T00:00:00Z"],
            _ => &[],
        };
        let args = [&["key", command, &key.id, "--redis", "redis://127.0.0.1:1"], options].concat();
        let done = app.run(&args).expect_success();
        for client in &clients {
            client.get("/me").expect(401).error("unauthorized");
        }
        assert!(done.err.contains("Redis") && done.err.contains("in force"), "{}", done.err);
    }
}

fn an_expired_key_stops_at_its_next_request(app: App) {
    let account = app.account();
    let key = app.key(&account, "contacts:read");
    let client = app.client(&key);
    assert!(client.get("/me").expect(200).data()["expires_at"].is_string());
    app.cli(&["key", "edit", &key.id, "--expires-at", "2020-01-01T00:00:00Z"]);
    client.get("/me").expect(401).error("unauthorized");
}

fn a_regenerated_key_keeps_everything_but_its_secret(app: App) {
    let account = app.account();
    let options = ["--scopes", "contacts:write", "--allow", "127.0.0.0/8", "--rate-limit", "500"];
    let old = app.key_with(&account, &options);
    let before = app.client(&old).get("/me").expect(200);
    let made = app.cli(&["key", "regenerate", &old.id]);
    assert_eq!(made["id"], old.id.as_str());
    let new = Key { id: old.id.clone(), secret: made["key"].as_str().unwrap().to_owned() };
    app.client(&old).get("/me").expect(401);
    let after = app.client(&new).get("/me").expect(200);
    for field in ["account", "member", "scopes", "effective_scopes", "ip_allowlist", "rate_limit_per_minute"]
    {
        assert_eq!(after.data()[field], before.data()[field], "{field}");
    }
    assert_eq!(after.data()["key"]["name"], before.data()["key"]["name"]);
}

fn a_suspended_account_gets_its_error_even_past_its_budget(app: Clocked) {
    let account = app.account_with(&["--rate-limit", "2"]);
    let key = app.key(&account, "contacts:read");
    let client = app.client(&key);
    app.begin_minute();
    client.get("/me").expect(200);
    client.get("/me").expect(200);
    client.get("/me").expect(429);
    app.cli(&["account", "suspend", &account.id]);
    for path in ["/me", "/contacts", "/nowhere"] {
        client.get(path).expect(403).error("account_suspended");
    }
    let made = app.cli(&["key", "regenerate", &key.id]);
    let rotated = client.with_key(made["key"].as_str().unwrap());
    rotated.get("/me").expect(403).error("account_suspended");
    app.cli(&["account", "resume", &account.id]);
    assert_ne!(rotated.get("/me").status, 403);
}

fn me_returns_the_keys_account_and_scopes(app: App) {
    let account = app.account_with(&["--timezone", "Europe/Berlin", "--rate-limit", "500"]);
    let member = add_member(&app, &account);
    let key = app.key_with(
        &account,
        &[
            ["--scopes", "contacts:write,broadcasts:send"],
            ["--member", &member],
            ["--expires", "30"],
            ["--allow", "127.0.0.0/8"],
            ["--allow", "2001:db8::/32"],
            ["--rate-limit", "100"],
        ]
        .concat(),
    );
    let response = app.client(&key).get("/me").expect(200);
    let me = response.data();
    assert_eq!(me["account"], json!({ "id": account.id, "name": "Acme", "timezone": "Europe/Berlin" }));
    assert_eq!(me["member"], json!({ "id": member, "name": "Mia", "email": "mia@example.com" }));
    assert_eq!(me["key"]["id"], key.id.as_str());
    assert_eq!(me["key"]["name"], "Test");
    assert_eq!(me["rate_limit_per_minute"], 100);
    assert_eq!(me["ip_allowlist"], json!(["127.0.0.0/8", "2001:db8::/32"]));
    assert_eq!(sorted(&me["scopes"]), ["broadcasts:send", "contacts:write"]);
    let effective =
        ["broadcasts:read", "broadcasts:send", "contacts:read", "contacts:write", "templates:read"];
    assert_eq!(sorted(&me["effective_scopes"]), effective);
    for time in [&me["expires_at"], &me["key"]["created_at"]] {
        let time = time.as_str().unwrap();
        assert!(time.len() == "2026-01-01T00:00:00.000Z".len() && time.ends_with('Z'), "{time}");
    }
    let mut fields: Vec<_> = me.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    let known = "account effective_scopes expires_at ip_allowlist key member rate_limit_per_minute scopes";
    assert_eq!(fields.join(" "), known);
}

fn add_member(app: &App, account: &Account) -> String {
    let args = ["member", "add", "--account", &account.id, "--name", "Mia", "--email", "mia@example.com"];
    app.cli(&args)["user_id"].as_str().unwrap().to_owned()
}

fn sorted(list: &Value) -> Vec<&str> {
    let mut names: Vec<_> = list.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

fn me_needs_no_particular_scope(app: App) {
    let key = app.key_with(&app.account(), &["--scopes", "ai:usage", "--expires", "never"]);
    let response = app.client(&key).get("/me").expect(200);
    assert_eq!(response.data()["effective_scopes"], json!(["ai:usage"]));
    assert_eq!(response.data()["expires_at"], Value::Null);
}

fn a_missing_scope_is_named(app: App) {
    let client = app.client(&app.key(&app.account(), "contacts:read,deals:write"));
    client.get("/contacts").expect(200);
    let response = client.post("/contacts", json!({ "name": "Ada" })).expect(403);
    let error = response.error("forbidden");
    assert_eq!(error["reason"], "scope");
    assert!(error["message"].as_str().unwrap().contains("contacts:write"), "{error}");
    let response = client.get("/members").expect(403);
    assert!(response.error("forbidden")["message"].as_str().unwrap().contains("conversations:read"));
}

fn a_write_scope_includes_its_reads(app: App) {
    let client = app.client(&app.key(&app.account(), "contacts:write"));
    let id = client.post("/contacts", json!({ "name": "Ada" })).expect(201).id();
    client.get(&format!("/contacts/{id}")).expect(200);
    client.get("/tags").expect(200);
    client.get("/events").expect(403).error("forbidden");
}

fn rows_of_another_account_are_not_found(app: App) {
    let (ours, theirs) = (app.tenant().client, app.tenant().client);
    let contact = theirs.post("/contacts", json!({ "name": "Ada" })).expect(201).id();
    let tag = theirs.post("/tags", json!({ "name": "vip" })).expect(201).id();
    let contact = format!("/contacts/{contact}");
    ours.get(&contact).expect(404).error("not_found");
    ours.patch(&contact, json!({ "name": "Eve" })).expect(404).error("not_found");
    ours.get(&format!("{contact}/notes")).expect(404).error("not_found");
    ours.post(&format!("{contact}/notes"), json!({ "body": "hm" })).expect(404).error("not_found");
    ours.send("PUT", &format!("{contact}/opt-out"), None).expect(404).error("not_found");
    ours.delete(&format!("/tags/{tag}")).expect(404).error("not_found");
    let response = ours.post("/contacts", json!({ "name": "Eve", "tag_ids": [tag] })).expect(400);
    response.error("validation_error");
    response.details_at(&["tag_ids.0"]);
    assert_eq!(ours.get("/contacts").expect(200).data(), &json!([]));
    assert_eq!(theirs.get(&contact).expect(200).data()["name"], "Ada");
}
