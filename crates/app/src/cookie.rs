//! The session's cookie.
//!
//! Scripts cannot read it, and requests from other sites do not carry it. On https its name begins with
//! `__Host-`, so that no other host of the same domain can set it.

use frontdesk_kernel::Secret;
use frontdesk_platform::sign_in::sessions::AGE_DAYS_MAX;
use http::header::COOKIE;
use http::{HeaderMap, HeaderValue};

const NAME: &str = "frontdesk_session";
const SECURE_NAME: &str = "__Host-frontdesk_session";
const TOKEN_CHARS: usize = 43;
const DAY_SECONDS: i64 = 24 * 60 * 60;

fn name(is_secure: bool) -> &'static str {
    if is_secure { SECURE_NAME } else { NAME }
}

/// The token in a request's cookie. A malformed token counts as none.
pub(crate) fn token(headers: &HeaderMap, is_secure: bool) -> Option<&str> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let (_, token) = pairs.find(|(known, _)| *known == name(is_secure))?;
    let fits = token.len() == TOKEN_CHARS
        && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    fits.then_some(token)
}

/// Sets the cookie. The server decides how long a session lives; the browser keeps the cookie for the
/// maximum.
pub(crate) fn set(token: &Secret, is_secure: bool) -> HeaderValue {
    written(token.reveal(), AGE_DAYS_MAX * DAY_SECONDS, is_secure)
}

/// Removes the cookie.
pub(crate) fn clear(is_secure: bool) -> HeaderValue {
    written("", 0, is_secure)
}

fn written(value: &str, seconds: i64, is_secure: bool) -> HeaderValue {
    let secure = if is_secure { "; Secure" } else { "" };
    let text =
        format!("{}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}", name(is_secure));
    let mut header = HeaderValue::from_str(&text).expect("a token is letters and digits");
    header.set_sensitive(true);
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(cookies: &[&str]) -> HeaderMap {
        cookies.iter().map(|cookie| (COOKIE, HeaderValue::from_str(cookie).unwrap())).collect()
    }

    #[test]
    fn the_cookie_is_found_among_others_by_its_own_name() {
        let good = "a".repeat(TOKEN_CHARS);
        let found = |cookies: &[&str], is_secure: bool| token(&sent(cookies), is_secure).map(str::to_owned);
        let plain = format!("frontdesk_session={good}");
        let secure = format!("__Host-frontdesk_session={good}");
        assert_eq!(found(&[&plain], false).as_deref(), Some(good.as_str()));
        assert_eq!(found(&["x=1; y", &format!("theme=dark; {plain} ; z=2")], false).as_deref(), Some(&*good));
        assert_eq!(found(&[&secure], true).as_deref(), Some(good.as_str()));
        // A cookie that another host may have set is ignored.
        assert_eq!(found(&[&plain], true), None);
        assert_eq!(found(&[&secure], false), None);
        for wrong in
            ["", "frontdesk_session=", "frontdesk_session=short", &format!("{plain}b"), "frontdesk_session"]
        {
            assert_eq!(found(&[wrong], false), None, "{wrong}");
        }
        let odd = format!("frontdesk_session={}", "+".repeat(TOKEN_CHARS));
        assert_eq!(found(&[&odd], false), None);
    }

    #[test]
    fn the_cookie_is_for_us_alone() {
        let token = Secret::new("t".repeat(TOKEN_CHARS));
        let text = |header: HeaderValue| header.to_str().unwrap().to_owned();
        assert_eq!(
            text(set(&token, false)),
            format!("frontdesk_session={}; Path=/; Max-Age=7776000; HttpOnly; SameSite=Lax", token.reveal())
        );
        assert!(text(set(&token, true)).starts_with("__Host-frontdesk_session="));
        assert!(text(set(&token, true)).ends_with("; HttpOnly; SameSite=Lax; Secure"));
        assert_eq!(text(clear(false)), "frontdesk_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
    }
}
