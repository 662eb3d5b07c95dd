//! The command line: accounts and members, beside a running server and without one.

use std::collections::HashSet;

use frontdesk_e2e::{Account, App, Engine, at_once, on_every_engine};
use serde_json::{Value, json};

const NOBODY: &str = "0192f0c4-0000-7000-8000-000000000000";

on_every_engine! {
    an_account_is_listed_and_changed,
    a_suspended_account_is_listed_as_such,
    a_plan_limit_counts_from_the_next_request_until_cleared,
    members_come_and_go,
    writes_are_the_members_until_they_leave_and_then_the_owners,
    commands_print_for_people_unless_asked_for_json,
    mistakes_are_named_and_change_nothing,
    the_only_account_need_not_be_named,
    alone one_of_several_accounts_must_be_named,
    a_member_is_invited_and_removed_by_email,
    alone assistants_are_listed_shown_and_switched,
    errors_end_with_what_to_type,
    an_account_made_before_the_first_start_is_there_after_it,
    sixteen_accounts_created_at_once_are_all_made,
    the_database_may_come_from_the_environment,
}

/// The row of a list that is about this id.
#[track_caller]
fn row<'a>(list: &'a Value, id: &str) -> &'a Value {
    let rows = list.as_array().unwrap_or_else(|| panic!("a list was expected: {list}"));
    rows.iter().find(|row| row["id"] == id).unwrap_or_else(|| panic!("{id} is not in {list}"))
}

fn an_account_is_listed_and_changed(app: App) {
    let made = app.cli(&["account", "create", "--name", "Globex", "--owner-email", "hank@example.com"]);
    let id = made["account_id"].as_str().unwrap();
    assert!(made["owner_user_id"].is_string());
    assert_eq!(row(&app.cli(&["account", "list"]), id)["name"], "Globex");
    app.cli(&["account", "set", id, "--name", "Globex Corp", "--timezone", "Asia/Tokyo"]);
    let key = app.cli(&["key", "create", "--account", id, "--name", "k", "--all-scopes"]);
    let client = app.anonymous().with_key(key["key"].as_str().unwrap());
    let expected = json!({ "id": id, "name": "Globex Corp", "timezone": "Asia/Tokyo" });
    assert_eq!(client.get("/me").expect(200).data()["account"], expected);
    let owner =
        row(&app.cli(&["member", "list", "--account", id]), made["owner_user_id"].as_str().unwrap()).clone();
    assert_eq!(owner["email"], "hank@example.com");
}

fn a_suspended_account_is_listed_as_such(app: App) {
    let (ours, theirs) = (app.account(), app.account());
    let before = row(&app.cli(&["account", "list"]), &ours.id).clone();
    app.cli(&["account", "suspend", &ours.id]);
    let list = app.cli(&["account", "list"]);
    assert_ne!(row(&list, &ours.id), &before);
    app.client(&app.key(&theirs, "contacts:read")).get("/me").expect(200);
    app.cli(&["account", "suspend", &ours.id]);
    app.cli(&["account", "resume", &ours.id]);
    app.client(&app.key(&ours, "contacts:read")).get("/me").expect(200);
}

fn a_plan_limit_counts_from_the_next_request_until_cleared(app: App) {
    let tenant = app.tenant();
    let create = || tenant.client.post("/contacts", json!({ "name": "Ada" }));
    create().expect(201);
    app.cli(&["account", "set", &tenant.account.id, "--contact-limit", "2"]);
    create().expect(201);
    let response = create().expect(402);
    let details = &response.error("plan_limit_reached")["details"];
    assert_eq!((&details[0]["limit"], &details[0]["resource"]), (&json!(2), &json!("contacts")));
    app.cli(&["account", "set", &tenant.account.id, "--contact-limit", "none"]);
    create().expect(201);
}

