//! Does one of the cases that every SDK passes: `driver CASE`, with the case's input as JSON on the standard input and its
//! outcome as JSON on the last line of the standard output. The cases are in `e2e/tests/e2e/sdk_cases.rs`.

mod attempts;
mod generated;
mod values;

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::io::Read;
use std::time::{Duration, Instant};

use frontdesk::types::{Contact, Event, EventData, NewContact, NewText, ToPhone};
use frontdesk::{ApiError, Client, Error, ErrorCode, Page, Uuid, webhooks};
use serde_json::{Map, Value, json};

use self::generated::samples::SAMPLES;
use self::values::Values;

type Outcome = Result<Value, Box<dyn StdError + Send + Sync>>;

const NOBODY: Uuid = Uuid::from_u128(0x0190_f3c2_a1b2_7c3d_8e4f_5a6b_7c8d_9e0f);
const PATIENCE: Duration = Duration::from_millis(300);

struct Driver {
    client: Client,
    input: Value,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn StdError + Send + Sync>> {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input)?;
    let input: Value = serde_json::from_str(&input)?;
    let client = Client::new(text(&input, "base_url"), text(&input, "api_key"))?;
    let driver = Driver { client, input };
    let case = std::env::args().nth(1).unwrap_or_default();
    let outcome = match case.as_str() {
        "samples" => driver.samples().await,
        "pages" => driver.pages().await,
        "refused" => driver.refused().await,
        "limited" => driver.limited().await,
        "killed" => driver.killed().await,
        "attempts" => attempts::all(&driver.input).await,
        "slow" => driver.slow().await,
        "webhook" => driver.webhook(),
        "stream" => driver.stream().await,
        "unknown" => driver.unknown().await,
        other => return Err(format!("there is no case {other}").into()),
    };
    println!("\n{}", outcome?);
    Ok(())
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

/// The name of an error, which is the same in every language.
fn kind(error: &Error) -> &'static str {
    match error {
        Error::Api(refusal) => match refusal.code {
            ErrorCode::BadRequest => "BadRequest",
            ErrorCode::ValidationError => "Validation",
            ErrorCode::Unauthorized => "Unauthorized",
            ErrorCode::PlanLimitReached => "PlanLimit",
            ErrorCode::Forbidden => "Forbidden",
            ErrorCode::AccountSuspended => "AccountSuspended",
            ErrorCode::NotFound => "NotFound",
            ErrorCode::Conflict => "Conflict",
            ErrorCode::Unprocessable | ErrorCode::ChannelNotConnected => "Unprocessable",
            ErrorCode::RateLimited => "RateLimited",
            ErrorCode::Internal => "Internal",
            _ => "Api",
        },
        Error::Connection { .. } => "Connection",
        Error::Timeout { .. } => "Timeout",
        Error::Decode { .. } => "Decode",
        _ => "Other",
    }
}

fn failed<T>(result: Result<T, Error>) -> Result<Error, String> {
    result.err().ok_or_else(|| "the call succeeded".to_owned())
}

fn refusal(error: &Error) -> Value {
    let Error::Api(refusal) = error else {
        return json!({ "kind": kind(error), "message": error.to_string() });
    };
    json!({
        "kind": kind(error),
        "status": refusal.status().as_u16(),
        "code": refusal.code.as_str(),
        "reason": refusal.reason,
        "message": refusal.message,
        "request_id": refusal.request_id,
        "paths": refusal.details.iter().map(|detail| &detail.path).collect::<Vec<_>>(),
    })
}

fn seen(event: &Event) -> Value {
    let known = !matches!(event.data, EventData::Unknown { .. });
    json!({ "event_type": event.event_type(), "event_id": event.event_id, "known": known })
}

impl Driver {
    async fn samples(&self) -> Outcome {
        let given: &Map<String, Value> = self.input["values"].as_object().ok_or("there are no values")?;
        let mut outcomes = Map::new();
        for (id, values) in given {
            let outcome = match SAMPLES.iter().find(|(known, _)| known == id) {
                Some((_, sample)) => {
                    sample(&self.client, &Values(values)).await.map_err(|error| error.to_string())
                }
                None => Err("there is no sample".to_owned()),
            };
            outcomes.insert(id.clone(), outcome.err().unwrap_or_else(|| "ok".to_owned()).into());
        }
        Ok(json!({ "outcomes": outcomes }))
    }

