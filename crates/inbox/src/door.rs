//! The door to the channels, `/channels/{channel}/{connection}`: a vendor's webhook goes to [`inbound`], a visitor of a
//! website to [`web_chat`].

use std::sync::Arc;

use frontdesk_platform::door::{Answer, nothing_here};
use frontdesk_platform::{Door, Means, Visit, store_failure};
use frontdesk_web::Result;

use crate::connections::{self, Channel, ConnectionId};
use crate::inbound;
use crate::web_chat::{self, Shared};

/// A webhook may hold a thousand reports.
const BODY_BYTES_MAX: usize = 4 << 20;

/// The door to the channels.
pub(crate) fn door(shared: Shared) -> Door {
    let shared = Arc::new(shared);
    Door::new("channels", BODY_BYTES_MAX, move |means, visit| {
        let shared = shared.clone();
        Box::pin(async move { answer(means, &shared, visit).await })
    })
}

async fn answer(means: &Means, shared: &Shared, visit: Visit) -> Result<Answer> {
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
    match (found, channel) {
        (Some(line), Channel::WebChat) => web_chat::answer(means, shared, line, &rest, visit).await,
        (None, Channel::WebChat) => web_chat::unknown(means, &visit),
        (Some(line), _) if rest.is_empty() => inbound::answer(means, &shared.words, line, visit).await,
        _ => Err(nothing_here()),
    }
}
