//! The URL of an endpoint. Only its form is checked here; its address is checked when it is called.

use std::str::FromStr;

use frontdesk_web::text_input;
use http::Uri;
use serde_json::json;

const URL_CHARS_MAX: usize = 2048;

/// An absolute http or https URL without user, password or fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookUrl(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAHookUrl {
    #[error("must be an absolute URL such as https://example.com/hook")]
    Shape,
    #[error("must not carry a user name or password")]
    Credentials,
    #[error("must have at most {URL_CHARS_MAX} characters")]
    TooLong,
}

impl HookUrl {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn uri(&self) -> Option<Uri> {
        self.0.parse().ok()
    }

    pub fn is_https(&self) -> bool {
        self.uri().is_some_and(|uri| uri.scheme_str() == Some("https"))
    }
}

impl FromStr for HookUrl {
    type Err = NotAHookUrl;

    fn from_str(text: &str) -> Result<Self, NotAHookUrl> {
        let text = text.trim();
        if text.chars().count() > URL_CHARS_MAX {
            return Err(NotAHookUrl::TooLong);
        }
        let uri: Uri = text.parse().map_err(|_| NotAHookUrl::Shape)?;
        let authority = uri.authority().ok_or(NotAHookUrl::Shape)?;
        if authority.as_str().contains('@') {
            return Err(NotAHookUrl::Credentials);
        }
        let web = matches!(uri.scheme_str(), Some("http" | "https"));
        // After the host comes nothing or a valid port.
        let port =
            authority.as_str() == authority.host() || authority.port_u16().is_some_and(|port| port > 0);
        if web && port && !authority.host().is_empty() && !text.contains('#') {
            Ok(Self(text.to_owned()))
        } else {
            Err(NotAHookUrl::Shape)
        }
    }
}

text_input!(HookUrl, |_| json!({
    "type": "string", "format": "uri", "maxLength": URL_CHARS_MAX, "pattern": "^https?://[^#]+$",
    "examples": ["https://example.com/hook"],
}));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_absolute_and_carry_no_secret() {
        for right in ["https://example.com/hook?x=1", "http://127.0.0.1:9000", "https://[2001:db8::1]:8443/a"]
        {
            assert!(right.parse::<HookUrl>().is_ok(), "{right}");
        }
        for (wrong, why) in [
            ("", NotAHookUrl::Shape),
            ("/hook", NotAHookUrl::Shape),
            ("example.com/hook", NotAHookUrl::Shape),
            ("ftp://example.com", NotAHookUrl::Shape),
            ("https://", NotAHookUrl::Shape),
            ("https://example.com/#part", NotAHookUrl::Shape),
            ("https://example.com:99999/", NotAHookUrl::Shape),
            ("https://example.com:0/", NotAHookUrl::Shape),
            ("https://user:pass@example.com", NotAHookUrl::Credentials),
        ] {
            assert_eq!(wrong.parse::<HookUrl>(), Err(why), "{wrong}");
        }
    }
}
