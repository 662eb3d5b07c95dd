//! Members, their roles and their invitations.

use frontdesk_db::{self as db, ReadTx, Row, Tx};
use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::{Email, Ids, Text, Timestamp};
use frontdesk_platform::mails::{self, Queued};
use frontdesk_platform::members::{self, Role};
use frontdesk_platform::sign_in::ActiveSession;
use frontdesk_platform::sign_in::links::{self, LinkAuthor, Purpose};
use frontdesk_web::{Body, Data, Deleted, Failure, Given, List, Path, Result, choice, input, resource};

use super::no_member;
use crate::caller::{AppCaller, AppError, AppRoute, Outcome};

const NAME_CHARS_MAX: usize = 200;

macro_rules! select {
    () => {
        "SELECT m.id, m.name, m.email, m.role, m.removed_at, m.login_id IS NOT NULL, l.totp_secret IS NOT NULL,
            (SELECT max(s.last_used_at) FROM sessions s WHERE s.account_id = m.account_id AND s.user_id = m.id)
        FROM members m LEFT JOIN logins l ON l.id = m.login_id WHERE m.account_id = $1"
    };
}

frontdesk_db::statements! {
    LIST = concat!(select!(), " ORDER BY m.id DESC");
    FIND = concat!(select!(), " AND m.id = $2");
}

choice! {
    /// Whether a member can sign in.
    pub enum TeamMemberStatus {
        Active => "active",
        /// Has not set a password yet.
        Invited => "invited",
        Removed => "removed",
    }
}

choice! {
    /// What a member may join as. An account has one owner, who is made with it.
    pub enum JoiningRole {
        Admin => "admin",
        Agent => "agent",
    }
}

impl From<JoiningRole> for Role {
    fn from(role: JoiningRole) -> Self {
        match role {
            JoiningRole::Admin => Self::Admin,
            JoiningRole::Agent => Self::Agent,
        }
    }
}

resource! {
    /// A member, as those see them who manage the account.
    pub struct TeamMember {
        pub id: UserId,
        pub name: String,
        pub email: Option<String>,
        pub role: Role,
        pub status: TeamMemberStatus,
        /// Whether a second factor is asked for.
        pub second_factor: bool,
        pub last_seen_at: Option<Timestamp>,
    }
}

resource! {
    /// A one-time link for the first password or a new one. It is mailed, or shown once.
    pub struct Invitation {
        /// Null if it is mailed: then nobody but the member sees it.
        pub url: Option<String>,
        /// Null if it is mailed: it expires 72 hours after that.
        pub expires_at: Option<Timestamp>,
        /// Whether the server sends it by mail.
        pub mailed: bool,
    }
}

resource! {
    /// A member who was added, and how they get in.
    pub struct InvitedMember {
        pub member: TeamMember,
        pub invitation: Invitation,
    }
}

input! {
    /// A member to be added.
    pub struct NewTeamMember {
        pub name: Text<NAME_CHARS_MAX>,
        pub email: Email,
        pub role: JoiningRole,
    }
}

input! {
    /// What to change of a member.
    pub struct TeamMemberPatch {
        pub name: Given<Text<NAME_CHARS_MAX>>,
        pub role: Given<JoiningRole>,
    }
}

pub(super) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::get("/admin/members", "listTeam", list).summary("List members"),
        AppRoute::post("/admin/members", "addTeamMember", add).created().summary("Add a member"),
        AppRoute::patch("/admin/members/{id}", "updateTeamMember", patch)
            .summary("Change a member's name or role"),
        AppRoute::delete("/admin/members/{id}", "removeTeamMember", remove).summary("Remove a member"),
        AppRoute::post("/admin/members/{id}/invitation", "inviteTeamMember", invite)
            .created()
            .summary("Make a link for a member's password"),
    ]
}

fn find(tx: &mut ReadTx<'_>, account: AccountId, id: UserId) -> std::result::Result<TeamMember, AppError> {
    Ok(tx.find(FIND, &[&account, &id], read)?.ok_or_else(no_member)?)
}

fn read(row: &mut Row<'_>) -> db::Result<TeamMember> {
    let (id, name, email, role) = (row.next()?, row.next()?, row.next()?, row.next()?);
    let removed: Option<Timestamp> = row.next()?;
    let has_login: bool = row.next()?;
    let status = match (removed, has_login) {
        (Some(_), _) => TeamMemberStatus::Removed,
        (None, true) => TeamMemberStatus::Active,
        (None, false) => TeamMemberStatus::Invited,
    };
    Ok(TeamMember { id, name, email, role, status, second_factor: row.next()?, last_seen_at: row.next()? })
}

