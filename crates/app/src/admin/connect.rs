//! Connects a channel from the dashboard.
//!
//! The vendor is asked before anything is stored, as on the command line. An account cannot choose a
//! channel's address: the vendors' addresses are fixed, and the operator sets a bridge's address on the
//! command line, because it is usually in the operator's own network.

use frontdesk_inbox::connections::{
    self, Channel, ConnectionDraft, Credentials, EnteredValues, FieldCheck, Page, StoredConnection, WebChat,
    WhatsApp,
};
use frontdesk_inbox::templates;
use frontdesk_kernel::Text;
use frontdesk_web::{Body, Data, Failure, List, Path, Problems, Result, input};

use super::connections::{ConnectionDetail, missing, shown};
use crate::caller::{AppCaller, AppRoute};

const NAME_CHARS_MAX: usize = 200;
const FIELD_CHARS_MAX: usize = 4_096;
/// Checks of entered values that a session may make in a minute. Each asks Meta up to six questions.
const CHECKS_MAX: i64 = 60;

type Field = Option<Text<FIELD_CHARS_MAX>>;

input! {
    /// A channel to be connected. What is needed depends on the channel.
    pub struct NewChannel {
        pub channel: Channel,
        pub name: Option<Text<NAME_CHARS_MAX>>,
        /// Whether it speaks to the stand-ins of this installation; nothing else is needed then.
        pub sandbox: Option<bool>,
        /// WhatsApp's id of the number.
        pub phone_number_id: Field,
        /// WhatsApp's id of the business account, which holds the templates.
        pub waba_id: Field,
        /// The page, for messenger, or the account, for instagram.
        pub page_id: Field,
        /// The vendor's token that lets us call for this channel.
        pub access_token: Field,
        /// The secret of the vendor's app, which its webhooks are signed with.
        pub app_secret: Field,
        /// The token that the vendor's console asks for together with the webhook's address.
        pub verify_token: Field,
    }
}

pub(super) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::post("/admin/connections", "createConnection", create)
            .created()
            .summary("Connect a channel"),
        AppRoute::post("/admin/connections/check", "checkConnection", check_entered)
            .summary("Check the values of a channel at Meta, as far as they are entered")
            .notes(
                "There is one result for each value that was sent. Nothing is stored. A session may ask 60 times in a minute.",
            ),
        AppRoute::post("/admin/connections/{id}/reconnect", "reconnectConnection", reconnect)
            .summary("Connect a disconnected channel again"),
    ]
}

input! {
    /// The values of a channel of Meta, as far as they are entered.
    pub struct EnteredChannel {
        pub channel: Channel,
        /// Whether to ask the stand-in of this installation instead of Meta.
        pub sandbox: Option<bool>,
        pub phone_number_id: Field,
        pub waba_id: Field,
        pub page_id: Field,
        pub access_token: Field,
        pub app_secret: Field,
        pub verify_token: Field,
    }
}

fn bridge_only() -> Failure {
    Failure::conflict(
        "A linked device is reached through a bridge, which whoever runs the server chooses. Ask them to run \
         `frontdesk channel connect --channel personal_whatsapp`; then its device can be linked here.",
    )
}

/// The requested connection, or everything that is missing.
fn describe(new: &NewChannel, chance: connections::Chance) -> Result<ConnectionDraft> {
    let channel = new.channel;
    if new.sandbox == Some(true) {
        return Ok(connections::sandbox(channel, chance));
    }
    let mut problems = Problems::new();
    let mut need = |name: &str, given: &Field| {
        if given.is_none() {
            problems.add(name, format!("is needed for a {channel} channel"));
        }
        given.as_ref().map(|text| text.as_str().trim().to_owned()).unwrap_or_default()
    };
    let (credentials, address) = match channel {
        Channel::Whatsapp => {
            let number = WhatsApp {
                phone_number_id: need("phone_number_id", &new.phone_number_id),
                waba_id: need("waba_id", &new.waba_id),
                access_token: need("access_token", &new.access_token),
                app_secret: need("app_secret", &new.app_secret),
                verify_token: need("verify_token", &new.verify_token),
                graph_url: None,
                messages_per_second: None,
            };
            (Credentials::WhatsApp(number), None)
        }
        Channel::Messenger | Channel::Instagram => {
            let page = Page {
                page_id: need("page_id", &new.page_id),
                access_token: need("access_token", &new.access_token),
                app_secret: need("app_secret", &new.app_secret),
                verify_token: need("verify_token", &new.verify_token),
                graph_url: None,
            };
            let address = page.page_id.clone();
            (Credentials::Page(page), Some(address))
        }
        Channel::PersonalWhatsapp => return Err(bridge_only()),
        Channel::WebChat => (Credentials::WebChat(WebChat::default()), None),
    };
    problems.settle()?;
    Ok(ConnectionDraft { channel, address, sandbox: false, credentials })
}

