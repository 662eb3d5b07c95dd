//! Checks the values of a channel at Meta while a person enters them: each by itself, as far as the others are known.
//!
//! Meta is asked a few questions at once, which change nothing. Nothing is stored.

use std::time::Duration;

use frontdesk_channels::graph::{GraphAnswer, GraphCheck};
use frontdesk_channels::{Call, VendorResponse};
use frontdesk_platform::Services;
use frontdesk_web::{choice, resource};
use tokio::time::timeout;

use super::Channel;
use super::credentials::graph;
use crate::calls;

/// A person waits for the answer beside a field.
const QUESTION_TIME_MAX: Duration = Duration::from_secs(8);
/// The longest id that Meta is asked about.
const ID_DIGITS_MAX: usize = 30;
/// What a token must be allowed, for a number of WhatsApp.
const WHATSAPP_PERMISSIONS: [&str; 2] = ["whatsapp_business_management", "whatsapp_business_messaging"];

choice! {
    /// A value that Meta's channels ask for.
    pub enum CheckedField {
        PhoneNumberId => "phone_number_id",
        WabaId => "waba_id",
        PageId => "page_id",
        AccessToken => "access_token",
        AppSecret => "app_secret",
        VerifyToken => "verify_token",
    }
}

choice! {
    /// What is known of a value.
    pub enum FieldResult {
        Ok => "ok",
        Wrong => "wrong",
        /// It cannot be checked yet, or Meta did not say.
        Unknown => "unknown",
    }
}

choice! {
    /// Why a value is wrong or unknown.
    pub enum FieldFinding {
        TokenInvalid => "token_invalid",
        TokenLacksPermission => "token_lacks_permission",
        NumberNotFound => "number_not_found",
        AccountNotFound => "account_not_found",
        NumberNotInAccount => "number_not_in_account",
        PageNotFound => "page_not_found",
        SecretOfAnotherApp => "secret_of_another_app",
        /// It is checked once a valid token is entered.
        NeedsToken => "needs_token",
        /// Meta compares it when it calls the webhook's address.
        CheckedByWebhook => "checked_by_webhook",
        /// Meta was not reached, or did not say.
        NoAnswer => "no_answer",
    }
}

impl FieldFinding {
    /// What it means and what to do.
    fn message(self) -> &'static str {
        match self {
            Self::TokenInvalid => {
                "Meta does not know this token, or it has expired. Create another one and copy it whole."
            }
            Self::TokenLacksPermission => {
                "This token may not manage and send WhatsApp messages. Create one with the permissions \
                 whatsapp_business_management and whatsapp_business_messaging."
            }
            Self::NumberNotFound => {
                "This token sees no number with this ID. Copy the phone number ID, and assign the WhatsApp account to the \
                 user of the token."
            }
            Self::AccountNotFound => {
                "This token sees no WhatsApp Business account with this ID. Copy the ID again, and assign the account to \
                 the user of the token."
            }
            Self::NumberNotInAccount => {
                "The number with the phone number ID above belongs to another WhatsApp Business account. Copy both IDs \
                 from the same page."
            }
            Self::PageNotFound => {
                "This token sees no page or account with this ID. Copy the ID again, and create the token for this page."
            }
            Self::SecretOfAnotherApp => {
                "This is not the secret of the app that the token is for. Copy it from the settings of that app."
            }
            Self::NeedsToken => "This is checked once a valid access token is entered.",
            Self::CheckedByWebhook => "Meta checks this when it calls the webhook's address.",
            Self::NoAnswer => {
                "Meta did not answer this. You can go on; it is checked again when you connect."
            }
        }
    }
}

resource! {
    /// What is known of a value that was entered.
    pub struct FieldCheck {
        pub field: CheckedField,
        pub result: FieldResult,
        /// Why it is wrong or unknown; null if it is right.
        pub reason: Option<FieldFinding>,
        /// What that means and what to do.
        pub message: Option<&'static str>,
    }
}

/// The values that were entered so far; what is blank was not.
#[derive(Clone, Default)]
pub struct EnteredValues {
    pub phone_number_id: Option<String>,
    pub waba_id: Option<String>,
    pub page_id: Option<String>,
    pub access_token: Option<String>,
    pub app_secret: Option<String>,
    pub verify_token: Option<String>,
}

// Values may be secret.
impl std::fmt::Debug for EnteredValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EnteredValues(…)")
    }
}

/// What Meta said to each question; unclear for those that were not asked.
struct Answers {
    token: GraphAnswer,
    secret: GraphAnswer,
    permissions: GraphAnswer,
    number: GraphAnswer,
    numbers: GraphAnswer,
    page: GraphAnswer,
}

/// Checks the values at Meta. There is one result for each value that was entered.
pub async fn check(
    services: &Services,
    channel: Channel,
    sandbox: bool,
    entered: &EnteredValues,
) -> Vec<FieldCheck> {
    let answers = match &entered.access_token {
        Some(token) => Some(ask(services, channel, sandbox, token, entered).await),
        None => None,
    };
    judge(channel, entered, answers.as_ref())
}

