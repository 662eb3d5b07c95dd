//! Exports: everything of an account, or of one contact, as an archive.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io::{Cursor, Read};

use frontdesk_e2e::{App, Client, Wire, came_true, on_every_engine};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::app_scene::{Browser, PASSWORD, cookie, member, set_password, stranger};
use crate::bookings::{Calendar, booking};
use crate::inbox_scene::{ANN, BOB, Inbox, reply};
use crate::people::{add, field, tag, walk};
use crate::shapes::text;
use crate::uploads::{sending, upload};

on_every_engine! {
    an_export_has_what_the_api_shows_and_nothing_secret,
    an_export_has_nothing_of_another_account,
    an_export_of_a_contact_has_what_is_about_it_alone,
    an_export_is_for_owners_and_admins,
    an_account_is_exported_once_at_a_time_and_a_client_may_leave,
    an_export_ends_with_its_session,
    rows_that_are_written_meanwhile_do_no_harm,
    an_export_of_any_size_needs_little_memory,
    the_command_line_writes_the_same_and_overwrites_nothing,
}

const OWNER_OF_EXPORT: &str = "exporter@example.com";

/// An archive that was read, and its raw contents.
pub(crate) struct Archive {
    files: BTreeMap<String, Vec<u8>>,
    manifest: Value,
}

impl Archive {
    /// Reads an archive, and checks every file against the manifest.
    #[track_caller]
    pub(crate) fn read(bytes: Vec<u8>) -> Self {
        let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).expect("an archive");
        let mut files = BTreeMap::new();
        for at in 0..zip.len() {
            let mut entry = zip.by_index(at).expect("an entry");
            let mut content = Vec::new();
            entry.read_to_end(&mut content).expect("its content");
            files.insert(entry.name().expect("a name").into_owned(), content);
        }
        let manifest: Value =
            serde_json::from_slice(&files.remove("manifest.json").expect("a manifest")).expect("JSON");
        assert_eq!(
            (&manifest["format"], &manifest["format_version"]),
            (&json!("frontdesk-export"), &json!(1))
        );
        let listed = manifest["files"].as_array().expect("files");
        assert_eq!(listed.len(), files.len(), "{manifest}");
        for file in listed {
            let content = &files[text(&file["path"])];
            let hash = Sha256::digest(content).iter().fold(String::new(), |mut hash, byte| {
                write!(hash, "{byte:02x}").expect("a String takes whatever is written to it");
                hash
            });
            assert_eq!(
                (&file["bytes"], text(&file["sha256"])),
                (&json!(content.len()), hash.as_str()),
                "{file}"
            );
            if let Some(rows) = file["rows"].as_u64() {
                assert_eq!(content.split(|byte| *byte == b'\n').count() as u64 - 1, rows, "{file}");
            }
            assert!(file.get("incomplete").is_none(), "{file}");
        }
        Self { files, manifest }
    }

    #[track_caller]
    pub(crate) fn rows(&self, name: &str) -> Vec<Value> {
        let content = self.files.get(&format!("{name}.jsonl")).unwrap_or_else(|| panic!("no {name}"));
        let text = std::str::from_utf8(content).expect("text");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    #[track_caller]
    fn row(&self, name: &str, id: &str) -> Value {
        let found = self.rows(name).into_iter().find(|row| row["id"] == id);
        found.unwrap_or_else(|| panic!("{name} has no {id}"))
    }

    /// The row has every field of a resource as the API shows it.
    #[track_caller]
    fn has(&self, name: &str, resource: &Value) {
        let row = self.row(name, text(&resource["id"]));
        for (field, value) in resource.as_object().expect("a resource") {
            assert_eq!(row[field], *value, "{field} of {name}: {row}");
        }
    }

    pub(crate) fn mentions(&self, needle: &str) -> Vec<&str> {
        let needle = needle.as_bytes();
        let has = |content: &[u8]| content.windows(needle.len()).any(|part| part == needle);
        self.files.iter().filter(|(_, content)| has(content)).map(|(name, _)| name.as_str()).collect()
    }
}

/// The owner of the account, signed in, and the cookie.
#[track_caller]
fn owner(inbox: &Inbox) -> (Browser, String) {
    let account = &inbox.tenant.account;
    inbox.app.cli(&["account", "set", &account.id, "--owner-email", OWNER_OF_EXPORT]);
    set_password(&inbox.app, &account.owner, PASSWORD);
    let signed_in = Browser::new(&inbox.app).try_sign_in(OWNER_OF_EXPORT, PASSWORD).expect(200);
    (Browser::new(&inbox.app).keeping(&signed_in), cookie(&signed_in))
}