/// Checks the credentials with the vendor.
async fn check(
    caller: &AppCaller,
    channel: Channel,
    sandbox: bool,
    credentials: &Credentials,
) -> Result<Option<String>> {
    // A sandbox channel is generated, so there is nothing to check.
    if sandbox {
        return Ok(None);
    }
    let asked = connections::verify(&caller.shared.server.services, channel, sandbox, credentials).await;
    asked.map(|identity| identity.address).map_err(|error| {
        Failure::unprocessable(
            "channel_refused",
            format!("The channel was asked, and {error}. Check the ids and the token, and try again."),
        )
    })
}

async fn check_entered(caller: AppCaller, Body(entered): Body<EnteredChannel>) -> Result<List<FieldCheck>> {
    let session = caller.manager()?;
    caller.shared.checks.admit(session.id, CHECKS_MAX, caller.now).map_err(|used_up| {
        let wait = used_up.seconds_left;
        Failure::rate_limited(
            format!("Values were checked {CHECKS_MAX} times in this minute, which is the most. Wait {wait} seconds."),
            wait,
        )
        .of_limit("channel_checks")
    })?;
    if !matches!(entered.channel, Channel::Whatsapp | Channel::Messenger | Channel::Instagram) {
        return Err(Failure::validation(Problems::one("channel", "must be a channel of Meta")));
    }
    let value =
        |given: Field| given.map(|text| text.as_str().trim().to_owned()).filter(|text| !text.is_empty());
    let values = EnteredValues {
        phone_number_id: value(entered.phone_number_id),
        waba_id: value(entered.waba_id),
        page_id: value(entered.page_id),
        access_token: value(entered.access_token),
        app_secret: value(entered.app_secret),
        verify_token: value(entered.verify_token),
    };
    let services = &caller.shared.server.services;
    let sandbox = entered.sandbox == Some(true);
    Ok(List::all(connections::check(services, entered.channel, sandbox, &values).await))
}

async fn create(caller: AppCaller, Body(new): Body<NewChannel>) -> Result<Data<ConnectionDetail>> {
    caller.manager()?;
    let mut draft = describe(&new, caller.shared.chance)?;
    let known = check(&caller, draft.channel, draft.sandbox, &draft.credentials).await?;
    draft.address = draft.address.or(known);
    let server = caller.shared.server.clone();
    let now = caller.now;
    let connection = caller
        .administer("connection.created", move |tx, session| {
            let wanted = draft.of(new.name.as_ref().map(Text::as_str), session.account);
            let id = connections::create(tx, &server.recorder, &server.services.secrets, &wanted, now)?;
            let connection = connections::find(tx, session.account, id)?.ok_or_else(missing)?;
            Ok((connection, Some(id.to_string())))
        })
        .await?;
    read_templates(&caller, &connection).await;
    Ok(Data(shown(&caller, &connection)))
}

/// Syncs the templates of a new number. If this fails, the connection stays, and templates can be synced
/// later.
async fn read_templates(caller: &AppCaller, connection: &StoredConnection) {
    if connection.channel() == Channel::Whatsapp
        && let Err(error) = templates::sync(&caller.shared.server, connection).await
    {
        tracing::warn!(connection_id = %connection.id(), %error, "the templates of a new connection were not read");
    }
}

async fn reconnect(
    caller: AppCaller,
    Path(id): Path<connections::ConnectionId>,
) -> Result<Data<ConnectionDetail>> {
    let account = caller.manager()?.account;
    let connection =
        caller.read(move |tx| Ok(connections::find(tx, account, id)?)).await?.ok_or_else(missing)?;
    if connection.channel() == Channel::PersonalWhatsapp {
        return Err(Failure::conflict(
            "A linked device was stopped when it was disconnected. Link it again.",
        ));
    }
    if let Some(credentials) = connection.credentials(&caller.shared.server.services.secrets) {
        check(&caller, connection.channel(), connection.sandbox, credentials).await?;
    }
    let acting = caller.clone();
    let connection = caller
        .administer("connection.reconnected", move |tx, session| {
            connections::reconnect(tx, &acting.by(session), id)?;
            let connection = connections::find(tx, session.account, id)?.ok_or_else(missing)?;
            Ok((connection, Some(id.to_string())))
        })
        .await?;
    Ok(Data(shown(&caller, &connection)))
}