fn members_come_and_go(app: App) {
    let tenant = app.tenant();
    let account = tenant.account.id.as_str();
    let add = [
        "member",
        "add",
        "--account",
        account,
        "--name",
        "Mia",
        "--email",
        "mia@example.com",
        "--role",
        "agent",
    ];
    let id = app.cli(&add)["user_id"].as_str().unwrap().to_owned();
    let list = || app.cli(&["member", "list", "--account", account]);
    let known = row(&list(), &id).clone();
    assert_eq!((&known["name"], &known["role"]), (&json!("Mia"), &json!("agent")));
    let served = tenant.client.get("/members").expect(200);
    let seen = row(served.data(), &id);
    for field in ["id", "name", "email", "role", "status"] {
        assert_eq!(seen[field], known[field], "{field}");
    }
    row(served.data(), &tenant.account.owner);
    app.run(&add).expect_failure();
    app.cli(&["member", "remove", &id]);
    let left = list().as_array().unwrap().iter().find(|row| row["id"] == id.as_str()).cloned();
    assert!(left.is_none_or(|row| row["status"] != known["status"]), "still a member");
}

fn writes_are_the_members_until_they_leave_and_then_the_owners(app: App) {
    let account = app.account();
    let add = ["member", "add", "--account", &account.id, "--name", "Mia", "--email", "mia@example.com"];
    let member = app.cli(&add)["user_id"].as_str().unwrap().to_owned();
    let client = app.client(&app.key_with(&account, &["--all-scopes", "--member", &member]));
    let contact = client.post("/contacts", json!({ "name": "Ada" })).expect(201).id();
    let author = || {
        let response =
            client.post(&format!("/contacts/{contact}/notes"), json!({ "body": "hm" })).expect(201);
        response.data()["author_user_id"].as_str().unwrap().to_owned()
    };
    assert_eq!(author(), member);
    app.cli(&["member", "remove", &member]);
    assert_eq!(author(), account.owner);
}

fn commands_print_for_people_unless_asked_for_json(app: App) {
    let shown = |args: &[&str]| {
        let out = app.run(args).expect_success().out;
        assert!(
            !out.trim().is_empty() && serde_json::from_str::<Value>(&out).is_err(),
            "{args:?} printed {out}"
        );
        out
    };
    shown(&["account", "create", "--name", "Initech"]);
    let id = {
        let list = app.cli(&["account", "list"]);
        let rows = list.as_array().unwrap();
        rows.iter().find(|row| row["name"] == "Initech").unwrap()["id"].as_str().unwrap().to_owned()
    };
    assert!(shown(&["account", "list"]).contains("Initech"));
    shown(&["account", "set", &id, "--rate-limit", "5"]);
    shown(&["account", "suspend", &id]);
    shown(&["account", "resume", &id]);
    shown(&["member", "add", "--account", &id, "--name", "Peter", "--email", "peter@example.com"]);
    assert!(shown(&["member", "list", "--account", &id]).contains("peter@example.com"));
    let made = shown(&["key", "create", "--account", &id, "--name", "Staples", "--all-scopes"]);
    assert!(made.contains("frontdesk_live_"), "{made}");
    let listed = shown(&["key", "list", "--account", &id]);
    assert!(listed.contains("Staples") && !listed.contains("frontdesk_live_"), "{listed}");
}

fn mistakes_are_named_and_change_nothing(app: App) {
    let account = app.account();
    let accounts = app.cli(&["account", "list"]);
    let refusals: [(&[&str], &str); 9] = [
        (&["account", "create", "--name", "X", "--timezone", "Mars/Olympus"], "Mars/Olympus"),
        (&["account", "create", "--name", "X", "--rate-limit", "many"], "many"),
        (&["account", "create"], "--name"),
        (&["account", "set", NOBODY, "--name", "X"], NOBODY),
        (&["account", "suspend", NOBODY], NOBODY),
        (&["account", "suspend", "acme"], "acme"),
        (&["member", "add", "--account", NOBODY, "--name", "X", "--email", "x@example.com"], NOBODY),
        (&["member", "add", "--account", &account.id, "--name", "X", "--email", "nowhere"], "nowhere"),
        (&["member", "remove", NOBODY], NOBODY),
    ];
    for (args, named) in refusals {
        let said = app.run(args).expect_failure();
        assert!(said.contains(named), "{args:?} said {said}");
    }
    assert_eq!(app.cli(&["account", "list"]), accounts);
}

