//! Tries out an assistant: one reply to a conversation. Neither the assistant nor the conversation is stored.
//!
//! A trial takes the steps of a run that answers a customer, with the same prompt, rules and tools. Tools that only read
//! are used, with the member's scopes. All others are simulated: nothing is changed, sent, asked or started. Model calls
//! are reserved and settled like those of a run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use frontdesk_db as db;
use frontdesk_inbox::messages::{Direction, MessageId, MessageType, SenderType};
use frontdesk_models::{Arguments, CallOptions, MicroUsd, ModelError};
use frontdesk_platform::accounts::Account;
use frontdesk_platform::{Principal, store_failure};
use frontdesk_web::{Failure, resource};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::super::advance::apply;
use super::super::claimed::Job;
use super::super::event::{Logged, RunEventType};
use super::super::machine::{Call, Machine};
use super::super::row::NewRow;
use super::super::run::RunError;
use super::super::status::Origin;
use super::super::step::{Effect, Input, arguments_of};
use super::history::HistoryMessage;
use super::loaded_assistant::LoadedAssistant;
use super::media::LoadedMedia;
use super::step_context::StepContext;
use super::think::{FREE, facts, settlement_of, timed};
use super::tool_use::{self, ToolUse};
use super::{Agent, prompt, spending};
use crate::assistants::{Assistant, UnconfinedTools};
use crate::ids::RunId;
use crate::instructions::Instruction;
use crate::memories::Recent;
use crate::spend::{self, MadeCall};
use crate::tools::{self, Binding, Planned, Refused, Work};

/// Maximum model calls of a trial.
const MODEL_CALLS_MAX: usize = 8;
/// How long a trial takes at most.
const TIME_MAX: Duration = Duration::from_mins(1);
/// When to try again after a model has failed, in seconds.
const RETRY_SECONDS: i64 = 5;

const TOO_MANY_CALLS: &str =
    "The assistant called the model 8 times without coming to a reply. Ask for less.";
const TOO_LONG: &str = "The assistant came to no reply within a minute. Ask for less, or use a faster model.";

resource! {
    /// The reply of an assistant that was tried out.
    pub struct TrialReply {
        /// What the customer would read; null when the assistant hands off, or came to no reply.
        pub reply: Option<String>,
        /// Why it came to no reply.
        pub error: Option<String>,
        pub steps: Vec<TrialStep>,
        pub cost_usd: f64,
        pub tokens_in: i64,
        pub tokens_out: i64,
    }
}

resource! {
    /// A step of a trial.
    pub struct TrialStep {
        /// `model_called` or `tool_called`.
        pub r#type: RunEventType,
        /// A model call as in a run's steps. A tool call has `tool`, `arguments`, `content`, `is_error`, `simulated` (nothing
        /// was done) and `gated` (a person would have to approve it).
        pub data: Value,
        pub duration_ms: i64,
    }
}

/// An assistant as it would be, with everything that its prompt needs.
pub(crate) struct DraftAssistant {
    pub(crate) account: Account,
    pub(crate) assistant: Assistant,
    pub(crate) unconfined: UnconfinedTools,
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) recent: Recent,
}

