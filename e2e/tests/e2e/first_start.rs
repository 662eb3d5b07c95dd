//! The first start: a Demo account where nobody else can reach the server, and `frontdesk init` everywhere else.

use std::fs;
use std::path::Path;

use frontdesk_e2e::{App, Client, Engine, Outcome, came_true, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::{Browser, PASSWORD, token};
use crate::shapes::text;

on_every_engine! {
    a_server_that_others_can_reach_starts_empty_and_names_the_next_step,
    a_demo_account_is_made_where_it_is_asked_for,
    init_makes_the_first_account_its_owner_and_a_key,
    init_prints_a_link_by_which_the_owner_signs_in,
    init_without_an_email_says_what_to_type,
    init_asks_for_the_email_at_a_terminal,
    demo the_printed_first_step_is_answered_by_the_assistant,
    demo a_web_chat_of_the_demo_account_is_answered_by_the_assistant,
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

/// Sets the password by a link and signs in with it.
#[track_caller]
fn signs_in_by(app: &App, link: &str, email: &str) {
    let body = json!({ "token": token(link), "password": PASSWORD });
    let set = Browser::new(app).post("/password", body).expect(200);
    assert_eq!(set.data()["email"], email);
    let session = Browser::new(app).try_sign_in(email, PASSWORD).expect(200);
    assert_eq!((&session.data()["role"], &session.data()["user"]["email"]), (&json!("owner"), &json!(email)));
}

fn init_prints_a_link_by_which_the_owner_signs_in(engine: Engine) {
    let app = App::start(engine).unstarted();
    let shop = ["--base-url", "https://shop.example/"];
    let made = app.cli(&[&["init", "--account", "Acme", "--email", "ann@example.com"][..], &shop].concat());
    let link = text(&made["sign_in_url"]);
    assert!(link.starts_with("https://shop.example/app/password#token="), "{link}");
    app.restart();
    signs_in_by(&app, link, "ann@example.com");

    let other = App::start(engine).unstarted();
    let init = ["init", "--account", "Acme", "--owner-email", "ann@example.com"];
    let printed = other.run(&init).expect_success().out;
    let line = printed.lines().find(|line| line.contains("/app/password#token="));
    let line = line.unwrap_or_else(|| panic!("no link in {printed}")).trim();
    assert!(line.starts_with("http://127.0.0.1:8080/app/"), "{line}");
    other.restart();
    signs_in_by(&other, line, "ann@example.com");
}

/// The indented lines of a text that begin with the program's name, without it.
fn commands_in(printed: &str) -> Vec<Vec<&str>> {
    let commands = printed.lines().filter_map(|line| line.strip_prefix("    frontdesk "));
    commands.map(|command| command.split_whitespace().collect()).collect()
}

fn init_without_an_email_says_what_to_type(engine: Engine) {
    let app = App::start(engine).unstarted();
    let printed = app.run(&["init", "--account", "Acme"]).expect_success().out;
    assert!(printed.contains("cannot sign in without an email address"), "{printed}");
    app.restart();
    // A link would set a password with which nobody can sign in.
    let owner = text(&app.cli(&["member", "list"])[0]["id"]).to_owned();
    let said = app.run(&["member", "invite", &owner]).expect_failure();
    assert!(said.contains("--owner-email EMAIL"), "{said}");
    // What was printed is typed as it stands.
    let commands = commands_in(&printed);
    let typed = |command: &[&str]| -> String {
        let words: Vec<&str> =
            command.iter().map(|word| if *word == "EMAIL" { "ann@example.com" } else { word }).collect();
        app.run(&words).expect_success().out
    };
    typed(&commands[0]);
    let invited = typed(&commands[1]);
    let link = invited.split_whitespace().find(|word| word.contains("#token=")).expect("a link").to_owned();
    signs_in_by(&app, &link, "ann@example.com");
}

fn init_asks_for_the_email_at_a_terminal(engine: Engine) {
    let app = App::start(engine).unstarted();
    let Outcome { code, out, .. } =
        app.run_at_terminal(&["init", "--account", "Acme"], "not an address\nann@example.com\n");
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("email address") && out.contains("/app/password#token="), "{out}");
    assert!(out.contains("must be an email address"), "the wrong answer is asked for again: {out}");
    assert_eq!(app.cli(&["member", "list"])[0]["email"], "ann@example.com");
    // A program is asked nothing, and neither is a person whose account exists already.
    let Outcome { code, out, .. } = app.run_at_terminal(&["init", "--account", "Acme"], "");
    assert!(code == Some(1) && out.contains("frontdesk account create"), "{out}");
}

/// The words of a printed shell command, without its line breaks and quotes.
fn words_of(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for letter in command.replace("\\\n", " ").chars() {
        match (quote, letter) {
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), close) if open == close => quote = None,
            (None, space) if space.is_whitespace() => words.push(String::new()),
            (_, letter) => words.last_mut().expect("a word").push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Sends a printed `curl` as it stands, and returns what it answers.
#[track_caller]
fn curl(client: &Client, base: &str, command: &str) -> Value {
    let words = words_of(command);
    let (mut client, mut path, mut body) = (client.clone(), None, None);
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-H" => {
                let (name, value) = rest.next().and_then(|header| header.split_once(": ")).expect("a header");
                client = client.with(&name.to_lowercase(), value);
            }
            "-d" => body = rest.next(),
            url => path = Some(url.strip_prefix(base).unwrap_or_else(|| panic!("{url} is not at {base}"))),
        }
    }
    let method = if body.is_some() { "POST" } else { "GET" };
    let response = client.send(method, path.expect("a URL"), body.map(String::as_bytes));
    assert!(response.status < 300, "{command}: {}", response.text);
    response.data().clone()
}

