//! What a customer would see waits for a person.
//!
//! A tool plans one operation. First the operation is tried and undone, so that a call that cannot be carried out is
//! refused at once. Then it becomes an ask, which a person answers: in the dashboard, through the API, or in the program
//! itself, if that has declared that it can ask its user (`elicitation`). A key that was made with `--unattended` acts at
//! once. Who holds a key could call the API directly; this is about a model that was fooled, not about a stolen key.

use std::sync::{Arc, Mutex, PoisonError};

use frontdesk_agent::asks::AskStatus;
use frontdesk_agent::held_calls::{self, HeldCall, HeldCallError, NewHeldCall};
use frontdesk_agent::ids::AskId;
use frontdesk_crm::contacts::{self, ContactId};
use frontdesk_db::{self as db, ReadTx, Tx};
use frontdesk_inbox::conversations;
use frontdesk_kernel::ids::ApiKeyId;
use frontdesk_kernel::scope::Scopes;
use frontdesk_kernel::{Phone, Scope, hex};
use frontdesk_platform::operations::{Companion, Invocation};
use frontdesk_platform::sign_in::audit::{self, Author};
use frontdesk_platform::{Actor, By, Error as PlatformError, Principal};
use frontdesk_web::Failure;
use http::StatusCode;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::api::{Api, Refused, read};
use crate::at_once::needs_nobody;
use crate::budget::cut;
use crate::marked::{self, Cut};

/// Tokens of one text of an outcome, of the whole outcome, and of what a person is asked.
const OUTCOME_CUT: Cut = Cut(200);
const OUTCOME_TOKENS_MAX: usize = 2_000;
const PROMPT_TOKENS_MAX: usize = 1_000;

/// An operation that is to be carried out.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The tool, as asks name it.
    pub(crate) tool: &'static str,
    /// What it does, as the end of a sentence: "send this message".
    pub(crate) what: String,
    /// What a person has to know to decide, by name.
    pub(crate) shown: Value,
    pub(crate) operation: &'static str,
    pub(crate) params: Vec<String>,
    pub(crate) body: Option<Value>,
    pub(crate) about: About,
    /// The program's name for the call.
    pub(crate) call_key: Option<String>,
}

/// Whom a plan is about.
#[derive(Clone, Debug, Default)]
pub(crate) enum About {
    #[default]
    NobodyAlone,
    Contact(String),
    Conversation(String),
    Phone(String),
}

/// The answer of a program's user, which the program sends with the second call.
#[derive(Clone, Debug)]
pub(crate) struct Confirmation {
    /// What the question was about.
    pub(crate) state: String,
    pub(crate) is_accepted: bool,
}

/// What a program can do about confirmations, and what its user has said.
#[derive(Clone, Debug, Default)]
pub(crate) struct Person {
    pub(crate) can_be_asked: bool,
    pub(crate) said: Option<Confirmation>,
}

/// What a tool returns.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Result(Value),
    /// The program is to ask its user first.
    Question {
        message: String,
        state: String,
    },
}

impl From<Value> for Answer {
    fn from(value: Value) -> Self {
        Self::Result(value)
    }
}

/// Carries a plan out at once if it needs nobody's approval, and otherwise once a person has approved it.
pub(crate) async fn at_once(api: &Api, person: &Person, plan: Plan) -> Result<Answer, Refused> {
    if !needs_nobody(plan.operation, plan.body.as_ref()) {
        return with_approval(api, person, plan).await;
    }
    let invocation = Invocation {
        params: plan.params,
        body: plan.body,
        idempotency_key: plan.call_key.map(|name| idempotency_key(api, &name)),
        ..Invocation::default()
    };
    let body = api.call(plan.operation, invocation).await?;
    Ok(done(&body).into())
}