/// Every command that works on one account, without naming it.
const OF_ONE_ACCOUNT: [&[&str]; 16] = [
    &["account", "set", "--rate-limit", "90"],
    &["account", "suspend"],
    &["account", "resume"],
    &["member", "add", "--name", "Ann", "--email", "ann@example.com"],
    &["member", "list"],
    &["key", "create", "--name", "k", "--all-scopes"],
    &["key", "list"],
    &["channel", "connect", "--channel", "web_chat"],
    &["channel", "list"],
    &["form", "create", "--name", "Contact us"],
    &["form", "list"],
    &["booking-source", "create"],
    &["booking-source", "list"],
    &["broadcast", "list"],
    &["run", "list"],
    &["assistant", "list"],
];

fn the_only_account_need_not_be_named(engine: Engine) {
    let app = App::start(engine).unstarted();
    let made = app.cli(&["init", "--account", "Acme"]);
    let id = made["account_id"].as_str().unwrap();
    for command in OF_ONE_ACCOUNT {
        app.run(command).expect_success();
    }
    assert_eq!(row(&app.cli(&["account", "list"]), id)["rate_limit"], 90);
    assert_eq!(app.cli(&["member", "list"]), app.cli(&["member", "list", "--account", id]));
    // The option and the argument mean the same, and one of them is enough.
    app.cli(&["account", "set", "--account", id, "--rate-limit", "91"]);
    assert_eq!(row(&app.cli(&["account", "list"]), id)["rate_limit"], 91);
    app.run(&["account", "suspend", id, "--account", id]).expect_failure();
}

fn one_of_several_accounts_must_be_named(app: App) {
    let (account, _another) = (app.account(), app.account());
    let before = app.cli(&["account", "list"]);
    for command in OF_ONE_ACCOUNT {
        let said = app.run(command).expect_failure();
        assert!(said.contains(&format!("--account {}", account.id)), "{command:?} said {said}");
        app.run(&[command, &["--account", &account.id]].concat()).expect_success();
    }
    assert_eq!(app.cli(&["account", "list"]).as_array().map(Vec::len), before.as_array().map(Vec::len));
}

fn a_member_is_invited_and_removed_by_email(app: App) {
    let (ours, theirs) = (app.account(), app.account());
    let add = |account: &Account| {
        let of = ["member", "add", "--account", &account.id];
        app.cli(&[&of[..], &["--name", "Mia", "--email", "mia@example.com"]].concat())["user_id"].clone()
    };
    let said = app.run(&["member", "invite", "mia@example.com"]).expect_failure();
    assert!(said.contains("frontdesk member add --name NAME --email mia@example.com"), "{said}");
    let mia = add(&ours);
    let link = app.cli(&["member", "invite", "Mia@Example.com"]);
    assert_eq!(link["user_id"], mia);
    assert!(link["url"].as_str().unwrap().contains("#token="), "{link}");
    // Who is a member of two accounts is named with the account.
    let other = add(&theirs);
    let said = app.run(&["member", "invite", "mia@example.com"]).expect_failure();
    for account in [&ours, &theirs] {
        assert!(said.contains(&format!("--account {}", account.id)), "{said}");
    }
    let invite = ["member", "invite", "mia@example.com", "--account", &theirs.id];
    assert_eq!(app.cli(&invite)["user_id"], other);
    app.run(&["member", "invite", mia.as_str().unwrap(), "--account", &theirs.id]).expect_failure();
    app.cli(&["member", "remove", "mia@example.com", "--account", &theirs.id]);
    assert_eq!(app.cli(&["member", "invite", "mia@example.com"])["user_id"], mia);
    for wrong in ["mia", "mia@", "nobody@example.com", NOBODY] {
        app.run(&["member", "invite", wrong]).expect_failure();
    }
}

