//! Coming from Chatwoot: everything arrives once, silently, whatever odd rows there are and however often it is killed.

use std::process::Child;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use frontdesk_e2e::{App, Client, Engine, Scratch, came_true, on_every_engine};
use serde_json::{Value, json};

use crate::import_chatwoot_scene::{Chatwoot, Many};
use crate::import_killed::{change, kill_when, stored};
use crate::people::walk;
use crate::shapes;

on_every_engine! {
    alone everything_of_chatwoot_comes_over_silently,
    alone a_later_run_brings_only_what_is_new_and_nothing_that_was_deleted,
    alone a_dry_run_counts_and_writes_nothing,
    alone contacts_are_events_if_that_is_chosen,
    alone an_account_goes_into_one_that_is_there,
    alone numbers_without_a_country_code_are_of_the_accounts_country,
    alone what_is_no_chatwoot_is_refused,
    alone what_was_changed_behind_its_back_is_reported,
    an_import_that_is_killed_goes_on_until_it_is_complete,
}

fn text(value: &Value) -> String {
    shapes::text(value).to_owned()
}

/// How many contacts the import that is killed has, with all that [`Many`] says. `make imports` sets it.
const CONTACTS: &str = "FRONTDESK_TEST_IMPORT_CONTACTS";
const CONTACTS_USUAL: u64 = 120;
const CONTACTS_SMALL: u64 = 5;
/// What a large import may take more than a small one.
const MEMORY_GROWTH_MAX: u64 = 64 << 20;

fn of_kind(report: &Value, kind: &str) -> (u64, u64, u64) {
    let line = report["rows"].as_array().expect("rows").iter().find(|line| line["kind"] == kind);
    let line = line.unwrap_or_else(|| panic!("no {kind} in {report}"));
    let number = |name: &str| line[name].as_u64().expect("a number");
    (number("brought"), number("joined"), number("there_before"))
}

fn left_out(report: &Value, reason: &str) -> u64 {
    let found =
        report["left_out"].as_object().expect("reasons").iter().find(|(known, _)| known.contains(reason));
    found.unwrap_or_else(|| panic!("no {reason} in {report}")).1["rows"].as_u64().expect("a number")
}

/// How many rows of a kind were compared, differ, and are missing.
fn compared(report: &Value, kind: &str) -> (u64, u64, u64) {
    let both = &report["compared"][kind];
    let number = |name: &str| both[name].as_u64().unwrap_or_else(|| panic!("no {kind} in {report}"));
    (number("rows"), number("changed"), number("missing"))
}

fn import(app: &App, chatwoot: &Chatwoot, options: &[&str]) -> Vec<Value> {
    let arguments = [&["import", "chatwoot", &chatwoot.url, "--files", chatwoot.storage()], options].concat();
    app.cli(&arguments).as_array().expect("a report for each account").clone()
}

/// A client of an account that was brought.
fn client_of(app: &App, report: &Value) -> Client {
    let account = text(&report["account_id"]);
    let key = app.cli(&["key", "create", "--account", &account, "--name", "Test", "--all-scopes"]);
    app.anonymous().with_key(&text(&key["key"]))
}

fn conversation_of(client: &Client, contact: &str) -> Vec<Value> {
    let mut found = walk(client, &format!("/conversations?contact_id={contact}"));
    found.sort_by_key(|conversation| text(&conversation["created_at"]));
    found
}

fn messages_of(client: &Client, conversation: &Value) -> Vec<Value> {
    let mut found = walk(client, &format!("/conversations/{}/messages", text(&conversation["id"])));
    found.reverse();
    found
}

/// The path of a message's file.
pub(crate) fn link(message: &Value) -> String {
    let url = text(&message["media_url"]);
    let at = url.find("/media/").unwrap_or_else(|| panic!("no link to media: {url}"));
    url[at..].to_owned()
}

fn named(rows: &[Value], name: &str) -> Value {
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no {name} in {rows:?}")).clone()
}

