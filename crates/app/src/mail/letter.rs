//! What a mail says, in every language. The same words are written as text and as HTML.

use std::fmt::Write;

use frontdesk_platform::mails::MailLanguage;
use frontdesk_platform::sign_in::LINK_HOURS;

use super::facts::Facts;
use super::words::{escaped, line};

/// Characters of names, of addresses and of other people's words in a mail.
const NAME_CHARS_MAX: usize = 80;
const ADDRESS_CHARS_MAX: usize = 200;
const WORDS_CHARS_MAX: usize = 300;

/// The words of a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Letter {
    language: MailLanguage,
    /// Who writes: the account's brand.
    brand: String,
    pub(super) subject: String,
    paragraphs: Vec<String>,
    /// Somebody else's words.
    quote: Option<String>,
    /// What to do about it, and where.
    action: Option<(String, String)>,
    /// Why the recipient gets it.
    footer: String,
    /// Where the recipient gets no more of these.
    unsubscribe: Option<(String, String)>,
}

impl Letter {
    /// The words for these facts. Links begin with `base_url`.
    pub(super) fn new(
        facts: &Facts,
        language: MailLanguage,
        brand: &str,
        base_url: &str,
        unsubscribe: Option<&str>,
    ) -> Self {
        let brand = line(brand, NAME_CHARS_MAX);
        let words = match language {
            MailLanguage::English => english(facts, &brand),
            MailLanguage::German => german(facts, &brand),
        };
        let Words { subject, paragraphs, action, footer, stop } = words;
        let url = match facts {
            Facts::Invitation { url, .. } | Facts::PasswordReset { url, .. } => url.clone(),
            facts => format!("{base_url}{}", facts.path()),
        };
        let action = (!action.is_empty()).then(|| (action.to_owned(), url));
        let unsubscribe = unsubscribe.map(|url| (stop.to_owned(), url.to_owned()));
        let quote = facts.quote().map(|text| line(text, WORDS_CHARS_MAX)).filter(|text| !text.is_empty());
        Self { language, brand, subject, paragraphs, quote, action, footer, unsubscribe }
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for paragraph in &self.paragraphs {
            let _ = write!(text, "{paragraph}\r\n\r\n");
        }
        if let Some(quote) = &self.quote {
            let _ = write!(text, "> {quote}\r\n\r\n");
        }
        if let Some((label, url)) = &self.action {
            let _ = write!(text, "{label}:\r\n{url}\r\n\r\n");
        }
        let _ = write!(text, "-- \r\n{}\r\n{}\r\n", self.brand, self.footer);
        if let Some((label, url)) = &self.unsubscribe {
            let _ = write!(text, "{label}:\r\n{url}\r\n");
        }
        text
    }

    /// Plain HTML without pictures and scripts, in the colours of the reader's program.
    pub(super) fn html(&self) -> String {
        let mut html = format!(
            "<!doctype html>\r\n<html lang=\"{}\">\r\n<head>\r\n<meta charset=\"utf-8\">\r\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\r\n\
             <meta name=\"color-scheme\" content=\"light dark\">\r\n<title>{}</title>\r\n</head>\r\n\
             <body style=\"font-family: system-ui, sans-serif; font-size: 16px; line-height: 1.5\">\r\n\
             <main style=\"max-width: 34em; margin: 0 auto; padding: 1em\">\r\n\
             <h1 style=\"font-size: 20px\">{}</h1>\r\n",
            self.language.as_str(),
            escaped(&self.subject),
            escaped(&self.subject)
        );
        for paragraph in &self.paragraphs {
            let _ = write!(html, "<p>{}</p>\r\n", escaped(paragraph));
        }
        if let Some(quote) = &self.quote {
            let _ = write!(
                html,
                "<blockquote style=\"margin: 1em 0; padding-left: 1em; border-left: 3px solid #767676\">{}</blockquote>\r\n",
                escaped(quote)
            );
        }
        if let Some((label, url)) = &self.action {
            let (label, url) = (escaped(label), escaped(url));
            let _ = write!(html, "<p><a href=\"{url}\">{label}</a></p>\r\n");
            let _ = write!(html, "<p style=\"font-size: 14px; overflow-wrap: anywhere\">{url}</p>\r\n");
        }
        let (brand, footer) = (escaped(&self.brand), escaped(&self.footer));
        let _ = write!(html, "<hr>\r\n<p style=\"font-size: 14px\">{brand}<br>\r\n{footer}");
        if let Some((label, url)) = &self.unsubscribe {
            let _ = write!(html, "<br>\r\n<a href=\"{}\">{}</a>", escaped(url), escaped(label));
        }
        html.push_str("</p>\r\n</main>\r\n</body>\r\n</html>\r\n");
        html
    }
}

