//! API keys of the account.

use frontdesk_db::ReadTx;
use frontdesk_kernel::ids::{AccountId, ApiKeyId, UserId};
use frontdesk_kernel::scope::{Scope, Scopes};
use frontdesk_kernel::{Text, Timestamp};
use frontdesk_platform::Network;
use frontdesk_platform::keys::{self, CreateKey, Expiry, KeyError, KeyInfo};
use frontdesk_web::{
    Body, Components, Data, FieldPath, Input, Items, List, Path, Problems, Result, Within, input, resource,
};
use serde_json::{Value, json};

use crate::caller::{AppCaller, AppRoute, Outcome};

const NAME_CHARS_MAX: usize = 200;
const REASON_CHARS_MAX: usize = 500;
const NETWORKS_MAX: usize = 100;
const RATE_LIMIT_MAX: i64 = 1_000_000_000;

resource! {
    /// An API key, without its secret.
    pub struct ApiKeyInfo {
        pub id: ApiKeyId,
        pub name: String,
        /// The last four characters; empty for keys made before they were kept.
        pub hint: String,
        pub scopes: Scopes,
        /// The member to whom its writes are attributed; null for the owner.
        pub member_id: Option<UserId>,
        pub ip_allowlist: Vec<String>,
        pub rate_limit_per_minute: Option<i64>,
        pub expires_at: Option<Timestamp>,
        /// When it was last used, to the minute; null if never.
        pub last_used_at: Option<Timestamp>,
        pub revoked_at: Option<Timestamp>,
        pub revoked_by: Option<UserId>,
        pub revoked_reason: Option<String>,
        /// Whether it carries out at once what a model asks for, without a person's approval. Only the command line makes such keys.
        pub unattended: bool,
        pub created_at: Timestamp,
    }
}

resource! {
    /// A key with its secret, which is shown this once.
    pub struct ShownKey {
        pub key: ApiKeyInfo,
        pub secret: String,
    }
}

input! {
    /// A key to be made.
    pub struct NewApiKey {
        pub name: Text<NAME_CHARS_MAX>,
        pub scopes: Items<GrantedScope, 50>,
        /// Days after which it stops working: 30, 90, 180 or 365. Null for never.
        pub expires_in_days: Option<Within<1, 365>>,
        /// Addresses and ranges it may be used from; anywhere when left out.
        pub ip_allowlist: Option<Items<AllowedNetwork, NETWORKS_MAX>>,
        pub rate_limit_per_minute: Option<Within<1, RATE_LIMIT_MAX>>,
    }
    check = expires_as_offered;
}

fn expires_as_offered(new: &NewApiKey, problems: &mut Problems) {
    if new.expires_in_days.is_some_and(|days| !matches!(days.0, 30 | 90 | 180 | 365)) {
        problems.add("expires_in_days", "must be 30, 90, 180 or 365, or null for never");
    }
    if new.scopes.0.is_empty() {
        problems.add("scopes", "must name at least one scope");
    }
}

input! {
    /// Why a key is revoked.
    pub struct Revocation {
        pub reason: Text<REASON_CHARS_MAX>,
    }
}

/// A scope by its name.
#[derive(Clone, Copy, Debug)]
pub struct GrantedScope(Scope);

impl Input for GrantedScope {
    fn schema(_: &mut Components) -> Value {
        let names: Vec<&str> = Scope::ALL.iter().map(|scope| scope.name()).collect();
        json!({ "type": "string", "enum": names })
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        input::parsed::<Scope>(value, at, problems).map(Self)
    }
}

/// An address or a range of addresses.
#[derive(Clone, Copy, Debug)]
pub struct AllowedNetwork(Network);

impl Input for AllowedNetwork {
    fn schema(_: &mut Components) -> Value {
        json!({ "type": "string", "examples": ["203.0.113.0/24"] })
    }

    fn read(value: Option<&Value>, at: &mut FieldPath, problems: &mut Problems) -> Option<Self> {
        input::parsed::<Network>(value, at, problems).map(Self)
    }
}

