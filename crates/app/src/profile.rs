//! Members' changes of their own profile: name, password, second factor.

use std::sync::Arc;

use frontdesk_kernel::Text;
use frontdesk_platform::members;
use frontdesk_platform::sign_in::password::is_right;
use frontdesk_platform::sign_in::totp::{self, RECOVERY_CODES, SECRET_BYTES};
use frontdesk_platform::sign_in::{
    ActiveSession, Login, NewPassword, TypedPassword, audit, logins, sessions,
};
use frontdesk_web::{Body, Data, Failure, Problems, Result, input, resource};

use crate::AppRoute;
use crate::caller::{AppCaller, Outcome, WithCookie};
use crate::session::{self, Session};

const NAME_CHARS_MAX: usize = 200;
const CODE_CHARS_MAX: usize = 50;

input! {
    /// What to change of one's own profile.
    pub struct ProfilePatch {
        pub name: Text<NAME_CHARS_MAX>,
    }
}

input! {
    /// A new password, and the one in use.
    pub struct PasswordChange {
        pub current_password: TypedPassword,
        pub password: NewPassword,
    }
}

input! {
    /// A code of the authenticator app.
    pub struct FactorConfirmation {
        pub code: Text<CODE_CHARS_MAX>,
    }
}

input! {
    /// The password, to show who asks.
    pub struct FactorRemoval {
        pub password: TypedPassword,
    }
}

resource! {
    /// A second factor that counts once a code of it is confirmed.
    pub struct PendingFactor {
        /// For typing into an authenticator app.
        pub secret: String,
        /// For a QR code.
        pub uri: String,
    }
}

resource! {
    /// Codes that stand in for the second factor, each once. They are shown this once.
    pub struct RecoveryCodes {
        pub recovery_codes: Vec<String>,
    }
}

pub(crate) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::patch("/profile", "updateProfile", rename).summary("Change your name"),
        AppRoute::post("/profile/password", "changePassword", change_password)
            .summary("Change your password"),
        AppRoute::post("/profile/second-factor", "beginSecondFactor", begin)
            .summary("Set up a second factor"),
        AppRoute::post("/profile/second-factor/confirm", "confirmSecondFactor", confirm)
            .summary("Confirm the second factor"),
        AppRoute::post("/profile/second-factor/remove", "removeSecondFactor", remove)
            .summary("Remove the second factor"),
    ]
}

/// The login behind a session.
async fn login_of(caller: &AppCaller, session: &Arc<ActiveSession>) -> Result<Login> {
    let id = session.login;
    let login = caller.read(move |tx| Ok(logins::find(tx, id)?)).await?;
    login.ok_or_else(Failure::signed_out)
}

/// Rejects a wrong password. Guesses are counted like failed sign-ins.
async fn check_password(
    caller: &AppCaller,
    session: &ActiveSession,
    login: &Login,
    password: TypedPassword,
    field: &'static str,
) -> Result<()> {
    let attempt = caller.attempt(session.email.as_deref().map(str::to_lowercase).as_deref()).await?;
    let stored = login.password_hash.clone();
    let is_theirs = caller.hashing(move || stored.is_some_and(|stored| is_right(&password, &stored))).await?;
    if !is_theirs {
        return Err(Failure::validation(Problems::one(field, "is not your password")));
    }
    caller.write(move |tx| Ok(attempt.give_back(tx)?)).await
}

async fn show(caller: &AppCaller) -> Result<Data<Session>> {
    let token = caller.token.ok_or_else(Failure::signed_out)?;
    session::shown_by(caller, token).await.map(Data)
}

async fn rename(caller: AppCaller, Body(patch): Body<ProfilePatch>) -> Result<Data<Session>> {
    let session = caller.signed_in()?.clone();
    let now = caller.now;
    caller
        .write(move |tx| -> Outcome<()> {
            members::change(tx, session.account, session.user, (Some(patch.name.as_str()), None), now)?;
            Ok(())
        })
        .await?;
    show(&caller).await
}