fn assistants_are_listed_shown_and_switched(app: App) {
    let tenant = app.tenant();
    let (client, account) = (&tenant.client, tenant.account.id.as_str());
    assert_eq!(app.cli(&["assistant", "list", "--account", account]), json!([]));
    let new = json!({ "name": "Kim", "system_prompt": "Be brief.", "targets": ["whatsapp"] });
    let kim = client.post("/assistants", new).expect(201).id();
    let listed = app.cli(&["assistant", "list", "--account", account]);
    assert_eq!((&listed[0]["id"], &listed[0]["enabled"]), (&json!(kim), &json!(true)));
    for named in [kim.as_str(), "Kim", "kim"] {
        assert_eq!(app.cli(&["assistant", "show", named]), listed[0]);
    }
    let shown = app.run(&["assistant", "show", "Kim"]).expect_success().out;
    assert!(shown.contains("Be brief.") && shown.contains("enabled"), "{shown}");

    assert_eq!(app.cli(&["assistant", "disable", "Kim"])["enabled"], false);
    let start = json!({ "assistant_id": kim, "goal": "Say hello" });
    let refused = client.post("/runs", start.clone()).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "assistant_disabled");
    app.cli(&["assistant", "disable", "Kim"]);
    assert_eq!(app.cli(&["assistant", "enable", &kim])["enabled"], true);
    assert!(client.post("/runs", start).status < 300);

    // A name that two accounts use is not guessed.
    let other = app.tenant();
    other.client.post("/assistants", json!({ "name": "Kim" })).expect(201);
    let said = app.run(&["assistant", "disable", "Kim"]).expect_failure();
    assert!(said.contains(&kim), "{said}");
    app.cli(&["assistant", "disable", "Kim", "--account", &other.account.id]);
    assert_eq!(app.cli(&["assistant", "show", &kim])["enabled"], true);
    let said = app.run(&["assistant", "show", "Nobody"]).expect_failure();
    assert!(said.contains("frontdesk assistant list"), "{said}");
}

fn errors_end_with_what_to_type(app: App) {
    let account = app.account();
    app.cli(&["member", "add", "--account", &account.id, "--name", "X", "--email", "x@example.com"]);
    let again = ["member", "add", "--account", &account.id, "--name", "X", "--email", "x@example.com"];
    let cases: [(&[&str], &str); 10] = [
        (&["account", "set", NOBODY, "--name", "X"], "frontdesk account list"),
        (&["key", "list", "--account", NOBODY], "frontdesk account list"),
        (&["form", "list", "--account", NOBODY], "frontdesk account list"),
        (&["member", "remove", NOBODY], "frontdesk member list"),
        (&["member", "remove", &account.owner], "frontdesk account suspend"),
        (&["key", "revoke", NOBODY, "--reason", "x"], "frontdesk key list"),
        (&["form", "delete", NOBODY], "frontdesk form list"),
        (&["booking-source", "delete", NOBODY], "frontdesk booking-source list"),
        (&["account", "set", &account.id], "frontdesk account set --rate-limit 120"),
        (&again, "frontdesk member invite "),
    ];
    for (args, typed) in cases {
        let said = app.run(args).expect_failure();
        let last = said.trim_end().rsplit(": ").next().unwrap_or_default();
        assert!(last.starts_with(typed), "{args:?} said {said}");
    }
    let outcome = app.run(&["key", "list", "--account", NOBODY, "--json"]);
    let told: Value = serde_json::from_str(&outcome.err).unwrap();
    assert_eq!(told["error"]["try"], "frontdesk account list");
}