/// Carries a plan out once a person has approved it.
pub(crate) async fn with_approval(api: &Api, person: &Person, plan: Plan) -> Result<Answer, Refused> {
    if api.principal.is_unattended() {
        return unattended(api, plan).await;
    }
    let Actor::Key(key) = api.principal.actor else {
        return Err(Refused::new("Only a program with an API key can ask for this."));
    };
    let about = contact_of(api, &plan.about).await?;
    let new = held_call(api, &plan, about);
    if let Some(said) = &person.said {
        return confirmed(api, key, said, new).await;
    }
    let known = {
        let (account, new) = (api.principal.account, new.clone());
        api.dispatcher.store.read(move |tx| held_calls::known(tx, account, key, &new)).await
    };
    let held = if let Some(held) = known.map_err(refused)? {
        held
    } else {
        try_out(api, &plan).await?;
        hold(api, new).await?
    };
    if held.ask.status == AskStatus::Pending && person.can_be_asked {
        let (message, _) = cut(&held.ask.prompt, PROMPT_TOKENS_MAX);
        return Ok(Answer::Question { message: message.to_owned(), state: held.ask.id.to_string() });
    }
    Ok(describe(api, &held).into())
}

/// Carries a plan out as a key that needs nobody's approval, which the audit log notes.
async fn unattended(api: &Api, plan: Plan) -> Result<Answer, Refused> {
    let (by, tool) = (By::new(&api.principal, api.now(), &api.dispatcher.recorder), plan.tool);
    let companion: Companion = Arc::new(move |tx: &mut Tx<'_>, _: StatusCode, _: &[u8]| {
        let author = Author { account: by.account, user: Some(by.author(tx)?), address: None };
        audit::write(tx, by.ids(), &author, "call.unattended", Some(tool), by.now)
    });
    let invocation = Invocation {
        params: plan.params,
        body: plan.body,
        idempotency_key: plan.call_key.map(|name| idempotency_key(api, &name)),
        companion: Some(companion),
        ..Invocation::default()
    };
    let body = api.call(plan.operation, invocation).await?;
    Ok(done(&body).into())
}

/// Tries the operation and undoes it, so that what would be refused is refused now.
async fn try_out(api: &Api, plan: &Plan) -> Result<(), Refused> {
    let tried: Arc<Mutex<bool>> = Arc::default();
    let seen = tried.clone();
    let companion: Companion = Arc::new(move |_: &mut Tx<'_>, _: StatusCode, _: &[u8]| {
        *seen.lock().unwrap_or_else(PoisonError::into_inner) = true;
        Err(db::Error::CalledOff)
    });
    let invocation = Invocation {
        params: plan.params.clone(),
        body: plan.body.clone(),
        companion: Some(companion),
        ..Invocation::default()
    };
    let reply = api.dispatcher.invoke(&api.principal, plan.operation, invocation, api.now()).await;
    if *tried.lock().unwrap_or_else(PoisonError::into_inner) {
        return Ok(());
    }
    read(reply.status, &reply.body).map(|_| ())
}

async fn hold(api: &Api, new: NewHeldCall) -> Result<HeldCall, Refused> {
    let by = By::new(&api.principal, api.now(), &api.dispatcher.recorder);
    let held = api.dispatcher.store.write(move |tx| held_calls::hold(tx, &by, &new)).await;
    held.map_err(refused)
}

/// Answers the ask as the program's user has: as the member behind the key.
async fn confirmed(
    api: &Api,
    key: ApiKeyId,
    said: &Confirmation,
    new: NewHeldCall,
) -> Result<Answer, Refused> {
    const WRONG: &str = "This confirmation belongs to another call. Make the call again without it.";
    let ask: AskId = said.state.parse().map_err(|_| Refused::new(WRONG))?;
    let account = api.principal.account;
    let find = {
        let new = new.clone();
        move |tx: &mut ReadTx<'_>| held_calls::same(tx, account, key, ask, &new)
    };
    let held = api.dispatcher.store.read(find.clone()).await.map_err(|error| refused(error.into()))?;
    let held = held.ok_or_else(|| Refused::new(WRONG))?;
    if held.ask.status != AskStatus::Pending {
        return Ok(describe(api, &held).into());
    }
    let (decision, note) = if said.is_accepted {
        ("approve", "Confirmed in the program that asked.")
    } else {
        ("decline", "Declined in the program that asked.")
    };
    let invocation = Invocation {
        params: vec![ask.to_string()],
        body: Some(json!({ "decision": decision, "note": note })),
        ..Invocation::default()
    };
    let person = user_of(&api.principal);
    let reply = api.dispatcher.invoke(&person, "answerAsk", invocation, api.now()).await;
    // Of two answers one is first, and the ask says which.
    if reply.status != StatusCode::CONFLICT {
        read(reply.status, &reply.body)?;
    }
    let held = api.dispatcher.store.read(find).await.map_err(|error| refused(error.into()))?;
    Ok(held.map_or_else(|| json!({ "status": "gone" }), |held| describe(api, &held)).into())
}