fn everything_of_chatwoot_comes_over_silently(app: App) {
    let scratch = Scratch::new();
    let chatwoot = Chatwoot::with_odd_rows(scratch.path());
    let reports = import(&app, &chatwoot, &[]);
    assert_eq!(reports.len(), 2);
    let report = &reports[0];
    assert_eq!(of_kind(report, "contacts"), (5, 1, 0), "{report}");
    assert_eq!(of_kind(report, "conversations"), (4, 0, 0));
    assert_eq!(of_kind(report, "messages"), (13, 0, 0));
    assert_eq!(of_kind(report, "files"), (1, 0, 0));
    assert_eq!(of_kind(report, "canned replies"), (1, 1, 0));
    assert_eq!(of_kind(report, "notes"), (3, 0, 0));
    for (reason, rows) in [
        ("activity", 1),
        ("members without an email", 1),
        ("numbers that cannot exist", 1),
        ("addresses that cannot exist", 1),
        ("values that do not fit", 1),
        ("contact is gone", 1),
        ("inbox is gone", 1),
        ("without a text and a file", 1),
        ("not in the directory", 2),
        ("not as the database says", 1),
        ("attributes of conversations", 1),
        ("empty or too long", 1),
        ("notes without a text", 1),
        ("notes about what does not come along", 1),
        ("without a counterpart", 1),
    ] {
        assert_eq!(left_out(report, reason), rows, "{reason}: {report}");
    }
    for (kind, rows) in [("contacts", 6), ("conversations", 4), ("messages", 13), ("notes", 3)] {
        let both = &report["compared"][kind];
        assert_eq!(compared(report, kind), (rows, 0, 0), "{kind}: {both}");
        assert_eq!(both["their_hash"], both["our_hash"], "{kind}");
    }

    let client = client_of(&app, report);
    // Nobody was told.
    assert_eq!(walk(&client, "/events").len(), 0);
    check_people(&client);
    check_threads(&client);
    let members = app.cli(&["member", "list", "--account", &text(&report["account_id"])]);
    let role = |email: &str| {
        let found = members.as_array().expect("members").iter().find(|member| member["email"] == email);
        found.map(|member| text(&member["role"]))
    };
    assert_eq!(role("olga@chairs.example").as_deref(), Some("owner"));
    assert_eq!(role("adam@chairs.example").as_deref(), Some("agent"));
    let replies = client.get("/canned-replies").expect(200).data().clone();
    assert_eq!(replies.as_array().map(Vec::len), Some(1));
    // The other account has its own.
    let other = client_of(&app, &reports[1]);
    assert_eq!(walk(&other, "/contacts").len(), 1);
    let tom = &walk(&other, "/contacts")[0];
    let thread = &conversation_of(&other, &text(&tom["id"]))[0];
    assert_eq!(thread["channel"], "whatsapp");
    assert_eq!(messages_of(&other, thread)[0]["text"], "Hello Tables");
    client.get(&format!("/contacts/{}", text(&tom["id"]))).expect(404);
}

fn check_people(client: &Client) {
    let people = walk(client, "/contacts");
    assert_eq!(people.len(), 5);
    let ann = named(&people, "Ann Lee");
    assert_eq!((&ann["phone"], &ann["email"]), (&json!("+491510000489"), &json!("ann@example.com")));
    assert_eq!((&ann["company"], &ann["created_at"]), (&json!("Acme"), &json!("2023-03-01T08:00:00.500Z")));
    let value = |person: &Value, name: &str| {
        named(person["custom_fields"].as_array().expect("fields"), name)["value"].clone()
    };
    for (name, expected) in [
        ("Seats", "12"),
        ("Plan", "Gold"),
        ("Born", "1990-12-01"),
        ("VIP", "true"),
        ("note", "extra"),
        ("Identifier", "crm-7"),
    ] {
        assert_eq!(value(&ann, name), expected, "{name}");
    }
    // What her second row had and the first had not.
    assert_eq!(value(&ann, "colour"), "red");
    let tags = |person: &Value| {
        let tags = person["tags"].as_array().expect("tags").iter().map(|tag| text(&tag["name"]));
        tags.collect::<Vec<_>>()
    };
    assert_eq!(tags(&ann), ["late", "vip"]);
    let bob = named(&people, "Bob \u{1F346}");
    assert_eq!((&bob["phone"], tags(&bob)), (&json!("+491510000490"), vec!["unlisted".to_owned()]));
    let impossible = named(&people, "Impossible");
    assert_eq!((&impossible["phone"], &impossible["email"]), (&Value::Null, &Value::Null));
    let notes = walk(client, &format!("/contacts/{}/notes", text(&ann["id"])));
    assert_eq!((notes.len(), &notes[0]["created_at"]), (1, &json!("2023-05-01T08:00:00.000Z")));
    // SQLite's index is written by the server a little later.
    for (query, found) in [("Ann%20Lee", 1), ("000490", 1), ("misty", 1), ("Nobody", 0)] {
        assert!(came_true(|| walk(client, &format!("/contacts?q={query}")).len() == found), "{query}");
    }
}

