//! `frontdesk member`: the people of an account.

use std::str::FromStr;

use clap::{Subcommand, ValueEnum};
use frontdesk_db::ReadTx;
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::{Email, Ids};
use frontdesk_platform::accounts;
use frontdesk_platform::mails::{self, Queued};
use frontdesk_platform::members::{self, MemberError, Role};
use frontdesk_platform::sign_in::{LinkAuthor, Purpose, links};
use serde_json::json;

use super::account_arg::AccountArg;
use super::print;
use super::values::{Name, id};
use crate::clock;
use crate::error::{Error, Result};
use crate::installation::{Installation, ServerUrls};

#[derive(Subcommand)]
pub(super) enum Command {
    /// Add a member
    Add {
        #[command(flatten)]
        account: AccountArg,
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
        #[command(flatten)]
        account: AccountArg,
    },
    /// Make a one-time link by which a member sets the first password or a new one; it is mailed where mail is set up
    Invite {
        /// The member's id or email address, as `frontdesk member list` shows them
        #[arg(value_name = "MEMBER")]
        member: WhichMember,
        #[command(flatten)]
        account: AccountArg,
        /// Show the link, also where mail is set up
        #[arg(long)]
        print_link: bool,
    },
    /// Remove a member; keys made for them keep working, and write in the owner's name
    Remove {
        /// The member's id or email address, as `frontdesk member list` shows them
        #[arg(value_name = "MEMBER")]
        member: WhichMember,
        #[command(flatten)]
        account: AccountArg,
    },
}

/// A member, as a person names them.
#[derive(Clone, Debug)]
pub(super) enum WhichMember {
    Id(UserId),
    Email(Email),
}

impl FromStr for WhichMember {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if text.contains('@') {
            return text.parse().map(Self::Email).map_err(|wrong| wrong.to_string());
        }
        let neither =
            |_| "must be the member's email address or id; `frontdesk member list` shows them".to_owned();
        id(text).map(Self::Id).map_err(neither)
    }
}

impl WhichMember {
    /// The member's account and id. An email address that is used in several accounts needs the account.
    fn find(&self, tx: &mut ReadTx<'_>, account: Option<AccountId>) -> Result<(AccountId, UserId)> {
        let email = match self {
            Self::Id(id) => {
                let found =
                    members::account_of(tx, *id)?.filter(|found| account.is_none_or(|one| one == *found));
                return Ok((found.ok_or(MemberError::NoMember(*id))?, *id));
            }
            Self::Email(email) => email,
        };
        let mut found = members::with_email(tx, &email.key())?;
        found.retain(|member| account.is_none_or(|account| member.account == account));
        match found.as_slice() {
            [one] => Ok((one.account, one.user)),
            [] => Err(Error::Invalid(format!(
                "nobody has the email address {email}. Add the member first: frontdesk member add --name NAME --email {email}"
            ))),
            several => {
                let listed: Vec<String> = several
                    .iter()
                    .map(|member| {
                        format!(
                            "    --account {}    {}",
                            member.account,
                            print::printable(&member.account_name)
                        )
                    })
                    .collect();
                Err(Error::Invalid(format!(
                    "{email} is a member of {} accounts. Say which one you mean, and add one of these:\n\n{}",
                    several.len(),
                    listed.join("\n")
                )))
            }
        }
    }
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
            Self::Add { account, name, email, role } => {
                add(installation, account.choose(installation)?, name, email, role.into())
            }
            Self::List { account } => list(installation, account.choose(installation)?),
            Self::Invite { member, account, print_link } => {
                invite(installation, member, account.given(), print_link)
            }
            Self::Remove { member, account } => remove(installation, member, account.given()),
        }
    }
}

fn add(installation: &Installation, account: AccountId, name: Name, email: Email, role: Role) -> Result<()> {
    let (ids, now) = (Ids::new(), clock::now());
    let member =
        installation.change(move |tx| members::add(tx, &ids, account, name.as_str(), &email, role, now))?;
    print::output(installation.json, &json!({ "user_id": member }), || {
        let fields = print::fields(&[("member", member.to_string())]);
        format!(
            "{fields}\n\nMake the link by which they set a password and sign in:\n\n    frontdesk member invite {member}"
        )
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

fn invite(
    installation: &Installation,
    member: WhichMember,
    account: Option<AccountId>,
    print_link: bool,
) -> Result<()> {
    let (ids, random, now) = (Ids::new(), rand::random(), clock::now());
    let (id, link) = installation.put(move |tx| {
        let (account, id) = member.find(tx, account)?;
        let email = members::list(tx, account)?.into_iter().find(|member| member.id == id);
        if let Some(email) = email.and_then(|member| member.email)
            && !print_link
            && mails::is_set_up(tx)?
        {
            let queued = mails::queue_link(tx, &ids, (account, id), None, now)?;
            return Ok::<_, Error>((id, Err((email, queued))));
        }
        let link = links::create(tx, &random, (account, id), Purpose::Password, LinkAuthor::Operator, now)?;
        let urls = ServerUrls::recall(tx)?;
        Ok::<_, Error>((id, Ok((link.url(&urls.base_url), link.expires_at))))
    })?;
    let (url, expires_at) = match link {
        Ok(link) => link,
        Err((email, queued)) => return mailed(installation, id, &email, queued),
    };
    let response = json!({ "user_id": id, "url": url, "expires_at": expires_at });
    print::output(installation.json, &response, || {
        let fields = print::fields(&[("link", url.clone()), ("expires", expires_at.to_string())]);
        format!(
            "{fields}\n\nThe link works once. Give it to the member alone: whoever opens it sets their password."
        )
    })
}

/// Says that a link is on its way.
fn mailed(installation: &Installation, id: UserId, email: &str, queued: Queued) -> Result<()> {
    super::login::was_queued(queued)?;
    let response = json!({ "user_id": id, "mailed": true, "email": email });
    print::output(installation.json, &response, || {
        let fields = print::fields(&[("mailed to", print::printable(email))]);
        format!(
            "{fields}\n\nThe link in the mail works once, for 72 hours. To show a link instead, add --print-link."
        )
    })
}

fn remove(installation: &Installation, member: WhichMember, account: Option<AccountId>) -> Result<()> {
    let now = clock::now();
    let id = installation.change(move |tx| {
        // Removing a member again by the id is fine.
        let id = match &member {
            WhichMember::Id(id) if account.is_none() => *id,
            member => member.find(tx, account)?.1,
        };
        members::remove(tx, id, now)?;
        Ok::<_, Error>(id)
    })?;
    print::output(installation.json, &json!({ "user_id": id, "status": "removed" }), || {
        print::fields(&[("removed", id.to_string())])
    })
}