/// Ends every other session, and continues this one under a new token.
async fn change_password(
    caller: AppCaller,
    Body(change): Body<PasswordChange>,
) -> Result<WithCookie<Session>> {
    let session = caller.signed_in()?.clone();
    let login = login_of(&caller, &session).await?;
    // A login that was created by a sign-in link has no password yet.
    if login.password_hash.is_some() {
        check_password(&caller, &session, &login, change.current_password, "current_password").await?;
    }
    let (password, random) = (change.password, (caller.shared.chance)());
    let hashed = caller.hashing(move || password.hash(&random)).await?;
    let (token, hash) = caller.new_token();
    let (author, recorder, now) =
        (caller.author(&session), caller.shared.server.recorder.clone(), caller.now);
    caller
        .write(move |tx| {
            logins::set_password(tx, session.login, &hashed, now)?;
            sessions::end_others(tx, session.login, session.id)?;
            sessions::renew(tx, session.id, &hash)?;
            Ok(audit::write(tx, recorder.ids(), &author, "password.changed", None, now)?)
        })
        .await?;
    let session = session::shown_by(&caller, hash).await?;
    Ok(caller.with_cookie(&token, session))
}

async fn begin(caller: AppCaller) -> Result<Data<PendingFactor>> {
    let session = caller.signed_in()?.clone();
    let login = login_of(&caller, &session).await?;
    let random = (caller.shared.chance)();
    let secret = random[..SECRET_BYTES].to_vec();
    let email = session.email.clone().unwrap_or_else(|| session.name.clone());
    let shown = PendingFactor { secret: totp::base32(&secret), uri: totp::uri(&secret, &email) };
    let (keys, now) = (caller.shared.server.services.secrets.clone(), caller.now);
    caller.write(move |tx| Ok(logins::set_pending(tx, &keys, &login, &secret, now)?)).await?;
    Ok(Data(shown))
}

async fn confirm(caller: AppCaller, Body(given): Body<FactorConfirmation>) -> Result<Data<RecoveryCodes>> {
    let session = caller.signed_in()?.clone();
    let attempt = caller.attempt(session.email.as_deref().map(str::to_lowercase).as_deref()).await?;
    let login = login_of(&caller, &session).await?;
    let secrets = &caller.shared.server.services.secrets;
    let Some(step) = login.pending_step(secrets, given.code.as_str(), caller.now) else {
        let wrong = "is not the code that the app shows now; check the clock of your phone";
        return Err(Failure::validation(Problems::one("code", wrong)));
    };
    let codes: Vec<String> =
        (0..RECOVERY_CODES).map(|_| totp::recovery_code(&(caller.shared.chance)())).collect();
    let (author, recorder, now) =
        (caller.author(&session), caller.shared.server.recorder.clone(), caller.now);
    let kept = codes.clone();
    caller
        .write(move |tx| {
            logins::confirm(tx, session.login, step, &kept, now)?;
            attempt.give_back(tx)?;
            Ok(audit::write(tx, recorder.ids(), &author, "second_factor.enabled", None, now)?)
        })
        .await?;
    Ok(Data(RecoveryCodes { recovery_codes: codes }))
}

async fn remove(caller: AppCaller, Body(given): Body<FactorRemoval>) -> Result<Data<Session>> {
    let session = caller.signed_in()?.clone();
    let login = login_of(&caller, &session).await?;
    check_password(&caller, &session, &login, given.password, "password").await?;
    let (author, recorder, now) =
        (caller.author(&session), caller.shared.server.recorder.clone(), caller.now);
    caller
        .write(move |tx| {
            logins::remove_second_factor(tx, session.login, now)?;
            Ok(audit::write(tx, recorder.ids(), &author, "second_factor.removed", None, now)?)
        })
        .await?;
    show(&caller).await
}