#[track_caller]
pub(crate) fn exported(browser: &Browser) -> Archive {
    let response = browser.get("/admin/export").expect(200);
    assert_eq!(response.header("content-type"), Some("application/zip"));
    assert_eq!(response.header("content-length"), None);
    let disposition = response.header("content-disposition").expect("a file");
    assert!(disposition.starts_with("attachment; filename=\"frontdesk-account-2"), "{disposition}");
    Archive::read(response.body)
}

/// A download of which nothing but its head was read.
#[track_caller]
fn begun(app: &App, cookie: &str) -> Wire {
    let mut wire = app.wire();
    wire.send(format!("GET /app/api/admin/export HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n"))
        .expect("a request");
    let head = wire.begun().expect(200);
    assert_eq!(head.header("transfer-encoding"), Some("chunked"));
    wire
}

/// The rest of a body, or why it broke off.
fn rest(wire: &mut Wire) -> std::io::Result<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let chunk = wire.chunk()?;
        if chunk.is_empty() {
            return Ok(whole);
        }
        whole.extend(chunk);
    }
}

/// A file that is larger than what a connection buffers.
fn large_file(client: &Client, number: usize) -> Value {
    let content: Vec<u8> = (0..24_usize << 20).map(|at| (at * (31 + number) % 251) as u8).collect();
    upload(client, "large.bin", "application/pdf", &content)
}

fn an_export_has_what_the_api_shows_and_nothing_secret(inbox: Inbox) {
    let client = &inbox.client;
    let (browser, cookie) = owner(&inbox);
    let conversation = inbox.hears(ANN, "Is the aubergine ripe?");
    let contact = text(&conversation["contact_id"]).to_owned();
    let file = b"a picture of an aubergine".to_vec();
    let uploaded = upload(client, "a.png", "image/png", &file);
    let sent = inbox.sends(sending(&conversation, "image", &uploaded));
    let answered = inbox.sends(reply(text(&conversation["id"]), "It is."));
    inbox.settle();
    let (vip, plan) = (tag(client, "vip"), field(client, "Plan", "text"));
    let path = format!("/contacts/{contact}");
    client.patch(&path, json!({ "tag_ids": [vip], "custom_fields": { plan.as_str(): "gold" } })).expect(200);
    let note = client.post(&format!("{path}/notes"), json!({ "body": "likes aubergine" })).expect(201);
    let deal = client.post("/deals", json!({ "title": "Chairs", "contact_id": contact })).expect(201);
    let rules = json!([{ "field": "company", "op": "is", "value": "Acme" }]);
    let segment = client.post("/segments", json!({ "name": "Acme", "rules": rules })).expect(201);
    let hook =
        client.post("/webhooks", json!({ "url": "https://hooks.example/x", "enabled": false })).expect(201);
    let replies = json!({ "shortcut": "hi", "body": "Hello", "media_ids": [uploaded["id"]] });
    let canned = client.post("/canned-replies", replies).expect(201);
    let assistant =
        client.post("/assistants", json!({ "name": "Robin", "system_prompt": "Be kind." })).expect(201);
    let memory =
        client.post("/memories", json!({ "content": "Ripe in May.", "contact_id": contact })).expect(201);
    let trigger =
        json!({ "name": "Hook", "kind": "webhook", "assistant_id": assistant.id(), "goal": "Say hello." });
    let trigger = client.post("/triggers", trigger).expect(201);
    let calendar = Calendar::connect(&inbox.app, &inbox.tenant);
    calendar.tell("BOOKING_CREATED", booking("aubergine-1"));

    let archive = exported(&browser);
    assert_eq!(archive.manifest["account"]["id"], inbox.tenant.account.id);
    archive.has("contacts", client.get(&path).expect(200).data());
    for (name, list) in [
        ("tags", "/tags"),
        ("custom_fields", "/custom-fields"),
        ("pipelines", "/pipelines"),
        ("deals", "/deals"),
        ("bookings", "/bookings"),
        ("conversations", "/conversations"),
        ("assistants", "/assistants"),
        ("triggers", "/triggers"),
        ("memories", "/memories"),
        ("connections", "/channels"),
        ("webhook_endpoints", "/webhooks"),
    ] {
        let listed = client.get(list).expect(200);
        let shown = listed.data().as_array().expect("a list");
        assert!(!shown.is_empty(), "{name}");
        assert_eq!(archive.rows(name).len(), shown.len(), "{name}");
        for resource in shown {
            archive.has(name, resource);
        }
    }
    assert!(!archive.rows("templates").is_empty());
    archive.has("notes", note.data());
    archive.has("deals", deal.data());
    archive.has("memories", memory.data());
    assert_eq!(archive.row("segments", &segment.id())["rules"], segment.data()["rules"]);
    let message = archive.row("messages", text(&answered["id"]));
    assert_eq!(
        (&message["text"], &message["status"]),
        (&json!("It is."), &inbox.message(&answered["id"])["status"])
    );
    assert!(!message["statuses"].as_array().expect("statuses").is_empty(), "{message}");
    let events = walk(client, "/events");
    let ids: Vec<Value> = archive.rows("events").iter().map(|event| event["event_id"].clone()).collect();
    assert!(events.iter().all(|event| ids.contains(&event["event_id"])), "{ids:?}");
    let members = archive.rows("members");
    assert_eq!((members.len(), &members[0]["email"]), (1, &json!(OWNER_OF_EXPORT)));
    assert_eq!(archive.rows("account")[0]["id"], inbox.tenant.account.id);
    assert!(archive.rows("audit_log").iter().any(|entry| entry["action"] == "account.exported"));

    let picture = archive.row("messages", text(&sent["id"]));
    let media = archive.row("media", text(&picture["media_id"]));
    assert_eq!(picture["media_id"], uploaded["id"]);
    assert_eq!(archive.files[text(&media["path"])], file);
    assert_eq!(archive.rows("canned_reply_files")[0]["reply_id"], canned.id());

    let link = |url: &Value| text(url).rsplit('/').next().expect("a token").to_owned();
    let (_, session) = cookie.split_once('=').expect("a cookie");
    let secrets = [
        inbox.tenant.key.secret.clone(),
        text(&hook.data()["secret"]).to_owned(),
        link(&uploaded["url"]),
        link(&inbox.message(&sent["id"])["media_url"]),
        link(&trigger.data()["webhook_url"]),
        session.to_owned(),
        PASSWORD.to_owned(),
    ];
    for secret in secrets {
        assert!(secret.len() > 15, "{secret}");
        assert_eq!(archive.mentions(&secret), Vec::<&str>::new(), "{secret}");
    }
}