pub(super) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::get("/admin/keys", "listKeys", list).summary("List API keys"),
        AppRoute::post("/admin/keys", "createKey", create).created().summary("Create an API key"),
        AppRoute::post("/admin/keys/{id}/regenerate", "regenerateKey", regenerate)
            .summary("Give an API key a new secret"),
        AppRoute::post("/admin/keys/{id}/revoke", "revokeKey", revoke).summary("Revoke an API key"),
    ]
}

fn shown(key: KeyInfo) -> ApiKeyInfo {
    ApiKeyInfo {
        id: key.id,
        name: key.name,
        hint: key.hint.unwrap_or_default(),
        scopes: key.scopes,
        member_id: key.member_id,
        ip_allowlist: key.ip_allowlist.iter().map(ToString::to_string).collect(),
        rate_limit_per_minute: key.rate_limit,
        expires_at: key.expires_at,
        last_used_at: key.last_used_at,
        revoked_at: key.revoked_at,
        revoked_by: key.revoked_by,
        revoked_reason: key.revoked_reason,
        unattended: key.unattended,
        created_at: key.created_at,
    }
}

/// A key of the account. Keys of other accounts are not found.
fn find(tx: &mut ReadTx<'_>, account: AccountId, id: ApiKeyId) -> Outcome<KeyInfo> {
    let key = keys::list(tx, account)?.into_iter().find(|key| key.id == id);
    Ok(key.ok_or(KeyError::NoKey(id))?)
}

async fn list(caller: AppCaller) -> Result<List<ApiKeyInfo>> {
    let account = caller.manager()?.account;
    let rows = caller.read(move |tx| Ok(keys::list(tx, account)?)).await?;
    Ok(List::all(rows.into_iter().map(shown).collect()))
}

async fn create(caller: AppCaller, Body(new): Body<NewApiKey>) -> Result<Data<ShownKey>> {
    let (recorder, now, random) =
        (caller.shared.server.recorder.clone(), caller.now, (caller.shared.chance)());
    caller
        .administer("key.created", move |tx, session| {
            let allowed = new.ip_allowlist.as_ref().map_or(&[][..], |list| &list.0);
            let wanted = CreateKey {
                account: session.account,
                name: new.name.as_str().to_owned(),
                scopes: new.scopes.0.iter().map(|granted| granted.0).collect(),
                member: Some(session.user),
                expiry: new.expires_in_days.map_or(Expiry::Never, |days| Expiry::Days(days.0)),
                allowlist: allowed.iter().map(|allowed| allowed.0).collect(),
                rate_limit: new.rate_limit_per_minute.map(|limit| limit.0),
                unattended: false,
            };
            let made = keys::create(tx, recorder.ids(), &random, &wanted, now)?;
            let key = shown(find(tx, session.account, made.id)?);
            Ok((ShownKey { key, secret: made.key.reveal().to_owned() }, Some(made.id.to_string())))
        })
        .await
        .map(Data)
}

async fn regenerate(caller: AppCaller, Path(id): Path<ApiKeyId>) -> Result<Data<ShownKey>> {
    let (now, random) = (caller.now, (caller.shared.chance)());
    caller
        .administer("key.regenerated", move |tx, session| {
            find(tx, session.account, id)?;
            let made = keys::regenerate(tx, id, &random, now)?;
            let key = shown(find(tx, session.account, id)?);
            Ok((ShownKey { key, secret: made.key.reveal().to_owned() }, Some(id.to_string())))
        })
        .await
        .map(Data)
}

async fn revoke(
    caller: AppCaller,
    Path(id): Path<ApiKeyId>,
    Body(why): Body<Revocation>,
) -> Result<Data<ApiKeyInfo>> {
    let now = caller.now;
    caller
        .administer("key.revoked", move |tx, session| {
            find(tx, session.account, id)?;
            let revoked = keys::revoke(tx, id, why.reason.as_str(), Some(session.user), now)?;
            Ok((shown(revoked), Some(id.to_string())))
        })
        .await
        .map(Data)
}
