//! One-time links: to set the first password or a new one, to join an account, and to sign in once.
//!
//! A link never checks a password. If the email address of an invitation has a login already, the person signs in to
//! it like at any other time and then joins. A password that is sent anyway is refused without a look at it, and
//! counts as a failed sign-in of that login.

use frontdesk_kernel::Text;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::members;
use frontdesk_platform::notices;
use frontdesk_platform::sign_in::audit::{self, Author};
use frontdesk_platform::sign_in::links::{self, Purpose};
use frontdesk_platform::sign_in::logins::{self, LoginId};
use frontdesk_platform::sign_in::{Link, NewPassword, reset, sessions, token_hash};
use frontdesk_web::{Body, Data, Failure, Result, input, resource};

use crate::caller::{AppCaller, AppRoute, Outcome, WithCookie};
use crate::profile::show;
use crate::session::{self, Session};

const TOKEN_CHARS_MAX: usize = 100;

input! {
    /// The token of a link.
    pub struct OpenedLink {
        pub token: Text<TOKEN_CHARS_MAX>,
    }
}

input! {
    /// A password that is set by a link.
    pub struct LinkedPassword {
        pub token: Text<TOKEN_CHARS_MAX>,
        pub password: NewPassword,
    }
}

resource! {
    /// What a link is for.
    pub struct LinkInfo {
        /// The invited address; empty for a member without one.
        pub email: String,
        pub account_id: AccountId,
        pub account_name: String,
        /// The name of the member who made the link; null if whoever runs the server made it.
        pub invited_by: Option<String>,
        /// Whether the link sets a password.
        pub sets_password: bool,
        /// Whether the address has a login already, with which the person signs in to join the account.
        pub has_login: bool,
    }
}

resource! {
    /// Whose password was set.
    pub struct PasswordSet {
        /// What to sign in with; empty for a member without an email address.
        pub email: String,
    }
}

pub(crate) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::post("/session/link", "signInByLink", open).summary("Sign in by a one-time link"),
        AppRoute::post("/password", "setPassword", set_password).summary("Set a password by a one-time link"),
        AppRoute::post("/invitation", "joinAccount", join).summary("Join an account by a one-time link"),
        AppRoute::post("/invitation/check", "checkInvitation", check).summary("What a one-time link is for"),
    ]
}

fn used_up() -> Failure {
    Failure::not_found(
        "This link has been used, replaced or has expired. Ask an admin of your account for a new one, or whoever \
         runs the server: `frontdesk member invite`.",
    )
}

/// The person must sign in instead of setting a password.
fn login_exists() -> Failure {
    Failure::conflict(
        "This email address has a login already. Sign in with its password, and join with the link then. If you do \
         not know the password, ask whoever runs the server: `frontdesk login reset`.",
    )
    .because("login_exists")
}

async fn open(caller: AppCaller, Body(opened): Body<OpenedLink>) -> Result<WithCookie<Session>> {
    let attempt = caller.attempt_link().await?;
    let (hash, now) = (token_hash(opened.token.as_str()), caller.now);
    let recorder = caller.shared.server.recorder.clone();
    let login = caller
        .write(move |tx| -> Outcome<LoginId> {
            let link = links::find(tx, &hash, Purpose::SignIn, now)?.ok_or_else(used_up)?;
            if !links::spend(tx, &hash)? {
                return Err(used_up().into());
            }
            notices::changed(tx, link.account, notices::MEMBERS, Some(link.user.uuid()));
            match logins::of_member(tx, link.account, link.user)? {
                None => Ok(logins::create(tx, recorder.ids(), link.account, link.user, None, now)?),
                // A link does not replace the second factor.
                Some(login) if logins::find(tx, login)?.is_some_and(|login| login.has_second_factor()) => {
                    Err(Failure::sign_in_failed().into())
                }
                Some(login) => Ok(login),
            }
        })
        .await?;
    session::begin(&caller, login, None, attempt).await
}

