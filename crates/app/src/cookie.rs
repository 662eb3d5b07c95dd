//! The session's cookie, and that of a sign-in at the provider.
//!
//! Scripts cannot read them, and requests from other sites do not carry them. On https their names begin with
//! `__Host-`, so that no other host of the same domain can set them.

use frontdesk_kernel::Secret;
use frontdesk_platform::sign_in::sessions::AGE_DAYS_MAX;
use http::header::COOKIE;
use http::{HeaderMap, HeaderValue};

const NAME: &str = "frontdesk_session";
const SECURE_NAME: &str = "__Host-frontdesk_session";
/// What the browser keeps while its user signs in at the provider.
const PENDING_NAME: &str = "frontdesk_sign_in";
const SECURE_PENDING_NAME: &str = "__Host-frontdesk_sign_in";
const PENDING_CHARS_MAX: usize = 2048;
const TOKEN_CHARS: usize = 43;
const DAY_SECONDS: i64 = 24 * 60 * 60;

fn name(is_secure: bool) -> &'static str {
    if is_secure { SECURE_NAME } else { NAME }
}

fn pending_name(is_secure: bool) -> &'static str {
    if is_secure { SECURE_PENDING_NAME } else { PENDING_NAME }
}

/// The token in a request's cookie. A malformed token counts as none.
pub(crate) fn token(headers: &HeaderMap, is_secure: bool) -> Option<&str> {
    find(headers, name(is_secure)).filter(|token| token.len() == TOKEN_CHARS)
}

/// The sealed sign-in in a request's cookie.
pub(crate) fn pending(headers: &HeaderMap, is_secure: bool) -> Option<&str> {
    find(headers, pending_name(is_secure)).filter(|sealed| sealed.len() <= PENDING_CHARS_MAX)
}

fn find<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let (_, value) = pairs.find(|(known, _)| *known == name)?;
    value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')).then_some(value)
}

/// Sets the cookie. The server decides how long a session lives; the browser keeps the cookie for the
/// maximum.
pub(crate) fn set(token: &Secret, is_secure: bool) -> HeaderValue {
    written(name(is_secure), token.reveal(), AGE_DAYS_MAX * DAY_SECONDS, is_secure)
}

/// Removes the cookie.
pub(crate) fn clear(is_secure: bool) -> HeaderValue {
    written(name(is_secure), "", 0, is_secure)
}

/// Sets the cookie of a sign-in at the provider.
pub(crate) fn set_pending(sealed: &str, seconds: i64, is_secure: bool) -> HeaderValue {
    written(pending_name(is_secure), sealed, seconds, is_secure)
}

/// Removes it.
pub(crate) fn clear_pending(is_secure: bool) -> HeaderValue {
    written(pending_name(is_secure), "", 0, is_secure)
}

fn written(name: &str, value: &str, seconds: i64, is_secure: bool) -> HeaderValue {
    let secure = if is_secure { "; Secure" } else { "" };
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
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
    fn fuzzed_cookies_are_tokens_or_nothing() {
        let good = format!("frontdesk_session={}; theme=dark", "a".repeat(TOKEN_CHARS));
        let words =
            ["frontdesk_session=", "__Host-frontdesk_session=", "frontdesk_sign_in=", ";", "=", " ", "\""];
        frontdesk_fuzz::Target::new("cookie").examples([good]).words(words).run(|bytes| {
            let Ok(value) = HeaderValue::from_bytes(bytes) else { return (0, 0) };
            let headers = HeaderMap::from_iter([(COOKIE, value)]);
            let is_plain =
                |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
            let (mut tokens, mut sealed) = (0, 0);
            for is_secure in [false, true] {
                let found = token(&headers, is_secure);
                assert!(found.is_none_or(|token| token.len() == TOKEN_CHARS && is_plain(token)));
                tokens += u8::from(found.is_some());
                let found = pending(&headers, is_secure);
                assert!(found.is_none_or(|text| text.len() <= PENDING_CHARS_MAX && is_plain(text)));
                sealed += u8::from(found.is_some());
            }
            (tokens, sealed)
        });
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
