//! Chats that WhatsApp's phone app has exported.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write;

use frontdesk_e2e::{App, Client, Engine, Scratch, on_every_engine};
use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::import_chatwoot::link;
use crate::import_killed::{kill_when, stored};
use crate::people::walk;
use crate::shapes;

on_every_engine! {
    an_exported_chat_comes_once_with_its_files,
    a_later_export_brings_what_is_new,
    a_chat_of_several_people_and_odd_archives_are_refused,
    a_chat_of_a_phone_that_writes_the_half_of_the_day_before_the_time,
    a_chat_whose_import_is_killed_comes_completely_and_once,
}

fn text(value: &Value) -> String {
    shapes::text(value).to_owned()
}

const ANDROID: &str = "31/12/2023, 21:28 - Messages and calls are end-to-end encrypted. No one outside of this chat can read them.\n\
    31/12/2023, 21:30 - Ann Lee: Is it ripe? \u{1F346}\nsecond line\n\
    31/12/2023, 21:30 - Chairs & Co: In May\n\
    31/12/2023, 21:30 - Ann Lee: ok\n31/12/2023, 21:30 - Ann Lee: ok\n\
    31/12/2023, 21:31 - Ann Lee: IMG-1.jpg (Datei angehängt)\nLook\n\
    01/01/2024, 08:00 - Chairs & Co: <Medien ausgeschlossen>\n";

fn archive(scratch: &Scratch, entries: &[(&str, &[u8])]) -> String {
    let path = scratch.path().join("chat.zip");
    let mut zip = ZipWriter::new(File::create(&path).expect("a file"));
    for (name, bytes) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).expect("an entry");
        zip.write_all(bytes).expect("its bytes");
    }
    zip.finish().expect("an archive");
    path.display().to_string()
}

fn messages(client: &Client, report: &Value) -> Vec<Value> {
    let mut found = walk(client, &format!("/conversations/{}/messages", text(&report["conversation_id"])));
    found.reverse();
    found
}

fn brought(report: &Value, kind: &str) -> (u64, u64) {
    let line =
        report["rows"].as_array().expect("rows").iter().find(|line| line["kind"] == kind).expect("a line");
    (line["brought"].as_u64().expect("a number"), line["there_before"].as_u64().expect("a number"))
}

fn an_exported_chat_comes_once_with_its_files(app: App) {
    let tenant = app.tenant();
    let (client, account) = (&tenant.client, tenant.account.id.as_str());
    let scratch = Scratch::new();
    let path =
        archive(&scratch, &[("WhatsApp Chat mit Ann.txt", ANDROID.as_bytes()), ("IMG-1.jpg", b"a picture")]);
    let arguments = [
        "import",
        "whatsapp-export",
        &path,
        "--account",
        account,
        "--phone",
        "+49 (0)151 0000489",
        "--me",
        "Chairs & Co",
        "--timezone",
        "Europe/Berlin",
    ];
    let dry = app.cli(&[&arguments[..], &["--dry-run"]].concat());
    assert_eq!((brought(&dry, "messages"), &dry["contact_id"]), ((6, 0), &Value::Null));
    assert_eq!(walk(client, "/contacts").len(), 0);
    let report = app.cli(&arguments);
    assert_eq!((brought(&report, "messages"), brought(&report, "files")), ((6, 0), (1, 0)), "{report}");
    let ann = walk(client, "/contacts").remove(0);
    assert_eq!((&ann["name"], &ann["phone"]), (&json!("Ann Lee"), &json!("+491510000489")));
    let found = messages(client, &report);
    let texts: Vec<&Value> = found.iter().map(|message| &message["text"]).collect();
    assert_eq!(texts, ["Is it ripe? \u{1F346}\nsecond line", "In May", "ok", "ok", "Look", "[file]"]);
    let directions: Vec<&Value> = found.iter().map(|message| &message["direction"]).collect();
    assert_eq!(directions, ["inbound", "outbound", "inbound", "inbound", "inbound", "outbound"]);
    assert_eq!(found[0]["created_at"], "2023-12-31T20:30:00.000Z");
    assert_eq!(client.vendors().get(&link(&found[4])).expect(200).text, "a picture");
    let conversation =
        client.get(&format!("/conversations/{}", text(&report["conversation_id"]))).expect(200);
    assert_eq!(
        (&conversation.data()["unread_count"], &conversation.data()["status"]),
        (&json!(0), &json!("closed"))
    );
    assert_eq!(walk(client, "/events").len(), 0);
    let again = app.cli(&arguments);
    assert_eq!((brought(&again, "messages"), &again["is_anything_new"]), ((0, 6), &json!(false)));
    assert_eq!(messages(client, &again), messages(client, &report));
}

