//! Signs members in and out, and shows who is signed in.

use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::key::KeyHash;
use frontdesk_kernel::{Country, Email, Text};
use frontdesk_platform::mails;
use frontdesk_platform::members::Role;
use frontdesk_platform::sign_in::audit::{self, Author};
use frontdesk_platform::sign_in::failures::Attempt;
use frontdesk_platform::sign_in::logins::{self, Login, LoginId, Membership, Proof};
use frontdesk_platform::sign_in::password::{is_right, pretend};
use frontdesk_platform::sign_in::sessions::{self, SessionId, SessionInfo};
use frontdesk_platform::sign_in::{ActiveSession, TypedPassword};
use frontdesk_web::{Body, Data, Deleted, Failure, List, Path, Result, input, resource};

use crate::caller::{AppCaller, AppRoute, Outcome, WithCookie};
use crate::openid::Provider;

pub(crate) const CODE_CHARS_MAX: usize = 50;

input! {
    /// Who signs in.
    pub struct NewSession {
        pub email: Email,
        pub password: TypedPassword,
        /// The code of the second factor, or a recovery code.
        pub code: Option<Text<CODE_CHARS_MAX>>,
    }
}

input! {
    /// Another account of the same person.
    pub struct AccountSwitch {
        pub account_id: AccountId,
    }
}

resource! {
    /// What the sign-in page may offer besides email and password.
    pub struct SignInOptions {
        /// Whether a lost password is replaced by mail.
        pub password_mails: bool,
        /// The name of the OpenID provider; null if none is set up.
        pub provider: Option<String>,
        /// Whether the provider is the only way in.
        pub provider_only: bool,
    }
}

resource! {
    /// Who is signed in, to which account, and what the role allows.
    pub struct Session {
        pub user: SessionUser,
        pub account: SessionAccount,
        pub role: Role,
        /// What the role allows, as GET /me reports it for a key.
        pub scopes: Vec<String>,
        /// Every account that the person is an active member of, this one included.
        pub accounts: Vec<OtherAccount>,
    }
}

resource! {
    /// The member who is signed in.
    pub struct SessionUser {
        pub id: UserId,
        pub name: String,
        /// Empty for a member without an email address.
        pub email: String,
        /// Whether a second factor is asked for.
        pub second_factor: bool,
        /// Whether a password is set. A person who came by a sign-in link has none yet.
        pub has_password: bool,
    }
}

resource! {
    /// The account in use.
    pub struct SessionAccount {
        pub id: AccountId,
        pub name: String,
        pub timezone: String,
        /// The country whose national phone numbers are read; null if numbers need their country code.
        pub country: Option<Country>,
    }
}

resource! {
    /// An account that the person may switch to.
    pub struct OtherAccount {
        pub id: AccountId,
        pub name: String,
        pub role: Role,
    }
}

pub(crate) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::get("/sign-in", "getSignInOptions", options).summary("What the sign-in page may offer"),
        AppRoute::get("/session", "getSession", get).summary("Who is signed in"),
        AppRoute::post("/session", "signIn", sign_in).summary("Sign in"),
        AppRoute::delete("/session", "signOut", sign_out).summary("Sign out"),
        AppRoute::post("/session/account", "switchAccount", switch).summary("Switch to another account"),
        AppRoute::get("/sessions", "listSessions", list).summary("List where you are signed in"),
        AppRoute::delete("/sessions/{id}", "endSession", end).summary("Sign out elsewhere"),
    ]
}

/// The session as it is shown.
pub(crate) fn show(session: &ActiveSession, memberships: &[Membership]) -> Session {
    Session {
        user: SessionUser {
            id: session.user,
            name: session.name.clone(),
            email: session.email.clone().unwrap_or_default(),
            second_factor: session.has_second_factor,
            has_password: session.has_password,
        },
        account: SessionAccount {
            id: session.account,
            name: session.account_name.clone(),
            timezone: session.timezone.clone(),
            country: session.country,
        },
        role: session.role,
        scopes: session.role.scopes().effective().iter().map(|scope| scope.name().to_owned()).collect(),
        accounts: memberships
            .iter()
            .map(|one| OtherAccount { id: one.account, name: one.account_name.clone(), role: one.role })
            .collect(),
    }
}

/// The session of a new token, as it is shown.
pub(crate) async fn shown_by(caller: &AppCaller, hash: KeyHash) -> Result<Session> {
    let now = caller.now;
    let found = caller
        .read(move |tx| {
            let Some(session) = sessions::find(tx, &hash, now)? else { return Ok(None) };
            let memberships = logins::memberships(tx, session.login)?;
            Ok(Some(show(&session, &memberships)))
        })
        .await?;
    found.ok_or_else(Failure::signed_out)
}

async fn options(caller: AppCaller) -> Result<Data<SignInOptions>> {
    let password_mails = caller.read(|tx| Ok(mails::is_set_up(tx)?)).await?;
    let provider = caller.shared.provider.as_deref();
    Ok(Data(SignInOptions {
        password_mails,
        provider: provider.map(|provider| provider.name().to_owned()),
        provider_only: provider.is_some_and(Provider::is_only),
    }))
}

async fn get(caller: AppCaller) -> Result<Data<Session>> {
    let session = caller.signed_in()?.clone();
    let login = session.login;
    let memberships = caller.read(move |tx| Ok(logins::memberships(tx, login)?)).await?;
    Ok(Data(show(&session, &memberships)))
}

