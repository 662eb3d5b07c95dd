//! Inbound: the channels' webhooks.
//!
//! A webhook is accepted only if the vendor signed its exact bytes. All its items are stored in one
//! transaction before the vendor gets its response; on a failure the vendor sends it again. Webhooks may
//! arrive twice or out of order.

mod context;
mod known;
mod messages;
mod reports;
mod sql;
mod store;

use std::sync::Arc;

use frontdesk_platform::public_endpoint::{PublicResponse, nothing_here};
use frontdesk_platform::{PublicRequest, ServerContext, store_failure};
use frontdesk_web::{Failure, Reply, Result};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, StatusCode};

use crate::connections::{self, StoredConnection};

pub use context::OptOutWords;
pub use store::{store, store_reports};

/// Every statement of inbound webhooks, by name.
pub fn statements() -> Vec<(&'static str, &'static str)> {
    sql::STATEMENTS.to_vec()
}

/// Responds to a vendor's request to one connection: a check of the webhook's address, or a webhook.
pub(crate) async fn respond(
    server: &ServerContext,
    words: &Arc<OptOutWords>,
    connection: StoredConnection,
    request: PublicRequest,
) -> Result<PublicResponse> {
    let adapter = connection.adapter(&server.services).ok_or_else(nothing_here)?;
    let channel = connection.channel();
    match request.method {
        Method::GET => {
            let challenge = adapter.challenge(&request.query).ok_or_else(|| {
                Failure::forbidden(
                    "verify_token",
                    "The verify token is not the one this channel was connected with.",
                )
            })?;
            if connection.webhook_verified_at.is_none() {
                let (account, id, now) = (connection.account, connection.id(), request.now);
                let stored =
                    server.store.write(move |tx| connections::set_webhook_verified(tx, account, id, now));
                stored.await.map_err(|error| store_failure(&error))?;
            }
            let plain = HeaderValue::from_static("text/plain; charset=utf-8");
            Ok(Reply::new(StatusCode::OK, challenge).header(CONTENT_TYPE, plain).into())
        }
        Method::POST => {
            if !adapter.is_genuine(&request.headers, &request.body) {
                metrics::counter!("frontdesk_webhooks_in_total", "channel" => channel.as_str(), "outcome" => "unsigned").increment(1);
                return Err(Failure::forbidden(
                    "signature",
                    "The signature does not fit the body. Check the app secret that this channel was connected with.",
                ));
            }
            let items =
                adapter.receive(&request.body).map_err(|error| Failure::bad_request(error.to_string()))?;
            if !items.is_empty() {
                store(server, words.clone(), connection, items, request.now)
                    .await
                    .map_err(|error| store_failure(&error))?;
            }
            metrics::counter!("frontdesk_webhooks_in_total", "channel" => channel.as_str(), "outcome" => "stored").increment(1);
            Ok(Reply::new(StatusCode::OK, r#"{"status":"ok"}"#).into())
        }
        _ => Err(Failure::method_not_allowed("GET, POST")),
    }
}
