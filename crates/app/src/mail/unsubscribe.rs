//! Declining mails of a kind without a session: by the mail program's button (RFC 8058), or on a page.
//!
//! The address is signed by the installation for one member and one kind of mail, so it does nothing else. It does not
//! expire, because a mail may be read years later, and there is none for invitations and new passwords. A page asks
//! before it changes anything, because programs open the links of a mail.

use frontdesk_kernel::ids::{AccountId, UserId};
use frontdesk_kernel::mac::Mac;
use frontdesk_platform::mails::{MailKind, MailLanguage, choices};
use frontdesk_platform::public_endpoint::{PublicResponse, nothing_here};
use frontdesk_platform::sealing::Keyring;
use frontdesk_platform::{Error as PlatformError, PublicEndpoint, ServerContext, UnreadRequest, members};
use frontdesk_web::{Failure, Reply, Result};
use http::header::{ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use http::{HeaderValue, Method, StatusCode};
use uuid::Uuid;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The endpoint's name, which its paths begin with.
const NAME: &str = "mail";
const PURPOSE: &str = "unsubscribing from mails";
const TAG_BYTES: usize = 16;
const IDS_BYTES: usize = 32;
/// Of the form that mail programs send.
const BODY_BYTES_MAX: usize = 1_024;
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
);

/// Whose mails, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Declined {
    account: AccountId,
    user: UserId,
    kind: MailKind,
}

/// The address at which a member gets no more mails of a kind; none if they cannot be declined.
pub(super) fn url(
    keys: &Keyring,
    base_url: &str,
    (account, user): (AccountId, UserId),
    kind: MailKind,
) -> Option<String> {
    if kind.is_access() {
        return None;
    }
    Some(format!(
        "{base_url}/{NAME}/unsubscribe/{}",
        token(&keys.derive(PURPOSE), Declined { account, user, kind })
    ))
}

fn tag(key: &[u8; 32], declined: Declined) -> Mac {
    let Declined { account, user, kind } = declined;
    Mac::new(key)
        .chain(account.uuid().as_bytes())
        .chain(user.uuid().as_bytes())
        .chain(kind.as_str().as_bytes())
}

