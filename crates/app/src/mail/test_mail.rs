//! Mails outside the queue: a test by the operator, and a look at the server.

use frontdesk_kernel::{Email, Timestamp};
use frontdesk_platform::mails::MailLanguage;
use lettre::Address;

use super::facts::Facts;
use super::letter::Letter;
use super::message::{self, Envelope};
use super::settings::SmtpSettings;
use super::smtp::{Conversation, Refusal};

const BRAND: &str = "Frontdesk";

/// Connects, encrypts and signs in as for a mail, and sends none.
pub async fn check(settings: &SmtpSettings) -> Result<(), Refusal> {
    Conversation::open(settings).await?.end().await;
    Ok(())
}

/// Sends a test now. Returns the server's response.
pub async fn send_test(
    settings: &SmtpSettings,
    to: &Email,
    message_id: &str,
    now: Timestamp,
) -> Result<String, Refusal> {
    let address: Address = to
        .as_str()
        .parse()
        .map_err(|_| Refusal::ForGood("it is not an address that mails can be sent to".to_owned()))?;
    let letter = Letter::new(&Facts::Test, MailLanguage::English, BRAND, "", None);
    let words = message::write(Envelope {
        from: &settings.from,
        from_name: BRAND,
        to: &address,
        to_name: "",
        subject: &letter.subject,
        text: letter.text(),
        html: letter.html(),
        message_id: format!("<{message_id}@{}>", settings.from.email.domain()),
        now,
        unsubscribe: None,
    });
    let words = words.ok_or_else(|| Refusal::ForGood("the mail could not be written".to_owned()))?;
    let mut conversation = Conversation::open(settings).await?;
    conversation.address(&settings.from.email, &address).await?;
    conversation.hand_over(&words).await
}
