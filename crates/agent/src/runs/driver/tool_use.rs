//! Uses tools that are API operations.
//!
//! The operation's changes, the tool's result and the run's next state commit in one transaction: the driver writes
//! its part in the companion of the operation. A refused operation has changed nothing, so its result is stored by
//! itself.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use frontdesk_crm::contacts::{self, ContactId};
use frontdesk_crm::{deals, inquiries};
use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_inbox::conversations;
use frontdesk_inbox::messages::{self, AssistantRunId, MessageId};
use frontdesk_kernel::Phone;
use frontdesk_kernel::ids::AccountId;
use frontdesk_models::Arguments;
use frontdesk_platform::dispatch::{Companion, Invocation};
use frontdesk_web::Reply;
use http::StatusCode;
use serde_json::{Map, Value, json};
use tokio::time::sleep;

use super::super::advance::{ActiveRun, advance};
use super::super::event::{Logged, RunEventType};
use super::super::machine::{Call, Progress};
use super::super::step::Input;
use super::super::{row, rules};
use super::step_context::{HANDLED_BY_OTHERS, StepContext, has_conversation, returned, store_result};
use super::{Agent, own_tools};
use crate::memories;
use crate::tools::{self, Owned, Planned, Refused, Work};

const SILENCED: &str =
    "This run has handed the conversation off, so nothing more of it reaches the customer.";
const NOT_YOURS: &str = "There is no such thing with the contact that this run is about.";

/// How long a read waits before it retries a busy store. After the last attempt the run pauses.
const BUSY_PAUSES: [Duration; 3] =
    [Duration::from_millis(50), Duration::from_millis(150), Duration::from_millis(450)];

/// How a tool call is carried out.
pub(super) enum ToolUse {
    Refused(Refused),
    /// An operation that changes nothing.
    Read(Planned),
    Act(Act),
}

/// A tool that changes something.
pub(super) enum Act {
    Operation(Planned),
    HandOff(Map<String, Value>),
    Delegate(Map<String, Value>),
    FollowUp(Map<String, Value>),
}

/// Plans a tool call. The arguments have already been checked against the schema.
pub(super) fn plan(context: &StepContext, call: &Call) -> ToolUse {
    let Some(tool) = tools::find(&call.tool) else {
        return ToolUse::Refused(Refused::new("There is no such tool."));
    };
    let arguments = match &call.arguments {
        Arguments::Object(arguments) => arguments.clone(),
        Arguments::Invalid { .. } => Map::new(),
    };
    match tool.work {
        Work::Call(plan) => {
            match plan(&arguments, &rules::binding(tool, &context.loaded.unconfined, &context.row)) {
                Ok(planned) if planned.is_sent && context.row.machine.silenced => {
                    ToolUse::Refused(Refused::new(SILENCED))
                }
                Ok(planned) if planned.is_write => ToolUse::Act(Act::Operation(planned)),
                Ok(planned) => ToolUse::Read(planned),
                Err(refused) => ToolUse::Refused(refused),
            }
        }
        Work::HandOff => ToolUse::Act(Act::HandOff(arguments)),
        Work::Delegate => ToolUse::Act(Act::Delegate(arguments)),
        Work::FollowUp => ToolUse::Act(Act::FollowUp(arguments)),
        Work::AskHuman => ToolUse::Refused(Refused::new("This is answered by a person.")),
    }
}

/// The input that tells a run that its tool call was refused.
pub(super) fn refused(call: &Call, Refused(message): Refused) -> Input {
    let content = json!({ "error": { "message": message } }).to_string();
    Input::Returned { call: call.id.clone(), content, is_error: true, also: None }
}

/// Uses a tool that changes nothing. Returns the input for the run.
pub(super) async fn read(
    agent: &Agent,
    context: &Arc<StepContext>,
    call: &Call,
    mut planned: Planned,
) -> db::Result<Input> {
    if let Err(why) = check(agent, context, &mut planned).await? {
        return Ok(refused(call, why));
    }
    let reply = retried(agent, context, &planned).await;
    if reply.status == StatusCode::SERVICE_UNAVAILABLE {
        return Err(db::Error::Busy);
    }
    let (content, is_error) = tools::content(reply.status, &reply.body);
    Ok(Input::Returned { call: call.id.clone(), content, is_error, also: None })
}

/// Calls an operation that changes nothing. If the store is busy, it is retried a few times.
async fn retried(agent: &Agent, context: &StepContext, planned: &Planned) -> Reply {
    let mut pauses = BUSY_PAUSES.into_iter();
    loop {
        let room = agent.read_gates.enter(context.job.account, context.row.is_answer()).await;
        let (params, query, body) = (planned.params.clone(), planned.query.clone(), planned.body.clone());
        let invocation =
            Invocation { params, query, body, idempotency_key: None, companion: None, request_id: None };
        let reply =
            agent.dispatcher.invoke(&context.principal, planned.operation, invocation, agent.now()).await;
        drop(room);
        match pauses.next() {
            Some(pause) if reply.status == StatusCode::SERVICE_UNAVAILABLE => sleep(pause).await,
            _ => return reply,
        }
    }
}