/// Mails a link to a member, or makes one that is shown if the server sends no mails.
fn link(
    tx: &mut Tx<'_>,
    ids: &Ids,
    (random, base_url): (&[u8; 32], &str),
    session: &ActiveSession,
    user: UserId,
    now: Timestamp,
) -> Outcome<Invitation> {
    let to = (session.account, user);
    let is_reachable =
        members::is_active(tx, session.account, user)? && find(tx, session.account, user)?.email.is_some();
    if !(is_reachable && mails::is_set_up(tx)?) {
        let link = links::create(tx, random, to, Purpose::Password, LinkAuthor::Member(session.user), now)?;
        let (url, expires_at) = (Some(link.url(base_url)), Some(link.expires_at));
        return Ok(Invitation { url, expires_at, mailed: false });
    }
    match mails::queue_link(tx, ids, to, Some(session.user), now)? {
        Queued::Yes => Ok(Invitation { url: None, expires_at: None, mailed: true }),
        Queued::Lately => {
            let message = "The link was mailed to them a few minutes ago. Wait until it has arrived, and try again later.";
            Err(Failure::conflict(message).because("mailed_lately").into())
        }
        Queued::TooMany => {
            let message = "Too many links were mailed in the last 24 hours. Ask whoever runs the server for one: \
                           `frontdesk member invite --print-link`.";
            Err(Failure::unprocessable("too_many_mails", message).into())
        }
    }
}

async fn list(caller: AppCaller) -> Result<List<TeamMember>> {
    let account = caller.manager()?.account;
    let rows = caller.read(move |tx| Ok(tx.query(LIST, &[&account], read)?)).await?;
    Ok(List::all(rows))
}

async fn add(caller: AppCaller, Body(new): Body<NewTeamMember>) -> Result<Data<InvitedMember>> {
    let (recorder, now) = (caller.shared.server.recorder.clone(), caller.now);
    let (random, base_url) = ((caller.shared.chance)(), caller.shared.server.services.base_url.clone());
    caller
        .administer("member.added", move |tx, session| {
            let (name, role) = (new.name.as_str(), new.role.into());
            let id = members::add(tx, recorder.ids(), session.account, name, &new.email, role, now)?;
            let invitation = link(tx, recorder.ids(), (&random, &base_url), session, id, now)?;
            let member = find(tx, session.account, id)?;
            Ok((InvitedMember { member, invitation }, Some(id.to_string())))
        })
        .await
        .map(Data)
}

async fn patch(
    caller: AppCaller,
    Path(id): Path<UserId>,
    Body(patch): Body<TeamMemberPatch>,
) -> Result<Data<TeamMember>> {
    let now = caller.now;
    caller
        .administer("member.changed", move |tx, session| {
            let name = patch.name.as_ref().into_option().map(Text::as_str);
            let role = patch.role.as_ref().into_option().copied().map(Role::from);
            members::change(tx, session.account, id, (name, role), now)?;
            Ok((find(tx, session.account, id)?, Some(id.to_string())))
        })
        .await
        .map(Data)
}

async fn remove(caller: AppCaller, Path(id): Path<UserId>) -> Result<Data<Deleted>> {
    let now = caller.now;
    caller
        .administer("member.removed", move |tx, session| {
            if !members::is_active(tx, session.account, id)? {
                return Err(no_member().into());
            }
            members::remove(tx, id, now)?;
            Ok((Deleted::new(id), Some(id.to_string())))
        })
        .await
        .map(Data)
}

async fn invite(caller: AppCaller, Path(id): Path<UserId>) -> Result<Data<Invitation>> {
    let (recorder, now) = (caller.shared.server.recorder.clone(), caller.now);
    let (random, base_url) = ((caller.shared.chance)(), caller.shared.server.services.base_url.clone());
    caller
        .administer("member.invited", move |tx, session| {
            let invited = find(tx, session.account, id)?;
            // Setting the owner's password would take over the account.
            if invited.role == Role::Owner && session.role != Role::Owner {
                let message = "Only the owner makes a link for the owner's password. Ask whoever runs the server for one.";
                return Err(Failure::forbidden("role", message).into());
            }
            let invitation = link(tx, recorder.ids(), (&random, &base_url), session, id, now)?;
            Ok((invitation, Some(id.to_string())))
        })
        .await
        .map(Data)
}