/// The member behind a key, who has confirmed something. They may answer what the key may ask for.
fn user_of(key: &Principal) -> Principal {
    let scopes: Scopes = key.scopes.iter().chain([Scope::AsksAnswer]).collect();
    Principal::of_member(key.account, key.author, scopes)
}

/// What became of a held call, for the model.
pub(crate) fn describe(api: &Api, held: &HeldCall) -> Value {
    let (id, approvals) = (held.ask.id, format!("{}/app/approvals", api.base_url));
    match held.ask.status {
        AskStatus::Pending => json!({
            "status": "waiting_for_approval",
            "ask_id": id,
            "would_do": marked::text(&held.ask.prompt, OUTCOME_CUT),
            "next": format!(
                "Nothing has happened yet. A person approves it at {approvals} until {}. Tell your user, and do not make the call \
                 again. To learn the outcome, use open with kind ask and this id.",
                held.ask.expires_at
            ),
        }),
        AskStatus::Approved => {
            let outcome: Value =
                held.outcome.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
            let mut described = done(&outcome);
            described["ask_id"] = json!(id);
            described
        }
        status => json!({
            "status": status.as_str(),
            "ask_id": id,
            "note": held.ask.answer.as_deref().map(|note| marked::text(note, OUTCOME_CUT)),
            "next": "Nothing was done. Do not ask for it again unless your user wants you to.",
        }),
    }
}

/// What an operation has returned, for the model.
pub(crate) fn done(body: &Value) -> Value {
    json!({ "status": "done", "result": marked::row(&body["data"], OUTCOME_CUT, OUTCOME_TOKENS_MAX) })
}

fn held_call(api: &Api, plan: &Plan, contact: Option<ContactId>) -> NewHeldCall {
    let name = api.principal.key_name().unwrap_or_default();
    NewHeldCall {
        tool: plan.tool,
        prompt: format!("The program with the key “{name}” wants to {}.", plan.what),
        arguments: plan.shown.clone(),
        operation: plan.operation,
        params: plan.params.clone(),
        body: plan.body.clone(),
        call_key: plan.call_key.clone(),
        contact,
    }
}

/// The contact that a plan is about, so that erasing the contact erases the ask.
async fn contact_of(api: &Api, about: &About) -> Result<Option<ContactId>, Refused> {
    let account = api.principal.account;
    let about = about.clone();
    let found = api.dispatcher.store.read(move |tx: &mut ReadTx<'_>| -> Result<_, PlatformError> {
        Ok(match &about {
            About::NobodyAlone => None,
            About::Contact(id) => Some(id.parse().map_err(|_| PlatformError::Missing("contact"))?),
            About::Conversation(id) => {
                let id = id.parse().map_err(|_| PlatformError::Missing("conversation"))?;
                let found =
                    conversations::find(tx, account, id)?.ok_or(PlatformError::Missing("conversation"))?;
                Some(found.contact_id)
            }
            About::Phone(phone) => match phone.parse::<Phone>() {
                Ok(phone) => contacts::find_by_phone(tx, account, &phone)?,
                Err(_) => None,
            },
        })
    });
    found.await.map_err(|error| refused(error.into()))
}

/// The idempotency key of a call that a program has named. Names of different keys are apart.
fn idempotency_key(api: &Api, name: &str) -> String {
    let key = match api.principal.actor {
        Actor::Key(id) => id.to_string(),
        _ => String::new(),
    };
    let hash = Sha256::digest(format!("{key} {name}"));
    format!("mcp-{}", hex(&hash))
}

fn refused(error: HeldCallError) -> Refused {
    let failure: Failure = error.into();
    Refused::new(failure.message())
}
