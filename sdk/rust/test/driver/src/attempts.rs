//! The lines of the table that says what is sent how often, all at the same time.

use std::time::{Duration, Instant};

use frontdesk::types::{ContactPatch, MergeContact, NewContact};
use frontdesk::{Client, Error};
use serde_json::{Value, json};

use crate::{NOBODY, Outcome, kind, text};

pub(crate) async fn all(input: &Value) -> Outcome {
    let key = text(input, "api_key");
    let cases = input["cases"].as_array().ok_or("there are no cases")?;
    let begun: Vec<_> =
        cases.iter().map(|case| tokio::spawn(attempted(case.clone(), key.to_owned()))).collect();
    let mut outcomes = Vec::new();
    for each in begun {
        outcomes.push(each.await??);
    }
    Ok(json!({ "outcomes": outcomes }))
}

async fn attempted(case: Value, key: String) -> Outcome {
    let number = |name: &str| case[name].as_u64();
    let mut builder = Client::builder(text(&case, "base_url"), key);
    if let Some(limit) = number("timeout_ms") {
        builder = builder.timeout(Duration::from_millis(limit));
    }
    if let Some(retries) = number("max_retries") {
        builder = builder.max_retries(u32::try_from(retries)?);
    }
    let client = builder.build()?;
    let begin = Instant::now();
    let call = attempt(&client, &case);
    // Dropping the future cancels the call.
    let ended = match number("cancel_ms") {
        Some(wait) => tokio::time::timeout(Duration::from_millis(wait), call).await,
        None => Ok(call.await),
    };
    let ends = match &ended {
        Ok(Ok(())) => "ok",
        Ok(Err(error)) => kind(error),
        Err(_) => "Cancelled",
    };
    Ok(json!({ "ends": ends, "elapsed_ms": u64::try_from(begin.elapsed().as_millis())? }))
}

async fn attempt(client: &Client, case: &Value) -> Result<(), Error> {
    let contacts = client.contacts();
    match text(case, "call") {
        "read" => contacts.get(NOBODY).await.map(drop),
        "write" => {
            let call = contacts.create(NewContact::new().name("Ann"));
            let call = match case["key"].as_str() {
                Some(key) => call.idempotency_key(key),
                None => call,
            };
            call.await.map(drop)
        }
        "change" => contacts.update(NOBODY, ContactPatch::new().name("Ann")).await.map(drop),
        "delete" => contacts.delete(NOBODY).await.map(drop),
        "unkeyed" => contacts.merge(NOBODY, MergeContact::new(NOBODY)).await.map(drop),
        other => panic!("there is no call {other}"),
    }
}