fn an_export_has_nothing_of_another_account(inbox: Inbox) {
    let other = inbox.app.tenant();
    let foreign = add(&other.client, json!({ "name": "Foreign Fred", "email": "fred@example.com" }));
    other
        .client
        .post(&format!("/contacts/{foreign}/notes"), json!({ "body": "A foreign secret" }))
        .expect(201);
    upload(&other.client, "foreign.txt", "text/plain", b"A foreign secret");
    add(&inbox.client, json!({ "name": "Own Olga" }));
    let (browser, _) = owner(&inbox);
    let archive = exported(&browser);
    assert_eq!(archive.mentions("Own Olga"), ["contacts.jsonl", "events.jsonl"]);
    for needle in ["Foreign Fred", "foreign secret", foreign.as_str(), other.account.id.as_str()] {
        assert_eq!(archive.mentions(needle), Vec::<&str>::new(), "{needle}");
    }
    browser.get(&format!("/contacts/{foreign}/export")).expect(404).error("not_found");
    let failure = inbox.app.run(&[
        "export",
        "--account",
        &inbox.tenant.account.id,
        "--contact",
        &foreign,
        "--output",
        "foreign.zip",
    ]);
    assert!(failure.expect_failure().contains("there is no contact"));
}

fn an_export_of_a_contact_has_what_is_about_it_alone(inbox: Inbox) {
    let client = &inbox.client;
    let (ann, bob) = (inbox.hears(ANN, "I am Ann."), inbox.hears(BOB, "I am Bob."));
    let contact = text(&ann["contact_id"]);
    for (conversation, name) in [(&ann, "Ann"), (&bob, "Bob")] {
        let id = text(&conversation["contact_id"]);
        let file = upload(client, "a.txt", "application/pdf", format!("The file of {name}").as_bytes());
        inbox.sends(sending(conversation, "document", &file));
        let body = json!({ "body": format!("A note about {name}") });
        client.post(&format!("/contacts/{id}/notes"), body.clone()).expect(201);
        client.post(&format!("/conversations/{}/notes", text(&conversation["id"])), body).expect(201);
        client.post("/deals", json!({ "title": format!("A deal of {name}"), "contact_id": id })).expect(201);
        client
            .post("/memories", json!({ "content": format!("{name} is nice"), "contact_id": id }))
            .expect(201);
    }
    inbox.settle();
    let (browser, _) = owner(&inbox);
    let response = browser.get(&format!("/contacts/{contact}/export")).expect(200);
    let archive = Archive::read(response.body);
    assert_eq!(archive.manifest["contact"]["id"], contact);
    for (name, rows) in [
        ("contacts", 1),
        ("conversations", 1),
        ("messages", 2),
        ("media", 1),
        ("notes", 2),
        ("deals", 1),
        ("memories", 1),
        ("identities", 1),
    ] {
        assert_eq!(archive.rows(name).len(), rows, "{name}");
    }
    assert_eq!(archive.mentions("The file of Ann").len(), 1);
    for needle in ["Bob", text(&bob["contact_id"]), text(&bob["id"])] {
        assert_eq!(archive.mentions(needle), Vec::<&str>::new(), "{needle}");
    }
    // What is the account's and not the contact's.
    for file in ["members.jsonl", "api_keys.jsonl", "audit_log.jsonl", "events.jsonl", "assistants.jsonl"] {
        assert!(!archive.files.contains_key(file), "{file}");
    }
    let log = browser.get("/admin/audit-log").expect(200);
    let entry =
        log.data().as_array().expect("entries").iter().find(|entry| entry["action"] == "contact.exported");
    assert_eq!(entry.expect("an entry")["subject"], contact);
    browser.get("/contacts/01890a5d-ac96-774b-bcce-b302099a8057/export").expect(404).error("not_found");
}

