//! The account under load: a WhatsApp number, an assistant, endpoints for webhooks, triggers, and customers.

use std::time::Duration;

use frontdesk_e2e::{App, Client, came_true, signed_by_meta};
use serde_json::{Value, json};

use crate::caller::{Caller, Pulse, Request};
use crate::cluster::{Cluster, SERVERS};
use crate::dice::Dice;
use crate::outside::{ALL, Outside, PHONE_NUMBER_ID, SOME, WABA_ID};

const APP_SECRET: &str = "not much of a secret";
/// Customers to whom we write, and those who only write to us.
pub(crate) const WRITTEN_TO: usize = 24;
pub(crate) const QUIET: usize = 16;
/// Recipients of the broadcast for each second of faults: it is under way nearly all the time.
const RECIPIENTS_PER_SECOND: u64 = 6;
const MESSAGES_PER_SECOND: &str = "12";
/// The budget of the key whose requests are counted.
pub(crate) const SMALL_BUDGET: u64 = 150;
/// The budget that is used up when nothing is broken any more.
pub(crate) const TINY_BUDGET: u64 = 20;
/// What the second endpoint is told.
pub(crate) const SOME_EVENTS: [&str; 3] = ["contact.created", "deal.stage_changed", "message.received"];

pub(crate) struct Scene<'a> {
    pub(crate) outside: &'a Outside,
    pub(crate) cluster: &'a Cluster,
    pub(crate) bases: [String; SERVERS],
    pub(crate) pulse: Pulse,
    pub(crate) key: String,
    /// A key with a small budget.
    pub(crate) counted_key: String,
    /// A key with a tiny one.
    pub(crate) tiny_key: String,
    /// `/channels/whatsapp/ID`
    channel: String,
    pub(crate) assistant: String,
    /// The customers' conversations: those to whom we write.
    pub(crate) conversations: Vec<(String, String)>,
    pub(crate) stages: Vec<String>,
    pub(crate) deal_trigger: String,
    /// The path of a trigger that other systems call, and its id.
    pub(crate) hook: (String, String),
    pub(crate) recipients: Vec<String>,
    /// Events before this one are from before the endpoints were made.
    pub(crate) first_event: String,
}

impl<'a> Scene<'a> {
    #[track_caller]
    pub(crate) fn set(cluster: &'a Cluster, outside: &'a Outside, length: Duration) -> Self {
        let app = &cluster.app;
        let bases = std::array::from_fn(|number| cluster.base(number));
        let account = app.account_with(&["--rate-limit", "10000000"]);
        let key = app.key_with(&account, &["--all-scopes"]).secret;
        let reading = |budget: u64| {
            let budget = budget.to_string();
            app.key_with(&account, &["--scopes", "contacts:read", "--rate-limit", &budget]).secret
        };
        let (counted_key, tiny_key) = (reading(SMALL_BUDGET), reading(TINY_BUDGET));
        let connection = connect(app, &account.id, outside);
        let channel = format!("/channels/whatsapp/{connection}");
        let client = app.anonymous().with_key(&key).at_base(&bases[0]);
        let are_synced =
            came_true(|| !client.get("/templates").expect(200).data().as_array().is_none_or(Vec::is_empty));
        assert!(are_synced, "the template was never synced");
        let assistant =
            client.post("/assistants", json!({ "name": "Robin", "model": "gpt-5" })).expect(201).id();
        let trigger = |fields: Value| {
            let mut body =
                json!({ "assistant_id": assistant, "name": "T", "goal": "Say hello.", "enabled": true });
            body.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
            client.post("/triggers", body).expect(201).data().clone()
        };
        let on_deals = trigger(json!({ "kind": "event", "event_key": "deal.stage_changed" }));
        let on_calls = trigger(json!({ "kind": "webhook" }));
        let pipelines = client.get("/pipelines").expect(200);
        let stages = pipelines.data()[0]["stages"].as_array().expect("stages").clone();
        let stages = stages.iter().map(|stage| text(&stage["id"])).collect();
        let recipients = RECIPIENTS_PER_SECOND * length.as_secs();
        let mut scene = Self {
            outside,
            cluster,
            bases,
            pulse: Pulse::default(),
            key,
            counted_key,
            tiny_key,
            channel,
            stages,
            deal_trigger: text(&on_deals["trigger"]["id"]),
            hook: (hook_path(&on_calls), text(&on_calls["trigger"]["id"])),
            conversations: Vec::new(),
            assistant,
            recipients: (0..recipients).map(|number| format!("+1650{:07}", 3_000_000 + number)).collect(),
            first_event: String::new(),
        };
        scene.greet(&client);
        for (path, types) in [(ALL, &[][..]), (SOME, &SOME_EVENTS[..])] {
            let hook = json!({ "url": outside.hook_url(path), "event_types": types });
            client.post("/webhooks", hook).expect(201);
        }
        scene
    }

