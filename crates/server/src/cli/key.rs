//! `frontdesk key`: create, list, revoke, regenerate and edit API keys. A key is shown once, when it is
//! created.

use clap::{ArgGroup, Args, Subcommand};
use frontdesk_kernel::ids::{AccountId, ApiKey, ApiKeyId, User, UserId};
use frontdesk_kernel::scope::Scopes;
use frontdesk_kernel::{Ids, Patch};
use frontdesk_platform::Network;
use frontdesk_platform::keys::{self, CreateKey, EditKey, Expiry, KeyInfo, NewKey};
use serde_json::json;

use super::account_arg::AccountArg;
use super::print;
use super::values::{self, AtLeast, End, Name, OrNone, Reason, id, patch};
use crate::clock;
use crate::error::{Error, Result};
use crate::installation::Installation;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Create a key; it is shown once
    Create(Create),
    /// List an account's keys, including revoked ones
    List {
        #[command(flatten)]
        account: AccountArg,
    },
    /// Revoke a key from the next request on
    Revoke {
        /// The key's id, as `frontdesk key list` shows it
        #[arg(value_name = "KEY_ID", value_parser = id::<ApiKey>)]
        id: ApiKeyId,
        /// Why it is revoked
        #[arg(long)]
        reason: Reason,
        /// The member who revokes it
        #[arg(long, value_name = "USER_ID", value_parser = id::<User>)]
        by: Option<UserId>,
    },
    /// Give a key a new secret, shown once; the old one stops working
    Regenerate {
        /// The key's id, as `frontdesk key list` shows it
        #[arg(value_name = "KEY_ID", value_parser = id::<ApiKey>)]
        id: ApiKeyId,
    },
    /// Change a key from the next request on
    Edit(Edit),
}

#[derive(Args)]
#[command(after_help = values::scopes_listed())]
#[command(group(ArgGroup::new("granted").required(true).args(["scopes", "all_scopes"])))]
pub(super) struct Create {
    #[command(flatten)]
    account: AccountArg,
    /// The key's name in lists
    #[arg(long)]
    name: Name,
    /// The key's scopes, separated by commas, of those listed below
    #[arg(long, value_name = "SCOPES", value_parser = values::scopes)]
    scopes: Option<Scopes>,
    /// Grant every scope
    #[arg(long)]
    all_scopes: bool,
    /// Let it carry out at once what a model asks for through MCP, without a person's approval
    #[arg(long)]
    unattended: bool,
    /// The member to whom its writes are attributed; the owner when left out
    #[arg(long, value_name = "ID", value_parser = id::<User>)]
    member: Option<UserId>,
    /// Days until it expires: 30, 90, 180, 365 or never
    #[arg(long, value_name = "DAYS", default_value = "90")]
    expires: Expiry,
    /// An address or CIDR range it may be used from; may be repeated
    #[arg(long, value_name = "CIDR")]
    allow: Vec<Network>,
    /// Units per minute, when fewer than the account's
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    rate_limit: Option<AtLeast<1>>,
}

#[derive(Args)]
#[command(after_help = values::scopes_listed())]
#[command(group(
    ArgGroup::new("change").required(true).multiple(true).args(["name", "scopes", "allow", "rate_limit", "expires_at"])
))]
pub(super) struct Edit {
    /// The key's id, as `frontdesk key list` shows it
    #[arg(value_name = "KEY_ID", value_parser = id::<ApiKey>)]
    id: ApiKeyId,
    /// The key's name in lists
    #[arg(long)]
    name: Option<Name>,
    /// The key's scopes, separated by commas, of those listed below
    #[arg(long, value_name = "SCOPES", value_parser = values::scopes)]
    scopes: Option<Scopes>,
    /// The addresses or CIDR ranges it may be used from; may be repeated; `none` allows every address
    #[arg(long, value_name = "CIDR")]
    allow: Vec<OrNone<Network>>,
    /// Units per minute, when fewer than the account's; `none` clears it
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    rate_limit: Option<OrNone<AtLeast<1>>>,
    /// When it expires: a time at most 365 days ahead, or never; a past time expires it now
    #[arg(long, value_name = "TIME")]
    expires_at: Option<End>,
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        match self {
            Self::Create(wanted) => create(installation, wanted),
            Self::List { account } => list(installation, account.choose(installation)?),
            Self::Revoke { id, reason, by } => {
                let now = clock::now();
                let key = installation.change(move |tx| keys::revoke(tx, id, reason.as_str(), by, now))?;
                show(installation, &key)
            }
            Self::Regenerate { id } => regenerate(installation, id),
            Self::Edit(wanted) => edit(installation, wanted),
        }
    }
}