fn a_later_export_brings_what_is_new(app: App) {
    let tenant = app.tenant();
    let (client, account) = (&tenant.client, tenant.account.id.as_str());
    let ann =
        client.post("/contacts", json!({ "name": "Ann Lee", "phone": "+491510000489" })).expect(201).id();
    let arguments = |path: &str| {
        let all = ["import", "whatsapp-export", path, "--account", account, "--contact", &ann];
        app.cli(&all)
    };
    let scratch = Scratch::new();
    // An iPhone of an American. The other author is the business.
    let first =
        "\u{200e}[12/31/23, 9:30:45\u{202f}PM] Ann Lee: Hello\n[12/31/23, 9:31:00\u{202f}PM] Me: Hi\n";
    let report = arguments(&archive(&scratch, &[("_chat.txt", first.as_bytes())]));
    assert_eq!(brought(&report, "messages"), (2, 0));
    let later = format!("{first}[1/13/24, 8:00:00\u{202f}AM] Ann Lee: Again\n");
    let report = arguments(&archive(&scratch, &[("_chat.txt", later.as_bytes())]));
    assert_eq!(brought(&report, "messages"), (1, 2));
    let found = messages(client, &report);
    assert_eq!(found.last().expect("a message")["created_at"], "2024-01-13T08:00:00.000Z");
    assert_eq!(found.len(), 3);
    let channels = client.get("/channels").expect(200).data().clone();
    assert_eq!(
        (channels.as_array().map(Vec::len), &channels[0]["status"]),
        (Some(1), &json!("disconnected"))
    );
}

fn a_chat_of_several_people_and_odd_archives_are_refused(app: App) {
    let tenant = app.tenant();
    let account = tenant.account.id.as_str();
    let scratch = Scratch::new();
    let refused = |entries: &[(&str, &[u8])], more: &[&str]| {
        let path = archive(&scratch, entries);
        let all = ["import", "whatsapp-export", &path, "--account", account, "--phone", "+491510000489"];
        app.run(&[&all[..], more].concat()).expect_failure()
    };
    let group = "31/12/2023, 21:30 - Ann: a\n31/12/2023, 21:30 - Bob: b\n31/12/2023, 21:30 - Us: c\n";
    let chat: &[(&str, &[u8])] = &[("_chat.txt", group.as_bytes())];
    assert!(refused(chat, &[]).contains("--me \"Bob\""));
    assert!(refused(chat, &["--me", "Us"]).contains("groups"));
    assert!(refused(chat, &["--me", "Nobody"]).contains("--me \"Ann\""));
    assert!(
        refused(&[("_chat.txt", b"1/2/23, 21:30 - Ann: a\n1/2/23, 21:31 - Us: b\n")], &["--me", "Us"])
            .contains("--date-order")
    );
    assert!(refused(&[("_chat.txt", b"hello")], &[]).contains("no line"));
    assert!(refused(&[("a.jpg", b"hello")], &[]).contains("no text"));
    assert!(refused(&[("_chat.txt", b"x"), ("../../a.jpg", b"x")], &[]).contains("leads elsewhere"));
    let foreign = app.tenant().client.post("/contacts", json!({ "name": "Ann" })).expect(201).id();
    let path = archive(&scratch, chat);
    let said = app
        .run(&["import", "whatsapp-export", &path, "--account", account, "--contact", &foreign])
        .expect_failure();
    assert!(said.contains("no such contact"), "{said}");
    assert_eq!(walk(&tenant.client, "/contacts").len(), 0);
}

