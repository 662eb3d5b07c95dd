//! One-time links: to set the first password or a new one, and to sign in once.

use frontdesk_kernel::Text;
use frontdesk_platform::sign_in::audit::{self, Author};
use frontdesk_platform::sign_in::links::{self, Purpose};
use frontdesk_platform::sign_in::logins::{self, Login, LoginId};
use frontdesk_platform::sign_in::password::is_right;
use frontdesk_platform::sign_in::{Link, NewPassword, TypedPassword, sessions, token_hash};
use frontdesk_web::{Body, Data, Failure, Result, input, resource};

use crate::AppRoute;
use crate::caller::{AppCaller, Outcome, WithCookie};
use crate::session::{self, Session};

const TOKEN_CHARS_MAX: usize = 100;

input! {
    /// The token of a link that signs in.
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
    ]
}

fn used_up() -> Failure {
    Failure::not_found(
        "This link has been used, replaced or has expired. Ask an admin of your account for a new one, or whoever \
         runs the server: `frontdesk member invite`.",
    )
}

async fn open(caller: AppCaller, Body(opened): Body<OpenedLink>) -> Result<WithCookie<Session>> {
    let attempt = caller.attempt(None).await?;
    let (hash, now) = (token_hash(opened.token.as_str()), caller.now);
    let recorder = caller.shared.server.recorder.clone();
    let login = caller
        .write(move |tx| -> Outcome<LoginId> {
            let link = links::find(tx, &hash, Purpose::SignIn, now)?.ok_or_else(used_up)?;
            if !links::spend(tx, &hash)? {
                return Err(used_up().into());
            }
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

async fn set_password(caller: AppCaller, Body(new): Body<LinkedPassword>) -> Result<Data<PasswordSet>> {
    let attempt = caller.attempt(None).await?;
    let (hash, now) = (token_hash(new.token.as_str()), caller.now);
    let (link, candidates) = caller
        .read(move |tx| {
            let link = links::find(tx, &hash, Purpose::Password, now)?.ok_or_else(used_up)?;
            let candidates = match &link.email_key {
                Some(key) => logins::by_email(tx, key)?,
                None => Vec::new(),
            };
            Ok((link, candidates))
        })
        .await?;
    let (password, random) = (new.password.clone(), (caller.shared.chance)());
    let (own, hashed) =
        caller.hashing(move || (known(candidates, &password), password.hash(&random))).await?;
    let (recorder, address) = (caller.shared.server.recorder.clone(), caller.browser.address.clone());
    let email = link.email.clone().unwrap_or_default();
    caller
        .write(move |tx| -> Outcome<()> {
            if !links::spend(tx, &hash)? {
                return Err(used_up().into());
            }
            let Link { account, user, by_operator, .. } = link;
            match logins::of_member(tx, account, user)? {
                Some(login) if by_operator || !logins::is_used_elsewhere(tx, login, account)? => {
                    logins::set_password(tx, login, &hashed, now)?;
                    sessions::end_all(tx, login)?;
                }
                // An admin of one account must not get access to the person's other accounts, so the member
                // gets a separate login, unless the password is that of their other login.
                _ => {
                    sessions::end_of_member(tx, account, user)?;
                    match own {
                        Some(login) => logins::join(tx, account, user, login, now)?,
                        None => {
                            logins::create(tx, recorder.ids(), account, user, Some(&hashed), now)?;
                        }
                    }
                }
            }
            let author = Author { account, user: Some(user), address: Some(address.clone()) };
            audit::write(tx, recorder.ids(), &author, "password.set", None, now)?;
            Ok(attempt.give_back(tx)?)
        })
        .await?;
    Ok(Data(PasswordSet { email }))
}

/// The login with the same email address and this password: who knows the password is the same person.
fn known(candidates: Vec<Login>, password: &NewPassword) -> Option<LoginId> {
    let typed: TypedPassword = password.reveal().parse().ok()?;
    let is_theirs =
        |login: &Login| login.password_hash.as_deref().is_some_and(|stored| is_right(&typed, stored));
    candidates.into_iter().find(is_theirs).map(|login| login.id)
}
