//! The endpoint of the channels, `/channels/{channel}/{connection}`: a vendor's webhook goes to [`inbound`], a visitor of a
//! website to [`web_chat`].

use std::sync::Arc;

use frontdesk_platform::public_endpoint::{PublicResponse, nothing_here};
use frontdesk_platform::{PublicEndpoint, ServerContext, UnreadRequest, store_failure};
use frontdesk_web::Result;

use crate::connections::{self, Channel, ConnectionId};
use crate::inbound;
use crate::web_chat::{self, InboxState};

/// A webhook may hold a thousand reports.
const BODY_BYTES_MAX: usize = 4 << 20;

/// The endpoint of the channels.
pub(crate) fn public_endpoint(state: InboxState) -> PublicEndpoint {
    let state = Arc::new(state);
    PublicEndpoint::new("channels", BODY_BYTES_MAX, move |server, request| {
        let state = state.clone();
        Box::pin(async move { respond(server, &state, request).await })
    })
}

async fn respond(
    server: &ServerContext,
    state: &InboxState,
    request: UnreadRequest<'_>,
) -> Result<PublicResponse> {
    let mut parts = request.head.path.split('/');
    let channel: Channel = parts.next().and_then(|part| part.parse().ok()).ok_or_else(nothing_here)?;
    let id: Option<ConnectionId> = parts.next().and_then(|part| part.parse().ok());
    let rest: Vec<String> = parts.map(ToOwned::to_owned).collect();
    let found = match id {
        None => None,
        Some(id) => {
            let found = server.store.read_single(move |tx| connections::find_in_any_account(tx, id)).await;
            found.map_err(|error| store_failure(&error))?.filter(|connection| connection.channel() == channel)
        }
    };
    match (found, channel) {
        (Some(connection), Channel::WebChat) => {
            web_chat::respond(server, state, connection, &rest, request).await
        }
        (None, Channel::WebChat) => web_chat::unknown(server, &request.head),
        (Some(connection), _) if rest.is_empty() => {
            inbound::respond(server, &state.words, connection, request.read().await?).await
        }
        _ => Err(nothing_here()),
    }
}
