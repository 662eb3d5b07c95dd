//! The public settings of a chat, which every page that shows the widget reads.
//!
//! The response contains nothing of a visitor, so that browsers and caches may keep it for a minute.

use frontdesk_crm::brands;
use frontdesk_crm::tags::Color;
use frontdesk_db as db;
use frontdesk_kernel::Timestamp;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::hours::{self, Hours};
use frontdesk_platform::public_endpoint::PublicResponse;
use frontdesk_platform::{accounts, store_failure};
use frontdesk_web::{Reply, Result, data_bytes, resource};
use http::header::{CACHE_CONTROL, ETAG, IF_NONE_MATCH};
use http::{HeaderValue, StatusCode};

use super::chat_request::ChatRequest;
use super::etag;
use super::files::FILE_BYTES_MAX;
use super::limits::Action;
use super::settings::{self, WidgetSettings};
use crate::connections::{ConnectionId, ConnectionStatus};

const CACHED: HeaderValue = HeaderValue::from_static("public, max-age=60");

resource! {
    /// The public settings of a chat.
    struct WidgetConfig {
        connection_id: ConnectionId,
        status: ConnectionStatus,
        #[serde(flatten)]
        settings: WidgetSettings,
        /// The account's brand, which holds where the settings and the texts say nothing.
        brand: WidgetBrand,
        /// The largest file that a visitor may send, in bytes.
        file_bytes_max: i64,
        /// Null if the hours are not shown, or the account has none.
        hours: Option<TeamHours>,
    }
}

resource! {
    /// The account's brand.
    struct WidgetBrand {
        /// The name that visitors see.
        name: Option<String>,
        color: Option<Color>,
        logo_url: Option<String>,
    }
}

resource! {
    /// Whether the team is there.
    struct TeamHours {
        is_open: bool,
        /// When the team is there again; null if it is there now, or never.
        opens_at: Option<Timestamp>,
    }
}

/// The chat's settings.
pub(super) async fn get(chat: &ChatRequest<'_>) -> Result<PublicResponse> {
    chat.admit(Action::Look)?;
    let (account, connection, now) = (chat.connection.account, chat.connection.id(), chat.request.now);
    let base_url = chat.server.services.base_url.clone();
    let read = chat.server.store.read(move |tx| {
        let found = brands::find(tx, account)?;
        let logo_url = found.logo_path().map(|path| format!("{base_url}{path}"));
        let brand = WidgetBrand { name: found.name, color: found.color, logo_url };
        let settings = settings::find(tx, account, connection)?;
        let hours = if settings.shows_hours { team_hours(tx, account, now)? } else { None };
        db::Result::Ok((brand, settings, hours))
    });
    let (brand, settings, hours) = read.await.map_err(|error| store_failure(&error))?;
    let body = data_bytes(&WidgetConfig {
        connection_id: connection,
        status: chat.connection.public.status,
        settings,
        brand,
        file_bytes_max: FILE_BYTES_MAX as i64,
        hours,
    });
    let tag = etag::of(&body);
    let known = chat.request.headers.get(IF_NONE_MATCH).is_some_and(|tags| etag::names(tags, &tag));
    let reply =
        if known { Reply::new(StatusCode::NOT_MODIFIED, "") } else { Reply::new(StatusCode::OK, body) };
    Ok(reply.header(ETAG, tag).header(CACHE_CONTROL, CACHED).into())
}

fn team_hours(tx: &mut db::ReadTx<'_>, account: AccountId, now: Timestamp) -> db::Result<Option<TeamHours>> {
    let Some(account) = accounts::find(tx, account)? else { return Ok(None) };
    let Some(team) = Hours::of_account(account.business_hours.as_ref()) else { return Ok(None) };
    let is_open = team.is_open(&account.timezone, now);
    let opens_at = if is_open { None } else { hours::next_open(&team, &account.timezone, now) };
    Ok(Some(TeamHours { is_open, opens_at }))
}