/// A message of the conversation: who wrote it, and its text.
pub(crate) struct TrialMessage {
    pub(crate) is_from_customer: bool,
    pub(crate) text: String,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum TrialError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Store(#[from] db::Error),
}

impl From<TrialError> for Failure {
    fn from(error: TrialError) -> Self {
        match error {
            TrialError::Run(error) => error.into(),
            TrialError::Store(error) => store_failure(&error),
            TrialError::Model(error) => {
                let why = error.to_string();
                Self::not_yet(format!("The model failed: {}.", why.trim_end_matches('.')), RETRY_SECONDS)
                    .because("model_failed")
            }
        }
    }
}

/// Lets an assistant reply to a conversation, as this member.
pub(crate) async fn reply(
    agent: &Agent,
    draft: DraftAssistant,
    messages: Vec<TrialMessage>,
    member: Principal,
) -> Result<TrialReply, TrialError> {
    if !draft.assistant.has_allowed_model(&draft.account) {
        return Err(RunError::ModelNotAllowed.into());
    }
    let mut trial = Trial::new(agent, draft, messages, member);
    let mut input = Input::Resumed;
    loop {
        input = match trial.take(agent, input) {
            Effect::CallModel if trial.model_calls == MODEL_CALLS_MAX => {
                return Ok(trial.end(None, Some(TOO_MANY_CALLS.to_owned())));
            }
            Effect::CallModel => match trial.time_left() {
                Some(left) => trial.call_model(agent, left).await?,
                None => return Ok(trial.end(None, Some(TOO_LONG.to_owned()))),
            },
            Effect::UseTool(call) if is_hand_off(&call) => {
                let _nothing_follows = trial.simulate(&call, false);
                return Ok(trial.end(None, None));
            }
            Effect::UseTool(call) => trial.use_tool(agent, &call).await?,
            Effect::RaiseAsk(call) => {
                let is_gated = trial.is_gated(&call);
                trial.simulate(&call, is_gated)
            }
            Effect::Finish(text) => return Ok(trial.end(Some(text).filter(|text| !text.is_empty()), None)),
            Effect::Fail(error) => return Ok(trial.end(None, Some(error))),
            // No input of a trial leads to these.
            Effect::Log(_) | Effect::Wait | Effect::Pause(_) => {
                return Err(db::Error::Decode("effect").into());
            }
        };
    }
}

struct Trial {
    context: Arc<StepContext>,
    said: Vec<HistoryMessage>,
    started: Instant,
    steps: Vec<TrialStep>,
    model_calls: usize,
    cost: MicroUsd,
    tokens: (i64, i64),
    /// The arguments of tool calls, by the calls' ids.
    arguments: BTreeMap<String, Value>,
}

impl Trial {
    #[expect(clippy::disallowed_methods, reason = "a deadline that is not stored")]
    fn new(agent: &Agent, draft: DraftAssistant, messages: Vec<TrialMessage>, member: Principal) -> Self {
        let DraftAssistant { account, assistant, unconfined, instructions, recent } = draft;
        let (now, recorder) = (agent.now(), &agent.server.recorder);
        let id: RunId = recorder.next(now);
        let row = NewRow {
            id,
            assistant: assistant.id,
            trigger: None,
            parent: None,
            root: id,
            contact: None,
            // There is none with this id. It lets the assistant hand the conversation off.
            conversation: Some(recorder.next(now)),
            origin: Origin::Conversation,
            confined: false,
            goal: String::new(),
            tools: None,
            author: member.author,
            tree_limit_micros: 0,
            machine: Machine::default(),
            due_at: now,
        };
        let job = Job { account: member.account, run: id, lease: Uuid::nil() };
        let row = row.claimed(member.account, job.lease, now, now);
        let loaded = Arc::new(LoadedAssistant {
            account: Arc::new(account),
            assistant: Arc::new(assistant),
            unconfined,
            instructions,
            recent,
        });
        let context = StepContext { principal: member, ..StepContext::new(job, row, loaded) };
        Self {
            context: Arc::new(context),
            said: messages.into_iter().map(|message| said(message, recorder.next(now))).collect(),
            started: Instant::now(),
            steps: Vec::new(),
            model_calls: 0,
            cost: MicroUsd::ZERO,
            tokens: (0, 0),
            arguments: BTreeMap::new(),
        }
    }

    fn time_left(&self) -> Option<Duration> {
        TIME_MAX.checked_sub(self.started.elapsed()).filter(|left| !left.is_zero())
    }

    /// Takes a step and returns its last effect. Calls that are refused by the rules of runs are steps too.
    fn take(&mut self, agent: &Agent, input: Input) -> Effect {
        let returned = match &input {
            Input::Returned { call, .. } => Some(call.clone()),
            _ => None,
        };
        let StepContext { row, rules, .. } = Arc::make_mut(&mut self.context);
        let mut effects = apply(row, input, rules, agent.now());
        let last = effects.pop().unwrap_or(Effect::Wait);
        for effect in effects {
            let Effect::Log(Logged { kind: RunEventType::ToolReturned, data }) = effect else { continue };
            let call = data["call_id"].as_str().unwrap_or_default();
            if returned.as_deref() != Some(call) {
                let arguments = self.arguments.get(call).cloned().unwrap_or_default();
                let (tool, content) = (data["tool"].clone(), data["content"].clone());
                self.steps.push(TrialStep {
                    r#type: RunEventType::ToolCalled,
                    data: json!({
                        "tool": tool, "arguments": arguments, "content": content, "is_error": true,
                        "simulated": false, "gated": false,
                    }),
                    duration_ms: 0,
                });
            }
        }
        last
    }

    async fn call_model(&mut self, agent: &Agent, time_left: Duration) -> Result<Input, TrialError> {
        self.model_calls += 1;
        let context = &self.context;
        let model = agent.model_of(&context.assistant, &context.account);
        let media = LoadedMedia::default();
        let request = prompt::request(agent, context, &model, self.said.clone(), &media).await?;
        let quote = agent.settings.prices.chat(&model);
        let worst = quote.price.worst_case(&request);
        let reservation = spending::reservation(agent, context, &model, worst);
        let (account, by, wanted) = (context.account.clone(), context.by(agent), reservation.clone());
        let is_reserved =
            agent.server.store.write(move |tx| spend::reserve(tx, &by, &account, &wanted)).await?;
        if !is_reserved {
            return Err(RunError::BudgetExhausted.into());
        }
        let mut options = CallOptions::new((agent.chance)());
        options.time_max = options.time_max.min(time_left);
        let (called, duration_ms) = timed(agent.models.complete(&request, options)).await;
        let settlement = match &called {
            Ok(reply) => settlement_of(&quote, reply),
            Err(error) => (!error.may_be_billed()).then_some(FREE),
        };
        let made = MadeCall::counted(&agent.settings.prices, reservation, settlement);
        self.settle(agent, &made).await?;
        let reply = called?;
        let facts = facts(&request, &made, &quote, &reply, duration_ms);
        self.steps.push(TrialStep {
            r#type: RunEventType::ModelCalled,
            data: facts.clone(),
            duration_ms: duration_ms as i64,
        });
        for call in &reply.turn.tool_calls {
            let arguments = match &call.arguments {
                Arguments::Object(object) => Value::Object(object.clone()),
                Arguments::Invalid { raw, .. } => json!({ "invalid_json": raw }),
            };
            self.arguments.insert(call.id.clone(), arguments);
        }
        Ok(Input::Replied { turn: reply.turn, stop: reply.stop, facts })
    }