fn token(key: &[u8; 32], declined: Declined) -> String {
    let mut bytes = Vec::with_capacity(IDS_BYTES + TAG_BYTES + 24);
    bytes.extend_from_slice(declined.account.uuid().as_bytes());
    bytes.extend_from_slice(declined.user.uuid().as_bytes());
    bytes.extend_from_slice(&tag(key, declined).tag::<TAG_BYTES>());
    bytes.extend_from_slice(declined.kind.as_str().as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

fn open(key: &[u8; 32], token: &str) -> Option<Declined> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    let (ids, rest) = bytes.split_at_checked(IDS_BYTES)?;
    let (given, kind) = rest.split_at_checked(TAG_BYTES)?;
    let kind: MailKind = std::str::from_utf8(kind).ok()?.parse().ok()?;
    let (account, user) = ids.split_at(IDS_BYTES / 2);
    let declined = Declined {
        account: AccountId::from_uuid(Uuid::from_slice(account).ok()?),
        user: UserId::from_uuid(Uuid::from_slice(user).ok()?),
        kind,
    };
    (!kind.is_access() && tag(key, declined).is_tag::<TAG_BYTES>(given)).then_some(declined)
}

/// The endpoint of declined mails: `GET` and `POST /mail/unsubscribe/{token}`.
pub fn public_endpoint() -> PublicEndpoint {
    PublicEndpoint::new(NAME, BODY_BYTES_MAX, |server, request| {
        Box::pin(async move { respond(server, request).await })
    })
}

async fn respond(server: &ServerContext, request: UnreadRequest<'_>) -> Result<PublicResponse> {
    let key = server.services.secrets.derive(PURPOSE);
    let declined = match request.head.parts::<2>() {
        Some(["unsubscribe", token]) => open(&key, token).ok_or_else(nothing_here)?,
        _ => return Err(nothing_here()),
    };
    let language = language(request.head.headers.get(ACCEPT_LANGUAGE));
    match request.head.method {
        Method::GET | Method::HEAD => Ok(page(language, false)),
        Method::POST => {
            // What the form says does not matter: the address says it all.
            let now = request.read().await?.now;
            let Declined { account, user, kind } = declined;
            server
                .store
                .write(move |tx| {
                    // A member who has left gets no mails anyway.
                    if members::is_active(tx, account, user)? {
                        choices::turn_off(tx, (account, user), kind, now)?;
                    }
                    Ok::<(), PlatformError>(())
                })
                .await?;
            metrics::counter!("frontdesk_mails_declined_total", "kind" => kind.as_str()).increment(1);
            Ok(page(language, true))
        }
        _ => Err(Failure::method_not_allowed("GET, HEAD, POST")),
    }
}

/// The first language of the browser that we speak.
fn language(accepted: Option<&HeaderValue>) -> MailLanguage {
    let accepted = accepted.and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut words = accepted.split(',').filter_map(|part| part.split(['-', ';']).next());
    words.find_map(|word| word.trim().parse().ok()).unwrap_or(MailLanguage::English)
}

fn page(language: MailLanguage, is_done: bool) -> PublicResponse {
    let (title, words, action) = match (language, is_done) {
        (MailLanguage::English, false) => (
            "Get no more of these mails?",
            "You can change it back in the dashboard, under Settings and Preferences.",
            "Get no more of these mails",
        ),
        (MailLanguage::English, true) => (
            "You get no more of these mails",
            "You can change it back in the dashboard, under Settings and Preferences.",
            "",
        ),
        (MailLanguage::German, false) => (
            "Keine solchen E-Mails mehr bekommen?",
            "Im Dashboard können Sie das unter Einstellungen und Vorlieben wieder ändern.",
            "Keine solchen E-Mails mehr bekommen",
        ),
        (MailLanguage::German, true) => (
            "Sie bekommen keine solchen E-Mails mehr",
            "Im Dashboard können Sie das unter Einstellungen und Vorlieben wieder ändern.",
            "",
        ),
    };
    let form = if action.is_empty() {
        String::new()
    } else {
        format!("<form method=\"post\"><button>{action}</button></form>\n")
    };
    let html = format!(
        "<!doctype html>\n<html lang=\"{}\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 34em; margin: 2em auto; padding: 0 1em }}\n\
         button {{ font: inherit; padding: 0.5em 1em }}</style>\n<main>\n<h1>{title}</h1>\n<p>{words}</p>\n{form}</main>\n</html>\n",
        language.as_str()
    );
    Reply::new(StatusCode::OK, html)
        .header(CONTENT_TYPE, HTML)
        .header(CONTENT_SECURITY_POLICY, POLICY)
        .header(CACHE_CONTROL, HeaderValue::from_static("no-store"))
        .header(REFERRER_POLICY, HeaderValue::from_static("no-referrer"))
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [7; 32];

    fn declined(user: u128, kind: MailKind) -> Declined {
        let account = AccountId::from_uuid(Uuid::from_u128(1));
        Declined { account, user: UserId::from_uuid(Uuid::from_u128(user)), kind }
    }

    #[test]
    fn an_address_is_good_for_one_member_and_one_kind() {
        let mine = declined(2, MailKind::Mention);
        let token = token(&KEY, mine);
        assert_eq!(open(&KEY, &token), Some(mine));
        assert_eq!(open(&[8; 32], &token), None);
        let bytes = URL_SAFE_NO_PAD.decode(&token).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_eq!(open(&KEY, &URL_SAFE_NO_PAD.encode(changed)), None, "{at}");
        }
        let mut other = bytes[..IDS_BYTES + TAG_BYTES].to_vec();
        other.extend_from_slice(MailKind::BudgetWarning.as_str().as_bytes());
        assert_eq!(open(&KEY, &URL_SAFE_NO_PAD.encode(other)), None, "another kind");
        for wrong in ["", "x", "****", &token[..20], &format!("{token}AAAA")] {
            assert_eq!(open(&KEY, wrong), None, "{wrong}");
        }
    }

    #[test]
    fn links_to_the_account_cannot_be_declined() {
        for kind in [MailKind::Invitation, MailKind::PasswordReset] {
            assert_eq!(open(&KEY, &token(&KEY, declined(2, kind))), None, "{}", kind.as_str());
        }
    }

    #[test]
    fn the_page_is_in_the_language_of_the_browser() {
        let of = |text: &'static str| language(Some(&HeaderValue::from_static(text)));
        assert_eq!(of("de-AT,en;q=0.8"), MailLanguage::German);
        assert_eq!(of("fr, de;q=0.5"), MailLanguage::German);
        assert_eq!(of("fr"), MailLanguage::English);
        assert_eq!(language(None), MailLanguage::English);
    }
}