/// What one language says.
struct Words {
    subject: String,
    paragraphs: Vec<String>,
    action: &'static str,
    footer: String,
    stop: &'static str,
}

fn name(text: &str) -> String {
    line(text, NAME_CHARS_MAX)
}

fn english(facts: &Facts, brand: &str) -> Words {
    let once = format!("The link works once, for {LINK_HOURS} hours.");
    let (subject, paragraphs, action) = match facts {
        Facts::Invitation { inviter, .. } => (
            format!("Your invitation to {brand}"),
            vec![
                match inviter {
                    Some(inviter) => format!("{} has invited you to {brand} on Frontdesk.", name(inviter)),
                    None => format!("You are invited to {brand} on Frontdesk."),
                },
                format!("Open the link to choose a password, or to join with the one you have. {once}"),
            ],
            "Accept the invitation",
        ),
        Facts::PasswordReset { inviter, .. } => (
            "Choose a new password".to_owned(),
            vec![
                match inviter {
                    Some(inviter) => {
                        format!("{} has made a link with which you choose a new password.", name(inviter))
                    }
                    None => "Somebody has asked for a new password for this address.".to_owned(),
                },
                format!("{once} If you did not expect this, do nothing: your password stays as it is."),
            ],
            "Choose a new password",
        ),
        Facts::EndpointDisabled { url, .. } => (
            "A webhook endpoint was switched off".to_owned(),
            vec![
                format!("No more events are sent to {}.", line(url, ADDRESS_CHARS_MAX)),
                "Correct the endpoint, switch it on again, and replay what it has missed. The reason:".to_owned(),
            ],
            "Open the endpoint",
        ),
        Facts::ChannelDisconnected { channel, .. } => (
            format!("{} is disconnected", name(channel)),
            vec![
                format!("Nothing is sent over {} until it is connected again.", name(channel)),
                "The reason:".to_owned(),
            ],
            "Open the channel",
        ),
        Facts::BudgetWarning { spent_usd, budget_usd } => (
            "80 % of the AI budget is spent".to_owned(),
            vec![
                format!("Assistants have spent {spent_usd:.2} of {budget_usd:.2} USD of this month's budget."),
                "When it is spent, they stop until the next month, or until you raise the budget.".to_owned(),
            ],
            "See what was spent",
        ),
        Facts::BudgetExhausted { spent_usd, budget_usd } => (
            "The AI budget is spent".to_owned(),
            vec![
                format!("Assistants have spent {spent_usd:.2} of {budget_usd:.2} USD, and there is no room for more."),
                "They stop until the next month, or until you raise the budget. Customers who write meanwhile wait for a person.".to_owned(),
            ],
            "See what was spent",
        ),
        Facts::BroadcastStopped { broadcast, .. } => (
            format!("The broadcast {} has stopped", name(broadcast)),
            vec![
                "It ended before all messages were sent. You see who has not got one, and can send it to them again.".to_owned(),
                "The reason:".to_owned(),
            ],
            "Open the broadcast",
        ),
        Facts::Mention { author, contact, .. } => (
            format!("{} has mentioned you", name(author)),
            vec![match contact {
                Some(contact) => {
                    format!("{} has mentioned you in the conversation with {}:", name(author), name(contact))
                }
                None => format!("{} has mentioned you in a conversation:", name(author)),
            }],
            "Open the conversation",
        ),
        Facts::Test => (
            "Frontdesk can send mails".to_owned(),
            vec!["This is a test. The SMTP server has taken it.".to_owned()],
            "",
        ),
    };
    let footer = match facts {
        Facts::Test => "The operator of the server has asked for it.".to_owned(),
        _ => format!("You get this mail because you are a member of {brand}."),
    };
    Words { subject, paragraphs, action, footer, stop: "Get no more of these mails" }
}