fn an_account_made_before_the_first_start_is_there_after_it(engine: Engine) {
    let app = App::start(engine).unstarted();
    app.cli(&["init", "--account", "Acme"]);
    let tenant = app.tenant();
    app.restart();
    assert_eq!(tenant.client.get("/me").expect(200).data()["account"]["id"], tenant.account.id.as_str());
}

fn sixteen_accounts_created_at_once_are_all_made(app: App) {
    let before = app.cli(&["account", "list"]).as_array().unwrap().len();
    let made = at_once(16, |number| app.account_with(&["--timezone", ["UTC", "Asia/Tokyo"][number % 2]]).id);
    assert_eq!(made.iter().collect::<HashSet<_>>().len(), 16);
    assert_eq!(app.cli(&["account", "list"]).as_array().unwrap().len(), before + 16);
    // Each has a number of its own, so a search finds only its own contacts.
    for (number, id) in made.iter().enumerate() {
        let key = app.key(&Account { id: id.clone(), owner: String::new() }, "contacts:write");
        let client = app.client(&key);
        client.post("/contacts", json!({ "name": format!("Ada {number:02}") })).expect(201);
        assert_eq!(client.get("/contacts?q=ada").expect(200).data().as_array().map(Vec::len), Some(1));
    }
}

fn the_database_may_come_from_the_environment(engine: Engine) {
    let start = App::start(engine);
    let url = start.database().to_owned();
    let app = start.env("FRONTDESK_DATABASE", &url).ready();
    let account = app.account();
    row(&app.run_bare(&["account", "list", "--json"]).expect_success().json(), &account.id);
}

#[test]
fn commands_without_a_server_or_a_database_explain_themselves() {
    let app = App::start(Engine::Sqlite).unstarted();
    let help = app.run_bare(&["--help"]).expect_success().out;
    for command in ["serve", "account", "member", "key", "openapi"] {
        assert!(help.contains(command), "{command} is not in {help}");
    }
    let document = app.run_bare(&["openapi"]).expect_success().json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3."));
    assert!(document["paths"]["/api/v1/contacts"]["post"].is_object());
    app.run_bare(&["dance"]).expect_failure();
    let said = app.run_bare(&["account", "list", "--database", "mysql://127.0.0.1/x"]).expect_failure();
    assert!(said.contains("sqlite:") && said.contains("postgres://"), "{said}");
}

#[test]
fn errors_are_json_on_standard_error_when_json_is_asked_for() {
    let app = App::start(Engine::Sqlite).ready();
    let told = |args: &[&str]| {
        let outcome = app.run(args);
        assert_eq!(outcome.out, "", "results alone go to standard output: {outcome:?}");
        let error: Value = serde_json::from_str(&outcome.err).unwrap_or_else(|_| panic!("{outcome:?}"));
        (outcome.code, error["error"].clone())
    };
    let (code, error) = told(&["--json", "account", "set", NOBODY, "--name", "x"]);
    assert_eq!((code, &error["code"]), (Some(1), &json!("failed")), "{error}");
    assert!(error["message"].as_str().unwrap().contains(NOBODY), "{error}");
    for (args, named) in [
        (&["key", "create", "--json"][..], "--name"),
        (&["dance", "--json"], "dance"),
        (&["key", "revoke", "x", "--reason", "r", "--json"], "must be an id"),
        (&["account", "create", "--nmae", "x", "--json"], "--nmae"),
        (&["channel", "--json"], "subcommand"),
    ] {
        let (code, error) = told(args);
        assert_eq!((code, &error["code"]), (Some(2), &json!("usage")), "{args:?} {error}");
        assert!(error["message"].as_str().unwrap().contains(named), "{args:?} {error}");
    }
    let outcome = app.run(&["key", "create"]);
    assert!(outcome.err.starts_with("error: ") && outcome.code == Some(2), "{outcome:?}");
    assert!(app.run_bare(&["--json", "key", "create", "--help"]).expect_success().out.contains("ai:usage"));
}
