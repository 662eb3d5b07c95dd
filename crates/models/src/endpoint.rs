//! The address and the key of a provider.

use std::fmt;

use frontdesk_kernel::Secret;
use http::{HeaderMap, HeaderName, HeaderValue, Uri};

/// OpenAI's address.
const OPENAI_URL: &str = "https://api.openai.com/v1";
/// Anthropic's address.
const ANTHROPIC_URL: &str = "https://api.anthropic.com";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Provider {
    /// OpenAI, or any server that implements its chat completions.
    OpenAi,
    Anthropic,
    /// The model inside this installation, which speaks OpenAI's format.
    Sandbox,
}

impl Provider {
    /// What to check when the key is refused.
    pub(crate) fn key_hint(self) -> &'static str {
        match self {
            Self::OpenAi => "FRONTDESK_OPENAI_API_KEY",
            Self::Anthropic => "FRONTDESK_ANTHROPIC_API_KEY",
            Self::Sandbox => "that all servers have the same FRONTDESK_SECRET_KEY",
        }
    }

    /// What to check when the provider cannot be reached.
    pub(crate) fn url_hint(self) -> &'static str {
        match self {
            Self::OpenAi => "FRONTDESK_OPENAI_BASE_URL",
            Self::Anthropic => "FRONTDESK_ANTHROPIC_BASE_URL",
            Self::Sandbox => "FRONTDESK_LISTEN",
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OpenAi => "the OpenAI-compatible endpoint",
            Self::Anthropic => "Anthropic",
            Self::Sandbox => "the sandbox model",
        })
    }
}

/// A provider's endpoint. The operator chose its address, so it may be on a private network.
#[derive(Clone, Debug)]
pub struct Endpoint {
    provider: Provider,
    base: String,
    key: Option<Secret>,
    headers: HeaderMap,
}

impl Endpoint {
    /// An OpenAI-compatible endpoint. `base` usually ends in `/v1`. Without a base, this is OpenAI itself. A local
    /// server may need no key.
    pub fn openai(base: Option<&str>, key: Option<Secret>) -> Result<Self, String> {
        let base = read_base(base.unwrap_or(OPENAI_URL))?;
        if base.split_once("://").is_some_and(|(_, rest)| !rest.contains('/')) {
            return Err(format!("it has no path: most servers answer under {base}/v1"));
        }
        Self::new(Provider::OpenAi, base, key)
    }

    /// Anthropic, or a server that implements its messages. The address may or may not end in `/v1`.
    pub fn anthropic(base: Option<&str>, key: Option<Secret>) -> Result<Self, String> {
        let base = read_base(base.unwrap_or(ANTHROPIC_URL))?;
        let base = base.strip_suffix("/v1").unwrap_or(&base).to_owned();
        Self::new(Provider::Anthropic, base, key)
    }

    /// The sandbox model. `header` authenticates the caller.
    pub fn sandbox(base: &str, header: Option<(HeaderName, HeaderValue)>) -> Result<Self, String> {
        let mut endpoint = Self::new(Provider::Sandbox, read_base(base)?, None)?;
        endpoint.headers.extend(header.map(|(name, mut value)| {
            value.set_sensitive(true);
            (name, value)
        }));
        Ok(endpoint)
    }

    fn new(provider: Provider, base: String, key: Option<Secret>) -> Result<Self, String> {
        let mut headers = HeaderMap::new();
        if let Some(key) = &key {
            let (name, text) = match provider {
                Provider::Anthropic => ("x-api-key", key.reveal().to_owned()),
                Provider::OpenAi | Provider::Sandbox => ("authorization", format!("Bearer {}", key.reveal())),
            };
            let value = HeaderValue::from_str(&text);
            let mut value = value.map_err(|_| "the key has characters that no key has".to_owned())?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_static(name), value);
        }
        Ok(Self { provider, base, key, headers })
    }

    pub fn provider(&self) -> Provider {
        self.provider
    }

    pub fn base(&self) -> &str {
        &self.base
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// The headers that authenticate the caller.
    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    pub(crate) fn key(&self) -> Option<&str> {
        self.key.as_ref().map(Secret::reveal)
    }
}

fn read_base(text: &str) -> Result<String, String> {
    let bare = text.trim().trim_end_matches('/');
    let uri: Option<Uri> = bare.parse().ok();
    let is_usable = uri.is_some_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.host().is_some_and(|host| !host.is_empty())
            && uri.query().is_none()
            && uri.authority().is_some_and(|authority| !authority.as_str().contains('@'))
    });
    if is_usable { Ok(bare.to_owned()) } else { Err(format!("{text:?} is no base URL: use https://HOST/v1")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_with_and_without_its_version() {
        let url = |base| Endpoint::anthropic(base, None).unwrap().url("/v1/messages");
        assert_eq!(url(None), "https://api.anthropic.com/v1/messages");
        assert_eq!(url(Some("http://proxy:1/v1/")), "http://proxy:1/v1/messages");
        let url = Endpoint::openai(Some("http://localhost:11434/v1/"), None).unwrap();
        assert_eq!(url.url("/chat/completions"), "http://localhost:11434/v1/chat/completions");
    }

    #[test]
    fn a_wrong_address_or_key_says_what_to_write() {
        let wrong = |base: &str| Endpoint::openai(Some(base), None).unwrap_err();
        assert!(wrong("http://localhost:11434").contains("http://localhost:11434/v1"));
        for base in ["localhost/v1", "ftp://h/v1", "http:///v1", "https://h/v1?a=b", "https://k@h/v1"] {
            assert!(wrong(base).contains("use https://HOST/v1"), "{base}");
        }
        let key = Secret::new("sk\n1");
        assert!(Endpoint::openai(None, Some(key)).unwrap_err().contains("the key"));
    }

    #[test]
    fn no_key_is_printed() {
        for endpoint in [Endpoint::openai, Endpoint::anthropic] {
            let printed = format!("{:?}", endpoint(None, Some(Secret::new("sk-secret"))).unwrap());
            assert!(!printed.contains("sk-secret"), "{printed}");
        }
    }
}
