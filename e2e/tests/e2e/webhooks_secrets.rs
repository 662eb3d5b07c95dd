//! Signing secrets: shown once, kept encrypted, told nowhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use frontdesk_e2e::{Engine, on_every_engine};
use postgres::{Client as Postgres, NoTls};
use serde_json::json;

use crate::secret_key::execute;
use crate::shapes::{has_fields, text};
use crate::webhooks_scene::{Scene, hook};

on_every_engine! {
    every_secret_is_new_and_of_the_form_of_the_scheme,
    a_secret_is_shown_when_it_is_made_and_never_again,
    a_retried_creation_shows_the_same_secret,
    no_secret_is_kept_in_plain_text,
    an_endpoint_whose_secret_cannot_be_opened_is_sent_nothing,
}

const SHOWN: &str = "id url description event_types enabled disabled_reason created_at updated_at secret";

fn every_secret_is_new_and_of_the_form_of_the_scheme(scene: Scene) {
    let mut secrets = BTreeSet::new();
    for _ in 0..5 {
        let made = scene.hook("/hook");
        let rotated = scene.client.post(&format!("{}/secret", made.path), json!({})).expect(200);
        has_fields(rotated.data(), SHOWN);
        for secret in [made.secret, text(&rotated.data()["secret"]).to_owned()] {
            let key = secret.strip_prefix("whsec_").unwrap_or_else(|| panic!("{secret} is no secret"));
            // 24 to 64 bytes in base64.
            let bytes = key.trim_end_matches('=').len() * 3 / 4;
            assert!((24..=64).contains(&bytes) && key.len().is_multiple_of(4), "{secret}");
            assert!(key.bytes().all(|c| c.is_ascii_alphanumeric() || b"+/=".contains(&c)), "{secret}");
            assert!(secrets.insert(secret), "a secret was given twice");
        }
    }
}

fn a_secret_is_shown_when_it_is_made_and_never_again(scene: Scene) {
    let made = scene.hook("/hook");
    let rotated = scene.client.post(&format!("{}/secret", made.path), json!({})).expect(200);
    let secrets = [made.secret.as_str(), text(&rotated.data()["secret"])];
    let tested = scene.client.post(&format!("{}/test", made.path), json!({})).expect(202);
    scene.settle();
    for response in [
        scene.client.get("/webhooks"),
        scene.client.get(&made.path),
        scene.client.patch(&made.path, json!({ "description": "Sync" })),
        scene.client.get(&format!("{}/deliveries", made.path)),
        scene.client.get(&format!("{}/deliveries/{}", made.path, tested.id())),
        scene.client.get("/events"),
        tested,
        scene.client.delete(&made.path),
    ] {
        assert!(!response.text.contains("whsec_"), "{}", response.text);
        assert!(!secrets.iter().any(|secret| response.text.contains(&secret[6..])), "{}", response.text);
    }
    // What is sent shows it neither.
    let sent = scene.sink.wait("/hook", 1);
    let body = String::from_utf8(sent[0].body.clone()).unwrap();
    assert!(!body.contains("secret") && !body.contains("whsec_"), "{body}");
}

fn a_retried_creation_shows_the_same_secret(scene: Scene) {
    let retrying = scene.client.with("idempotency-key", "hook-1");
    let body = json!({ "url": scene.sink.url("/hook") });
    let first = retrying.post("/webhooks", body.clone()).expect(201);
    assert_eq!(first.header("idempotent-replayed"), None);
    for _ in 0..2 {
        let again = retrying.post("/webhooks", body.clone()).expect(201);
        assert_eq!((again.header("idempotent-replayed"), &again.text), (Some("true"), &first.text));
        assert_eq!(again.data()["secret"], first.data()["secret"]);
    }
    scene.app.restart();
    assert_eq!(retrying.post("/webhooks", body).expect(201).text, first.text);
    let other = retrying.post("/webhooks", json!({ "url": scene.sink.url("/other") })).expect(422);
    assert_eq!(other.error("unprocessable")["reason"], "idempotency_key_reused");
    assert_eq!(scene.client.get("/webhooks").expect(200).data().as_array().unwrap().len(), 1);
}

