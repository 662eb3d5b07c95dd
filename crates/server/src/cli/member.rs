//! `frontdesk member`: the people of an account.

use clap::{Subcommand, ValueEnum};
use frontdesk_kernel::ids::{Account, AccountId, User, UserId};
use frontdesk_kernel::{Email, Ids};
use frontdesk_platform::accounts;
use frontdesk_platform::members::{self, MemberError, Role};
use frontdesk_platform::sign_in::{Purpose, links};
use serde_json::json;

use super::print;
use super::values::{Name, id};
use crate::clock;
use crate::error::Result;
use crate::installation::{Installation, ServerUrls};

#[derive(Subcommand)]
pub(super) enum Command {
    /// Add a member
    Add {
        /// The account's id, as `frontdesk account list` shows it
        #[arg(long, value_name = "ID", value_parser = id::<Account>)]
        account: AccountId,
        /// The member's name
        #[arg(long)]
        name: Name,
        /// The member's email address
        #[arg(long)]
        email: Email,
        /// The member's role in the account
        #[arg(long, value_enum, default_value_t = Joining::Agent)]
        role: Joining,
    },
    /// List the members of an account, including those who have left
    List {
        /// The account's id, as `frontdesk account list` shows it
        #[arg(long, value_name = "ID", value_parser = id::<Account>)]
        account: AccountId,
    },
    /// Make a one-time link by which a member sets the first password or a new one
    Invite {
        /// The member's id, as `frontdesk member list` shows it
        #[arg(value_name = "USER_ID", value_parser = id::<User>)]
        id: UserId,
    },
    /// Remove a member; keys made for them keep working, and write in the owner's name
    Remove {
        /// The member's id, as `frontdesk member list` shows it
        #[arg(value_name = "USER_ID", value_parser = id::<User>)]
        id: UserId,
    },
}

/// The role of a new member. An account has one owner, who is created with it.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Joining {
    Admin,
    Agent,
}

impl From<Joining> for Role {
    fn from(joining: Joining) -> Self {
        match joining {
            Joining::Admin => Self::Admin,
            Joining::Agent => Self::Agent,
        }
    }
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        match self {
            Self::Add { account, name, email, role } => add(installation, account, name, email, role.into()),
            Self::List { account } => list(installation, account),
            Self::Invite { id } => invite(installation, id),
            Self::Remove { id } => remove(installation, id),
        }
    }
}

fn add(installation: &Installation, account: AccountId, name: Name, email: Email, role: Role) -> Result<()> {
    let (ids, now) = (Ids::new(), clock::now());
    let member =
        installation.change(move |tx| members::add(tx, &ids, account, name.as_str(), &email, role, now))?;
    print::output(installation.json, &json!({ "user_id": member }), || {
        print::fields(&[("member", member.to_string())])
    })
}

fn list(installation: &Installation, account: AccountId) -> Result<()> {
    let members = installation.look(move |tx| {
        accounts::find(tx, account)?.ok_or(MemberError::NoAccount(account))?;
        members::list(tx, account).map_err(MemberError::from)
    })?;
    print::output(installation.json, &members, || {
        let rows = members.iter().map(|member| {
            let (role, status) = (member.role.as_str().to_owned(), member.status.as_str().to_owned());
            vec![
                member.id.to_string(),
                member.name.clone(),
                print::or_dash(member.email.as_ref()),
                role,
                status,
            ]
        });
        print::table(&["id", "name", "email", "role", "status"], rows.collect(), "There are no members.")
    })
}

fn invite(installation: &Installation, id: UserId) -> Result<()> {
    let (random, now) = (rand::random(), clock::now());
    let (url, expires_at) = installation.put(move |tx| {
        let account = members::account_of(tx, id)?.ok_or(MemberError::NoMember(id))?;
        let link = links::create(tx, &random, (account, id), Purpose::Password, true, now)?;
        let urls = ServerUrls::recall(tx)?;
        Ok::<_, MemberError>((link.url(&urls.base_url), link.expires_at))
    })?;
    let response = json!({ "user_id": id, "url": url, "expires_at": expires_at });
    print::output(installation.json, &response, || {
        let fields = print::fields(&[("link", url.clone()), ("expires", expires_at.to_string())]);
        format!(
            "{fields}\n\nThe link works once. Give it to the member alone: whoever opens it sets their password."
        )
    })
}

fn remove(installation: &Installation, id: UserId) -> Result<()> {
    let now = clock::now();
    installation.change(move |tx| members::remove(tx, id, now))?;
    print::output(installation.json, &json!({ "user_id": id, "status": "removed" }), || {
        print::fields(&[("removed", id.to_string())])
    })
}