async fn ask(
    services: &Services,
    channel: Channel,
    sandbox: bool,
    token: &str,
    entered: &EnteredValues,
) -> Answers {
    let secret = entered.app_secret.clone().unwrap_or_default();
    let meta = GraphCheck::new(graph([token.to_owned(), secret, String::new()], None, sandbox, services));
    let is_whatsapp = channel == Channel::Whatsapp;
    let id = |given: &Option<String>| given.clone().filter(|id| is_id(id));
    let (number, waba) = (id(&entered.phone_number_id), id(&entered.waba_id));
    let page = id(&entered.page_id);
    let asked = |call: Option<Call>| question(services, call, GraphCheck::read);
    let (token, secret, permissions, number, numbers, page) = tokio::join!(
        asked(Some(meta.holder())),
        asked(entered.app_secret.is_some().then(|| meta.holder_with_proof())),
        asked(is_whatsapp.then(|| meta.permissions())),
        question(
            services,
            number.filter(|_| is_whatsapp).map(|id| meta.number(&id)),
            GraphCheck::read_number
        ),
        asked(waba.filter(|_| is_whatsapp).map(|id| meta.numbers(&id))),
        asked(page.filter(|_| !is_whatsapp).map(|id| meta.object(&id))),
    );
    Answers { token, secret, permissions, number, numbers, page }
}

/// Meta's ids are digits. Nothing else becomes a part of an address.
fn is_id(id: &str) -> bool {
    (1..=ID_DIGITS_MAX).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit())
}

