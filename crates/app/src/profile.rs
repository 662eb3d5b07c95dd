//! Members' changes of their own profile: name and password.

use std::sync::Arc;

use frontdesk_kernel::Text;
use frontdesk_platform::members;
use frontdesk_platform::notices;
use frontdesk_platform::sign_in::failures::Attempt;
use frontdesk_platform::sign_in::password::is_right;
use frontdesk_platform::sign_in::{
    ActiveSession, Login, NewPassword, TypedPassword, audit, logins, sessions,
};
use frontdesk_web::{Body, Data, Failure, Problems, Result, input};

use crate::caller::{AppCaller, AppRoute, Outcome, WithCookie};
use crate::session::{self, Session};

const NAME_CHARS_MAX: usize = 200;

input! {
    /// What to change of one's own profile.
    pub struct ProfilePatch {
        pub name: Text<NAME_CHARS_MAX>,
    }
}

input! {
    /// A new password, and the one in use.
    pub struct PasswordChange {
        /// Required if a password is set, and not allowed if none is.
        pub current_password: Option<TypedPassword>,
        pub password: NewPassword,
    }
}

pub(crate) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::patch("/profile", "updateProfile", rename).summary("Change your name"),
        AppRoute::post("/profile/password", "changePassword", change_password)
            .summary("Change your password, or set the first one"),
    ]
}

/// The login behind a session.
pub(crate) async fn login_of(caller: &AppCaller, session: &Arc<ActiveSession>) -> Result<Login> {
    let id = session.login;
    let login = caller.read(move |tx| Ok(logins::find(tx, id)?)).await?;
    login.ok_or_else(Failure::signed_out)
}

/// Rejects a wrong password. Guesses are counted like failed sign-ins: the caller gives the attempt back once nothing
/// else can be wrong.
pub(crate) async fn check_password(
    caller: &AppCaller,
    login: &Login,
    password: TypedPassword,
    field: &'static str,
) -> Result<Attempt> {
    let attempt = caller.attempt_login(login.id).await?;
    let stored = login.password_hash.clone();
    let is_theirs = caller.hashing(move || stored.is_some_and(|stored| is_right(&password, &stored))).await?;
    if !is_theirs {
        return Err(Failure::validation(Problems::one(field, "is not your password")));
    }
    Ok(attempt)
}

pub(crate) async fn show(caller: &AppCaller) -> Result<Data<Session>> {
    let token = caller.token.ok_or_else(Failure::signed_out)?;
    session::shown_by(caller, token).await.map(Data)
}

async fn rename(caller: AppCaller, Body(patch): Body<ProfilePatch>) -> Result<Data<Session>> {
    let session = caller.signed_in()?.clone();
    let now = caller.now;
    caller
        .write(move |tx| -> Outcome<()> {
            members::change(tx, session.account, session.user, (Some(patch.name.as_str()), None), now)?;
            notices::changed(tx, session.account, notices::MEMBERS, Some(session.user.uuid()));
            Ok(())
        })
        .await?;
    show(&caller).await
}

/// Checks the current password. A login that was created by a sign-in link has none yet, so none is accepted for it.
async fn prove_current(caller: &AppCaller, login: &Login, current: Option<TypedPassword>) -> Result<()> {
    const FIELD: &str = "current_password";
    let current = match (current, &login.password_hash) {
        (None, None) => return Ok(()),
        (Some(current), Some(_)) => current,
        (None, Some(_)) => return Err(Failure::validation(Problems::one(FIELD, "is required"))),
        (Some(_), None) => {
            let message = "must be left out: no password is set yet";
            return Err(Failure::validation(Problems::one(FIELD, message)));
        }
    };
    let attempt = check_password(caller, login, current, FIELD).await?;
    caller.write(move |tx| Ok(attempt.give_back(tx)?)).await
}

/// Ends every other session, and continues this one under a new token.
async fn change_password(
    caller: AppCaller,
    Body(change): Body<PasswordChange>,
) -> Result<WithCookie<Session>> {
    let session = caller.signed_in()?.clone();
    let login = login_of(&caller, &session).await?;
    prove_current(&caller, &login, change.current_password).await?;
    let (password, random) = (change.password, (caller.shared.chance)());
    let hashed = caller.hashing(move || password.hash(&random)).await?;
    let (token, hash) = caller.new_token();
    let (author, recorder, now) =
        (caller.author(&session), caller.shared.server.recorder.clone(), caller.now);
    caller
        .write(move |tx| {
            // Another request may have set a password meanwhile, which this one did not prove to know.
            let current = logins::find_to_change(tx, session.login)?.and_then(|login| login.password_hash);
            if current != login.password_hash {
                let message = "Your password was changed a moment ago. Reload the page and try again.";
                return Err(Failure::conflict(message).into());
            }
            logins::set_password(tx, session.login, &hashed, now)?;
            sessions::end_others(tx, session.login, session.id)?;
            sessions::renew(tx, session.id, &hash)?;
            Ok(audit::write(tx, recorder.ids(), &author, "password.changed", None, now)?)
        })
        .await?;
    let session = session::shown_by(&caller, hash).await?;
    Ok(caller.with_cookie(&token, session))
}
