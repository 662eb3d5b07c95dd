//! The routes of mails: asking for a new password, and what a member gets mails about.

use frontdesk_kernel::Email;
use frontdesk_platform::mails::{self, MailKind, MailLanguage, choices, requests};
use frontdesk_platform::sign_in::failures;
use frontdesk_web::{Body, Data, Failure, Given, Items, Result, input, resource};

use crate::caller::{AppCaller, AppRoute, Outcome};

/// Kinds in a request.
const KINDS: usize = 20;

input! {
    /// Whose password is lost.
    pub struct LostPassword {
        pub email: Email,
    }
}

input! {
    /// What a member wants mails about.
    pub struct MailPatch {
        /// The kinds that are wanted, of those that the member may choose from.
        pub kinds: Given<Items<MailKind, KINDS>>,
        /// The language of the mails.
        pub language: Given<MailLanguage>,
    }
}

resource! {
    /// The request was taken. It does not say whether the address is known.
    pub struct PasswordRequested {
        pub ok: bool,
    }
}

resource! {
    /// What a member gets mails about.
    pub struct MailSettings {
        /// Whether the server sends mails at all.
        pub is_set_up: bool,
        /// The kinds that the member may choose from.
        pub offered: Vec<MailKind>,
        /// The kinds that are wanted.
        pub kinds: Vec<MailKind>,
        /// The language of the mails; null until the dashboard has told it.
        pub language: Option<MailLanguage>,
    }
}

pub(crate) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::post("/password/lost", "requestPassword", lost)
            .summary("Ask for a link by mail for a new password")
            .notes(
                "The response and its time are the same whether the address is known or not. The mail \
                 comes within a minute.",
            ),
        AppRoute::get("/mail", "getMailSettings", get).summary("What you get mails about"),
        AppRoute::patch("/mail", "updateMailSettings", change).summary("Choose what you get mails about"),
    ]
}

async fn lost(caller: AppCaller, Body(lost): Body<LostPassword>) -> Result<Data<PasswordRequested>> {
    let (address, now, key) = (caller.address, caller.now, lost.email.key());
    let counted = caller
        .write(move |tx| -> Outcome<_> {
            if !mails::is_set_up(tx)? {
                let message = "This server sends no mails. Ask an admin of your account for a link, or whoever runs the \
                               server: `frontdesk member invite`.";
                return Err(Failure::conflict(message).because("no_mail").into());
            }
            let counted = failures::take_request(tx, address, &key, now)?;
            // A request beyond the limit of its email address gets the usual response, and no mail.
            if counted == Ok(true) {
                requests::request(tx, &key, now)?;
            }
            Ok(counted)
        })
        .await?;
    match counted {
        Ok(_) => Ok(Data(PasswordRequested { ok: true })),
        Err(too_many) => {
            let wait = too_many.seconds_left;
            let message =
                format!("Too many new passwords were asked for from your address. Wait {wait} seconds.");
            Err(Failure::rate_limited(message, wait))
        }
    }
}

async fn get(caller: AppCaller) -> Result<Data<MailSettings>> {
    let session = caller.signed_in()?.clone();
    caller
        .read(move |tx| {
            let chosen = choices::find(tx, session.account, session.user)?;
            Ok(shown(session.role, &chosen, mails::is_set_up(tx)?))
        })
        .await
        .map(Data)
}

async fn change(caller: AppCaller, Body(patch): Body<MailPatch>) -> Result<Data<MailSettings>> {
    let (session, now) = (caller.signed_in()?.clone(), caller.now);
    caller
        .write(move |tx| {
            let (account, user) = (session.account, session.user);
            tx.lock(format!("mail choices of {user}"))?;
            let mut chosen = choices::find(tx, account, user)?;
            if let Given::Value(wanted) = &patch.kinds {
                let offered = MailKind::ALL.iter().copied().filter(|kind| kind.is_for(session.role));
                chosen.off.retain(|kind| !kind.is_for(session.role));
                chosen.off.extend(offered.filter(|kind| !wanted.0.contains(kind)));
            }
            if let Given::Value(language) = patch.language {
                chosen.language = Some(language);
            }
            choices::put(tx, (account, user), &chosen, now)?;
            Ok(shown(session.role, &chosen, mails::is_set_up(tx)?))
        })
        .await
        .map(Data)
}

fn shown(
    role: frontdesk_platform::members::Role,
    chosen: &mails::MailChoices,
    is_set_up: bool,
) -> MailSettings {
    let offered: Vec<MailKind> = MailKind::ALL.iter().copied().filter(|kind| kind.is_for(role)).collect();
    let kinds = offered.iter().copied().filter(|kind| chosen.wants(*kind)).collect();
    MailSettings { is_set_up, offered, kinds, language: chosen.language }
}