    /// Every customer writes once, so that there are conversations.
    #[track_caller]
    fn greet(&mut self, client: &Client) {
        let mut caller = self.caller(&Dice::new(0), None);
        for number in 0..WRITTEN_TO + QUIET {
            let told = self.inbound(&customer(number), &format!("wamid.greeting.{number}"), "Hello");
            caller.acknowledged(&told).expect("a greeting");
        }
        drop(caller);
        let mut found = Vec::new();
        for number in 0..WRITTEN_TO {
            let contacts = client.get(&format!("/contacts?phone=%2B{}", customer(number))).expect(200);
            let contact = text(&contacts.data()[0]["id"]);
            let conversations = client.get(&format!("/conversations?contact_id={contact}")).expect(200);
            found.push((text(&conversations.data()[0]["id"]), customer(number)));
        }
        let newest = client.get("/events?limit=1").expect(200);
        self.first_event = text(&newest.data()[0]["event_id"]);
        self.conversations = found;
    }

    /// Moves the servers' clock. Returns what it shows then, in seconds since 1970.
    #[track_caller]
    pub(crate) fn advance(&self, seconds: u64) -> u64 {
        let clock = self.cluster.app.anonymous().vendors().at_base(&self.bases[0]);
        let reading = clock.post("/sandbox/clock", json!({ "advance_seconds": seconds })).expect(200);
        let now: jiff::Timestamp = text(&reading.data()["now"]).parse().expect("a time");
        now.as_second().try_into().expect("a clock past 1970")
    }

    /// A client with a key, or one without.
    pub(crate) fn caller(&self, dice: &Dice, key: Option<&str>) -> Caller<'_> {
        Caller::new(&self.bases, &self.pulse, key, dice.of(0))
    }

    /// A webhook of the channel that tells what a customer wrote.
    pub(crate) fn inbound(&self, from: &str, channel_id: &str, words: &str) -> Request {
        #[expect(clippy::disallowed_methods, reason = "the channel goes by the real clock")]
        let now = std::time::SystemTime::now();
        let seconds = now.duration_since(std::time::UNIX_EPOCH).expect("a clock past 1970").as_secs();
        self.told(&json!({
            "contacts": [{ "profile": { "name": "Customer" }, "wa_id": from }],
            "messages": [{ "from": from, "id": channel_id, "timestamp": seconds.to_string(), "type": "text",
                "text": { "body": words } }],
        }))
    }

    /// A signed webhook of the channel.
    pub(crate) fn told(&self, parts: &Value) -> Request {
        let mut value = json!({
            "messaging_product": "whatsapp",
            "metadata": { "display_phone_number": "15550001111", "phone_number_id": PHONE_NUMBER_ID },
        });
        value.as_object_mut().expect("an object").extend(parts.as_object().expect("an object").clone());
        let entry = json!({ "id": WABA_ID, "changes": [{ "field": "messages", "value": value }] });
        let body = json!({ "object": "whatsapp_business_account", "entry": [entry] });
        let signature = signed_by_meta(APP_SECRET, body.to_string().as_bytes());
        Request::post(&self.channel, &body).with("X-Hub-Signature-256", signature)
    }
}

/// The number of a customer, as the channel writes it.
pub(crate) fn customer(number: usize) -> String {
    format!("1650551{number:04}")
}

/// The text of a value that must be one.
#[track_caller]
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("text was expected: {value}")).to_owned()
}

fn connect(app: &App, account: &str, outside: &Outside) -> String {
    let made = app.cli(&[
        "channel",
        "connect",
        "--account",
        account,
        "--channel",
        "whatsapp",
        "--phone-number-id",
        PHONE_NUMBER_ID,
        "--waba-id",
        WABA_ID,
        "--access-token",
        "token",
        "--app-secret",
        APP_SECRET,
        "--verify-token",
        "agreed",
        "--graph-url",
        &outside.graph_url(),
        "--messages-per-second",
        MESSAGES_PER_SECOND,
        "--no-check",
    ]);
    text(&made["connection_id"])
}

fn hook_path(issued: &Value) -> String {
    let url = text(&issued["webhook_url"]);
    let at = url.find("/api/ai/").expect("an address of a trigger");
    url[at..].to_owned()
}
