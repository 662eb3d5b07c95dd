//! A member's own second factor.
//!
//! Setting one up, replacing it and removing it need the password and, where there is one already, a code of it, so a
//! session alone changes nothing. Wrong passwords and codes are counted like failed sign-ins. A person who has lost
//! both asks the operator: `frontdesk login reset`.

use frontdesk_kernel::Text;
use frontdesk_platform::notices;
use frontdesk_platform::sign_in::failures::Attempt;
use frontdesk_platform::sign_in::logins::Proof;
use frontdesk_platform::sign_in::totp::{self, RECOVERY_CODES, SECRET_BYTES};
use frontdesk_platform::sign_in::{ActiveSession, Login, TypedPassword, audit, logins};
use frontdesk_web::{Body, Data, Failure, Problems, Result, input, resource};

use crate::caller::{AppCaller, AppRoute, Outcome};
use crate::profile::{check_password, login_of, show};
use crate::session::{CODE_CHARS_MAX, Session};

input! {
    /// Who sets up a second factor.
    pub struct FactorBeginning {
        pub password: TypedPassword,
        /// A code of the current second factor, or a recovery code. Required if there is a second factor.
        pub code: Option<Text<CODE_CHARS_MAX>>,
    }
}

input! {
    /// A code of the authenticator app.
    pub struct FactorConfirmation {
        pub code: Text<CODE_CHARS_MAX>,
    }
}

input! {
    /// Who removes the second factor.
    pub struct FactorRemoval {
        pub password: TypedPassword,
        /// A code of the second factor, or a recovery code.
        pub code: Text<CODE_CHARS_MAX>,
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
        AppRoute::post("/profile/second-factor", "beginSecondFactor", begin)
            .summary("Set up a second factor"),
        AppRoute::post("/profile/second-factor/confirm", "confirmSecondFactor", confirm)
            .summary("Confirm the second factor"),
        AppRoute::post("/profile/second-factor/remove", "removeSecondFactor", remove)
            .summary("Remove the second factor"),
    ]
}

/// A person who has shown that they know the password. The code is checked when it is used up.
struct Proven {
    login: Login,
    code: Option<(Proof, String)>,
    attempt: Attempt,
}

fn wrong_code() -> Failure {
    let wrong = "is not the code that the app shows now, or was used already; check the clock of your phone";
    Failure::validation(Problems::one("code", wrong))
}

/// Checks the password, and that a code is given where there is a second factor.
async fn prove(
    caller: &AppCaller,
    login: Login,
    password: TypedPassword,
    code: Option<Text<CODE_CHARS_MAX>>,
) -> Result<Proven> {
    if login.password_hash.is_none() {
        let message = "Your login has no password yet. Set one under Settings, Profile, and try again.";
        return Err(Failure::unprocessable("password_missing", message));
    }
    let code = code.map(Text::into_string).filter(|_| login.has_second_factor());
    if login.has_second_factor() && code.is_none() {
        let missing = "is required: enter the code that your authenticator app shows, or a recovery code";
        return Err(Failure::validation(Problems::one("code", missing)));
    }
    let attempt = check_password(caller, &login, password, "password").await?;
    let secrets = &caller.shared.server.services.secrets;
    let code = code.map(|code| (login.proof(secrets, &code, caller.now), code));
    Ok(Proven { login, code, attempt })
}

impl Proven {
    /// Uses up the code. The attempt stays counted if it is wrong.
    fn spend(&self, tx: &mut frontdesk_db::Tx<'_>) -> Outcome<()> {
        if let Some((proof, code)) = &self.code
            && !logins::spend(tx, self.login.id, proof, code)?
        {
            return Err(wrong_code().into());
        }
        Ok(self.attempt.give_back(tx)?)
    }
}

async fn begin(caller: AppCaller, Body(given): Body<FactorBeginning>) -> Result<Data<PendingFactor>> {
    let session = caller.signed_in()?.clone();
    let login = login_of(&caller, &session).await?;
    let proven = prove(&caller, login, given.password, given.code).await?;
    let random = (caller.shared.chance)();
    let secret = random[..SECRET_BYTES].to_vec();
    let email = session.email.clone().unwrap_or_else(|| session.name.clone());
    let shown = PendingFactor { secret: totp::base32(&secret), uri: totp::uri(&secret, &email) };
    let (keys, now) = (caller.shared.server.services.secrets.clone(), caller.now);
    caller
        .write(move |tx| {
            proven.spend(tx)?;
            Ok(logins::set_pending(tx, &keys, &proven.login, &secret, now)?)
        })
        .await?;
    Ok(Data(shown))
}

async fn confirm(caller: AppCaller, Body(given): Body<FactorConfirmation>) -> Result<Data<RecoveryCodes>> {
    let session = caller.signed_in()?.clone();
    let attempt = caller.attempt_login(session.login).await?;
    let login = login_of(&caller, &session).await?;
    let secrets = &caller.shared.server.services.secrets;
    let step = login.pending_step(secrets, given.code.as_str(), caller.now).ok_or_else(wrong_code)?;
    let codes: Vec<String> =
        (0..RECOVERY_CODES).map(|_| totp::recovery_code(&(caller.shared.chance)())).collect();
    let kept = codes.clone();
    changed(&caller, &session, "second_factor.enabled", move |tx, now| {
        logins::confirm(tx, login.id, step, &kept, now)?;
        Ok(attempt.give_back(tx)?)
    })
    .await?;
    Ok(Data(RecoveryCodes { recovery_codes: codes }))
}

async fn remove(caller: AppCaller, Body(given): Body<FactorRemoval>) -> Result<Data<Session>> {
    let session = caller.signed_in()?.clone();
    let login = login_of(&caller, &session).await?;
    if !login.has_second_factor() {
        return Err(Failure::conflict("You have no second factor, so there is none to remove."));
    }
    let proven = prove(&caller, login, given.password, Some(given.code)).await?;
    changed(&caller, &session, "second_factor.removed", move |tx, now| {
        proven.spend(tx)?;
        Ok(logins::remove_second_factor(tx, proven.login.id, now)?)
    })
    .await?;
    show(&caller).await
}

/// Makes a change, with its entry in the audit log.
async fn changed(
    caller: &AppCaller,
    session: &ActiveSession,
    action: &'static str,
    change: impl Fn(&mut frontdesk_db::Tx<'_>, frontdesk_kernel::Timestamp) -> Outcome<()> + Send + 'static,
) -> Result<()> {
    let (author, recorder, now) = (caller.author(session), caller.shared.server.recorder.clone(), caller.now);
    caller
        .write(move |tx| {
            change(tx, now)?;
            notices::changed(tx, author.account, notices::MEMBERS, author.user.map(|user| user.uuid()));
            Ok(audit::write(tx, recorder.ids(), &author, action, None, now)?)
        })
        .await
}