async fn sign_in(caller: AppCaller, Body(new): Body<NewSession>) -> Result<WithCookie<Session>> {
    caller.may_use_password()?;
    let email_key = new.email.key();
    let (attempt, candidates) = caller.attempt(move |tx, attempt| attempt.take_email(tx, &email_key)).await?;
    let password = new.password.clone();
    let matched = caller.hashing(move || matching(candidates, &password)).await?;
    let login = matched.ok_or_else(Failure::sign_in_failed)?;
    let attempt = attempt.passed(login.id);
    if login.has_second_factor() && new.code.is_none() {
        // The password is right, so this attempt does not count as failed.
        caller.write(move |tx| Ok(attempt.give_back(tx)?)).await?;
        return Err(Failure::code_required());
    }
    let code = new.code.map(Text::into_string).unwrap_or_default();
    let proof = login
        .has_second_factor()
        .then(|| (login.proof(&caller.shared.server.services.secrets, &code, caller.now), code));
    begin(&caller, login.id, proof, attempt).await
}

/// The login with this password. It takes the same time if there is none. Only a second login of the same address, which
/// no new one gets, takes longer.
fn matching(candidates: Vec<Login>, password: &TypedPassword) -> Option<Login> {
    let mut tried = false;
    let found = candidates.into_iter().find(|login| {
        login.password_hash.as_deref().is_some_and(|stored| {
            tried = true;
            is_right(password, stored)
        })
    });
    if !tried {
        pretend(password);
    }
    found
}

/// Starts a session under a new token, and ends the request's current one.
pub(crate) async fn begin(
    caller: &AppCaller,
    login: LoginId,
    proof: Option<(Proof, String)>,
    attempt: Attempt,
) -> Result<WithCookie<Session>> {
    let (token, hash) = caller.new_token();
    let beginning = caller.clone();
    let is_begun = caller
        .write(move |tx| {
            if let Some((proof, code)) = &proof
                && !logins::spend(tx, login, proof, code)?
            {
                return Ok(false);
            }
            let memberships = logins::memberships(tx, login)?;
            let Some(membership) = memberships.first() else { return Ok(false) };
            let AppCaller { shared, now, token, browser, .. } = &beginning;
            if let Some(before) = token {
                sessions::end_token(tx, before)?;
            }
            let ids = shared.server.recorder.ids();
            sessions::create(tx, ids, &hash, (login, membership), browser, *now)?;
            attempt.give_back(tx)?;
            let author = Author {
                account: membership.account,
                user: Some(membership.user),
                address: Some(browser.address.clone()),
            };
            audit::write(tx, ids, &author, "session.created", None, *now)?;
            Ok(true)
        })
        .await?;
    if !is_begun {
        return Err(Failure::sign_in_failed());
    }
    let session = shown_by(caller, hash).await?;
    Ok(caller.with_cookie(&token, session))
}

async fn sign_out(caller: AppCaller) -> Result<WithCookie<Deleted>> {
    let session = caller.signed_in()?.clone();
    let (author, recorder, now) =
        (caller.author(&session), caller.shared.server.recorder.clone(), caller.now);
    let (id, login) = (session.id, session.login);
    caller
        .write(move |tx| {
            sessions::end(tx, login, id)?;
            Ok(audit::write(tx, recorder.ids(), &author, "session.ended", None, now)?)
        })
        .await?;
    Ok(caller.without_cookie(Deleted::new(id)))
}

/// The same person in another account, under a new token.
async fn switch(caller: AppCaller, Body(to): Body<AccountSwitch>) -> Result<WithCookie<Session>> {
    let session = caller.signed_in()?.clone();
    let (token, hash) = caller.new_token();
    let (recorder, now, address) =
        (caller.shared.server.recorder.clone(), caller.now, caller.browser.address.clone());
    caller
        .write(move |tx| {
            let memberships = logins::memberships(tx, session.login)?;
            let to = memberships.iter().find(|one| one.account == to.account_id).ok_or_else(|| {
                Failure::not_found(
                    "You are not a member of this account, or it is suspended. Ask its owner to invite you.",
                )
            })?;
            sessions::switch(tx, session.id, &hash, to, now)?;
            let author = Author { account: to.account, user: Some(to.user), address: Some(address.clone()) };
            Ok(audit::write(tx, recorder.ids(), &author, "session.created", None, now)?)
        })
        .await?;
    let session = shown_by(&caller, hash).await?;
    Ok(caller.with_cookie(&token, session))
}

async fn list(caller: AppCaller) -> Result<List<SessionInfo>> {
    let session = caller.signed_in()?.clone();
    let now = caller.now;
    let rows = caller.read(move |tx| Ok(sessions::list(tx, session.login, session.id, now)?)).await?;
    Ok(List::all(rows))
}

async fn end(caller: AppCaller, Path(id): Path<SessionId>) -> Result<Data<Deleted>> {
    let session = caller.signed_in()?.clone();
    let (author, recorder, now) =
        (caller.author(&session), caller.shared.server.recorder.clone(), caller.now);
    let login = session.login;
    caller
        .write(move |tx| -> Outcome<()> {
            if !sessions::end(tx, login, id)? {
                return Err(Failure::not_found("You have no such session. It may have ended already.").into());
            }
            Ok(audit::write(tx, recorder.ids(), &author, "session.ended", Some(&id.to_string()), now)?)
        })
        .await?;
    Ok(Data(Deleted::new(id)))
}
