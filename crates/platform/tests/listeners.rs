//! Event listeners of another crate, on both engines.

use std::sync::Arc;

use frontdesk_db::{self as db, Error, Options, Query, ReadTx, Store, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Ids, Timestamp};
use frontdesk_platform::events::{self, EventListener, Recorder, WrittenEvent};
use frontdesk_platform::webhooks::Webhooks;
use frontdesk_platform::{By, accounts, event_types};
use frontdesk_testdb::TestDatabase;
use frontdesk_web::resource;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
const NAMES: &str = "SELECT name FROM accounts WHERE id = $1";
const ENDPOINT: &str = "INSERT INTO webhook_endpoints
    (account_id, id, url, event_types, filter, enabled, secret, updated_at)
    VALUES ($1, $2, 'https://example.com', '[]', '', true, 'sealed', $3)";

resource! {
    /// The `data` of this test's events.
    pub struct ThingEventData<'e> {
        pub thing: &'e str,
    }
}

event_types! {
    MADE: ThingEventData<'static> = "thing.made", "A thing was made.", ThingEventData { thing: "chair" };
}

/// Writes a row for every event, with the account's name, which it prefetches.
struct Diary;

impl EventListener for Diary {
    fn expect(&self, tx: &mut ReadTx<'_>, by: &By) -> db::Result<()> {
        tx.prefetch(Query::whole(NAMES, vec![Box::new(by.account)]))
    }

    fn on_event(&self, tx: &mut Tx<'_>, by: &By, event: &WrittenEvent<'_>) -> db::Result<()> {
        let name: String = tx.find(NAMES, &[&by.account], only)?.unwrap_or_default();
        let entry = format!("{name}: {} {}", event.event_type, event.data);
        tx.execute("INSERT INTO settings (name, value) VALUES ($1, $2)", &[&event.id.to_string(), &entry])?
            .exactly(1)
    }
}

/// Refuses every event.
struct Refusing;

impl EventListener for Refusing {
    fn on_event(&self, _: &mut Tx<'_>, _: &By, _: &WrittenEvent<'_>) -> db::Result<()> {
        Err(Error::Engine("a listener failed".into()))
    }
}

/// An account with one webhook endpoint, and the listeners under test.
struct Scene {
    store: Store,
    account: AccountId,
    recorder: Arc<Recorder>,
}

impl Scene {
    async fn new(store: Store, listeners: Vec<Arc<dyn EventListener>>) -> Self {
        let recorder = Arc::new(Recorder::new(Ids::new(), listeners));
        let ids = recorder.clone();
        let made = store.write(move |tx| {
            let settings = accounts::AccountSettings { name: Some("Acme".into()), ..Default::default() };
            let account =
                accounts::create(tx, ids.ids(), &settings, NOW).expect("an account is made").account;
            tx.execute(ENDPOINT, &[&account, &ids.next::<Webhooks>(NOW), &NOW])?.exactly(1)?;
            Ok::<_, Error>(account)
        });
        let account = made.await.expect("an account is made");
        Self { store, account, recorder }
    }

    /// Writes an event, then calls `then`.
    async fn write(&self, then: fn() -> db::Result<()>) -> db::Result<()> {
        let (account, recorder) = (self.account, self.recorder.clone());
        let write = move |tx: &mut Tx<'_>| {
            let by = By::system(account, NOW, &recorder);
            events::expect(tx, &by)?;
            events::write(tx, &by, MADE, &ThingEventData { thing: "chair" })?;
            then()
        };
        self.store.write(write).await
    }

    /// The number of events and of deliveries, and the diary's rows.
    async fn written(&self) -> (i64, i64, Vec<String>) {
        let read = self.store.read(|tx| {
            let events = tx.find("SELECT count(*) FROM events", &[], only)?.unwrap_or(0);
            let deliveries = tx.find("SELECT count(*) FROM deliveries", &[], only)?.unwrap_or(0);
            let diary = tx.query("SELECT value FROM settings WHERE value LIKE 'Acme:%'", &[], only)?;
            Ok::<_, Error>((events, deliveries, diary))
        });
        read.await.expect("a read works")
    }
}

fn on_both<F: Future<Output = ()>>(listeners: &[Arc<dyn EventListener>], test: impl Fn(Scene) -> F) {
    for database in TestDatabase::both() {
        let url = database.url().parse().expect("the URL is valid");
        let store = Store::open(&Options::new(url)).expect("the store opens");
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.expect("a runtime starts").block_on(async {
            test(Scene::new(store.clone(), listeners.to_vec()).await).await;
        });
        store.close();
    }
}

#[test]
fn rows_of_listeners_commit_with_the_event() {
    on_both(&[Arc::new(Webhooks), Arc::new(Diary)], |scene| async move {
        scene.write(|| Ok(())).await.expect("the event is written");
        let entry = "Acme: thing.made {\"thing\":\"chair\"}".to_owned();
        assert_eq!(scene.written().await, (1, 1, vec![entry]));
    });
}

#[test]
fn rows_of_listeners_are_rolled_back_with_the_event() {
    on_both(&[Arc::new(Webhooks), Arc::new(Diary)], |scene| async move {
        scene.write(|| Err(Error::Engine("no".into()))).await.expect_err("the change fails after its event");
        assert_eq!(scene.written().await, (0, 0, Vec::new()));
    });
}

#[test]
fn a_listener_that_fails_undoes_the_event_and_what_others_wrote() {
    on_both(&[Arc::new(Webhooks), Arc::new(Diary), Arc::new(Refusing)], |scene| async move {
        let error = scene.write(|| Ok(())).await.expect_err("the listener fails");
        assert!(error.to_string().contains("a listener failed"), "{error}");
        assert_eq!(scene.written().await, (0, 0, Vec::new()));
    });
}