fn check_threads(client: &Client) {
    let people = walk(client, "/contacts");
    let threads = conversation_of(client, &text(&named(&people, "Ann Lee")["id"]));
    assert_eq!(threads.len(), 2);
    assert_eq!((&threads[0]["status"], &threads[1]["status"]), (&json!("closed"), &json!("open")));
    assert_eq!(
        (&threads[0]["created_at"], &threads[1]["unread_count"]),
        (&json!("2023-03-01T08:01:00.000Z"), &json!(0))
    );
    assert!(threads[1]["assigned_user_id"].is_string());
    let first = messages_of(client, &threads[0]);
    let texts: Vec<&Value> = first.iter().map(|message| &message["text"]).collect();
    assert_eq!(texts, ["Is the aubergine ripe? \u{1F346}", "In May", "Thanks for writing"]);
    let kinds: Vec<(&Value, &Value, &Value)> = first
        .iter()
        .map(|message| (&message["direction"], &message["sender_type"], &message["status"]))
        .collect();
    assert_eq!(kinds[0], (&json!("inbound"), &json!("customer"), &json!("delivered")));
    assert_eq!(kinds[1], (&json!("outbound"), &json!("agent"), &json!("read")));
    assert_eq!(kinds[2].1, "bot");
    assert_eq!(first[0]["created_at"], "2023-03-01T08:01:01.250Z");
    let second = messages_of(client, &threads[1]);
    assert_eq!((&second[0]["type"], &second[0]["text"]), (&json!("image"), &json!("Look at this")));
    let file = client.vendors().get(&link(&second[0])).expect(200);
    assert_eq!(file.text, "a fine chair");
    assert_eq!((&second[1]["text"], &second[1]["status"]), (&json!("[gone.pdf]"), &json!("failed")));
    let notes = walk(client, &format!("/conversations/{}/notes", text(&threads[1]["id"])));
    assert_eq!(notes[0]["body"], "Careful, she is *angry*");
    let bobs = conversation_of(client, &text(&named(&people, "Bob \u{1F346}")["id"]));
    assert_eq!((&bobs[0]["channel"], &bobs[0]["assigned_user_id"]), (&json!("web_chat"), &Value::Null));
    assert_eq!(
        (&bobs[0]["status"], &bobs[0]["snoozed_until"]),
        (&json!("pending"), &json!("2999-01-01T00:00:00.000Z"))
    );
    // A text that is too long for one message.
    let long = messages_of(client, &bobs[0]);
    assert_eq!(long.len(), 4);
    let whole: String = long[..3].iter().map(|message| text(&message["text"])).collect();
    assert_eq!(whole, "Wörter ".repeat(20_000));
    let misty = conversation_of(client, &text(&named(&people, "misty-sea-23")["id"]));
    let odd: Vec<String> =
        messages_of(client, &misty[0]).iter().map(|message| text(&message["text"])).collect();
    assert_eq!(
        odd,
        ["two files\n[cut.pdf]", "[passwd]", "Berlin (52.5, 13.4)", "A post\nhttps://x.example/post"]
    );
    let channels = client.get("/channels").expect(200).data().clone();
    for channel in channels.as_array().expect("channels") {
        assert_eq!(channel["status"], "disconnected");
        assert!(text(&channel["disconnected_reason"]).contains("Chatwoot"), "{channel}");
    }
    let message = json!({ "type": "text", "to": { "conversation_id": bobs[0]["id"] }, "text": "Hi" });
    let refused = client.post("/messages", message);
    assert!(refused.text.contains("channel_not_connected"), "{}", refused.text);
}