async fn check(caller: AppCaller, Body(opened): Body<OpenedLink>) -> Result<Data<LinkInfo>> {
    let attempt = caller.attempt_link().await?;
    let (hash, now) = (token_hash(opened.token.as_str()), caller.now);
    caller
        .write(move |tx| {
            let link = links::find(tx, &hash, Purpose::Password, now)?.ok_or_else(used_up)?;
            let rights = links::rights(tx, &link)?;
            attempt.give_back(tx)?;
            Ok(LinkInfo {
                email: link.email.unwrap_or_default(),
                account_id: link.account,
                account_name: link.account_name,
                invited_by: link.created_by_name,
                sets_password: rights.sets_password,
                has_login: rights.has_login(),
            })
        })
        .await
        .map(Data)
}

async fn set_password(caller: AppCaller, Body(new): Body<LinkedPassword>) -> Result<Data<PasswordSet>> {
    caller.may_use_password()?;
    let (hash, now) = (token_hash(new.token.as_str()), caller.now);
    // Refused before the password is hashed.
    let (attempt, refusal) = caller
        .attempt(move |tx, attempt| {
            let Some(link) = links::find(tx, &hash, Purpose::Password, now)? else {
                return Ok(Ok(Some(used_up())));
            };
            let rights = links::rights(tx, &link)?;
            if rights.sets_password {
                return Ok(Ok(None));
            }
            Ok(attempt.take_logins(tx, &rights.logins())?.map(|_| Some(login_exists())))
        })
        .await?;
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    let (password, random) = (new.password, (caller.shared.chance)());
    let hashed = caller.hashing(move || password.hash(&random)).await?;
    let (recorder, address) = (caller.shared.server.recorder.clone(), caller.browser.address.clone());
    let email = caller
        .write(move |tx| -> Outcome<String> {
            let link = links::find(tx, &hash, Purpose::Password, now)?.ok_or_else(used_up)?;
            if let Some(key) = &link.email_key {
                reset::lock_email(tx, key)?;
            }
            // Another link may have created a login meanwhile.
            let rights = links::rights(tx, &link)?;
            if !rights.sets_password {
                return Err(login_exists().into());
            }
            if !links::spend(tx, &hash)? {
                return Err(used_up().into());
            }
            let Link { account, user, email, .. } = link;
            match rights.own {
                Some(login) => {
                    logins::set_password(tx, login, &hashed, now)?;
                    sessions::end_all(tx, login)?;
                }
                None => {
                    logins::create(tx, recorder.ids(), account, user, Some(&hashed), now)?;
                }
            }
            notices::changed(tx, account, notices::MEMBERS, Some(user.uuid()));
            let author = Author { account, user: Some(user), address: Some(address.clone()) };
            audit::write(tx, recorder.ids(), &author, "password.set", None, now)?;
            attempt.give_back(tx)?;
            Ok(email.unwrap_or_default())
        })
        .await?;
    Ok(Data(PasswordSet { email }))
}

/// The member of the invitation uses the login of this session from now on.
async fn join(caller: AppCaller, Body(opened): Body<OpenedLink>) -> Result<Data<Session>> {
    let login = caller.signed_in()?.login;
    let attempt = caller.attempt_link().await?;
    let (hash, now) = (token_hash(opened.token.as_str()), caller.now);
    let (recorder, address) = (caller.shared.server.recorder.clone(), caller.browser.address.clone());
    caller
        .write(move |tx| -> Outcome<()> {
            let link = links::find(tx, &hash, Purpose::Password, now)?.ok_or_else(used_up)?;
            let is_theirs =
                link.email_key.as_deref().map_or(Ok(false), |key| logins::has_email(tx, login, key))?;
            if !is_theirs {
                let message = "This invitation is for another email address than yours. Sign out, and sign in with \
                               the address that was invited.";
                return Err(Failure::forbidden("email", message).into());
            }
            if !links::spend(tx, &hash)? {
                return Err(used_up().into());
            }
            let Link { account, user, .. } = link;
            if logins::of_member(tx, account, user)? != Some(login) {
                members::end_sessions(tx, account, user)?;
                logins::join(tx, account, user, login, now)?;
            }
            notices::changed(tx, account, notices::MEMBERS, Some(user.uuid()));
            let author = Author { account, user: Some(user), address: Some(address.clone()) };
            audit::write(tx, recorder.ids(), &author, "member.joined", None, now)?;
            Ok(attempt.give_back(tx)?)
        })
        .await?;
    show(&caller).await
}
