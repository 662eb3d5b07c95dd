//! The world outside: WhatsApp, two receivers of webhooks, and a language model. They outlive every fault and remember what
//! reached them.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use frontdesk_e2e::{Received, Reply, Sink};
use serde_json::{Value, json};

use crate::dice::Dice;

pub(crate) const PHONE_NUMBER_ID: &str = "106540352242922";
pub(crate) const WABA_ID: &str = "102290129340398";
/// The receiver of every event, and the one of some.
pub(crate) const ALL: &str = "/all";
pub(crate) const SOME: &str = "/some";
/// A run whose goal has this word remembers the rest of the goal.
pub(crate) const REMEMBER: &str = "remember:";
/// Calls take a while, so that some are under way when a server is killed.
const CALL_TIME: Duration = Duration::from_millis(20);
const MODEL_TIME: Duration = Duration::from_millis(50);
/// So many calls in a hundred are refused at first, for a temporary reason.
const REFUSED_PERCENT: u64 = 2;
/// Meta's code for too many messages to one person, which holds up nobody else.
const PAIR_RATE_LIMIT: i64 = 131_056;
/// Reports in one webhook, at most.
const REPORTS_MAX: usize = 50;

/// A message that reached the channel.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    pub(crate) our_id: String,
    pub(crate) channel_id: String,
    pub(crate) to: String,
    /// The text; none of a template.
    pub(crate) text: Option<String>,
}

/// An event at a receiver.
#[derive(Clone, Debug)]
pub(crate) struct Arrived {
    pub(crate) times: usize,
    digest: u64,
    /// Whether it came again with other contents.
    pub(crate) has_changed: bool,
}

pub(crate) type Arrivals = HashMap<String, Arrived>;

#[derive(Debug, Default)]
struct State {
    taken: Vec<Taken>,
    reported: usize,
    refused: HashSet<String>,
    arrived: HashMap<&'static str, Arrivals>,
    misfits: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Outside {
    graph: Sink,
    hooks: Sink,
    model: Sink,
    state: Arc<Mutex<State>>,
}

impl Outside {
    pub(crate) fn start(dice: &Dice) -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let (at_graph, at_hooks) = (state.clone(), state.clone());
        let (graph_dice, hook_dice) = (dice.of(100), dice.of(101));
        Self {
            graph: Sink::start_unrecorded(move |request| graph(&at_graph, &graph_dice, request)),
            hooks: Sink::start_unrecorded(move |request| hook(&at_hooks, &hook_dice, request)),
            model: Sink::start_unrecorded(model),
            state,
        }
    }

    pub(crate) fn graph_url(&self) -> String {
        self.graph.url("/graph")
    }

    pub(crate) fn hook_url(&self, path: &str) -> String {
        self.hooks.url(path)
    }

    pub(crate) fn model_url(&self) -> String {
        self.model.url("/v1")
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }

    /// Every message that reached the channel, in order.
    pub(crate) fn taken(&self) -> Vec<Taken> {
        self.lock().taken.clone()
    }

    pub(crate) fn arrivals(&self, path: &'static str) -> Arrivals {
        self.lock().arrived.get(path).cloned().unwrap_or_default()
    }

    /// Calls that no server should have made.
    pub(crate) fn misfits(&self) -> Vec<String> {
        self.lock().misfits.clone()
    }

    /// Pretends that a message came twice, and that an event never came.
    pub(crate) fn forge(&self) {
        let mut state = self.lock();
        let twice = state.taken.iter().find(|taken| taken.text.is_some()).cloned().expect("a message");
        state.taken.push(Taken { channel_id: "wamid.forged".to_owned(), ..twice });
        // It is not to be reported.
        state.reported = state.taken.len();
        let arrived = state.arrived.get_mut(SOME).expect("events");
        let lost = arrived.keys().next().cloned().expect("an event");
        arrived.remove(&lost);
    }

    /// The next messages to report, until [`Self::reported`].
    pub(crate) fn unreported(&self) -> Vec<Taken> {
        let state = self.lock();
        state.taken[state.reported..].iter().take(REPORTS_MAX).cloned().collect()
    }