fn german(facts: &Facts, brand: &str) -> Words {
    let once = format!("Der Link gilt einmal, {LINK_HOURS} Stunden lang.");
    let (subject, paragraphs, action) = match facts {
        Facts::Invitation { inviter, .. } => (
            format!("Ihre Einladung zu {brand}"),
            vec![
                match inviter {
                    Some(inviter) => format!("{} hat Sie zu {brand} auf Frontdesk eingeladen.", name(inviter)),
                    None => format!("Sie sind zu {brand} auf Frontdesk eingeladen."),
                },
                format!("Öffnen Sie den Link, um ein Passwort zu wählen oder mit Ihrem Passwort beizutreten. {once}"),
            ],
            "Einladung annehmen",
        ),
        Facts::PasswordReset { inviter, .. } => (
            "Wählen Sie ein neues Passwort".to_owned(),
            vec![
                match inviter {
                    Some(inviter) => {
                        format!("{} hat einen Link erstellt, mit dem Sie ein neues Passwort wählen.", name(inviter))
                    }
                    None => "Jemand hat für diese Adresse ein neues Passwort angefordert.".to_owned(),
                },
                format!("{once} Wenn Sie das nicht erwartet haben, tun Sie nichts: Ihr Passwort bleibt, wie es ist."),
            ],
            "Neues Passwort wählen",
        ),
        Facts::EndpointDisabled { url, .. } => (
            "Ein Webhook-Endpunkt wurde abgeschaltet".to_owned(),
            vec![
                format!("An {} werden keine Ereignisse mehr gesendet.", line(url, ADDRESS_CHARS_MAX)),
                "Beheben Sie den Fehler, schalten Sie den Endpunkt wieder ein und wiederholen Sie, was ihm fehlt. Der Grund:".to_owned(),
            ],
            "Endpunkt öffnen",
        ),
        Facts::ChannelDisconnected { channel, .. } => (
            format!("{} ist getrennt", name(channel)),
            vec![
                format!("Über {} wird nichts gesendet, bis der Kanal wieder verbunden ist.", name(channel)),
                "Der Grund:".to_owned(),
            ],
            "Kanal öffnen",
        ),
        Facts::BudgetWarning { spent_usd, budget_usd } => (
            "80 % des KI-Budgets sind verbraucht".to_owned(),
            vec![
                format!("Assistenten haben {spent_usd:.2} von {budget_usd:.2} USD des Monatsbudgets verbraucht."),
                "Ist es verbraucht, hören sie bis zum nächsten Monat auf, oder bis Sie das Budget erhöhen.".to_owned(),
            ],
            "Ausgaben ansehen",
        ),
        Facts::BudgetExhausted { spent_usd, budget_usd } => (
            "Das KI-Budget ist verbraucht".to_owned(),
            vec![
                format!("Assistenten haben {spent_usd:.2} von {budget_usd:.2} USD verbraucht; für mehr reicht es nicht."),
                "Sie hören bis zum nächsten Monat auf, oder bis Sie das Budget erhöhen. Wer bis dahin schreibt, wartet auf einen Menschen.".to_owned(),
            ],
            "Ausgaben ansehen",
        ),
        Facts::BroadcastStopped { broadcast, .. } => (
            format!("Die Rundsendung {} wurde angehalten", name(broadcast)),
            vec![
                "Sie endete, bevor alle Nachrichten gesendet waren. Sie sehen, wer keine bekommen hat, und können sie erneut senden.".to_owned(),
                "Der Grund:".to_owned(),
            ],
            "Rundsendung öffnen",
        ),
        Facts::Mention { author, contact, .. } => (
            format!("{} hat Sie erwähnt", name(author)),
            vec![match contact {
                Some(contact) => {
                    format!("{} hat Sie in der Unterhaltung mit {} erwähnt:", name(author), name(contact))
                }
                None => format!("{} hat Sie in einer Unterhaltung erwähnt:", name(author)),
            }],
            "Unterhaltung öffnen",
        ),
        Facts::Test => (
            "Frontdesk kann E-Mails senden".to_owned(),
            vec!["Dies ist ein Test. Der SMTP-Server hat ihn angenommen.".to_owned()],
            "",
        ),
    };
    let footer = match facts {
        Facts::Test => "Wer den Server betreibt, hat ihn angefordert.".to_owned(),
        _ => format!("Sie bekommen diese E-Mail als Mitglied von {brand}."),
    };
    Words { subject, paragraphs, action, footer, stop: "Keine solchen E-Mails mehr bekommen" }
}

#[cfg(test)]
mod tests;