/// Uses a tool that changes something. The run must be stored before.
pub(super) async fn act(
    agent: &Agent,
    context: &Arc<StepContext>,
    call: &Call,
    act: Act,
) -> db::Result<Option<ActiveRun>> {
    match act {
        Act::Operation(planned) => call_operation(agent, context, call, planned).await,
        Act::HandOff(arguments) => own_tools::hand_off(agent, context, call, &arguments).await,
        Act::Delegate(arguments) => own_tools::delegate(agent, context, call, &arguments).await,
        Act::FollowUp(arguments) => own_tools::follow_up(agent, context, call, &arguments).await,
    }
}

/// Checks what the plan itself could not: that the assistant handles the conversation, that the named record belongs to the
/// run's contact, and which tag is meant.
async fn check(
    agent: &Agent,
    context: &Arc<StepContext>,
    planned: &mut Planned,
) -> db::Result<Result<(), Refused>> {
    // The transaction that sends checks this again. A run that answers a customer is cancelled by the takeover itself.
    if planned.is_sent && !context.answers_customer() {
        let asked = context.clone();
        if !agent.server.store.read(move |tx| has_conversation(tx, &asked)).await? {
            return Ok(Err(Refused::new(HANDLED_BY_OTHERS)));
        }
    }
    if let Some((owned, contact)) = planned.owned.clone() {
        let account = context.job.account;
        let is_own = agent.server.store.read(move |tx| is_of(tx, account, &owned, contact)).await?;
        if !is_own {
            return Ok(Err(Refused::new(NOT_YOURS)));
        }
    }
    if let Some(tag) = planned.tag.take() {
        match find_tag(agent, context, &tag).await {
            Ok(id) => with_tag(planned, id),
            Err(refused) => return Ok(Err(refused)),
        }
    }
    Ok(Ok(()))
}

async fn call_operation(
    agent: &Agent,
    context: &Arc<StepContext>,
    call: &Call,
    mut planned: Planned,
) -> db::Result<Option<ActiveRun>> {
    if let Err(why) = check(agent, context, &mut planned).await? {
        return returned(agent, context, call, Err(why)).await;
    }
    let report: Arc<Report> = Arc::default();
    let companion = Some(companion(agent, context, call, &planned, &report));
    let invocation = Invocation {
        params: planned.params,
        query: planned.query,
        body: planned.body,
        idempotency_key: None,
        companion,
        request_id: None,
    };
    let reply = agent.dispatcher.invoke(&context.principal, planned.operation, invocation, agent.now()).await;
    if report.is_refused.load(Ordering::Relaxed) && !context.answers_customer() {
        return returned(agent, context, call, Err(Refused::new(HANDLED_BY_OTHERS))).await;
    }
    if report.is_lost.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let stored = std::mem::take(&mut *report.stored.lock().unwrap_or_else(PoisonError::into_inner));
    match stored {
        Stored::Yes(active) if reply.status.is_success() => Ok(active.map(|active| *active)),
        _ if reply.status.is_server_error() => {
            after_fault(agent, context, call, reply.status, &reply.body).await
        }
        _ => store_response(agent, context, call, reply.status, &reply.body).await,
    }
}

/// Continues after an operation that failed with a server error. It may have been carried out nevertheless, so the
/// stored run decides. If the store is busy, the run is retried later.
async fn after_fault(
    agent: &Agent,
    context: &Arc<StepContext>,
    call: &Call,
    status: StatusCode,
    body: &[u8],
) -> db::Result<Option<ActiveRun>> {
    let Some(now) = agent.step_context(&context.job).await? else { return Ok(None) };
    let is_open = |one: &Call| one.id == call.id && !matches!(one.progress, Progress::Done(_));
    if !now.row.machine.calls.iter().any(is_open) {
        return agent
            .commit(&now, |tx, by, held, context| advance(tx, by, held, vec![Input::Resumed], &context.rules))
            .await;
    }
    if status == StatusCode::SERVICE_UNAVAILABLE {
        return Err(db::Error::Busy);
    }
    store_response(agent, &now, call, status, body).await
}

/// Stores the response of an operation that changed nothing.
async fn store_response(
    agent: &Agent,
    context: &Arc<StepContext>,
    call: &Call,
    status: StatusCode,
    body: &[u8],
) -> db::Result<Option<ActiveRun>> {
    let (content, is_error) = tools::content(status, body);
    store_result(agent, context, call, content, is_error, None).await
}

/// What a companion reports to the driver. A retried transaction reports it again.
#[derive(Default)]
struct Report {
    /// This worker has lost the run, so the operation was rolled back.
    is_lost: AtomicBool,
    /// The assistant no longer handles the conversation, so the operation was rolled back.
    is_refused: AtomicBool,
    stored: Mutex<Stored>,
}

