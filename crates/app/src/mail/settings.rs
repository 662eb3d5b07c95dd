//! How mails are sent, as the environment says.

use frontdesk_kernel::Secret;
use lettre::Address;
use lettre::message::Mailbox;
use lettre::transport::smtp::extension::ClientId;
use percent_encoding::percent_decode_str;
use url::Url;

pub const URL_VARIABLE: &str = "FRONTDESK_SMTP_URL";
pub const FROM_VARIABLE: &str = "FRONTDESK_MAIL_FROM";
pub const CA_VARIABLE: &str = "FRONTDESK_SMTP_CA";

/// The usual ports: of servers among each other, with STARTTLS, and with TLS from the beginning.
const PORT: u16 = 25;
const PORT_STARTTLS: u16 = 587;
const PORT_TLS: u16 = 465;
const FORM: &str =
    "use smtps://USER:PASSWORD@HOST, or smtp://USER:PASSWORD@HOST:587?tls=required for STARTTLS";

/// How the connection to the SMTP server is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encryption {
    Never,
    /// By STARTTLS, if the server offers it.
    Offered,
    /// By STARTTLS.
    StartTls,
    /// From the beginning.
    Always,
}

/// An SMTP server, and who sends.
#[derive(Clone, Debug)]
pub struct SmtpSettings {
    pub host: String,
    pub port: u16,
    pub(super) encryption: Encryption,
    pub(super) user: Option<String>,
    pub(super) password: Option<Secret>,
    /// The name under which we introduce ourselves.
    pub(super) hello: ClientId,
    /// Certificates in PEM that are trusted besides those of the web.
    pub(super) authorities: Option<Vec<u8>>,
    pub(super) from: Mailbox,
}

impl SmtpSettings {
    /// Reads the variables; every mistake is passed to `note`, none with a password. None if mail is not set up.
    pub fn read(variable: impl Fn(&str) -> Option<String>, mut note: impl FnMut(String)) -> Option<Self> {
        let url = variable(URL_VARIABLE)?;
        let mut settings = match Self::parse(&url) {
            Ok(settings) => Some(settings),
            Err(problem) => {
                note(format!("{URL_VARIABLE} {problem}"));
                None
            }
        };
        match variable(FROM_VARIABLE).map(|text| text.parse::<Mailbox>()) {
            Some(Ok(from)) => {
                if let Some(settings) = &mut settings {
                    settings.from = from;
                }
            }
            Some(Err(_)) => {
                note(format!(
                    "{FROM_VARIABLE} is an address such as desk@example.com, or Desk <desk@example.com>"
                ));
                settings = None;
            }
            None => {
                note(format!(
                    "{FROM_VARIABLE} is missing: set the address that mails are sent from, such as desk@example.com"
                ));
                settings = None;
            }
        }
        if let Some(path) = variable(CA_VARIABLE) {
            match std::fs::read(&path) {
                Ok(pem) => {
                    if let Some(settings) = &mut settings {
                        settings.authorities = Some(pem);
                    }
                }
                Err(error) => {
                    note(format!("{CA_VARIABLE} names {path}, which cannot be read: {error}"));
                    settings = None;
                }
            }
        }
        settings
    }