fn an_export_is_for_owners_and_admins(inbox: Inbox) {
    let account = &inbox.tenant.account;
    let contact = add(&inbox.client, json!({ "name": "Ada" }));
    let paths =
        ["/admin/export".to_owned(), "/admin/export/state".to_owned(), format!("/contacts/{contact}/export")];
    for (role, status) in [("admin", 200), ("agent", 403)] {
        let email = format!("export-{role}@example.com");
        member(&inbox.app, account, &email, role);
        let browser = Browser::new(&inbox.app).sign_in(&email);
        for path in &paths {
            assert_eq!(browser.get(path).status, status, "{role} {path}");
        }
    }
    for path in &paths {
        Browser::new(&inbox.app).get(path).expect(401).error("unauthorized");
    }
    stranger(&inbox.app).get(&paths[2]).expect(404).error("not_found");
    // A key is not a session.
    inbox.client.vendors().get("/app/api/admin/export").expect(401).error("unauthorized");
}

fn an_account_is_exported_once_at_a_time_and_a_client_may_leave(inbox: Inbox) {
    large_file(&inbox.client, 0);
    let (browser, cookie) = owner(&inbox);
    let running =
        |browser: &Browser| browser.get("/admin/export/state").expect(200).data()["running"].clone();
    assert_eq!(running(&browser), false);
    let wire = begun(&inbox.app, &cookie);
    assert_eq!(running(&browser), true);
    let refused = browser.get("/admin/export").expect(429);
    refused.error("rate_limited");
    assert!(refused.header("retry-after").is_some());
    // Nobody else waits for it: neither this account's requests nor another's export.
    inbox.client.get("/contacts?limit=1").expect(200);
    let other = stranger(&inbox.app);
    assert_eq!(exported(&other).rows("contacts").len(), 0);
    drop(wire);
    assert!(came_true(|| running(&browser) == false), "the slot is free again");
    exported(&browser);
}

fn an_export_ends_with_its_session(inbox: Inbox) {
    large_file(&inbox.client, 0);
    let (browser, cookie) = owner(&inbox);
    let mut wire = begun(&inbox.app, &cookie);
    browser.send("DELETE", "/session").expect(200);
    let broken = rest(&mut wire).expect_err("a part was taken for the whole");
    assert_eq!(broken.kind(), std::io::ErrorKind::UnexpectedEof, "{broken}");
}