fn a_later_run_brings_only_what_is_new_and_nothing_that_was_deleted(app: App) {
    let scratch = Scratch::new();
    let chatwoot = Chatwoot::with_odd_rows(scratch.path());
    let first = import(&app, &chatwoot, &["--only", "1"]);
    let client = client_of(&app, &first[0]);
    let again = import(&app, &chatwoot, &["--only", "1"]);
    assert_eq!(again[0]["account_id"], first[0]["account_id"]);
    assert_eq!(again[0]["is_anything_new"], false, "{}", again[0]);
    assert_eq!(of_kind(&again[0], "messages"), (0, 0, 13));
    // What was deleted here stays deleted.
    let bob = named(&walk(&client, "/contacts"), "Bob \u{1F346}");
    client.delete(&format!("/contacts/{}", text(&bob["id"]))).expect(200);
    // Something was changed there, something is new, and a conversation goes on in a new one.
    chatwoot.run(
        "UPDATE messages SET content = 'This message was deleted' WHERE id = 2;
         INSERT INTO contacts (id, name, account_id, created_at, updated_at) VALUES (2000, 'New', 1, now(), now());
         INSERT INTO conversations (id, account_id, inbox_id, status, created_at, updated_at, contact_id, display_id)
            VALUES (2000, 1, 1, 0, '2023-09-01', now(), 1, 2000);
         INSERT INTO messages (id, content, account_id, inbox_id, conversation_id, message_type, created_at, updated_at, sender_type)
            VALUES (2000, 'And again', 1, 1, 2000, 0, '2023-09-01', now(), 'Contact'), (2001, 'To Bob', 1, 2, 3, 1, '2023-09-02', now(), 'User'),
            (2002, 'Late, with an old number', 1, 1, 1, 0, '2023-03-01 08:01:30', now(), 'Contact')",
    );
    let third = import(&app, &chatwoot, &["--only", "1"]);
    let report = &third[0];
    assert_eq!(of_kind(report, "contacts"), (1, 0, 6), "{report}");
    assert_eq!(of_kind(report, "conversations").0, 1);
    assert_eq!(of_kind(report, "messages").0, 2);
    assert_eq!(left_out(report, "conversations that were deleted here"), 5);
    let differ = ["contacts", "conversations", "messages", "notes"].map(|kind| {
        let (_, changed, missing) = compared(report, kind);
        (changed, missing)
    });
    assert_eq!(differ, [(0, 0), (0, 0), (1, 0), (0, 0)], "{report}");
    let people = walk(&client, "/contacts");
    assert!(people.iter().all(|person| person["name"] != "Bob \u{1F346}"));
    let threads = conversation_of(&client, &text(&named(&people, "Ann Lee")["id"]));
    let states: Vec<&Value> = threads.iter().map(|thread| &thread["status"]).collect();
    assert_eq!(states, ["closed", "closed", "open"]);
    let order: Vec<String> =
        messages_of(&client, &threads[0]).iter().map(|message| text(&message["text"])).collect();
    assert_eq!(order[1], "Late, with an old number");
}

fn a_dry_run_counts_and_writes_nothing(app: App) {
    let scratch = Scratch::new();
    let chatwoot = Chatwoot::with_odd_rows(scratch.path());
    let before = app.cli(&["account", "list"]);
    let reports = import(&app, &chatwoot, &["--dry-run"]);
    let report = &reports[0];
    assert_eq!(report["account_id"], Value::Null);
    assert_eq!(of_kind(report, "contacts"), (6, 0, 0));
    assert_eq!(of_kind(report, "conversations"), (4, 0, 0));
    assert_eq!(of_kind(report, "files"), (4, 0, 0));
    for (reason, rows) in
        [("activity", 1), ("contact is gone", 1), ("numbers that cannot exist", 1), ("attributes of", 1)]
    {
        assert_eq!(left_out(report, reason), rows, "{reason}");
    }
    assert_eq!(app.cli(&["account", "list"]), before);
    let real = import(&app, &chatwoot, &["--only", "1"]);
    let after = import(&app, &chatwoot, &["--dry-run", "--only", "1"]);
    assert_eq!(after[0]["account_id"], real[0]["account_id"]);
    assert_eq!(of_kind(&after[0], "contacts"), (0, 0, 6));
    let said =
        app.run(&["import", "chatwoot", &chatwoot.url, "--dry-run", "--only", "1"]).expect_success().out;
    assert!(said.contains("WOULD BE BROUGHT") && said.contains("Not brought:"), "{said}");
}

