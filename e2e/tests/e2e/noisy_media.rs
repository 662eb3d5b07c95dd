//! One account's slow files do not hold up the files of everybody else.

use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use frontdesk_e2e::{Client, Engine, ModelProvider, Reply, Sink, came_true, on_every_engine};
use serde_json::{Value, json};

use crate::agent_scene::new_assistant;
use crate::inbound_scene;
use crate::inbox_scene::{Inbox, connect, eventually, start};
use crate::people::walk;
use crate::shapes::text;
use crate::webhooks_scene::PRIVATE_TARGETS;

on_every_engine! {
    alone slow_pictures_of_one_account_do_not_delay_anothers,
    alone slow_transcripts_of_one_account_do_not_delay_anothers,
    alone slow_files_of_one_account_do_not_delay_what_another_sends,
}

/// Files of the noisy account: more than a server works on at a time.
const FILES: usize = 40;
/// How many files of one account the server fetches, reads or sends at a time.
const FETCHED_AT_ONCE: usize = 4;
const READ_AT_ONCE: usize = 4;
const SENT_AT_ONCE: usize = 2;
/// How long the download of a file that is sent may take.
const DOWNLOAD_SECONDS_MAX: u64 = 10;

/// The messages of an account, newest first.
fn messages(client: &Client) -> Vec<Value> {
    let conversations = walk(client, "/conversations");
    conversations
        .iter()
        .flat_map(|conversation| {
            walk(client, &format!("/conversations/{}/messages", text(&conversation["id"])))
        })
        .collect()
}

fn slow_pictures_of_one_account_do_not_delay_anothers(inbox: inbound_scene::Inbox) {
    let other = inbox.app.tenant();
    let noisy = inbox.whatsapp();
    let quiet = inbox.connect("whatsapp", &other.account.id, &inbox.vendors.graph_url(), &[]);
    let sink = Sink::start();
    sink.respond("/slow", Reply::status(200).held());
    sink.respond("/quick", Reply::status(200).body("here"));
    let send = |connection: &str, path: &str| {
        let media = json!({ "kind": "image", "url": sink.url(path), "content_type": "image/png" });
        let said = json!({ "connection_id": connection, "media": media });
        let customer = format!("/sandbox/customers/{}/messages", inbound_scene::ANN);
        inbox.vendors.calls().post(&customer, said).expect(200);
    };
    for _ in 0..FILES {
        send(&noisy.id, "/slow");
    }
    sink.wait("/slow", FETCHED_AT_ONCE);
    send(&quiet.id, "/quick");
    let message = messages(&other.client).remove(0);
    let url = text(&message["media_url"]);
    let link = &url[url.find("/media/").unwrap_or_else(|| panic!("no link to media: {url}"))..];
    let open = || inbox.app.anonymous().vendors().get(link);
    assert!(came_true(|| open().status == 200), "it was never fetched");
    assert_eq!(open().body, b"here");
    assert_eq!(sink.count("/slow"), FETCHED_AT_ONCE, "an account has only part of the slots");
    sink.release();
}

fn slow_transcripts_of_one_account_do_not_delay_anothers(engine: Engine) {
    let provider = ModelProvider::openai();
    let heard = |words: &str| {
        let body = json!({ "text": words, "usage": { "type": "duration", "seconds": 1 } });
        Reply::status(200).header("content-type", "application/json").body(body.to_string())
    };
    let path = "/v1/audio/transcriptions";
    provider.sink().answer_by(path, move |received| {
        let is_slow = received.body.windows(4).any(|found| found == b"slow");
        if is_slow { heard("Slow.").held() } else { heard("Quick.") }
    });
    let inbox = Inbox::of(
        start(engine)
            .env("FRONTDESK_OPENAI_BASE_URL", &provider.base_url())
            .env("FRONTDESK_OPENAI_API_KEY", "sk-test"),
    );
    let other = inbox.app.tenant();
    let line = connect(&inbox.app, &other.account, "whatsapp");
    for client in [&inbox.client, &other.client] {
        new_assistant(client, json!({ "targets": ["whatsapp"], "transcribe_media": true }));
    }
    let says = |line: &str, number: usize, content: &str| {
        let base64 = STANDARD.encode(format!("OggS {content}"));
        let media = json!({ "kind": "voice", "base64": base64, "content_type": "audio/ogg; codecs=opus" });
        inbox.says(line, &format!("1650556{number:04}"), json!({ "media": media }));
    };
    for number in 0..FILES {
        says(&inbox.whatsapp, number, "slow");
    }
    let slow = || {
        provider
            .sink()
            .at(path)
            .iter()
            .filter(|one| one.body.windows(4).any(|found| found == b"slow"))
            .count()
    };
    assert!(came_true(|| slow() >= READ_AT_ONCE), "nothing was read");
    says(&line, 9_000, "quick");
    eventually("the transcript of the other account", || {
        messages(&other.client).iter().any(|message| message["text"] == "Quick.").then_some(())
    });
    assert_eq!(slow(), READ_AT_ONCE, "an account has only part of the slots");
    provider.sink().release();
}

fn slow_files_of_one_account_do_not_delay_what_another_sends(engine: Engine) {
    let inbox = Inbox::of(start(engine).env(PRIVATE_TARGETS, "true"));
    let other = inbox.app.tenant();
    let (noisy, quiet) =
        (inbox.connect("personal_whatsapp"), connect(&inbox.app, &other.account, "personal_whatsapp"));
    let sink = Sink::start();
    sink.respond("/slow", Reply::status(200).held());
    sink.respond("/quick", Reply::status(200).header("content-type", "image/png").body("here"));
    let send = |client: &Client, connection: &str, number: usize, path: &str| {
        inbox.says(connection, &format!("1650557{number:04}"), json!({ "text": "Hi!" }));
        let phone = format!("+1650557{number:04}");
        let to = json!({ "phone": phone, "channel": "personal_whatsapp", "connection_id": connection });
        let media = json!({ "kind": "image", "url": sink.url(path) });
        client.post("/messages", json!({ "type": "media", "to": to, "media": media })).expect(201).id()
    };
    let began = Instant::now();
    for number in 0..FILES / 2 {
        send(&inbox.client, &noisy, number, "/slow");
    }
    sink.wait("/slow", SENT_AT_ONCE);
    let message = send(&other.client, &quiet, 9_000, "/quick");
    eventually("what the other account sends", || {
        let sent = messages(&other.client).into_iter().find(|one| one["id"] == message.as_str())?;
        (sent["status"] == "sent" || sent["status"] == "delivered").then_some(())
    });
    // A download that takes too long makes room for the next one.
    let rounds = began.elapsed().as_secs() / DOWNLOAD_SECONDS_MAX + 1;
    let downloads = sink.count("/slow");
    assert!(downloads <= SENT_AT_ONCE * rounds as usize, "{downloads} downloads in {rounds} rounds");
    sink.release();
}