    async fn settle(&mut self, agent: &Agent, made: &MadeCall) -> db::Result<()> {
        let (tokens_in, tokens_out) = made.tokens();
        self.tokens = (self.tokens.0 + tokens_in, self.tokens.1 + tokens_out);
        self.cost = self.cost + made.cost();
        let (account, by, made) = (self.context.account.clone(), self.context.by(agent), made.clone());
        agent.server.store.write(move |tx| spend::settle(tx, &by, &account, &made)).await?;
        Ok(())
    }

    async fn use_tool(&mut self, agent: &Agent, call: &Call) -> Result<Input, TrialError> {
        match self.plan(agent, call) {
            TrialUse::Simulate => Ok(self.simulate(call, false)),
            TrialUse::Refuse(refused) => Ok(self.record(call, tool_use::refused(call, refused), 0)),
            TrialUse::Read(planned) => {
                let reading = tool_use::read(agent, &self.context, call, planned);
                let (returned, duration_ms) = timed(reading).await;
                Ok(self.record(call, returned?, duration_ms))
            }
        }
    }

    /// How a tool is used. Whether it changes something is seen in its plan for a run that is about somebody, because there
    /// is nobody here.
    fn plan(&self, agent: &Agent, call: &Call) -> TrialUse {
        let Some(Work::Call(plan)) = tools::find(&call.tool).map(|tool| tool.work) else {
            return TrialUse::Simulate;
        };
        let arguments = match &call.arguments {
            Arguments::Object(arguments) => arguments.clone(),
            Arguments::Invalid { .. } => Map::new(),
        };
        let (now, recorder) = (agent.now(), &agent.server.recorder);
        let about_somebody = Binding {
            contact: Some(recorder.next(now)),
            conversation: self.context.row.run.conversation_id,
            is_confined: false,
        };
        if plan(&arguments, &about_somebody).is_ok_and(|planned| planned.is_write) {
            return TrialUse::Simulate;
        }
        match tool_use::plan(&self.context, call) {
            ToolUse::Refused(refused) => TrialUse::Refuse(refused),
            ToolUse::Read(planned) => TrialUse::Read(planned),
            ToolUse::Act(_) => TrialUse::Simulate,
        }
    }

    fn is_gated(&self, call: &Call) -> bool {
        self.context.rules.tools.get(call.tool.as_str()).is_some_and(|rule| rule.is_gated)
    }

    /// A call that is not carried out.
    fn simulate(&mut self, call: &Call, is_gated: bool) -> Input {
        let content = json!({ "simulated": true }).to_string();
        self.push_call(call, &content, false, (true, is_gated), 0);
        Input::Returned { call: call.id.clone(), content, is_error: false, also: None }
    }

    fn record(&mut self, call: &Call, returned: Input, duration_ms: u64) -> Input {
        if let Input::Returned { content, is_error, .. } = &returned {
            self.push_call(call, content, *is_error, (false, false), duration_ms);
        }
        returned
    }

    fn push_call(
        &mut self,
        call: &Call,
        content: &str,
        is_error: bool,
        (simulated, gated): (bool, bool),
        duration_ms: u64,
    ) {
        self.steps.push(TrialStep {
            r#type: RunEventType::ToolCalled,
            data: json!({
                "tool": call.tool, "arguments": arguments_of(call), "content": content, "is_error": is_error,
                "simulated": simulated, "gated": gated,
            }),
            duration_ms: duration_ms as i64,
        });
    }

    fn end(self, reply: Option<String>, error: Option<String>) -> TrialReply {
        let (tokens_in, tokens_out) = self.tokens;
        TrialReply { reply, error, steps: self.steps, cost_usd: self.cost.usd(), tokens_in, tokens_out }
    }
}

/// How a tool of a trial is used.
enum TrialUse {
    /// It would change something, so it is not carried out.
    Simulate,
    Refuse(Refused),
    Read(Planned),
}

fn is_hand_off(call: &Call) -> bool {
    tools::find(&call.tool).is_some_and(|tool| matches!(tool.work, Work::HandOff))
}

fn said(message: TrialMessage, id: MessageId) -> HistoryMessage {
    let (direction, sender) = if message.is_from_customer {
        (Direction::Inbound, SenderType::Customer)
    } else {
        (Direction::Outbound, SenderType::Bot)
    };
    HistoryMessage {
        id,
        direction,
        sender,
        kind: MessageType::Text,
        text: Some(message.text),
        media: None,
        filename: None,
        transcript: None,
        is_being_read: false,
    }
}
