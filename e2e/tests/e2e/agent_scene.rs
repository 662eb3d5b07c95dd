//! What tests of assistants begin with: an account with a WhatsApp number, an assistant, and a model that says what the test
//! wants it to.

use frontdesk_e2e::{Client, Engine, Given};
use serde_json::{Value, json};

use crate::inbox_scene::{self, Inbox, eventually, id};
use crate::people::walk;
use crate::shapes::text;

pub(crate) const ASSISTANT: &str = "id name color enabled system_prompt model temperature tool_access gated_tools delegation schedule \
    default_handoff_user_id history_limit transcribe_media handle_voice handle_images voice_replies voice_provider voice_id targets \
    instruction_count created_at updated_at";
pub(crate) const RUN: &str = "id assistant_id trigger_id parent_run_id contact_id conversation_id goal status result error cost_usd \
    tokens_in tokens_out tick_count pending_asks started_at finished_at created_at updated_at";
pub(crate) const ASK: &str = "id run_id assistant_id kind prompt tool arguments status answer answered_by expires_at answered_at created_at";

/// Seconds after which a customer's messages have made their run.
pub(crate) const QUIET: u64 = 2;

/// An inbox with an assistant that answers on WhatsApp.
pub(crate) struct Desk {
    pub(crate) inbox: Inbox,
    pub(crate) client: Client,
    pub(crate) assistant: String,
}

impl Given for Desk {
    fn given(engine: Engine) -> Self {
        Self::of(Inbox::of(inbox_scene::start(engine)))
    }
}

impl Desk {
    #[track_caller]
    pub(crate) fn of(inbox: Inbox) -> Self {
        let client = inbox.client.clone();
        let assistant = new_assistant(&client, json!({ "targets": ["whatsapp"] }));
        Self { inbox, client, assistant }
    }

    #[track_caller]
    pub(crate) fn set(&self, changes: Value) {
        self.client.patch(&format!("/assistants/{}", self.assistant), changes).expect(200);
    }

    /// What the model says next, one turn after the other.
    #[track_caller]
    pub(crate) fn script(&self, turns: Value) {
        self.inbox.sandbox().put("/sandbox/model", json!({ "turns": turns })).expect(200);
    }

    /// Starts a run of the assistant with more fields than its goal.
    #[track_caller]
    pub(crate) fn starts(&self, mut more: Value) -> Value {
        more["assistant_id"] = json!(self.assistant);
        if more.get("goal").is_none() {
            more["goal"] = json!("Do it.");
        }
        self.client.post("/runs", more).expect(202).data().clone()
    }

    #[track_caller]
    pub(crate) fn run(&self, run: &str) -> Value {
        self.client.get(&format!("/runs/{run}")).expect(200).data().clone()
    }

    /// The run, as soon as it has this status.
    #[track_caller]
    pub(crate) fn becomes(&self, run: &Value, status: &str) -> Value {
        let mut last = Value::Null;
        eventually(&format!("a run that is {status}"), || {
            last = self.run(id(run));
            let is_over = ["succeeded", "failed", "cancelled"].contains(&text(&last["status"]));
            assert!(!is_over || last["status"] == status, "it did not become {status}: {last}");
            (last["status"] == status).then(|| last.clone())
        })
    }

    /// The steps of a run, oldest first.
    #[track_caller]
    pub(crate) fn steps(&self, run: &Value) -> Vec<Value> {
        let mut steps = walk(&self.client, &format!("/runs/{}/events", id(run)));
        steps.reverse();
        steps
    }

    /// The types of a run's steps, oldest first.
    #[track_caller]
    pub(crate) fn kinds(&self, run: &Value) -> Vec<String> {
        self.steps(run).iter().map(|step| text(&step["type"]).to_owned()).collect()
    }

    /// What a tool returned to the model.
    #[track_caller]
    pub(crate) fn returned(&self, run: &Value, tool: &str) -> Value {
        let steps = self.steps(run);
        let found = steps.iter().find(|step| step["type"] == "tool_returned" && step["data"]["tool"] == tool);
        found.unwrap_or_else(|| panic!("{tool} returned nothing: {steps:?}"))["data"].clone()
    }

    /// A customer writes, and the assistant is given the time to answer: the conversation.
    #[track_caller]
    pub(crate) fn hears(&self, customer: &str, words: &str) -> Value {
        let conversation = self.inbox.hears(customer, words);
        self.inbox.advance(QUIET);
        self.inbox.conversation(id(&conversation))
    }

    /// The runs that answer a conversation, oldest first.
    #[track_caller]
    pub(crate) fn runs_of(&self, conversation: &Value) -> Vec<Value> {
        let mut runs = walk(&self.client, &format!("/runs?conversation_id={}", id(conversation)));
        runs.reverse();
        runs
    }

    /// What our side said in a conversation, oldest first.
    #[track_caller]
    pub(crate) fn said(&self, conversation: &Value) -> Vec<String> {
        let path = format!("/conversations/{}/messages?direction=outbound", id(conversation));
        let mut said: Vec<String> =
            walk(&self.client, &path).iter().map(|message| text(&message["text"]).to_owned()).collect();
        said.reverse();
        said
    }

    /// The asks that wait.
    #[track_caller]
    pub(crate) fn pending(&self) -> Vec<Value> {
        walk(&self.client, "/asks?status=pending")
    }

    #[track_caller]
    pub(crate) fn responses(&self, ask: &Value, response: Value) -> frontdesk_e2e::Response {
        self.client.post(&format!("/asks/{}/answer", id(ask)), response)
    }
}

/// An assistant with these fields beside its name: its id.
#[track_caller]
pub(crate) fn new_assistant(client: &Client, mut fields: Value) -> String {
    if fields.get("name").is_none() {
        fields["name"] = json!("Robin");
    }
    client.post("/assistants", fields).expect(201).id()
}

/// A run of a new assistant that waits for the answer to a question, which the sandbox's model asks because it is told to.
#[track_caller]
pub(crate) fn asking_run(client: &Client) -> Value {
    let assistant = new_assistant(client, json!({}));
    let goal = "call ask_human {\"question\": \"May I?\"}";
    let run = client.post("/runs", json!({ "assistant_id": assistant, "goal": goal })).expect(202);
    let path = format!("/runs/{}", run.id());
    eventually("a run that waits", || {
        let run = client.get(&path).expect(200).data().clone();
        (run["status"] == "waiting").then_some(run)
    })
}

/// A turn of the model that calls tools.
pub(crate) fn calls(tools: &[(&str, Value)]) -> Value {
    let calls: Vec<Value> =
        tools.iter().map(|(name, arguments)| json!({ "name": name, "arguments": arguments })).collect();
    json!({ "tool_calls": calls })
}

/// A turn of the model that says something.
pub(crate) fn says(words: &str) -> Value {
    json!({ "text": words })
}
