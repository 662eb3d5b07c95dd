//! Website visitors, on a separate store.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use frontdesk_db::{Options, Store};
use frontdesk_kernel::{Ids, Timestamp};
use frontdesk_outbound::{Client, Reach};
use frontdesk_platform::events::Recorder;
use frontdesk_platform::events::live::Live;
use frontdesk_platform::operations::OperationsSlot;
use frontdesk_platform::public_endpoint::{ByteStream, PublicResponse};
use frontdesk_platform::sealing::{Keyring, SecretKey};
use frontdesk_platform::suspensions::Suspensions;
use frontdesk_platform::{By, PublicRequest, ServerContext, Services, accounts};
use frontdesk_testdb::TestDatabase;
use frontdesk_web::{Failure, FieldPath, Input, Problems};
use futures_util::StreamExt;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use serde_json::{Value, json};

use super::{InboxState, VisitorRegistry, respond};
use crate::connections::{self, Channel, Credentials, NewConnection, StoredConnection, WebChat};
use crate::conversations::ConversationId;
use crate::media::Links;
use crate::messages::{self, Message, MessageId, NewMessage};

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

/// A server with one widget and no sender: messages to visitors stay `sending` until they are delivered.
struct Scene {
    server: ServerContext,
    connection: StoredConnection,
    registry: VisitorRegistry,
    _database: TestDatabase,
}

impl Drop for Scene {
    fn drop(&mut self) {
        self.server.store.close();
    }
}

impl Scene {
    async fn new() -> Self {
        let database = TestDatabase::sqlite();
        let store = Store::open(&Options::new(database.url().parse().unwrap())).unwrap();
        let (recorder, secrets, registry) = (
            Arc::new(Recorder::new(Ids::seeded(1), Vec::new())),
            Keyring::new(SecretKey::from_any_text("secret")),
            VisitorRegistry::default(),
        );
        let (made, keys) = (recorder.clone(), secrets.clone());
        let connection = store
            .write(move |tx| {
                let settings = accounts::AccountSettings {
                    name: Some("Acme".into()),
                    ..accounts::AccountSettings::default()
                };
                let account =
                    accounts::create(tx, made.ids(), &settings, NOW).expect("an account is made").account;
                let new = NewConnection {
                    account,
                    channel: Channel::WebChat,
                    name: "Website".into(),
                    address: None,
                    sandbox: false,
                    credentials: Credentials::WebChat(WebChat::default()),
                };
                let id = connections::create(tx, &made, &keys, &new, NOW)?;
                connections::find(tx, account, id)
            })
            .await
            .unwrap()
            .unwrap();
        let services = Arc::new(Services {
            operations: OperationsSlot::default(),
            secrets,
            outbound: Client::new(Reach::Public),
            vendors: Client::new(Reach::Public),
            files: Arc::new(frontdesk_files::FilePlaces::database()),
            local_url: "http://localhost".into(),
            base_url: "https://desk.example".into(),
        });
        Self {
            server: ServerContext {
                store,
                services,
                clock: Arc::new(|| NOW),
                recorder,
                suspensions: Suspensions::default(),
            },
            connection,
            registry,
            _database: database,
        }
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        token: &str,
        body: Value,
    ) -> Result<PublicResponse, Failure> {
        self.ask_with(method, path, token, body, &[]).await
    }

