//! The assistant on the server that a directory is about.

use http::StatusCode;
use serde_json::Value;

use super::api::{Api, CallError};
use super::content::Content;
use super::lock::Lock;
use crate::cli::print::printable;
use crate::error::{Error, Result};

/// An assistant as it is on the server.
pub(super) struct Remote {
    pub(super) id: String,
    pub(super) revision: String,
    pub(super) content: Content,
    /// The names of instructions that other assistants follow too.
    pub(super) shared: Vec<String>,
}

impl Remote {
    /// The assistant of a definition of the API, with the names by which the lock knows its parts.
    pub(super) fn of(definition: &Value, account: &str, lock: &Lock) -> Result<Self> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let id = text(&definition["assistant"]["id"]);
        let entry = lock.entry(account).filter(|entry| entry.assistant_id == id);
        let content = Content::of_definition(definition, entry)?;
        let shared: Vec<String> =
            definition["shared_instruction_ids"].as_array().into_iter().flatten().map(text).collect();
        let shared =
            content.instructions.iter().filter(|part| part.id.as_ref().is_some_and(|id| shared.contains(id)));
        let shared = shared.map(|part| part.name.clone()).collect();
        Ok(Self { id, revision: text(&definition["revision"]), content, shared })
    }

    /// Gets an assistant.
    pub(super) async fn get(api: &Api, id: &str, account: &str, lock: &Lock) -> Result<Self> {
        match api.get(&format!("/assistants/{id}/definition")).await {
            Ok(found) => Self::of(&found["data"], account, lock),
            Err(CallError::Refused(refusal)) if refusal.status == StatusCode::NOT_FOUND => {
                Err(Error::Invalid(format!(
                    "the assistant {id} is not in this account any more. To create it again, delete its table from frontdesk.lock"
                )))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// The id of the account that the key belongs to.
pub(super) async fn account(api: &Api) -> Result<String> {
    let me = api.get("/me").await?;
    let account = me["data"]["account"]["id"].as_str();
    account
        .map(str::to_owned)
        .ok_or_else(|| Error::Invalid("the server does not say whose the key is".to_owned()))
}

/// The id of the assistant with an id or a name.
pub(super) async fn find(api: &Api, named: &str) -> Result<String> {
    let mut found = with_name(api, named).await?;
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Error::Invalid(format!("there is no assistant {:?} in this account", printable(named)))),
        several => Err(Error::Invalid(format!(
            "there are {several} assistants called {:?}. Name the one you mean by its id: {}",
            printable(named),
            found.join(", ")
        ))),
    }
}

/// The ids of the assistants with an id or a name.
pub(super) async fn with_name(api: &Api, named: &str) -> Result<Vec<String>> {
    let named = named.trim().to_lowercase();
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = api.get(&format!("/assistants?limit=100{cursor}")).await?;
        for row in page["data"].as_array().into_iter().flatten() {
            let is_it = [&row["id"], &row["name"]]
                .into_iter()
                .any(|value| value.as_str().is_some_and(|text| text.to_lowercase() == named));
            if is_it {
                found.extend(row["id"].as_str().map(str::to_owned));
            }
        }
        match page["meta"]["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return Ok(found),
        }
    }
}
