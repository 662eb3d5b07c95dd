//! The first start: a Demo account where nobody else can reach the server, and `frontdesk init` everywhere else.

use std::fs;
use std::path::Path;

use frontdesk_e2e::{App, Engine, Outcome, on_every_engine};
use serde_json::{Value, json};

on_every_engine! {
    a_server_that_others_can_reach_starts_empty_and_names_the_next_step,
    a_demo_account_is_made_where_it_is_asked_for,
    init_makes_the_first_account_its_owner_and_a_key,
    init_refuses_where_there_is_an_account,
    commands_that_find_no_database_say_so_and_make_none,
}

const INIT: &str = "frontdesk init --account NAME --owner-email EMAIL";

fn accounts(app: &App) -> Vec<Value> {
    app.cli(&["account", "list"]).as_array().expect("a list").clone()
}

fn a_server_that_others_can_reach_starts_empty_and_names_the_next_step(engine: Engine) {
    for options in [&["--base-url", "https://api.example.com"][..], &["--listen", "0.0.0.0:0"]] {
        let app = App::start(engine).args(options).ready();
        let printed = app.printed();
        assert!(printed.contains(INIT) && !printed.contains("frontdesk_live_"), "{options:?}: {printed}");
        assert_eq!(accounts(&app), [] as [Value; 0]);
        let made = app.cli(&["init", "--account", "Acme", "--owner-email", "ann@example.com"]);
        let client = app.anonymous().with_key(made["key"].as_str().unwrap());
        assert_eq!(client.get("/me").expect(200).data()["account"]["name"], "Acme");
        assert_eq!(client.get("/channels").expect(200).data(), &json!([]));
        app.restart();
        assert!(!app.printed().contains(INIT), "{}", app.printed());
    }
}

fn a_demo_account_is_made_where_it_is_asked_for(engine: Engine) {
    let app = App::start(engine).args(&["--base-url", "https://api.example.com", "--demo"]).ready();
    let printed = app.printed();
    let at = printed.find("frontdesk_live_").unwrap_or_else(|| panic!("no key in {printed}"));
    let demo = app.anonymous().with_key(&printed[at..at + 58]);
    assert_eq!(demo.get("/me").expect(200).data()["account"]["name"], "Demo");
}

fn init_makes_the_first_account_its_owner_and_a_key(engine: Engine) {
    let app = App::start(engine).unstarted();
    let made = app.cli(&["init", "--account", "Acme", "--owner-email", "ann@example.com"]);
    let account = made["account_id"].as_str().unwrap();
    app.restart();
    assert!(!app.printed().contains("Demo"), "{}", app.printed());
    let client = app.anonymous().with_key(made["key"].as_str().unwrap());
    let me = client.get("/me").expect(200);
    assert_eq!(me.data()["account"]["id"], account);
    assert_eq!(me.data()["expires_at"], made["expires_at"]);
    assert!(made["expires_at"].is_string(), "the usual expiry");
    assert_eq!(me.data()["scopes"].as_array().map(Vec::len), Some(21));
    let listed = app.cli(&["key", "list", "--account", account]);
    assert_eq!(listed[0]["id"], made["key_id"]);
    let members = app.cli(&["member", "list", "--account", account]);
    assert_eq!(
        (&members[0]["id"], &members[0]["email"]),
        (&made["owner_user_id"], &json!("ann@example.com"))
    );
    assert_eq!(client.get("/pipelines").expect(200).data().as_array().map(Vec::len), Some(1));
}

fn init_refuses_where_there_is_an_account(app: App) {
    let before = accounts(&app);
    let said = app.run(&["init", "--account", "Acme"]).expect_failure();
    assert!(said.contains("frontdesk account create"), "{said}");
    assert_eq!(accounts(&app), before);
    for wrong in
        [&["init"][..], &["init", "--account", " "], &["init", "--account", "A", "--owner-email", "nowhere"]]
    {
        app.run(wrong).expect_failure();
    }
}

fn commands_that_find_no_database_say_so_and_make_none(engine: Engine) {
    let app = App::start(engine).unstarted();
    let nobody = "0192f0c4-0000-7000-8000-000000000000";
    let commands: [&[&str]; 7] = [
        &["account", "list"],
        &["account", "create", "--name", "Acme"],
        &["key", "list", "--account", nobody],
        &["member", "list", "--account", nobody],
        &["channel", "list", "--account", nobody],
        &["form", "list", "--account", nobody],
        &["secret", "rotate"],
    ];
    let place = if let Some(path) = app.database().strip_prefix("sqlite:") {
        path.to_owned()
    } else {
        // Neither the password nor the options are shown.
        let url = app.database().split('?').next().unwrap();
        url.rsplit('@').next().unwrap().rsplit("//").next().unwrap().to_owned()
    };
    for command in commands {
        let Outcome { code, err, .. } = app.run(command);
        assert_eq!(code, Some(1), "{command:?}: {err}");
        assert!(err.contains(&place) && err.contains("frontdesk init"), "{command:?} said {err}");
    }
    if engine == Engine::Sqlite {
        let dir = Path::new(&place).parent().unwrap();
        assert_eq!(fs::read_dir(dir).unwrap().count(), 0, "a command left a file");
    }
    app.cli(&["init", "--account", "Acme"]);
    assert_eq!(accounts(&app).len(), 1);
}