    pub(crate) fn reported(&self, many: usize) {
        self.lock().reported += many;
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn reply(status: u16, body: &Value) -> Reply {
    Reply::status(status).header("content-type", "application/json").body(body.to_string())
}

/// Meta's Graph API: one template, and messages.
fn graph(state: &Mutex<State>, dice: &Dice, request: &Received) -> Reply {
    if request.method == "GET" {
        let body = "Welcome! This message shows that you can send messages.";
        let template = json!({ "id": "1", "name": "hello_world", "language": "en_US", "category": "UTILITY",
            "status": "APPROVED", "components": [{ "type": "BODY", "text": body }] });
        return reply(200, &json!({ "data": [template] }));
    }
    let Ok(body) = serde_json::from_slice::<Value>(&request.body) else { return Reply::status(400) };
    if body["status"] == "read" {
        return reply(200, &json!({ "success": true }));
    }
    let (Some(our_id), Some(to)) = (body["biz_opaque_callback_data"].as_str(), body["to"].as_str()) else {
        locked(state).misfits.push(format!("a message without an id or a recipient: {body}"));
        return Reply::status(400);
    };
    let mut state = locked(state);
    if dice.percent(REFUSED_PERCENT) && state.refused.insert(our_id.to_owned()) {
        let message = "(#131056) Too many messages sent from this phone number to the same phone number";
        let error = json!({ "message": message, "type": "OAuthException", "code": PAIR_RATE_LIMIT });
        return reply(400, &json!({ "error": error }));
    }
    let channel_id = format!("wamid.out.{}", state.taken.len());
    state.taken.push(Taken {
        our_id: our_id.to_owned(),
        channel_id: channel_id.clone(),
        to: to.trim_start_matches('+').to_owned(),
        text: body["text"]["body"].as_str().map(ToOwned::to_owned),
    });
    drop(state);
    let taken = json!({ "messaging_product": "whatsapp", "contacts": [{ "input": to, "wa_id": to }],
        "messages": [{ "id": channel_id }] });
    reply(200, &taken).after(CALL_TIME)
}

/// A receiver of webhooks.
fn hook(state: &Mutex<State>, dice: &Dice, request: &Received) -> Reply {
    let path = if request.path == ALL { ALL } else { SOME };
    let id = request.headers.get("webhook-id").and_then(|id| id.to_str().ok()).unwrap_or_default().to_owned();
    let is_whole =
        serde_json::from_slice::<Value>(&request.body).is_ok_and(|event| event["event_id"] == id.as_str());
    let mut state = locked(state);
    if !is_whole {
        state.misfits.push(format!("a webhook under another id than its event's: {id}"));
    }
    if dice.percent(REFUSED_PERCENT) && state.refused.insert(format!("{path}{id}")) {
        return Reply::status(503);
    }
    let mut digest = DefaultHasher::new();
    request.body.hash(&mut digest);
    let digest = digest.finish();
    let new = Arrived { times: 0, digest, has_changed: false };
    let arrived = state.arrived.entry(path).or_default().entry(id).or_insert(new);
    arrived.times += 1;
    arrived.has_changed |= arrived.digest != digest;
    drop(state);
    Reply::status(200).after(CALL_TIME)
}

/// An OpenAI-compatible model. It uses a tool if it is told to remember something, and then says something.
fn model(request: &Received) -> Reply {
    let Ok(body) = serde_json::from_slice::<Value>(&request.body) else { return Reply::status(400) };
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let has_used = messages.iter().any(|message| message["role"] == "tool");
    let fact = messages.iter().filter(|message| message["role"] == "user").find_map(|message| {
        let text = message["content"].to_string();
        let fact = &text[text.find(REMEMBER)? + REMEMBER.len()..];
        Some(fact.split(|end: char| !end.is_ascii_alphanumeric() && end != '-').next()?.to_owned())
    });
    let mut message = json!({ "role": "assistant", "content": "Done.", "refusal": null });
    let mut finish = "stop";
    if let Some(fact) = fact.filter(|_| !has_used) {
        let arguments = json!({ "content": fact }).to_string();
        message["content"] = Value::Null;
        message["tool_calls"] = json!([{ "id": "call_1", "type": "function",
            "function": { "name": "remember", "arguments": arguments } }]);
        finish = "tool_calls";
    }
    let body = json!({ "id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-5-2025-08-07",
        "choices": [{ "index": 0, "message": message, "finish_reason": finish }],
        "usage": { "prompt_tokens": 1_000, "completion_tokens": 100 } });
    reply(200, &body).after(MODEL_TIME)
}
