//! The fixed words of a form's pages, in the language of the visitor.
//!
//! The language is the one that the form's address asks for (`?language=de`), or else the browser's first one that there are words in,
//! or else English. What the account has written itself (names, labels, texts) stays as it is. Scripts get the API's messages, which
//! are English.

use frontdesk_web::{Failure, choice};
use http::StatusCode;
use http::header::RETRY_AFTER;

choice! {
    /// A language of a form's pages.
    #[derive(Default)]
    pub enum FormLanguage {
        #[default]
        En => "en",
        De => "de",
    }
}

/// Languages of a header that are read; browsers send a few.
const ACCEPTED_MAX: usize = 20;

/// The words of one language.
pub(super) struct Words {
    pub(super) name: &'static str,
    pub(super) email: &'static str,
    pub(super) phone: &'static str,
    pub(super) message: &'static str,
    pub(super) phone_hint: &'static str,
    pub(super) optional: &'static str,
    pub(super) button: &'static str,
    pub(super) leave_empty: &'static str,
    /// Before the title of a page with errors.
    pub(super) error: &'static str,
    pub(super) correct: &'static str,
    /// What a problem is about that belongs to no field.
    pub(super) the_form: &'static str,
    pub(super) thank_you: &'static str,
    pub(super) sent: &'static str,
    pub(super) missing: &'static str,
    pub(super) missing_help: &'static str,
    pub(super) refused: &'static str,
}

const ENGLISH: Words = Words {
    name: "Name",
    email: "Email",
    phone: "Phone",
    message: "Message",
    phone_hint: "A number of another country needs its country code, such as +1 415 555 0123.",
    optional: "optional",
    button: "Send",
    leave_empty: "Leave this empty",
    error: "Error",
    correct: "Your message was not sent yet. Please correct this:",
    the_form: "The form",
    thank_you: "Thank you",
    sent: "Your message was sent.",
    missing: "There is no form here",
    missing_help: "Check that the address was copied whole. The form may also have been removed; then ask whoever gave you \
        the address for another way to reach them.",
    refused: "This did not work",
};

const GERMAN: Words = Words {
    name: "Name",
    email: "E-Mail",
    phone: "Telefon",
    message: "Nachricht",
    phone_hint: "Eine Nummer eines anderen Landes braucht ihre Landesvorwahl, zum Beispiel +1 415 555 0123.",
    optional: "freiwillig",
    button: "Senden",
    leave_empty: "Dieses Feld leer lassen",
    error: "Fehler",
    correct: "Ihre Nachricht wurde noch nicht gesendet. Bitte korrigieren Sie:",
    the_form: "Das Formular",
    thank_you: "Vielen Dank",
    sent: "Ihre Nachricht wurde gesendet.",
    missing: "Hier gibt es kein Formular",
    missing_help: "Prüfen Sie, ob die Adresse vollständig kopiert wurde. Vielleicht wurde das Formular auch entfernt; fragen Sie dann, wer \
        Ihnen die Adresse gegeben hat, nach einem anderen Weg.",
    refused: "Das hat nicht geklappt",
};

impl FormLanguage {
    /// The language that is asked for, or else the best one of an `Accept-Language` header.
    pub(super) fn of(asked: Option<&str>, accepted: Option<&str>) -> Self {
        asked.and_then(Self::named).or_else(|| Self::best(accepted?)).unwrap_or_default()
    }

    /// By a tag such as `de` or `de-AT`.
    fn named(tag: &str) -> Option<Self> {
        let first = tag.trim().split('-').next()?;
        Self::ALL.iter().copied().find(|language| language.as_str().eq_ignore_ascii_case(first))
    }

    /// The language with the highest weight; of equal ones the first.
    fn best(accepted: &str) -> Option<Self> {
        let weighed = accepted.split(',').take(ACCEPTED_MAX).filter_map(|part| {
            let (tag, weight) = part.split_once(';').unwrap_or((part, ""));
            let weight = weight.trim().strip_prefix("q=").map_or(Some(1.0), |weight| weight.parse().ok());
            Some((Self::named(tag)?, weight.filter(|weight: &f64| *weight > 0.0)?))
        });
        let best = weighed.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map(|(language, _)| language)
    }