fn the_printed_first_step_is_answered_by_the_assistant(engine: Engine) {
    let app = App::start(engine).ready();
    let (printed, base, anybody) = (app.printed(), app.base(), app.anonymous().vendors());
    let commands: Vec<&str> = printed
        .split("    curl ")
        .skip(1)
        .map(|rest| rest.split("\n\n").next().expect("a command"))
        .collect();
    let [write, read] = commands[..] else { panic!("two commands were expected: {printed}") };
    curl(&anybody, &base, &format!("curl {write}"));
    let sent = || anybody.get("/sandbox/messages").expect(200).data().as_array().expect("a list").len();
    assert!(came_true(|| sent() == 1), "no answer: {}", app.logs());
    let shown = curl(&anybody, &base, &format!("curl {read}"));
    assert_eq!(shown[0]["handler"], "assistant", "{shown}");
}

fn a_web_chat_of_the_demo_account_is_answered_by_the_assistant(engine: Engine) {
    let app = App::start(engine).ready();
    let made = app.cli(&["channel", "connect", "--channel", "web_chat"]);
    let path = format!("/channels/web_chat/{}", text(&made["connection_id"]));
    let anybody = app.anonymous().vendors();
    let visitor = anybody.post(&format!("{path}/visitors"), json!({})).expect(201);
    let visitor = anybody.with_key(text(&visitor.data()["token"]));
    visitor.post(&format!("{path}/messages"), json!({ "text": "Do you have oak tables?" })).expect(201);
    let printed = app.printed();
    let at = printed.find("frontdesk_live_").expect("a key");
    let demo = app.anonymous().with_key(&printed[at..at + 58]);
    let conversation = demo.get("/conversations").expect(200).data()[0]["id"].clone();
    let messages = format!("/conversations/{}/messages", text(&conversation));
    let sent = || demo.get(&messages).expect(200).data().as_array().expect("a list").len();
    assert!(came_true(|| sent() == 2), "no answer: {}", app.logs());
    let shown = visitor.get(&format!("{path}/messages")).expect(200);
    assert_eq!(shown.data().as_array().map(Vec::len), Some(2), "{}", shown.text);
}

fn init_refuses_where_there_is_an_account(app: App) {
    app.tenant();
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
