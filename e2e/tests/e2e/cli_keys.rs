//! The command line: keys.

use std::collections::HashSet;

use frontdesk_e2e::{Account, App, on_every_engine};
use serde_json::{Value, json};

const NOBODY: &str = "0192f0c4-0000-7000-8000-000000000000";

on_every_engine! {
    a_key_is_shown_once_and_has_the_promised_shape,
    a_revoked_key_stays_listed_with_its_revoker_and_reason,
    an_edited_key_is_different_from_its_next_request,
    expiry_is_a_choice_with_a_default,
    an_expiry_may_be_a_year_ahead_at_most,
    mistakes_about_keys_are_named_and_change_nothing,
}

fn keys(app: &App, account: &Account) -> Vec<Value> {
    app.cli(&["key", "list", "--account", &account.id]).as_array().expect("a list").clone()
}

#[track_caller]
fn listed(app: &App, account: &Account, id: &str) -> Value {
    let keys = keys(app, account);
    keys.iter().find(|key| key["id"] == id).unwrap_or_else(|| panic!("{id} is not in {keys:?}")).clone()
}

fn a_key_is_shown_once_and_has_the_promised_shape(app: App) {
    let account = app.account();
    let secrets: HashSet<String> = (0..3).map(|_| app.key_with(&account, &["--all-scopes"]).secret).collect();
    assert_eq!(secrets.len(), 3);
    let list = app.run(&["key", "list", "--account", &account.id, "--json"]).expect_success().out;
    for secret in &secrets {
        let random = secret.strip_prefix("frontdesk_live_").expect("the prefix");
        assert_eq!(random.len(), 43);
        assert!(random.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_')), "{secret}");
        assert!(!list.contains(random), "the list shows a secret");
        app.anonymous().with_key(secret).get("/me").expect(200);
    }
    assert_eq!(keys(&app, &account).len(), 3);
    assert!(!app.logs().contains("frontdesk_live_"), "the log shows a secret");
}

fn a_revoked_key_stays_listed_with_its_revoker_and_reason(app: App) {
    let account = app.account();
    let key = app.key(&account, "contacts:read");
    let before = listed(&app, &account, &key.id);
    assert_eq!(before["revoked_at"], Value::Null);
    app.cli(&["key", "revoke", &key.id, "--reason", "leaked in a log", "--by", &account.owner]);
    let after = listed(&app, &account, &key.id);
    assert!(after["revoked_at"].is_string());
    assert_eq!(after["revoked_reason"], "leaked in a log");
    assert!(after["revoked_by"].to_string().contains(&account.owner), "{after}");
    // What is revoked stays so.
    app.run(&["key", "regenerate", &key.id]).expect_failure();
    app.client(&key).get("/me").expect(401);
}

fn an_edited_key_is_different_from_its_next_request(app: App) {
    let account = app.account();
    let key = app.key(&account, "contacts:read");
    let client = app.client(&key);
    client.post("/contacts", json!({ "name": "Ada" })).expect(403);
    app.cli(&["key", "edit", &key.id, "--scopes", "contacts:write", "--name", "Writer"]);
    client.post("/contacts", json!({ "name": "Ada" })).expect(201);
    let response = client.get("/me").expect(200);
    assert_eq!(response.data()["key"]["name"], "Writer");
    assert_eq!(response.data()["scopes"], json!(["contacts:write"]));
    assert_eq!(listed(&app, &account, &key.id)["name"], "Writer");
    app.cli(&["key", "edit", &key.id, "--allow", "203.0.113.7"]);
    client.get("/me").expect(403);
}

fn expiry_is_a_choice_with_a_default(app: App) {
    let account = app.account();
    let made = |options: &[&str]| {
        let create = ["key", "create", "--account", &account.id, "--name", "k", "--all-scopes"];
        let made = app.cli(&[&create, options].concat());
        let secret = made["key"].as_str().unwrap();
        let me = app.anonymous().with_key(secret).get("/me").expect(200);
        assert_eq!(me.data()["expires_at"], made["expires_at"]);
        made["expires_at"].as_str().map(str::to_owned)
    };
    let day = |time: Option<String>| time.expect("an expiry")[..10].to_owned();
    assert_eq!(day(made(&[])), day(made(&["--expires", "90"])));
    assert_eq!(made(&["--expires", "never"]), None);
    let ordered: Vec<_> = ["30", "90", "180", "365"].map(|days| made(&["--expires", days])).into();
    assert!(ordered.is_sorted() && ordered[0].is_some(), "{ordered:?}");
}

fn an_expiry_may_be_a_year_ahead_at_most(app: App) {
    let account = app.account();
    let key = app.key_with(&account, &["--all-scopes", "--expires", "30"]);
    let client = app.client(&key);
    app.run(&["key", "edit", &key.id, "--expires-at", "2999-01-01T00:00:00Z"]).expect_failure();
    app.run(&["key", "edit", &key.id, "--expires-at", "soon"]).expect_failure();
    assert!(client.get("/me").expect(200).data()["expires_at"].is_string());
    app.cli(&["key", "edit", &key.id, "--expires-at", "never"]);
    assert_eq!(client.get("/me").expect(200).data()["expires_at"], Value::Null);
}

fn mistakes_about_keys_are_named_and_change_nothing(app: App) {
    let (account, other) = (app.account(), app.account());
    let key = app.key(&account, "contacts:read");
    let before = keys(&app, &account);
    let create = ["key", "create", "--account", &account.id, "--name", "k"];
    let refusals: [(&[&str], &str); 13] = [
        (&["--scopes", "contacts:read,contacts:admin"], "contacts:admin"),
        (&["--scopes", ""], "scope"),
        (&[], "--scopes"),
        (&["--scopes", "contacts:read", "--all-scopes"], "--all-scopes"),
        (&["--all-scopes", "--expires", "45"], "45"),
        (&["--all-scopes", "--allow", "300.1.1.1/8"], "300.1.1.1/8"),
        (&["--all-scopes", "--allow", "10.0.0.0/33"], "10.0.0.0/33"),
        (&["--all-scopes", "--allow", "example.com"], "example.com"),
        (&["--all-scopes", "--rate-limit", "0"], "0"),
        (&["--all-scopes", "--rate-limit", "-5"], "-5"),
        (&["--all-scopes", "--member", NOBODY], NOBODY),
        (&["--all-scopes", "--member", &other.owner], &other.owner),
        (&["--all-scopes", "--member", "mia"], "mia"),
    ];
    for (options, named) in refusals {
        let said = app.run(&[&create, options].concat()).expect_failure();
        assert!(said.contains(named), "{options:?} said {said}");
    }
    let refusals: [(&[&str], &str); 7] = [
        (&["key", "create", "--account", NOBODY, "--name", "k", "--all-scopes"], NOBODY),
        (&["key", "list", "--account", NOBODY], NOBODY),
        (&["key", "revoke", NOBODY, "--reason", "x"], NOBODY),
        (&["key", "revoke", &key.id], "--reason"),
        (&["key", "regenerate", NOBODY], NOBODY),
        (&["key", "edit", NOBODY, "--name", "x"], NOBODY),
        (&["key", "edit", &key.id, "--scopes", "everything"], "everything"),
    ];
    for (args, named) in refusals {
        let said = app.run(args).expect_failure();
        assert!(said.contains(named), "{args:?} said {said}");
    }
    assert_eq!(keys(&app, &account), before);
    app.client(&key).get("/me").expect(200);
}
