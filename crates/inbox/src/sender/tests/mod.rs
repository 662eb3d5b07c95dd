//! The sender's rows on both engines, without calls: each test decides what is claimed and settled.

mod batches;
mod histories;
mod opened;
mod order;

use std::sync::Arc;

use frontdesk_channels::{Class, Refusal};
use frontdesk_crm::contacts::{self, NewContact};
use frontdesk_db::{self as db, Options, Row, Store, Tx};
use frontdesk_jobs::Claim;
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Ids, Timestamp};
use frontdesk_outbound::{Client, Reach};
use frontdesk_platform::events::Recorder;
use frontdesk_platform::operations::OperationsSlot;
use frontdesk_platform::sealing::{Keyring, SecretKey};
use frontdesk_platform::{By, Services, accounts};
use frontdesk_testdb::TestDatabase;
use frontdesk_web::{FieldPath, Input, Problems};
use serde_json::{Value, json};
use uuid::Uuid;

use super::claim::{self, ClaimResult};
use super::outcome::{SendOutcome, Sent};
use super::settle::{self, SettleContext};
use crate::connections::{self, Channel, Credentials, NewConnection, StoredConnection, WebChat};
use crate::conversations::{self, Conversation};
use crate::identities;
use crate::media::Links;
use crate::messages::{self, Message, NewMessage};
use crate::outbox::Job;

const START: Timestamp = Timestamp::from_millis(1_800_000_000_000);

/// Opens a store on a new database.
fn open_store(database: &TestDatabase) -> Store {
    let url = database.url().parse().expect("the URL is valid");
    Store::open(&Options { pool: 2, ..Options::new(url) }).expect("the store opens")
}

/// A claimed message and the outcome of its call.
struct Outcome {
    job: Job,
    outcome: SendOutcome,
}

/// An account with a connection and some conversations, and a clock.
struct Scene {
    store: Store,
    recorder: Arc<Recorder>,
    links: Links,
    account: AccountId,
    connection: Arc<StoredConnection>,
    conversations: Vec<Conversation>,
    now: Timestamp,
    // The store is closed before the database is dropped.
    _database: TestDatabase,
}

impl Drop for Scene {
    fn drop(&mut self) {
        self.store.close();
    }
}

impl Scene {
    async fn new(database: TestDatabase, conversations: usize) -> Self {
        let (store, recorder) = (open_store(&database), Arc::new(Recorder::new(Ids::seeded(1), Vec::new())));
        let keys = Keyring::new(SecretKey::from_any_text("secret"));
        let services = Services {
            operations: OperationsSlot::default(),
            secrets: keys.clone(),
            outbound: Client::new(Reach::Public),
            vendors: Client::new(Reach::Public),
            files: Arc::new(frontdesk_files::FilePlaces::database()),
            local_url: "http://localhost".into(),
            base_url: "https://desk.example".into(),
        };
        let made = recorder.clone();
        let opened =
            store.write(move |tx| open(tx, &made, &keys, conversations)).await.expect("the account is made");
        let (connection, conversations) = opened;
        Self {
            store,
            recorder,
            links: Links::of(&services),
            account: connection.account,
            connection: Arc::new(connection),
            conversations,
            now: START,
            _database: database,
        }
    }

    async fn write<T: Send + 'static>(
        &self,
        operation: impl Fn(&mut Tx<'_>, &By) -> db::Result<T> + Send + 'static,
    ) -> T {
        let (account, now, recorder) = (self.account, self.now, self.recorder.clone());
        let written = self.store.write(move |tx| {
            let by = By::system(account, now, &recorder);
            operation(tx, &by)
        });
        written.await.expect("it is written")
    }

    /// Every row of a statement.
    async fn rows<T: Send + 'static>(
        &self,
        sql: &'static str,
        read: impl Fn(&mut Row<'_>) -> db::Result<T> + Send + Copy + 'static,
    ) -> Vec<T> {
        self.store.read(move |tx| tx.query(sql, &[], read)).await.expect("it is read")
    }

