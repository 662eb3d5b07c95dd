//! What comes in: the channels' own webhooks.
//!
//! A webhook is believed only if the vendor signed its very bytes. Everything it tells is stored in one transaction,
//! and only then is the vendor answered; if that fails the vendor hears so and tells it again. What it tells twice, or
//! in another order, makes no difference.

mod early;
mod known;
mod messages;
mod reports;
mod store;

use frontdesk_platform::door::{Answer, nothing_here};
use frontdesk_platform::{Door, Means, Visit, store_failure};
use frontdesk_web::{Failure, Reply, Result};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, StatusCode};

use crate::connections::{self, Channel, ConnectionId};
use crate::web_chat;

pub(crate) use early::apply as apply_early;
pub use early::forget as forget_early;
pub(crate) use reports::catch_up;
pub use store::{Words, store};

/// A webhook may hold a thousand reports.
const BODY_BYTES_MAX: usize = 4 << 20;

/// Every statement of what comes in, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    [early::STATEMENTS, known::STATEMENTS, messages::STATEMENTS, reports::STATEMENTS].concat()
}

/// Statements that only PostgreSQL is asked.
pub const POSTGRES_STATEMENTS: &[(&str, &str)] = known::POSTGRES_STATEMENTS;

/// The door to the channels' webhooks.
pub fn door() -> Door {
    Door::new("channels", BODY_BYTES_MAX, |means, visit| Box::pin(answer(means, visit)))
}

async fn answer(means: &Means, visit: Visit) -> Result<Answer> {
    let mut parts = visit.path.split('/');
    let channel: Channel = parts.next().and_then(|part| part.parse().ok()).ok_or_else(nothing_here)?;
    let id: Option<ConnectionId> = parts.next().and_then(|part| part.parse().ok());
    let rest: Vec<String> = parts.map(ToOwned::to_owned).collect();
    let found = match id {
        None => None,
        Some(id) => {
            let found = means.store.glance(move |tx| connections::find_in_any_account(tx, id)).await;
            found.map_err(|error| store_failure(&error))?.filter(|line| line.channel() == channel)
        }
    };
    let line = match (found, channel) {
        (Some(line), Channel::WebChat) => return web_chat::answer(means, line, &rest, visit).await,
        (None, Channel::WebChat) => return web_chat::unknown(means, &visit),
        (line, _) => line.ok_or_else(nothing_here)?,
    };
    let adapter = line.adapter(&means.services).filter(|_| rest.is_empty()).ok_or_else(nothing_here)?;
    match visit.method {
        Method::GET => {
            let challenge = adapter.challenge(&visit.query).ok_or_else(|| {
                Failure::forbidden(
                    "verify_token",
                    "The verify token is not the one this channel was connected with.",
                )
            })?;
            let plain = HeaderValue::from_static("text/plain; charset=utf-8");
            Ok(Reply::new(StatusCode::OK, challenge).header(CONTENT_TYPE, plain).into())
        }
        Method::POST => {
            if !adapter.is_genuine(&visit.headers, &visit.body) {
                metrics::counter!("frontdesk_webhooks_in_total", "channel" => channel.as_str(), "outcome" => "unsigned").increment(1);
                return Err(Failure::forbidden(
                    "signature",
                    "The signature does not fit the body. Check the app secret that this channel was connected with.",
                ));
            }
            let told =
                adapter.receive(&visit.body).map_err(|error| Failure::bad_request(error.to_string()))?;
            if !told.is_empty() {
                store(means, line, told, visit.now).await.map_err(|error| store_failure(&error))?;
            }
            metrics::counter!("frontdesk_webhooks_in_total", "channel" => channel.as_str(), "outcome" => "stored").increment(1);
            Ok(Reply::new(StatusCode::OK, r#"{"status":"ok"}"#).into())
        }
        _ => Err(Failure::method_not_allowed("GET, POST")),
    }
}