/// Whether the tool's result was stored with the operation, and the next action if it was.
#[derive(Default)]
enum Stored {
    #[default]
    No,
    Yes(Option<Box<ActiveRun>>),
}

/// Stores a tool's result and the run's next state in the transaction of the operation, or rolls it back.
fn companion(
    agent: &Agent,
    context: &Arc<StepContext>,
    call: &Call,
    planned: &Planned,
    report: &Arc<Report>,
) -> Companion {
    let (context, by, call_id) = (context.clone(), context.by(agent), call.id.clone());
    let (operation, is_sent, report) = (planned.operation, planned.is_sent, report.clone());
    Arc::new(move |tx: &mut Tx<'_>, status: StatusCode, body: &[u8]| {
        let job = context.job;
        let held = row::hold_leased(tx, job.account, job.run, job.lease)?;
        let may_speak = !is_sent || has_conversation(tx, &context)?;
        report.is_refused.store(!may_speak, Ordering::Relaxed);
        let (Some(held), true) = (held, may_speak) else {
            report.is_lost.store(true, Ordering::Relaxed);
            return Err(db::Error::Touched { wanted: 1, got: 0 });
        };
        report.is_lost.store(false, Ordering::Relaxed);
        let (content, is_error) = tools::content(status, body);
        let also = timeline_entry(operation, body);
        if let Some(message) = also.as_ref().and_then(sent_message) {
            let run = AssistantRunId::from_uuid(job.run.uuid());
            messages::note_run(tx, job.account, message, run)?;
        }
        let input = Input::Returned { call: call_id.clone(), content, is_error, also };
        let active = advance(tx, &by, held, vec![input], &context.rules)?;
        *report.stored.lock().unwrap_or_else(PoisonError::into_inner) = Stored::Yes(active.map(Box::new));
        Ok(())
    })
}

/// The timeline entry that some operations have in addition to their result.
fn timeline_entry(operation: &str, body: &[u8]) -> Option<Logged> {
    let kind = match operation {
        "sendMessage" => RunEventType::MessageSent,
        "createMemory" => RunEventType::MemoryWritten,
        _ => return None,
    };
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let noun = if kind == RunEventType::MessageSent { "message_id" } else { "memory_id" };
    let mut data = json!({});
    data[noun] = body["data"]["id"].clone();
    Some(Logged { kind, data })
}

/// The message that a tool has sent, by its timeline entry.
fn sent_message(entry: &Logged) -> Option<MessageId> {
    if entry.kind != RunEventType::MessageSent {
        return None;
    }
    entry.data["message_id"].as_str()?.parse().ok()
}

/// Whether a record, or a phone number, belongs to a contact.
fn is_of(tx: &mut ReadTx<'_>, account: AccountId, owned: &Owned, contact: ContactId) -> db::Result<bool> {
    let owner = match owned {
        Owned::Deal(id) => match id.parse() {
            Ok(id) => deals::find(tx, account, id)?.and_then(|deal| deal.contact_id),
            Err(_) => None,
        },
        Owned::Inquiry(id) => match id.parse() {
            Ok(id) => inquiries::find(tx, account, id)?.and_then(|inquiry| inquiry.contact_id),
            Err(_) => None,
        },
        Owned::Memory(id) => match id.parse() {
            Ok(id) => memories::find(tx, account, id)?.and_then(|memory| memory.contact_id),
            Err(_) => None,
        },
        Owned::Conversation(id) => match id.parse() {
            Ok(id) => conversations::find(tx, account, id)?.map(|conversation| conversation.contact_id),
            Err(_) => None,
        },
        Owned::Phone(phone) => match phone.parse::<Phone>() {
            Ok(phone) => contacts::find_by_phone(tx, account, &phone)?,
            Err(_) => None,
        },
    };
    Ok(owner == Some(contact))
}

/// Finds a tag by its name or id.
async fn find_tag(agent: &Agent, context: &StepContext, wanted: &str) -> Result<String, Refused> {
    let listed =
        agent.dispatcher.invoke(&context.principal, "listTags", Invocation::default(), agent.now()).await;
    let body: Value = serde_json::from_slice(&listed.body).unwrap_or_default();
    let tags = body["data"].as_array().map_or(&[][..], Vec::as_slice);
    let text = |tag: &Value, field: &str| tag[field].as_str().unwrap_or_default().to_owned();
    let is_it = |tag: &&Value| {
        text(tag, "id") == wanted.to_ascii_lowercase()
            || text(tag, "name").to_lowercase() == wanted.to_lowercase()
    };
    tags.iter().find(is_it).map(|tag| text(tag, "id")).ok_or_else(|| {
        let names: Vec<String> = tags.iter().map(|tag| text(tag, "name")).collect();
        Refused::new(format!("There is no tag {wanted:?}. There are: {}.", names.join(", ")))
    })
}

fn with_tag(planned: &mut Planned, tag: String) {
    if planned.body.is_some() {
        planned.body = Some(json!({ "tag_ids": [tag] }));
    } else {
        planned.params.push(tag);
    }
}