fn contacts_are_events_if_that_is_chosen(app: App) {
    let scratch = Scratch::new();
    let chatwoot = Chatwoot::with_odd_rows(scratch.path());
    let reports = import(&app, &chatwoot, &["--only", "2", "--events"]);
    let client = client_of(&app, &reports[0]);
    let types: Vec<String> =
        walk(&client, "/events").iter().map(|event| text(&event["event_type"])).collect();
    assert_eq!(types, ["contact.created"]);
}

fn an_account_goes_into_one_that_is_there(app: App) {
    let scratch = Scratch::new();
    let chatwoot = Chatwoot::with_odd_rows(scratch.path());
    let tenant = app.tenant();
    let known = tenant
        .client
        .post("/contacts", json!({ "name": "Known", "phone": "+491510000489" }))
        .expect(201)
        .id();
    let account = tenant.account.id.as_str();
    let said = app.run(&["import", "chatwoot", &chatwoot.url, "--account", account]).expect_failure();
    assert!(said.contains("--only 2") && said.contains("Tables Ltd"), "{said}");
    let reports = import(&app, &chatwoot, &["--only", "1", "--account", account]);
    assert_eq!((&reports[0]["account_id"], of_kind(&reports[0], "contacts")), (&json!(account), (4, 2, 0)));
    let known = tenant.client.get(&format!("/contacts/{known}")).expect(200).data().clone();
    assert_eq!((&known["name"], &known["email"]), (&json!("Known"), &json!("ann@example.com")));
    // It has its place now.
    let other = app.account();
    let said = app
        .run(&["import", "chatwoot", &chatwoot.url, "--only", "1", "--account", &other.id])
        .expect_failure();
    assert!(said.contains(account), "{said}");
    // The account's limit of contacts is kept.
    let small = app.account_with(&["--contact-limit", "0"]);
    let said = app
        .run(&["import", "chatwoot", &chatwoot.url, "--only", "2", "--account", &small.id])
        .expect_failure();
    assert!(said.contains("--contact-limit"), "{said}");
}

fn numbers_without_a_country_code_are_of_the_accounts_country(app: App) {
    let scratch = Scratch::new();
    let chatwoot = Chatwoot::with_odd_rows(scratch.path());
    chatwoot.run(
        "INSERT INTO contacts (id, name, phone_number, account_id, created_at, updated_at) VALUES
            (2000, 'Dora', '0151/0000492', 1, '2023-03-07', now()), (2001, 'Eve', '+49 (0)151 0000493', 1, '2023-03-08', now()),
            (2002, 'Tim', '(415) 555-0123', 2, '2023-03-09', now())",
    );
    // A new account has the country that is given, and without one such a number is left out.
    let unread = import(&app, &chatwoot, &["--dry-run", "--only", "1"]);
    assert_eq!(left_out(&unread[0], "numbers that cannot exist"), 2);
    let counted = import(&app, &chatwoot, &["--dry-run", "--only", "1", "--country", "DE"]);
    assert_eq!(left_out(&counted[0], "numbers that cannot exist"), 1);
    let brought = import(&app, &chatwoot, &["--only", "1", "--country", "DE"]);
    assert_eq!(left_out(&brought[0], "numbers that cannot exist"), 1);
    let people = walk(&client_of(&app, &brought[0]), "/contacts");
    assert_eq!(named(&people, "Dora")["phone"], "+491510000492");
    assert_eq!(named(&people, "Eve")["phone"], "+491510000493");
    let accounts = app.cli(&["account", "list"]);
    let made =
        accounts.as_array().expect("accounts").iter().find(|one| one["id"] == brought[0]["account_id"]);
    assert_eq!(made.expect("the account")["country"], "DE");
    // One that is there has its own.
    let tenant = app.tenant();
    app.cli(&["account", "set", &tenant.account.id, "--country", "US"]);
    import(&app, &chatwoot, &["--only", "2", "--account", &tenant.account.id]);
    assert_eq!(named(&walk(&tenant.client, "/contacts"), "Tim")["phone"], "+14155550123");
    let said = app.run(&["import", "chatwoot", &chatwoot.url, "--country", "XX"]).expect_failure();
    assert!(said.contains("such as DE"), "{said}");
}