async fn question(
    services: &Services,
    call: Option<Call>,
    read: fn(&VendorResponse<'_>) -> GraphAnswer,
) -> GraphAnswer {
    let Some(call) = call else { return GraphAnswer::Unclear };
    match timeout(QUESTION_TIME_MAX, Box::pin(calls::make(services, call))).await {
        Ok(Ok(response)) => read(&response.read()),
        // Neither the address nor the error is logged: the former contains what was entered.
        Ok(Err(_)) | Err(_) => GraphAnswer::Unclear,
    }
}

/// What the answers say about each value that was entered.
fn judge(channel: Channel, entered: &EnteredValues, answers: Option<&Answers>) -> Vec<FieldCheck> {
    let given = [
        (CheckedField::PhoneNumberId, entered.phone_number_id.is_some(), channel == Channel::Whatsapp),
        (CheckedField::WabaId, entered.waba_id.is_some(), channel == Channel::Whatsapp),
        (CheckedField::PageId, entered.page_id.is_some(), channel != Channel::Whatsapp),
        (CheckedField::AccessToken, entered.access_token.is_some(), true),
        (CheckedField::AppSecret, entered.app_secret.is_some(), true),
        (CheckedField::VerifyToken, entered.verify_token.is_some(), true),
    ];
    let fields = given.into_iter().filter(|(_, is_given, is_asked)| *is_given && *is_asked);
    fields.map(|(field, ..)| found(field, verdict(field, channel, entered, answers))).collect()
}

/// None for a value that is right.
fn verdict(
    field: CheckedField,
    channel: Channel,
    entered: &EnteredValues,
    answers: Option<&Answers>,
) -> Option<FieldFinding> {
    use FieldFinding as Finding;
    if field == CheckedField::VerifyToken {
        return Some(Finding::CheckedByWebhook);
    }
    let Some(answers) = answers else { return Some(Finding::NeedsToken) };
    if answers.token == GraphAnswer::BadToken {
        let is_token = field == CheckedField::AccessToken;
        return Some(if is_token { Finding::TokenInvalid } else { Finding::NeedsToken });
    }
    let of = |answer: &GraphAnswer, refused: Finding| match answer {
        GraphAnswer::Found(_) => None,
        GraphAnswer::Refused => Some(refused),
        GraphAnswer::BadToken | GraphAnswer::Unclear => Some(Finding::NoAnswer),
    };
    match field {
        CheckedField::AccessToken => {
            let lacks = match &answers.permissions {
                GraphAnswer::Found(listed) if channel == Channel::Whatsapp => {
                    GraphCheck::lacking(listed, &WHATSAPP_PERMISSIONS)
                        .is_some_and(|lacking| !lacking.is_empty())
                }
                _ => false,
            };
            if lacks { Some(Finding::TokenLacksPermission) } else { of(&answers.token, Finding::NoAnswer) }
        }
        CheckedField::AppSecret => of(&answers.secret, Finding::SecretOfAnotherApp),
        CheckedField::PhoneNumberId => of(&answers.number, Finding::NumberNotFound),
        CheckedField::PageId => of(&answers.page, Finding::PageNotFound),
        CheckedField::WabaId => match (&answers.numbers, &answers.number, &entered.phone_number_id) {
            // Whether the number is in it matters only for a number that exists.
            (GraphAnswer::Found(listed), GraphAnswer::Found(_), Some(number))
                if GraphCheck::has_number(listed, number) == Some(false) =>
            {
                Some(Finding::NumberNotInAccount)
            }
            (numbers, ..) => of(numbers, Finding::AccountNotFound),
        },
        CheckedField::VerifyToken => Some(Finding::CheckedByWebhook),
    }
}

fn found(field: CheckedField, reason: Option<FieldFinding>) -> FieldCheck {
    let result = match reason {
        None => FieldResult::Ok,
        Some(FieldFinding::NeedsToken | FieldFinding::CheckedByWebhook | FieldFinding::NoAnswer) => {
            FieldResult::Unknown
        }
        Some(_) => FieldResult::Wrong,
    };
    FieldCheck { field, result, reason, message: reason.map(FieldFinding::message) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entered() -> EnteredValues {
        let some = |text: &str| Some(text.to_owned());
        EnteredValues {
            phone_number_id: some("7"),
            waba_id: some("8"),
            access_token: some("t"),
            app_secret: some("s"),
            verify_token: some("v"),
            page_id: None,
        }
    }

    fn found() -> GraphAnswer {
        GraphAnswer::Found(json!({ "id": "1" }))
    }

    fn right() -> Answers {
        let granted = |name: &str| json!({ "permission": name, "status": "granted" });
        Answers {
            token: found(),
            secret: found(),
            permissions: GraphAnswer::Found(json!({ "data": WHATSAPP_PERMISSIONS.map(granted) })),
            number: found(),
            numbers: GraphAnswer::Found(json!({ "data": [{ "id": "7" }] })),
            page: GraphAnswer::Unclear,
        }
    }

    fn reasons(answers: Option<&Answers>) -> Vec<Option<FieldFinding>> {
        judge(Channel::Whatsapp, &entered(), answers).into_iter().map(|check| check.reason).collect()
    }

    #[test]
    fn each_answer_is_about_its_own_value() {
        use FieldFinding as Finding;
        let webhook = Some(Finding::CheckedByWebhook);
        let needs = Some(Finding::NeedsToken);
        assert_eq!(reasons(None), [needs, needs, needs, needs, webhook]);
        assert_eq!(reasons(Some(&right())), [None, None, None, None, webhook]);
        let bad_token = Answers { token: GraphAnswer::BadToken, ..right() };
        assert_eq!(reasons(Some(&bad_token)), [needs, needs, Some(Finding::TokenInvalid), needs, webhook]);
        let wrong_number = Answers { number: GraphAnswer::Refused, ..right() };
        assert_eq!(
            reasons(Some(&wrong_number)),
            [Some(Finding::NumberNotFound), None, None, None, webhook],
            "the account may be right all the same"
        );
        let elsewhere = Answers { numbers: GraphAnswer::Found(json!({ "data": [] })), ..right() };
        assert_eq!(reasons(Some(&elsewhere)), [None, Some(Finding::NumberNotInAccount), None, None, webhook]);
        let no_account = Answers { numbers: GraphAnswer::Refused, ..right() };
        assert_eq!(reasons(Some(&no_account))[1], Some(Finding::AccountNotFound));
        let lacking = Answers { permissions: GraphAnswer::Found(json!({ "data": [{}] })), ..right() };
        assert_eq!(reasons(Some(&lacking))[2], Some(Finding::TokenLacksPermission));
        let other_app = Answers { secret: GraphAnswer::Refused, ..right() };
        assert_eq!(reasons(Some(&other_app))[3], Some(Finding::SecretOfAnotherApp));
    }

    #[test]
    fn a_vendor_that_does_not_answer_makes_nothing_wrong() {
        let unclear = || GraphAnswer::Unclear;
        let silent = Answers {
            token: unclear(),
            secret: unclear(),
            permissions: unclear(),
            number: unclear(),
            numbers: unclear(),
            page: unclear(),
        };
        let checks = judge(Channel::Whatsapp, &entered(), Some(&silent));
        assert!(checks.iter().all(|check| check.result == FieldResult::Unknown), "{checks:?}");
    }

    #[test]
    fn only_what_was_entered_for_the_channel_is_judged() {
        let page = EnteredValues { page_id: Some("9".to_owned()), ..entered() };
        let fields = |channel| -> Vec<&str> {
            judge(channel, &page, None).iter().map(|check| check.field.as_str()).collect()
        };
        assert_eq!(fields(Channel::Instagram), ["page_id", "access_token", "app_secret", "verify_token"]);
        assert!(judge(Channel::Whatsapp, &EnteredValues::default(), None).is_empty());
        for id in ["", "..", "1/2", "me", "1 2"] {
            assert!(!is_id(id), "{id}");
        }
    }
}