    async fn pages(&self) -> Outcome {
        let list = || self.client.contacts().list().limit(2);
        let mut ids = Vec::new();
        let mut contacts = list().stream();
        while let Some(contact) = contacts.next().await {
            ids.push(contact?.id);
        }
        let ids_of = |page: &Page<Contact>| page.data.iter().map(|contact| contact.id).collect::<Vec<_>>();
        let first = list().page().await?;
        let second = first.next_page().await?.ok_or("there is no second page")?;
        Ok(
            json!({ "ids": ids, "first": ids_of(&first), "second": ids_of(&second), "has_more": first.has_more }),
        )
    }

    async fn refused(&self) -> Outcome {
        let hello = NewText::new(ToPhone::new(text(&self.input, "phone")), "Hello");
        let errors = [
            failed(self.client.messages().send(hello).await)?,
            failed(self.client.contacts().create(NewContact::new()).await)?,
            failed(self.client.contacts().get(NOBODY).await)?,
        ];
        Ok(json!({ "refusals": errors.iter().map(refusal).collect::<Vec<_>>() }))
    }

    async fn limited(&self) -> Outcome {
        let error = failed(self.client.me().get().max_retries(0).await)?;
        let begin = Instant::now();
        let me = self.client.me().get().await?;
        let left = self.client.rate_limit().ok_or("there is no budget")?;
        let wait = error.api().and_then(ApiError::retry_after).map(|wait| wait.as_secs());
        let mut first = refusal(&error);
        first["retry_after"] = wait.into();
        Ok(json!({
            "first": first,
            "account": me.account.id,
            "waited_ms": u64::try_from(begin.elapsed().as_millis())?,
            "limit": left.limit,
            "remaining": left.remaining,
        }))
    }

    async fn killed(&self) -> Outcome {
        let contact = NewContact::new().name(text(&self.input, "name"));
        let made = self.client.contacts().create(contact).max_retries(8).response().await?;
        Ok(json!({ "id": made.data.id, "replayed": made.raw.is_replayed() }))
    }

    async fn slow(&self) -> Outcome {
        let begin = Instant::now();
        let deadline = failed(self.client.me().get().timeout(PATIENCE).await)?;
        // Dropping the future cancels the call.
        let call = self.client.me().get();
        let cancelled = tokio::time::timeout(PATIENCE, async { call.await }).await.is_err();
        let elapsed = u64::try_from(begin.elapsed().as_millis())?;
        Ok(json!({ "deadline": kind(&deadline), "cancelled": cancelled, "elapsed_ms": elapsed }))
    }

    fn webhook(&self) -> Outcome {
        let mut events = Vec::new();
        for delivery in self.input["deliveries"].as_array().ok_or("there are no deliveries")? {
            let headers: BTreeMap<String, String> = serde_json::from_value(delivery["headers"].clone())?;
            let body = text(delivery, "body").as_bytes();
            let event = webhooks::unwrap(body, &headers, text(delivery, "secret"));
            events.push(event.map_or_else(|_| json!({ "refused": "Signature" }), |event| seen(&event)));
        }
        Ok(json!({ "events": events }))
    }

    async fn stream(&self) -> Outcome {
        let count = usize::try_from(self.input["count"].as_u64().ok_or("there is no count")?)?;
        let mut events = self.client.events().stream().after(text(&self.input, "after"));
        let mut ids = Vec::new();
        while ids.len() < count {
            ids.push(events.next().await.ok_or("the stream has ended")??.event_id);
        }
        Ok(json!({ "ids": ids }))
    }

    async fn unknown(&self) -> Outcome {
        let deal = self.client.deals().get(text(&self.input, "deal_id").parse()?).await?;
        let page = self.client.events().list().page().await?;
        let known: Vec<Value> = page.data.iter().map(seen).collect();
        Ok(json!({
            "status": deal.status.as_str(),
            "event_types": known.iter().map(|event| &event["event_type"]).collect::<Vec<_>>(),
            "known": known.iter().map(|event| &event["known"]).collect::<Vec<_>>(),
        }))
    }
}