    pub(super) fn words(self) -> &'static Words {
        match self {
            Self::En => &ENGLISH,
            Self::De => &GERMAN,
        }
    }

    /// What is wrong with a value, after the label of its field.
    pub(super) fn problem(self, message: &str) -> String {
        match self {
            Self::En => message.to_owned(),
            Self::De => german_problem(message).unwrap_or_else(|| NOT_VALID.to_owned()),
        }
    }

    /// Why a submission was refused as a whole, and what to do.
    pub(super) fn failure(self, failure: &Failure) -> String {
        match self {
            Self::En => failure.message().to_owned(),
            Self::De => german_failure(failure),
        }
    }
}

const NOT_VALID: &str = "ist so nicht gültig";

fn german_problem(message: &str) -> Option<String> {
    let fixed = match message {
        "is required" => "fehlt",
        "must not be blank" => "darf nicht leer sein",
        "must not contain the NUL character" => "darf das Zeichen NUL nicht enthalten",
        "must be true or false" => "muss angekreuzt oder leer sein",
        "must be an email address such as ann@example.com" => {
            "muss eine E-Mail-Adresse sein, zum Beispiel ann@example.com"
        }
        "must be a date such as 2026-01-31" => "muss ein Datum sein, zum Beispiel 2026-01-31",
        "must be a phone number, such as +14155550123" => {
            "muss eine Telefonnummer sein, zum Beispiel +14155550123"
        }
        "must be a phone number with its country code, such as +14155550123" => {
            "muss eine Telefonnummer mit Landesvorwahl sein, zum Beispiel +14155550123"
        }
        "must have at least one of name, email, phone or message" => {
            "braucht mindestens Name, E-Mail, Telefon oder Nachricht"
        }
        _ => "",
    };
    if !fixed.is_empty() {
        return Some(fixed.to_owned());
    }
    let number = |before: &str, after: &str| message.strip_prefix(before)?.strip_suffix(after);
    if let Some(options) = message.strip_prefix("must be one of ") {
        return Some(format!("muss eines davon sein: {options}"));
    }
    if let Some(most) = number("must have at most ", " characters") {
        return Some(format!("darf höchstens {most} Zeichen haben"));
    }
    if let Some(most) =
        number("must have at most ", " entries").or_else(|| number("must have at most ", " values"))
    {
        return Some(format!("darf höchstens {most} Angaben haben"));
    }
    let about = [
        ("is too short for a phone number", "ist zu kurz für eine Telefonnummer"),
        ("is too long for a phone number", "ist zu lang für eine Telefonnummer"),
        ("cannot be a phone number", "kann keine Telefonnummer sein: So eine Nummer wird nicht vergeben"),
    ];
    about.iter().find(|(english, _)| message.starts_with(english)).map(|(_, german)| (*german).to_owned())
}

