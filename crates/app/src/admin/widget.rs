//! The settings of a web chat's widget, and the secret that signs the ids of a website's users.

use frontdesk_db::ReadTx;
use frontdesk_inbox::connections::{self, Channel, ConnectionId, Credentials, StoredConnection, WebChat};
use frontdesk_inbox::web_chat::{
    self,
    settings::{self, NewWidgetSettings, WidgetSettings},
};
use frontdesk_kernel::ids::AccountId;
use frontdesk_web::{Body, Data, Failure, Path, Result, resource};

use crate::caller::{AppCaller, AppError, AppRoute};

resource! {
    /// The settings of a web chat's widget.
    pub struct WidgetDetail {
        #[serde(flatten)]
        pub settings: WidgetSettings,
        /// Whether the ids of the website's users can be verified: an identity secret was created.
        pub has_identity_secret: bool,
    }
}

resource! {
    /// The secret that signs the ids of a website's users. It is shown once.
    pub struct IdentitySecret {
        pub identity_secret: String,
    }
}

pub(super) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::get("/admin/connections/{id}/widget", "getWidget", get)
            .summary("The settings of a web chat's widget"),
        AppRoute::put("/admin/connections/{id}/widget", "replaceWidget", put)
            .summary("Replace the settings of a web chat's widget")
            .notes("Pages that show the widget have the new settings within a minute."),
        AppRoute::post("/admin/connections/{id}/identity-secret", "createIdentitySecret", create_secret)
            .created()
            .summary("Create the secret that signs the ids of a website's users")
            .notes(
                "Replaces the previous one, with which nobody is recognised from then on. The website's server computes \
                 HMAC-SHA256 of the user's id with the secret, and passes it to the widget in hexadecimal as `user_hash`.",
            ),
    ]
}

fn missing() -> AppError {
    AppError::Told(Failure::not_found("There is no such web chat in this account."))
}

/// A web chat of the account.
fn find(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    id: ConnectionId,
) -> std::result::Result<StoredConnection, AppError> {
    let found = connections::find(tx, account, id)?;
    found.filter(|connection| connection.channel() == Channel::WebChat).ok_or_else(missing)
}

fn detail(caller: &AppCaller, chat: &StoredConnection, settings: WidgetSettings) -> WidgetDetail {
    let credentials = chat.credentials(&caller.shared.server.services.secrets);
    let has_identity_secret = credentials.is_some_and(|known| known.identity_secret().is_some());
    WidgetDetail { settings, has_identity_secret }
}

async fn get(caller: AppCaller, Path(id): Path<ConnectionId>) -> Result<Data<WidgetDetail>> {
    let account = caller.manager()?.account;
    let read = caller.read(move |tx| {
        let chat = find(tx, account, id)?;
        Ok((settings::find(tx, account, id)?, chat))
    });
    let (settings, chat) = read.await?;
    Ok(Data(detail(&caller, &chat, settings)))
}

async fn put(
    caller: AppCaller,
    Path(id): Path<ConnectionId>,
    Body(new): Body<NewWidgetSettings>,
) -> Result<Data<WidgetDetail>> {
    let (settings, now) = (WidgetSettings::from(new), caller.now);
    let wanted = settings.clone();
    let chat = caller
        .administer("connection.widget_changed", move |tx, session| {
            let chat = find(tx, session.account, id)?;
            settings::put(tx, session.account, id, &wanted, now)?;
            if !wanted.shows_page {
                web_chat::erase_all_visits(tx, session.account, id)?;
            }
            Ok((chat, Some(id.to_string())))
        })
        .await?;
    Ok(Data(detail(&caller, &chat, settings)))
}

async fn create_secret(caller: AppCaller, Path(id): Path<ConnectionId>) -> Result<Data<IdentitySecret>> {
    let secret = connections::secret(caller.shared.chance);
    let credentials = Credentials::WebChat(WebChat { identity_secret: Some(secret.clone()) });
    let (keys, now) = (caller.shared.server.services.secrets.clone(), caller.now);
    caller
        .administer("connection.identity_secret_created", move |tx, session| {
            let chat = find(tx, session.account, id)?;
            connections::change_credentials(tx, &keys, &chat, &credentials, now)?;
            Ok(((), Some(id.to_string())))
        })
        .await?;
    Ok(Data(IdentitySecret { identity_secret: secret }))
}