fn a_chat_of_a_phone_that_writes_the_half_of_the_day_before_the_time(app: App) {
    let tenant = app.tenant();
    let account = tenant.account.id.as_str();
    let scratch = Scratch::new();
    let arguments = |chat: &str| {
        let path = archive(&scratch, &[("_chat.txt", chat.as_bytes())]);
        let more = ["--phone", "+491510000489", "--timezone", "Asia/Taipei", "--me", "Us"];
        let all = [&["import", "whatsapp-export", &path, "--account", account], &more[..]].concat();
        all.into_iter().map(ToOwned::to_owned).collect::<Vec<String>>()
    };
    let bring = |arguments: Vec<String>| app.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    // What is not known is refused, with its line, and nothing is written.
    let said =
        bring(arguments("2023/12/31 上午9:30 - 安: a\n2023/12/31 某時9:30 - Us: b\n")).expect_failure();
    assert!(said.contains("line 2") && said.contains("某時"), "{said}");
    assert_eq!(walk(&tenant.client, "/contacts").len(), 0);
    let chat = "2023/12/31 上午9:30 - 安: morning\n2023/12/31 下午9:30 - Us: evening\n";
    bring(arguments(chat)).expect_success();
    let conversation = walk(&tenant.client, "/conversations").remove(0);
    let found = walk(&tenant.client, &format!("/conversations/{}/messages", text(&conversation["id"])));
    let times: Vec<&Value> = found.iter().map(|message| &message["created_at"]).collect();
    assert_eq!(times, ["2023-12-31T13:30:00.000Z", "2023-12-31T01:30:00.000Z"]);
}

fn a_chat_whose_import_is_killed_comes_completely_and_once(engine: Engine) {
    /// Twenty transactions. Every hundredth message has a file.
    const MESSAGES: u64 = 4_000;
    const FILES: u64 = MESSAGES / 100;
    let app = App::start(engine).alone().ready();
    let tenant = app.tenant();
    let (client, account) = (&tenant.client, tenant.account.id.as_str());
    let scratch = Scratch::new();
    let mut chat = String::new();
    for n in 0..MESSAGES {
        let (day, hour, minute) = (1 + n / 1_440, n / 60 % 24, n % 60);
        let author = if n % 2 == 0 { "Ann" } else { "Us" };
        let _ = write!(chat, "2023-01-{day:02}, {hour:02}:{minute:02} - {author}: ");
        let _ = match n % 100 {
            50 => writeln!(chat, "IMG-1.jpg (file attached)\nmessage {n}"),
            _ => writeln!(chat, "message {n}\nin two lines"),
        };
    }
    let path = archive(&scratch, &[("_chat.txt", chat.as_bytes()), ("IMG-1.jpg", b"a picture")]);
    let who = ["--phone", "+491510000489", "--me", "Us"];
    let arguments = [&["import", "whatsapp-export", path.as_str(), "--account", account], &who[..]].concat();
    let count = |what: &str| stored(&app, &format!("SELECT count({what}) FROM messages"));
    kill_when(&app, &arguments, &|| count("*") >= MESSAGES / 4);
    let written = count("*");
    assert!(written < MESSAGES, "all {written} messages were written before it was killed");
    let report = app.cli(&arguments);
    let (new, there_before) = brought(&report, "messages");
    // A transaction that the database had received may have ended after its import.
    assert!(there_before >= written && new > 0, "{written} before, {report}");
    assert_eq!(new + there_before, MESSAGES, "{report}");
    let is_complete = || {
        assert_eq!(
            (count("*"), count("DISTINCT text"), count("DISTINCT media_id")),
            (MESSAGES, MESSAGES, FILES)
        );
        let of_all = ["/contacts", "/conversations", "/events"].map(|path| walk(client, path).len());
        assert_eq!(of_all, [1, 1, 0]);
        assert_eq!(client.get("/channels").expect(200).data().as_array().map(Vec::len), Some(1));
    };
    is_complete();
    let again = app.cli(&arguments);
    assert_eq!((brought(&again, "messages"), &again["is_anything_new"]), ((0, MESSAGES), &json!(false)));
    is_complete();
    let conversation = text(&report["conversation_id"]);
    let newest = client.get(&format!("/conversations/{conversation}/messages?limit=60")).expect(200);
    let with_file = newest.data().as_array().expect("messages").iter().find(|one| one["type"] == "image");
    assert_eq!(client.vendors().get(&link(with_file.expect("a picture"))).expect(200).text, "a picture");
}