    async fn ask_with(
        &self,
        method: Method,
        path: &str,
        token: &str,
        body: Value,
        with: &[(&'static str, &str)],
    ) -> Result<PublicResponse, Failure> {
        let mut headers = HeaderMap::new();
        for (name, value) in with {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        if !token.is_empty() {
            headers.insert("authorization", HeaderValue::from_str(&format!("Bearer {token}")).unwrap());
        }
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let request = PublicRequest {
            method,
            path: String::new(),
            query: query.to_owned(),
            headers,
            body: Bytes::from(body.to_string()),
            address: None,
            now: NOW,
        };
        let state = InboxState {
            words: Arc::default(),
            registry: self.registry.clone(),
            live: Live::new(self.server.store.clone(), |_, _, events| Ok(vec![None; events.len()])),
            file_bytes_total_max: i64::MAX,
        };
        respond(&self.server, &state, self.connection.clone(), &[path.to_owned()], request.into()).await
    }

    async fn visitor(&self, body: Value) -> String {
        let reply = read(self.ask(Method::POST, "visitors", "", body).await);
        reply["data"]["token"].as_str().unwrap().to_owned()
    }

    async fn say(&self, token: &str, body: Value) -> Value {
        read(self.ask(Method::POST, "messages", token, body).await)["data"].clone()
    }

    async fn texts(&self, token: &str) -> Vec<String> {
        let list = read(self.ask(Method::GET, "messages", token, json!({})).await);
        list["data"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect()
    }

    /// Our side's message, and the whole message that somebody said.
    async fn find(&self, id: &Value) -> Message {
        let (account, links) = (self.connection.account, Links::of(&self.server.services));
        let id: MessageId = id.as_str().unwrap().parse().unwrap();
        self.server.store.read(move |tx| messages::find(tx, account, id, &links, NOW)).await.unwrap().unwrap()
    }

    async fn reply(&self, conversation: ConversationId, text: &str) -> MessageId {
        let body = json!({ "type": "text", "to": { "conversation_id": conversation }, "text": text });
        let new = NewMessage::read(Some(&body), &mut FieldPath::root(), &mut Problems::new()).unwrap();
        let (account, recorder) = (self.connection.account, self.server.recorder.clone());
        let sent = self.server.store.write(move |tx| {
            let by = By::system(account, NOW, &recorder);
            messages::send(tx, &by, &new)
        });
        sent.await.unwrap().id
    }

    async fn count(&self, sql: &'static str) -> i64 {
        self.server.store.read(move |tx| tx.find(sql, &[], frontdesk_db::only)).await.unwrap().unwrap()
    }

    async fn stream(&self, path: &str, last: &str) -> ByteStream {
        let last: Vec<_> =
            Some(("last-event-id", last)).filter(|(_, last)| !last.is_empty()).into_iter().collect();
        let opened = self.ask_with(Method::GET, path, "", json!({}), &last).await.unwrap();
        let mut live = opened.live.unwrap();
        assert_eq!(live.next().await.unwrap(), "retry: 3000\n\n");
        live
    }
}

fn read(response: Result<PublicResponse, Failure>) -> Value {
    serde_json::from_slice(&response.unwrap().reply.body).unwrap()
}

/// The texts of the next events.
async fn next_texts(live: &mut ByteStream) -> Vec<String> {
    let bytes = tokio::time::timeout(Duration::from_secs(10), live.next()).await.unwrap().unwrap();
    let text = std::str::from_utf8(&bytes).unwrap();
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str::<Value>(data).unwrap()["text"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_message_is_stored_once_and_a_visitor_sees_only_their_own_conversation() {
    let scene = Scene::new().await;
    let (ann, bob) = (scene.visitor(json!({ "name": "Ann" })).await, scene.visitor(json!({})).await);
    assert_eq!(scene.count("SELECT COUNT(*) FROM contacts").await, 0);
    let said = scene.say(&ann, json!({ "text": "hello", "client_id": "1" })).await;
    assert_eq!((&said["client_id"], &said["direction"]), (&json!("1"), &json!("inbound")));
    assert_eq!(scene.say(&ann, json!({ "text": "hello", "client_id": "1" })).await["id"], said["id"]);
    scene.say(&bob, json!({ "text": "not yours", "client_id": "1" })).await;
    assert_eq!(scene.texts(&ann).await, ["hello"]);
    assert_eq!(scene.texts(&bob).await, ["not yours"]);
    let page = read(scene.ask(Method::GET, "messages?limit=1", &ann, json!({})).await);
    assert_eq!(page["meta"], json!({ "next_cursor": null, "has_more": false, "limit": 1 }));
    let after = format!("messages?after={}", said["id"].as_str().unwrap());
    assert_eq!(read(scene.ask(Method::GET, &after, &ann, json!({})).await)["data"], json!([]));
}

#[tokio::test]
async fn an_email_address_is_stored_and_matches_no_existing_contact() {
    let scene = Scene::new().await;
    let email = json!({ "name": "Ann", "email": "ann@example.com" });
    let (ann, eve, late) =
        (scene.visitor(email.clone()).await, scene.visitor(email).await, scene.visitor(json!({})).await);
    scene.say(&ann, json!({ "text": "my secret" })).await;
    scene.say(&eve, json!({ "text": "I am Ann" })).await;
    assert_eq!(scene.texts(&eve).await, ["I am Ann"]);
    scene.say(&late, json!({ "text": "hi" })).await;
    assert_eq!(scene.count("SELECT COUNT(*) FROM contacts WHERE email = 'ann@example.com'").await, 2);
    scene.say(&late, json!({ "text": "by the way", "email": "late@example.com" })).await;
    scene.say(&late, json!({ "text": "no", "email": "other@example.com" })).await;
    assert_eq!(scene.count("SELECT COUNT(*) FROM contacts WHERE email = 'late@example.com'").await, 1);
    assert_eq!(scene.count("SELECT COUNT(*) FROM contacts").await, 3);
}

#[tokio::test]
async fn a_stream_sends_messages_and_resumes_where_it_broke_off() {
    let scene = Scene::new().await;
    let token = scene.visitor(json!({})).await;
    // Opened before any message, with the token as browsers send it.
    let address = format!("stream?token={token}");
    let mut live = scene.stream(&address, "").await;
    let first = scene.say(&token, json!({ "text": "one" })).await;
    assert_eq!(next_texts(&mut live).await, ["one"]);
    let conversation = scene.find(&first["id"]).await.conversation_id;
    let two = scene.reply(conversation, "two").await;
    assert_eq!(next_texts(&mut live).await, ["two"]);
    // When the stream is read again, the previous message was written.
    let third = scene.reply(conversation, "three").await;
    assert_eq!(next_texts(&mut live).await, ["three"]);
    assert_eq!(scene.find(&json!(two)).await.status.as_str(), "delivered");
    assert_eq!(scene.find(&json!(third)).await.status.as_str(), "sending");
    drop(live);
    scene.reply(conversation, "four").await;
    let mut again = scene.stream(&address, &third.to_string()).await;
    let texts = next_texts(&mut again).await;
    assert!(texts.ends_with(&["four".to_owned()]) && !texts.contains(&"three".to_owned()), "{texts:?}");
    let mut anew = scene.stream(&address, "").await;
    assert_eq!(next_texts(&mut anew).await, ["one", "two", "three", "four"]);
    scene.registry.close();
    assert_eq!((anew.next().await, again.next().await), (None, None));
}

#[tokio::test]
async fn read_receipts_of_visitors_are_reported() {
    let scene = Scene::new().await;
    let token = scene.visitor(json!({})).await;
    let first = scene.say(&token, json!({ "text": "one" })).await;
    let conversation = scene.find(&first["id"]).await.conversation_id;
    let (two, three) = (scene.reply(conversation, "two").await, scene.reply(conversation, "three").await);
    let done = read(scene.ask(Method::POST, "read", &token, json!({ "message_id": two })).await);
    assert_eq!(done["data"], json!({ "message_id": two, "count": 1 }));
    assert_eq!(scene.find(&json!(two)).await.status.as_str(), "read");
    assert_eq!(scene.find(&json!(three)).await.status.as_str(), "sending");
    assert_eq!(scene.texts(&token).await, ["one", "two", "three"]);
    assert_eq!(scene.find(&json!(three)).await.status.as_str(), "delivered");
    assert_eq!(
        scene.count("SELECT COUNT(*) FROM events WHERE event_type = 'message.status_changed'").await,
        2
    );
}

#[tokio::test]
async fn a_page_of_another_origin_may_ask_and_learns_why_it_was_refused() {
    let mut scene = Scene::new().await;
    let leave = scene.ask(Method::OPTIONS, "messages", "", json!({})).await.unwrap().reply;
    assert_eq!(leave.status, StatusCode::NO_CONTENT);
    let origin = [("origin", "https://shop.example")];
    let refused = scene.ask_with(Method::POST, "messages", "x", json!({}), &origin).await.unwrap().reply;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert!(
        refused.headers.iter().any(|(name, value)| name == "access-control-allow-origin" && value == "*")
    );
    let token = scene.visitor(json!({})).await;
    let blank = scene.ask(Method::POST, "messages", &token, json!({ "text": " " })).await.err().unwrap();
    assert_eq!(blank.code(), "validation_error");
    scene.connection.public.status = connections::ConnectionStatus::Disconnected;
    let closed = scene.ask(Method::POST, "messages", &token, json!({ "text": "hi" })).await.err().unwrap();
    assert_eq!(closed.code(), "channel_not_connected");
    assert_eq!(scene.ask(Method::GET, "elsewhere", &token, json!({})).await.err().unwrap().status(), 404);
    assert_eq!(scene.ask(Method::GET, "visitors", &token, json!({})).await.err().unwrap().status(), 405);
}