fn rows_that_are_written_meanwhile_do_no_harm(inbox: Inbox) {
    let client = &inbox.client;
    let before = add(client, json!({ "name": "Before" }));
    let erased = add(client, json!({ "name": "Erased" }));
    let file = large_file(client, 0);
    let (_, cookie) = owner(&inbox);
    let mut wire = begun(&inbox.app, &cookie);
    for number in 0..20 {
        inbox.hears(&format!("141555511{number:02}"), "Hello");
    }
    client.delete(&format!("/contacts/{erased}")).expect(200);
    inbox.settle();
    let archive = Archive::read(rest(&mut wire).expect("the whole archive"));
    archive.row("contacts", &before);
    archive.row("media", text(&file["id"]));
    for message in archive.rows("messages") {
        archive.row("conversations", text(&message["conversation_id"]));
    }
}

fn an_export_of_any_size_needs_little_memory(inbox: Inbox) {
    let (browser, cookie) = owner(&inbox);
    // More contacts than are read at a time.
    let row = |number: usize| json!({ "line": number, "name": format!("Contact {number}"), "email": format!("c{number}@example.com") });
    for batch in 0..13 {
        let rows: Vec<Value> = (batch * 100..(batch + 1) * 100).map(row).collect();
        let asked = json!({ "dry_run": false, "match_by": "email", "update_existing": false, "rows": rows });
        browser.post("/contacts/import", asked).expect(200);
    }
    for number in 0..3 {
        large_file(&inbox.client, number);
    }
    drop(exported_wire(&inbox.app, &cookie));
    let before = inbox.app.memory_bytes();
    let archive = exported_wire(&inbox.app, &cookie);
    let grown = inbox.app.memory_bytes().saturating_sub(before);
    assert!(archive.len() > 72 << 20, "{} bytes", archive.len());
    assert!(grown < 32 << 20, "the server took {grown} bytes for an archive of {}", archive.len());
    let archive = Archive::read(archive);
    let mut names: Vec<String> =
        archive.rows("contacts").iter().map(|row| text(&row["name"]).to_owned()).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 1_300, "each contact is there once");
}

#[track_caller]
fn exported_wire(app: &App, cookie: &str) -> Vec<u8> {
    let mut wire = None;
    // The slot of the download before is freed when the server notices its end.
    let is_begun = came_true(|| {
        let mut asked = app.wire();
        asked
            .send(format!(
                "GET /app/api/admin/export HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n"
            ))
            .expect("a request");
        let is_begun = asked.begun().status == 200;
        wire = Some(asked).filter(|_| is_begun);
        is_begun
    });
    assert!(is_begun, "an export begins");
    rest(&mut wire.expect("a download")).expect("the whole archive")
}

fn the_command_line_writes_the_same_and_overwrites_nothing(inbox: Inbox) {
    let account = inbox.tenant.account.id.as_str();
    let contact = add(&inbox.client, json!({ "name": "Ada" }));
    inbox.hears(ANN, "Hello");
    let directory = std::env::temp_dir().join(format!("frontdesk-export-{account}"));
    fs::create_dir_all(&directory).expect("a directory");
    let path = |name: &str| directory.join(name).to_str().expect("text").to_owned();
    let export = |more: &[&str]| inbox.app.run(&[&["export", "--account", account, "--json"], more].concat());
    let told = export(&["--output", &path("all.zip")]).expect_success().json();
    let archive = Archive::read(fs::read(path("all.zip")).expect("the file"));
    assert_eq!(told["path"], path("all.zip"));
    assert_eq!(archive.rows("contacts").len(), 2);
    archive.has("contacts", inbox.client.get(&format!("/contacts/{contact}")).expect(200).data());
    let (browser, _) = owner(&inbox);
    let downloaded = exported(&browser);
    assert!(archive.files.keys().eq(downloaded.files.keys()), "both have the same files");
    assert_eq!(archive.files["messages.jsonl"], downloaded.files["messages.jsonl"]);

    let refused = export(&["--output", &path("all.zip")]).expect_failure();
    assert!(refused.contains("exists already"), "{refused}");
    let one = export(&["--contact", &contact, "--output", &path("one.zip")]).expect_success().json();
    assert_eq!(one["rows"], 1);
    assert_eq!(Archive::read(fs::read(path("one.zip")).expect("the file")).rows("contacts").len(), 1);
    let nobody = "01890a5d-ac96-774b-bcce-b302099a8057";
    let args = ["export", "--account", nobody, "--output", &path("none.zip")];
    assert!(inbox.app.run(&args).expect_failure().contains("there is no account"));
    let mut left: Vec<String> = fs::read_dir(&directory)
        .expect("the directory")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
        .collect();
    left.sort();
    assert_eq!(left, ["all.zip", "one.zip"], "nothing incomplete is left");
    fs::remove_dir_all(&directory).expect("removed");
}
