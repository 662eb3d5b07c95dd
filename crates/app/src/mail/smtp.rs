//! A conversation with the SMTP server, for one mail.
//!
//! The steps are apart, so that a mail is marked as begun right before its words are handed over. Until then, nothing was
//! sent. After that, only a response tells what happened: without one, the mail may have arrived.

use std::time::Duration;

use lettre::Address;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, CertificateStore, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{Extension, MailParameter};
use lettre::transport::smtp::response::Response;
use lettre::transport::smtp::{Error, client::TlsVersion};
use tokio::time::timeout;

use super::settings::{Encryption, SmtpSettings};

/// How long the server may take for each step.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(15);
const STEP_TIME_MAX: Duration = Duration::from_secs(30);
/// A server may check a message before it responds.
const MESSAGE_TIME_MAX: Duration = Duration::from_mins(1);
/// The longest conversation: connecting, encrypting, signing in, three commands and the message.
pub(super) const CALL_TIME_MAX: Duration = Duration::from_secs(
    CONNECT_TIME_MAX.as_secs() * 2 + STEP_TIME_MAX.as_secs() * 5 + MESSAGE_TIME_MAX.as_secs(),
);
/// Characters of a server's response that are kept.
const REASON_CHARS_MAX: usize = 300;

/// Why a mail was not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The server was not reached, or refuses for now, or does not let us in.
    ForNow(String),
    /// The server refuses this mail.
    ForGood(String),
    /// The connection broke after the words were handed over: it may have arrived.
    Unsure(String),
}

impl Refusal {
    pub fn reason(&self) -> &str {
        match self {
            Self::ForNow(reason) | Self::ForGood(reason) | Self::Unsure(reason) => reason,
        }
    }
}

/// A connection that is encrypted and signed in as the settings say.
pub(super) struct Conversation(AsyncSmtpConnection);

impl Conversation {
    /// Connects. Every refusal is for now: it is about us, not about a mail.
    pub(super) async fn open(settings: &SmtpSettings) -> Result<Self, Refusal> {
        let for_now = |error: &Error| Refusal::ForNow(reason_of(error));
        let tls = || parameters(settings).map_err(|error| for_now(&error));
        let wrapped = if settings.encryption == Encryption::Always { Some(tls()?) } else { None };
        let server = (settings.host.as_str(), settings.port);
        let connecting = AsyncSmtpConnection::connect_tokio1(
            server,
            Some(CONNECT_TIME_MAX),
            &settings.hello,
            wrapped,
            None,
        );
        let late = |_| Refusal::ForNow(format!("{} did not respond in time", settings.place()));
        let connected = timeout(CONNECT_TIME_MAX * 2, connecting).await.map_err(late)?;
        let mut connection = connected.map_err(|error| for_now(&error))?;
        let encrypts = match settings.encryption {
            Encryption::StartTls => true,
            Encryption::Offered => connection.can_starttls(),
            Encryption::Always | Encryption::Never => false,
        };
        if encrypts {
            let encrypting = connection.starttls(tls()?, &settings.hello);
            timeout(STEP_TIME_MAX, encrypting).await.map_err(late)?.map_err(|error| for_now(&error))?;
        }
        if let (Some(user), Some(password)) = (&settings.user, &settings.password) {
            let credentials = Credentials::new(user.clone(), password.reveal().to_owned());
            let signing_in = connection.auth(&[Mechanism::Plain, Mechanism::Login], &credentials);
            timeout(STEP_TIME_MAX, signing_in).await.map_err(late)?.map_err(|error| for_now(&error))?;
        }
        Ok(Self(connection))
    }

    /// Names sender and recipient.
    pub(super) async fn address(&mut self, from: &Address, to: &Address) -> Result<(), Refusal> {
        let mut options = Vec::new();
        if !(from.to_string().is_ascii() && to.to_string().is_ascii()) {
            if !self.0.server_info().supports_feature(Extension::SmtpUtfEight) {
                let reason = "the server takes no addresses with letters beyond ASCII (SMTPUTF8)";
                return Err(Refusal::ForGood(reason.to_owned()));
            }
            options.push(MailParameter::SmtpUtfEight);
        }
        step(self.0.command(Mail::new(Some(from.clone()), options))).await?;
        step(self.0.command(Rcpt::new(to.clone(), Vec::new()))).await?;
        Ok(())
    }

    /// Hands the words over. Nothing else may follow.
    pub(super) async fn hand_over(mut self, words: &[u8]) -> Result<String, Refusal> {
        step(self.0.command(Data)).await?;
        let handed = match timeout(MESSAGE_TIME_MAX, self.0.message(words)).await {
            Ok(Ok(response)) => Ok(shown(&response)),
            Ok(Err(error)) if error.is_permanent() => Err(Refusal::ForGood(reason_of(&error))),
            Ok(Err(error)) if error.is_transient() => Err(Refusal::ForNow(reason_of(&error))),
            Ok(Err(error)) => Err(Refusal::Unsure(reason_of(&error))),
            Err(_) => Err(Refusal::Unsure("the server did not respond in time".to_owned())),
        };
        self.end().await;
        handed
    }

    /// Says goodbye. What the server says to that does not matter.
    pub(super) async fn end(mut self) {
        let _ = timeout(CONNECT_TIME_MAX, self.0.quit()).await;
    }
}

/// A command before the words: whatever breaks, nothing was sent.
async fn step(command: impl Future<Output = Result<Response, Error>>) -> Result<(), Refusal> {
    match timeout(STEP_TIME_MAX, command).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) if error.is_permanent() => Err(Refusal::ForGood(reason_of(&error))),
        Ok(Err(error)) => Err(Refusal::ForNow(reason_of(&error))),
        Err(_) => Err(Refusal::ForNow("the server did not respond in time".to_owned())),
    }
}

fn parameters(settings: &SmtpSettings) -> Result<TlsParameters, Error> {
    let mut builder = TlsParameters::builder(settings.host.clone())
        .certificate_store(CertificateStore::WebpkiRoots)
        .set_min_tls_version(TlsVersion::Tlsv12);
    if let Some(pem) = &settings.authorities {
        builder = builder.add_root_certificate(Certificate::from_pem(pem)?);
    }
    builder.build_rustls()
}

/// A response, on one line.
fn shown(response: &Response) -> String {
    let lines: Vec<&str> = response.message().collect();
    short(&format!("{} {}", response.code(), lines.join(" ")))
}

fn reason_of(error: &Error) -> String {
    use std::error::Error as _;
    let mut text = error.to_string();
    if let Some(source) = error.source() {
        let source = source.to_string();
        if !text.contains(&source) {
            text = format!("{text}: {source}");
        }
    }
    short(&text)
}

fn short(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").chars().take(REASON_CHARS_MAX).collect()
}