fn what_is_no_chatwoot_is_refused(app: App) {
    let scratch = Scratch::new();
    let chatwoot = Chatwoot::with_odd_rows(scratch.path());
    let refused =
        |arguments: &[&str]| app.run(&[&["import", "chatwoot"], arguments].concat()).expect_failure();
    assert!(refused(&["sqlite:x.db"]).contains("postgres://"));
    assert!(refused(&["mysql://x:hidden@y/z"]).contains("postgres://"));
    let closed = "postgres://nobody:hidden@127.0.0.1:1/none";
    let said = refused(&[closed]);
    assert!(said.contains("cannot read") && !said.contains("hidden"), "{said}");
    assert!(refused(&[&chatwoot.url, "--only", "9"]).contains("--only 1"));
    assert!(refused(&[&chatwoot.url, "--files", "/nowhere/at/all"]).contains("/nowhere/at/all"));
    chatwoot.run("ALTER TABLE messages DROP COLUMN private");
    let said = refused(&[&chatwoot.url]);
    assert!(said.contains("private") && said.contains("Chatwoot"), "{said}");
}

/// The most memory that a running command has used.
fn peak_bytes(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) << 10
}

/// Runs an import to its end: the most memory that it has used.
fn finish(app: &App, arguments: &[&str]) -> u64 {
    let (mut child, mut peak) = (app.begin(arguments), 0);
    loop {
        peak = peak.max(peak_bytes(&child));
        if let Some(status) = child.try_wait().expect("it is there") {
            assert!(status.success(), "{status}");
            return peak;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn an_import_that_is_killed_goes_on_until_it_is_complete(engine: Engine) {
    let contacts = env::var(CONTACTS).ok().and_then(|text| text.parse().ok()).unwrap_or(CONTACTS_USUAL);
    let (many, few) = (Many::of(contacts), Many::of(CONTACTS_SMALL));
    let app = App::start(engine).alone().ready();
    let (scratch, elsewhere) = (Scratch::new(), Scratch::new());
    let small = Chatwoot::with_contacts(scratch.path(), CONTACTS_SMALL);
    let small_peak = finish(&app, &["import", "chatwoot", &small.url, "--files", small.storage()]);
    let chatwoot = Chatwoot::with_contacts(elsewhere.path(), contacts);
    // Another installation has another first account.
    chatwoot.run("UPDATE accounts SET created_at = '2023-01-06'");
    let arguments = ["import", "chatwoot", &chatwoot.url, "--files", chatwoot.storage()];
    let count = |table: &str| stored(&app, &format!("SELECT count(*) FROM {table}"));
    let files = || stored(&app, "SELECT count(*) FROM messages WHERE media_id IS NOT NULL");
    let of_few = [few.contacts, few.conversations, few.messages, few.notes, few.files];
    let of_all = || [count("contacts"), count("conversations"), count("messages"), count("notes"), files()];
    assert_eq!(of_all(), of_few);

    let began = Instant::now();
    for (table, before, all) in
        [("contacts", few.contacts, many.contacts), ("messages", few.messages, many.messages)]
    {
        kill_when(&app, &arguments, &|| count(table) - before >= all / 3);
        let written = count("messages") - few.messages;
        assert!(written < many.messages, "all {written} messages were written before it was killed");
    }
    // Between the notes of conversations and the end. Comparing takes longer than the rest of the notes.
    kill_when(&app, &arguments, &|| count("notes") > few.notes);
    let peak = finish(&app, &arguments);
    let took = began.elapsed();
    let of_many = [many.contacts, many.conversations, many.messages, many.notes, many.files];
    let complete = [0, 1, 2, 3, 4].map(|at| of_few[at] + of_many[at]);
    assert_eq!(of_all(), complete);
    assert!(peak < small_peak + MEMORY_GROWTH_MAX, "{small_peak} bytes for a small one, {peak} for this");

    let began = Instant::now();
    let reports = app.cli(&arguments);
    let (report, took_again) = (&reports[0], began.elapsed());
    assert_eq!(of_all(), complete);
    assert_eq!(report["is_anything_new"], false, "{report}");
    for (kind, rows) in [
        ("contacts", many.contacts + many.joined),
        ("conversations", many.conversations),
        ("messages", many.messages),
        ("notes", many.notes),
    ] {
        assert_eq!(of_kind(report, kind), (0, 0, rows), "{kind}");
        assert_eq!(compared(report, kind), (rows, 0, 0), "{kind}: {}", report["compared"]);
        let both = &report["compared"][kind];
        assert_eq!(both["their_hash"], both["our_hash"], "{kind}");
    }
    let client = client_of(&app, report);
    let someone = client.get("/contacts?limit=1").expect(200).data()[0].clone();
    assert_eq!(someone["name"], format!("Person {contacts}"));
    assert!(someone["tags"].as_array().expect("tags").iter().any(|tag| tag["name"] == "vip"), "{someone}");
    assert_eq!(walk(&client, &format!("/contacts/{}/notes", text(&someone["id"]))).len(), 1);
    let threads = conversation_of(&client, &text(&someone["id"]));
    assert_eq!(threads.len(), 5);
    assert_eq!(messages_of(&client, &threads[4]).len(), 10);
    println!(
        "{contacts} contacts, {} conversations, {} messages: {took:?} with three kills, {took_again:?} again, \
         peak of {peak} bytes, of {small_peak} for a small one",
        many.conversations, many.messages
    );
}

fn what_was_changed_behind_its_back_is_reported(app: App) {
    let scratch = Scratch::new();
    let chatwoot = Chatwoot::with_odd_rows(scratch.path());
    let first = import(&app, &chatwoot, &["--only", "1"]).remove(0);
    let kinds = ["contacts", "conversations", "messages", "notes"];
    assert_eq!(kinds.map(|kind| compared(&first, kind).1), [0; 4]);
    let client = client_of(&app, &first);
    let people = walk(&client, "/contacts");
    let (ann, bob) = (named(&people, "Ann Lee"), named(&people, "Bob \u{1F346}"));
    let thread = conversation_of(&client, &text(&bob["id"])).remove(0);
    change(&app, "UPDATE contacts SET email = 'mallory@example.com' WHERE name = 'Ann Lee'");
    change(&app, "UPDATE conversations SET status = 'closed' WHERE snoozed_until IS NOT NULL");
    change(&app, "UPDATE messages SET text = 'In June' WHERE text = 'In May'");
    change(&app, "UPDATE notes SET body = 'likes tables' WHERE body = 'likes chairs'");
    let note = walk(&client, &format!("/contacts/{}/notes", text(&ann["id"]))).remove(0);
    let again = import(&app, &chatwoot, &["--only", "1"]).remove(0);
    assert_eq!(again["is_anything_new"], false, "{again}");
    for kind in kinds {
        let (rows, changed, missing) = compared(&again, kind);
        assert_eq!((rows, missing), (compared(&first, kind).0, 0), "{kind}");
        let (both, before) = (&again["compared"][kind], &first["compared"][kind]);
        assert_eq!(changed, 1, "{kind}: {both}");
        assert_eq!(both["their_hash"], before["their_hash"], "{kind}");
        assert_ne!(both["our_hash"], before["our_hash"], "{kind}");
    }
    let named_there = |kind: &str| again["compared"][kind]["changed_ids"][0].clone();
    assert_eq!(named_there("contacts"), ann["id"]);
    assert_eq!(named_there("conversations"), thread["id"]);
    assert_eq!(named_there("notes"), note["id"]);
    let said = app.run(&["import", "chatwoot", &chatwoot.url, "--only", "1"]).expect_success().out;
    assert!(said.contains("rows were changed in Chatwoot or here"), "{said}");
    // A contact that was deleted here is no difference.
    client.delete(&format!("/contacts/{}", text(&ann["id"]))).expect(200);
    let third = import(&app, &chatwoot, &["--only", "1"]).remove(0);
    assert_eq!(compared(&third, "contacts"), (4, 0, 0), "{third}");
    assert_eq!(kinds.map(|kind| compared(&third, kind).2), [0; 4], "{third}");
}