fn create(installation: &Installation, wanted: Create) -> Result<()> {
    let wanted = CreateKey {
        account: wanted.account.choose(installation)?,
        name: wanted.name.into_string(),
        scopes: if wanted.all_scopes { Scopes::all() } else { wanted.scopes.unwrap_or_default() },
        member: wanted.member,
        expiry: wanted.expires,
        allowlist: wanted.allow,
        rate_limit: wanted.rate_limit.map(|limit| limit.0),
        unattended: wanted.unattended,
    };
    let (ids, random, now) = (Ids::new(), rand::random(), clock::now());
    let made = installation.change(move |tx| keys::create(tx, &ids, &random, &wanted, now))?;
    let response = json!({ "id": made.id, "key": made.key.reveal(), "expires_at": made.expires_at });
    print::output(installation.json, &response, || shown_once(&made))
}

fn regenerate(installation: &Installation, id: ApiKeyId) -> Result<()> {
    let (random, now) = (rand::random(), clock::now());
    let made = installation.change(move |tx| keys::regenerate(tx, id, &random, now))?;
    let response = json!({ "id": made.id, "key": made.key.reveal() });
    print::output(installation.json, &response, || shown_once(&made))
}

fn shown_once(made: &NewKey) -> String {
    let fields = print::fields(&[
        ("id", made.id.to_string()),
        ("key", made.key.reveal().to_owned()),
        ("expires", made.expires_at.map_or_else(|| "never".to_owned(), |end| end.to_string())),
    ]);
    format!("{fields}\n\nThe key is shown once: store it now.")
}

fn list(installation: &Installation, account: AccountId) -> Result<()> {
    let keys = installation.look(move |tx| keys::list(tx, account))?;
    print::output(installation.json, &keys, || {
        let now = clock::now();
        let rows = keys.iter().map(|key| {
            let state = match (key.revoked_at, key.expires_at) {
                (Some(_), _) => "revoked",
                (None, Some(end)) if end <= now => "expired",
                _ if key.unattended => "active, unattended",
                _ => "active",
            };
            vec![
                key.id.to_string(),
                key.name.clone(),
                state.to_owned(),
                expiry(key),
                print::or_dash(key.rate_limit),
                addresses(key),
                granted(key.scopes),
            ]
        });
        let head = ["id", "name", "state", "expires", "rate limit", "addresses", "scopes"];
        print::table(&head, rows.collect(), "There are no keys. Make one with: frontdesk key create")
    })
}

fn edit(installation: &Installation, wanted: Edit) -> Result<()> {
    let id = wanted.id;
    let edit = EditKey {
        name: wanted.name.map(Name::into_string),
        scopes: wanted.scopes,
        allowlist: values::allowlist(&wanted.allow).map_err(Error::Invalid)?,
        rate_limit: patch(wanted.rate_limit, |limit| limit.0),
        expires_at: match wanted.expires_at {
            None => Patch::Keep,
            Some(End::Never) => Patch::Clear,
            Some(End::At(end)) => Patch::Set(end),
        },
    };
    let now = clock::now();
    let key = installation.change(move |tx| keys::edit(tx, id, &edit, now))?;
    show(installation, &key)
}

fn show(installation: &Installation, key: &KeyInfo) -> Result<()> {
    print::output(installation.json, key, || {
        let mut fields = vec![
            ("id", key.id.to_string()),
            ("name", key.name.clone()),
            ("scopes", granted(key.scopes)),
            ("addresses", addresses(key)),
            ("rate limit", print::or_dash(key.rate_limit)),
            ("expires", expiry(key)),
        ];
        if key.unattended {
            fields.push(("approval", "acts without a person's approval".to_owned()));
        }
        if let Some(revoked_at) = key.revoked_at {
            fields.push(("revoked", revoked_at.to_string()));
            fields.push(("reason", print::or_dash(key.revoked_reason.as_ref())));
        }
        print::fields(&fields)
    })
}

fn expiry(key: &KeyInfo) -> String {
    key.expires_at.map_or_else(|| "never".to_owned(), |end| end.to_string())
}

fn addresses(key: &KeyInfo) -> String {
    if key.ip_allowlist.is_empty() {
        return "any".to_owned();
    }
    key.ip_allowlist.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn granted(scopes: Scopes) -> String {
    if scopes == Scopes::all() { "all".to_owned() } else { scopes.to_string() }
}