fn german_failure(failure: &Failure) -> String {
    let text = match failure.status() {
        StatusCode::FORBIDDEN if failure.reason() == Some("origin_not_allowed") => {
            "Dieses Formular darf von dieser Website nicht gesendet werden."
        }
        StatusCode::TOO_MANY_REQUESTS => {
            let wait = failure.header(&RETRY_AFTER).and_then(|seconds| seconds.to_str().ok()).unwrap_or("60");
            return format!(
                "Dieses Formular wurde von hier zu oft gesendet. Warten Sie {wait} Sekunden, und senden Sie es noch einmal."
            );
        }
        StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => {
            "Das Formular konnte so nicht gelesen werden. Laden Sie die Seite neu, und senden Sie es noch einmal."
        }
        StatusCode::PAYLOAD_TOO_LARGE => {
            "Das Formular ist zu groß. Kürzen Sie Ihren Text, und senden Sie es noch einmal."
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "Dieses Formular nimmt keine Dateien an.",
        StatusCode::METHOD_NOT_ALLOWED => {
            "So kann dieses Formular nicht aufgerufen werden. Öffnen Sie seine Adresse im Browser."
        }
        _ => {
            "Das Formular kann gerade nicht angenommen werden. Versuchen Sie es in einigen Minuten noch einmal."
        }
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use frontdesk_kernel::country::NotAPhoneHere;
    use frontdesk_kernel::email::NotAnEmail;
    use frontdesk_kernel::{Country, Date, Email, Text};
    use frontdesk_web::{FieldPath, Input, Problems};
    use serde_json::{Value, json};

    use super::*;
    use crate::inquiries::NewInquiry;

    #[test]
    fn the_language_is_the_one_asked_for_or_the_browsers_best() {
        use FormLanguage::{De, En};
        for (asked, accepted, expected) in [
            (None, None, En),
            (None, Some("de-DE,de;q=0.9,en;q=0.8"), De),
            (None, Some("en;q=0.3, de;q=0.7"), De),
            (None, Some("fr-FR, de;q=0.5, en;q=0.5"), De),
            (None, Some("fr, *"), En),
            (None, Some("de;q=0, en;q=0.1"), En),
            (None, Some("de;q=nonsense"), En),
            (Some("de"), Some("en"), De),
            (Some("DE-at"), None, De),
            (Some("xx"), Some("de"), De),
            (Some("<b>"), Some("\u{fffd},,;q="), En),
        ] {
            assert_eq!(FormLanguage::of(asked, accepted), expected, "{asked:?} {accepted:?}");
        }
    }

    /// What the checks of a submission say.
    fn said() -> Vec<String> {
        let mut problems = Problems::new();
        let sent = json!({ "name": "\u{200b}", "email": "nowhere", "phone": "1", "message": "x".repeat(10_001), "fields": { "a": "\u{0}" } });
        assert!(NewInquiry::read(Some(&sent), &mut FieldPath::root(), &mut problems).is_none());
        let nothing: Value = json!({});
        assert!(NewInquiry::read(Some(&nothing), &mut FieldPath::root(), &mut problems).is_none());
        let mut said: Vec<String> = problems.iter().map(|(_, message)| message.to_owned()).collect();
        let german: Option<Country> = "DE".parse().ok();
        for number in ["12", "call me", "0151 00004820000000", "+49 12", "+1 000 000 0000"] {
            said.extend(Country::read_phone(german, number).err().map(|wrong| wrong.to_string()));
        }
        said.push(NotAPhoneHere::Shape.to_string());
        said.push(NotAPhoneHere::NoCountryCode.to_string());
        said.extend("31.1.".parse::<Date>().err().map(|wrong| wrong.to_string()));
        said.extend("x".parse::<Email>().err().map(|wrong: NotAnEmail| wrong.to_string()));
        said.extend("".parse::<Text<5>>().err().map(|wrong| wrong.to_string()));
        said.extend(
            ["is required", "must be one of S, M", "must be true or false", "must have at most 500 values"]
                .map(ToOwned::to_owned),
        );
        said
    }

    #[test]
    fn every_problem_of_a_submission_is_told_in_german() {
        let said = said();
        assert!(said.len() > 15, "{said:?}");
        for message in said {
            assert!(german_problem(&message).is_some(), "no German for: {message}");
            assert_eq!(FormLanguage::En.problem(&message), message);
        }
        assert_eq!(FormLanguage::De.problem("must be one of S, M"), "muss eines davon sein: S, M");
        assert_eq!(
            FormLanguage::De.problem("must have at most 7 characters"),
            "darf höchstens 7 Zeichen haben"
        );
        assert_eq!(FormLanguage::De.problem("something new"), NOT_VALID);
    }

    #[test]
    fn a_refusal_says_in_german_what_to_do() {
        let often = FormLanguage::De.failure(&Failure::rate_limited("Too often.", 7));
        assert!(often.contains("Warten Sie 7 Sekunden"), "{often}");
        let foreign = FormLanguage::De.failure(&Failure::forbidden("origin_not_allowed", "No."));
        assert!(foreign.contains("von dieser Website nicht"), "{foreign}");
        assert_eq!(FormLanguage::En.failure(&Failure::rate_limited("Too often.", 7)), "Too often.");
    }
}