/// Everything that is stored, as bytes.
fn stored(scene: &Scene) -> Vec<u8> {
    match scene.app.engine() {
        Engine::Sqlite => {
            let database = scene.app.database().strip_prefix("sqlite:").unwrap();
            // The database, its journal, what the servers logged, and whatever else there may be.
            let files = fs::read_dir(Path::new(database).parent().unwrap()).unwrap();
            files.flat_map(|file| fs::read(file.unwrap().path()).unwrap_or_default()).collect()
        }
        Engine::Postgres | Engine::PostgresRedis => {
            let mut database = Postgres::connect(scene.app.database(), NoTls).unwrap();
            let tables = "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'";
            let tables: Vec<String> =
                database.query(tables, &[]).unwrap().iter().map(|row| row.get(0)).collect();
            assert!(tables.iter().any(|table| table == "webhook_endpoints"), "{tables:?}");
            let mut all = scene.app.logs();
            for table in tables {
                for row in database.query(&format!("SELECT t::text FROM {table} t"), &[]).unwrap() {
                    all.push_str(row.get(0));
                }
            }
            all.into_bytes()
        }
    }
}

fn holds(stored: &[u8], text: &str) -> bool {
    // Bytes are read from PostgreSQL as hexadecimal digits.
    let hex = text.bytes().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    [text, &hex].iter().any(|form| stored.windows(form.len()).any(|found| found == form.as_bytes()))
}

fn no_secret_is_kept_in_plain_text(scene: Scene) {
    let retrying = scene.client.with("idempotency-key", "hook-1");
    let made = hook(&retrying, json!({ "url": scene.sink.url("/findable-address") }));
    let rotated = scene.client.post(&format!("{}/secret", made.path), json!({})).expect(200);
    let rotated = text(&rotated.data()["secret"]);
    scene.contact();
    scene.client.post(&format!("{}/test", made.path), json!({})).expect(202);
    scene.settle();
    assert_eq!(scene.sink.wait("/findable-address", 2).len(), 2);
    // What is only in the memory of a running server is written when it ends.
    for stored in [stored(&scene), {
        scene.app.stop();
        stored(&scene)
    }] {
        assert!(holds(&stored, "/findable-address"), "nothing at all is found");
        for secret in [made.secret.as_str(), rotated] {
            assert!(
                !holds(&stored, secret) && !holds(&stored, &secret[6..]),
                "a secret is kept in plain text"
            );
        }
    }
}

fn an_endpoint_whose_secret_cannot_be_opened_is_sent_nothing(scene: Scene) {
    let (made, other) = (scene.hook("/hook"), scene.hook("/other"));
    let swap = "UPDATE webhook_endpoints SET old_secret = secret;
        UPDATE webhook_endpoints SET secret = (SELECT e.old_secret FROM webhook_endpoints e
        WHERE e.account_id = webhook_endpoints.account_id AND e.id <> webhook_endpoints.id)";
    // A sealed secret opens only in its own row.
    execute(&scene.app, swap);
    scene.contact();
    scene.settle();
    assert_eq!(
        (scene.sink.count("/hook"), scene.sink.count("/other")),
        (0, 0),
        "sent without a readable secret"
    );
    for endpoint in [&made, &other] {
        let last = &scene.deliveries(endpoint)[0];
        assert_ne!(last["status"], "succeeded");
        assert!(last["last_error"].is_string(), "nobody can see why: {last}");
    }
    // Back in its own row it opens again.
    execute(&scene.app, "UPDATE webhook_endpoints SET secret = old_secret, old_secret = NULL");
    scene.advance(60);
    assert_eq!((scene.sink.wait("/hook", 1).len(), scene.sink.wait("/other", 1).len()), (1, 1));
}
