//! Channel connections: list, disconnect, and sync their templates.

use frontdesk_inbox::connections::{self, Channel, Connection, ConnectionId, StoredConnection};
use frontdesk_inbox::pairing::Device;
use frontdesk_inbox::templates::{self, SyncError};
use frontdesk_kernel::Timestamp;
use frontdesk_platform::store_failure;
use frontdesk_web::{Data, Failure, List, Path, Result, resource};

use crate::caller::{AppCaller, AppRoute};

resource! {
    /// A connection, as those see it who manage the account.
    pub struct ConnectionDetail {
        #[serde(flatten)]
        pub connection: Connection,
        /// What the vendor's console asks for; null where the channel has none.
        pub webhook_url: Option<String>,
        /// The HTML that shows the web chat on a page; null for other channels.
        pub snippet: Option<String>,
        /// When the vendor first asked for that address with the right verify token; null if it has not yet, or did so
        /// before this was stored.
        pub webhook_verified_at: Option<Timestamp>,
        /// Whether it speaks to the stand-ins of this installation.
        pub sandbox: bool,
    }
}

resource! {
    /// What came of reading templates.
    pub struct SyncedTemplates {
        /// How many there are.
        pub templates: i64,
    }
}

pub(super) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::get("/admin/connections", "listConnections", list).summary("List channel connections"),
        AppRoute::post("/admin/connections/{id}/disconnect", "disconnectConnection", disconnect)
            .summary("Disconnect a channel"),
        AppRoute::post("/admin/connections/{id}/sync", "syncConnection", sync)
            .summary("Read a channel's templates"),
    ]
}

pub(super) fn missing() -> Failure {
    Failure::not_found("There is no such connection in this account.")
}

pub(super) fn shown(caller: &AppCaller, connection: &StoredConnection) -> ConnectionDetail {
    let (channel, id) = (connection.channel(), connection.id());
    let has_webhook = channel != Channel::WebChat;
    let base_url = &caller.shared.server.services.base_url;
    ConnectionDetail {
        connection: connection.public.clone(),
        snippet: connection.snippet(base_url),
        webhook_url: has_webhook.then(|| format!("{base_url}/channels/{channel}/{id}")),
        webhook_verified_at: connection.webhook_verified_at,
        sandbox: connection.sandbox,
    }
}

async fn list(caller: AppCaller) -> Result<List<ConnectionDetail>> {
    let account = caller.manager()?.account;
    let connections = caller.read(move |tx| Ok(connections::list(tx, account)?)).await?;
    Ok(List::all(connections.iter().map(|connection| shown(&caller, connection)).collect()))
}

async fn disconnect(caller: AppCaller, Path(id): Path<ConnectionId>) -> Result<Data<ConnectionDetail>> {
    let acting = caller.clone();
    let connection = caller
        .administer("connection.disconnected", move |tx, session| {
            connections::find(tx, session.account, id)?.ok_or_else(missing)?;
            connections::disconnect_by_operator(tx, &acting.by(session), id)?;
            let connection = connections::find(tx, session.account, id)?.ok_or_else(missing)?;
            Ok((connection, Some(id.to_string())))
        })
        .await?;
    // Written first: otherwise the bridge's report of the session's end would give the reason.
    if let Ok(device) = Device::new(&caller.shared.server.services, &connection) {
        device.stop().await;
    }
    Ok(Data(shown(&caller, &connection)))
}

async fn sync(caller: AppCaller, Path(id): Path<ConnectionId>) -> Result<Data<SyncedTemplates>> {
    let account = caller.manager()?.account;
    let connection =
        caller.read(move |tx| Ok(connections::find(tx, account, id)?)).await?.ok_or_else(missing)?;
    match templates::sync(&caller.shared.server, &connection).await {
        Ok(count) => Ok(Data(SyncedTemplates { templates: count as i64 })),
        Err(SyncError::Store(error)) => Err(store_failure(&error)),
        Err(other) => Err(Failure::unprocessable(
            "sync_failed",
            format!("The templates were not read: {other}. Check the connection, and try again."),
        )),
    }
}