    async fn say(&self, conversation: usize, body: Value) -> Message {
        let mut body = body;
        body["to"] = json!({ "conversation_id": self.conversations[conversation].id });
        let new = NewMessage::read(Some(&body), &mut FieldPath::root(), &mut Problems::new())
            .expect("it is well formed");
        let (account, now, recorder) = (self.account, self.now, self.recorder.clone());
        let said = self.store.write(move |tx| {
            let by = By::system(account, now, &recorder);
            messages::send(tx, &by, &new)
        });
        said.await.expect("it is said")
    }

    async fn claim(&self, most: usize) -> Vec<Job> {
        self.claim_under(self.recorder.next::<()>(self.now).uuid(), most).await
    }

    async fn claim_under(&self, lease: Uuid, most: usize) -> Vec<Job> {
        let (lane, now) = (self.connection.id(), self.now);
        let asked = Claim { lane, most, now, lease, leased_until: now + settle::DOUBT_MAX };
        match self.write(move |tx, _| claim::claim(tx, &asked)).await {
            ClaimResult::Jobs(jobs) => jobs,
            ClaimResult::Gone(_) => panic!("the connection works"),
        }
    }

    async fn settle(&self, outcomes: Vec<Outcome>) {
        let sent =
            |Outcome { job, outcome }| Arc::new(Sent { lane: job.connection_id, job: job.into(), outcome });
        self.settle_batch(outcomes.into_iter().map(sent).collect()).await;
    }

    async fn settle_batch(&self, batch: Vec<Arc<Sent>>) {
        let (recorder, links, now) = (self.recorder.clone(), self.links.clone(), self.now);
        self.write(move |tx, _| {
            settle::write(tx, &SettleContext { recorder: &recorder, links: &links, now }, &batch)
        })
        .await;
    }
}

fn open(
    tx: &mut Tx<'_>,
    recorder: &Arc<Recorder>,
    keys: &Keyring,
    conversations: usize,
) -> db::Result<(StoredConnection, Vec<Conversation>)> {
    let settings =
        accounts::AccountSettings { name: Some("Acme".into()), ..accounts::AccountSettings::default() };
    let account = accounts::create(tx, recorder.ids(), &settings, START).expect("an account is made").account;
    let new = NewConnection {
        account,
        channel: Channel::WebChat,
        name: "Website".into(),
        address: None,
        sandbox: false,
        credentials: Credentials::WebChat(WebChat::default()),
    };
    let id = connections::create(tx, recorder, keys, &new, START)?;
    let connection = connections::find(tx, account, id)?.expect("it was made");
    let by = By::system(account, START, recorder);
    let mut opened = Vec::new();
    for number in 0..conversations {
        let phone = format!("+1650555{number:04}").parse().expect("a number");
        let new = NewContact {
            country: None,
            phone: Some(phone),
            name: None,
            email: None,
            company: None,
            tag_ids: None,
            custom_fields: None,
        };
        let contact = contacts::create(tx, &by, &new).expect("a contact is made").id;
        identities::remember(tx, account, id, &format!("visitor {number}"), contact)?;
        opened.push(conversations::find_or_open(tx, &by, &connection, contact)?);
    }
    Ok((connection, opened))
}

fn text(words: &str) -> Value {
    json!({ "type": "text", "text": words })
}

/// A message that takes two calls.
fn two_parts() -> Value {
    json!({ "type": "media", "media": { "kind": "audio", "url": "https://files.example/a.ogg", "caption": "Listen" } })
}

fn taken(name: Option<&str>, person: Option<&str>) -> SendOutcome {
    SendOutcome::Accepted { channel_message_id: name.map(str::to_owned), person: person.map(str::to_owned) }
}

fn refused(class: Class) -> SendOutcome {
    let (code, message) = ("1".to_owned(), "No.".to_owned());
    SendOutcome::Refused(Refusal { class, code, reason: "bad_request", message, retry_after: None })
}