    fn parse(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|_| format!("is no URL: {FORM}"))?;
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(format!("has no host: {FORM}"))?;
        let host = host.trim_matches(['[', ']']).to_owned();
        let tls = url.query_pairs().find(|(name, _)| name == "tls").map(|(_, value)| value.into_owned());
        let (encryption, usual) = match (url.scheme(), tls.as_deref()) {
            ("smtps", None) => (Encryption::Always, PORT_TLS),
            ("smtp", None) => (Encryption::Never, PORT),
            ("smtp", Some("opportunistic")) => (Encryption::Offered, PORT_STARTTLS),
            ("smtp", Some("required")) => (Encryption::StartTls, PORT_STARTTLS),
            ("smtp", Some(_)) => return Err("says tls=, which is required or opportunistic".to_owned()),
            _ => return Err(format!("is not understood: {FORM}")),
        };
        let decode = |text: &str| {
            let decoded = percent_decode_str(text).decode_utf8().map(std::borrow::Cow::into_owned);
            decoded.map_err(|_| "has a user or a password that is not UTF-8 in percent-encoding".to_owned())
        };
        let user = if url.username().is_empty() { None } else { Some(decode(url.username())?) };
        let password = url.password().map(decode).transpose()?.map(Secret::new);
        if user.is_some() != password.is_some() {
            return Err("has a user without a password, or a password without a user".to_owned());
        }
        let is_sure = matches!(encryption, Encryption::Always | Encryption::StartTls);
        if password.is_some() && !is_sure && !is_this_machine(&host) {
            return Err(
                "would send the password without encryption: use smtps://, or add ?tls=required".to_owned()
            );
        }
        let name = url.path().trim_matches('/');
        let hello = if name.is_empty() { ClientId::default() } else { ClientId::Domain(name.to_owned()) };
        let port = url.port().unwrap_or(usual);
        let nobody = Address::new("nobody", "localhost").map_err(|_| "is not understood".to_owned())?;
        let from = Mailbox::new(None, nobody);
        Ok(Self { host, port, encryption, user, password, hello, authorities: None, from })
    }

    /// The server, as it may be shown.
    pub fn place(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

/// Whether nobody listens on the way.
fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<SmtpSettings, Vec<String>> {
        let mut wrong = Vec::new();
        let find = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        SmtpSettings::read(find, |problem| wrong.push(problem)).ok_or(wrong)
    }

    fn of(url: &str) -> Result<SmtpSettings, Vec<String>> {
        read(&[(URL_VARIABLE, url), (FROM_VARIABLE, "Desk <desk@example.com>")])
    }

    #[test]
    fn an_url_says_the_server_the_encryption_and_the_login() {
        let settings = of("smtps://ann%40example.com:p%2Fw@mail.example.com").unwrap();
        assert_eq!(
            (settings.place().as_str(), settings.encryption),
            ("mail.example.com:465", Encryption::Always)
        );
        assert_eq!(settings.user.as_deref(), Some("ann@example.com"));
        assert_eq!(settings.password.as_ref().map(Secret::reveal), Some("p/w"));
        let settings = of("smtp://a:b@mail.example.com?tls=required").unwrap();
        assert_eq!((settings.port, settings.encryption), (587, Encryption::StartTls));
        let settings = of("smtp://relay:2525/desk.example.com").unwrap();
        assert_eq!((settings.port, settings.encryption), (2525, Encryption::Never));
        assert_eq!(settings.hello, ClientId::Domain("desk.example.com".to_owned()));
        assert_eq!(of("smtp://relay?tls=opportunistic").unwrap().encryption, Encryption::Offered);
        assert!(of("smtp://a:b@127.0.0.1:25").is_ok() && of("smtp://a:b@[::1]:25").is_ok());
    }

    #[test]
    fn a_mistake_is_named_without_the_password() {
        for wrong in [
            "mail.example.com:hunter2",
            "http://a:hunter2@mail.example.com",
            "smtps://",
            "smtp://a:hunter2@mail.example.com",
            "smtp://a:hunter2@mail.example.com?tls=opportunistic",
            "smtp://a:hunter2@mail.example.com?tls=maybe",
            "smtps://a@mail.example.com",
            "smtps://:hunter2@mail.example.com",
        ] {
            let problems = of(wrong).unwrap_err();
            assert_eq!(problems.len(), 1, "{wrong}");
            assert!(
                problems[0].starts_with(URL_VARIABLE) && !problems[0].contains("hunter2"),
                "{wrong}: {problems:?}"
            );
        }
        let settings = of("smtps://a:hunter2@mail.example.com").unwrap();
        assert!(!format!("{settings:?}").contains("hunter2"));
        let url = (URL_VARIABLE, "smtp://relay");
        assert!(read(&[url]).unwrap_err()[0].contains(FROM_VARIABLE));
        assert!(read(&[url, (FROM_VARIABLE, "desk")]).unwrap_err()[0].contains(FROM_VARIABLE));
        let from = (FROM_VARIABLE, "desk@example.com");
        assert!(
            read(&[url, from, (CA_VARIABLE, "/nowhere/ca.pem")]).unwrap_err()[0].contains("/nowhere/ca.pem")
        );
        assert!(read(&[]).unwrap_err().is_empty(), "mail need not be set up");
    }
}
