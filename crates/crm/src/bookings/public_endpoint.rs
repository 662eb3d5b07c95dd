//! The endpoint that calendars call: `POST /bookings/{token}`.

use frontdesk_kernel::Country;
use frontdesk_platform::public_endpoint::{PublicResponse, nothing_here};
use frontdesk_platform::{
    By, Error as PlatformError, PublicEndpoint, PublicRequest, ServerContext, UnreadRequest, accounts,
};
use frontdesk_web::{Failure, Reply, Result, data_bytes};
use http::{Method, StatusCode};
use serde_json::json;

use super::notice::Notice;
use super::ops;
use super::source::{self, BookingSource};
use crate::contacts::ContactError;
use crate::token;

const BODY_BYTES_MAX: usize = 256 * 1024;
const SIGNATURE: &str = "x-cal-signature-256";

/// The endpoint for calendars' webhooks.
pub fn public_endpoint() -> PublicEndpoint {
    PublicEndpoint::new("bookings", BODY_BYTES_MAX, |server, request| Box::pin(respond(server, request)))
}

/// The response says whether anything changed, for people who read the calendar's log of calls.
async fn respond(server: &ServerContext, request: UnreadRequest<'_>) -> Result<PublicResponse> {
    let (source, secret, country) = find(server, &request.head).await?;
    let request = request.read().await?;
    let signature = request.header(SIGNATURE).unwrap_or_default();
    if !source::is_signed(&secret, signature, &request.body) {
        return Err(Failure::wrong_signature());
    }
    let handled = match Notice::read(&request.body, country)? {
        None => false,
        Some(notice) => {
            let (now, recorder) = (request.now, server.recorder.clone());
            let taken = server.store.write(move |tx| {
                ops::apply(tx, &By::system(source.account_id, now, &recorder), source.id, &notice)
            });
            taken.await.map_err(|error: ContactError| Failure::from(error))?
        }
    };
    Ok(Reply::new(StatusCode::OK, data_bytes(&json!({ "handled": handled }))).into())
}

/// The source of a call's address, its secret, and the country whose national numbers the account reads.
async fn find(
    server: &ServerContext,
    request: &PublicRequest,
) -> Result<(BookingSource, String, Option<Country>)> {
    let Some([token]) = request.parts::<1>().filter(|[token]| token::is_shaped(token)) else {
        return Err(nothing_here());
    };
    let token = token.to_owned();
    let found = server.store.read(move |tx| {
        let Some((source, sealed)) = source::by_token(tx, &token)? else { return Ok(None) };
        let country = accounts::country(tx, source.account_id)?;
        Ok::<_, PlatformError>(Some((source, sealed, country)))
    });
    let (source, sealed, country) = found.await?.ok_or_else(nothing_here)?;
    if request.method != Method::POST {
        return Err(Failure::method_not_allowed("POST"));
    }
    let Some(secret) =
        server.services.secrets.open(&source::SECRET.at(source.account_id, source.id.to_string()), &sealed)
    else {
        tracing::error!(source = %source.id, "a booking source's secret cannot be read under this secret key");
        return Err(Failure::internal());
    };
    Ok((source, secret, country))
}
