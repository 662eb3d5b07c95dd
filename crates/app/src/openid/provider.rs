//! The client of the provider: its addresses by discovery, its keys, and the exchange of a code for a person.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use form_urlencoded::{Serializer, byte_serialize};
use frontdesk_kernel::Timestamp;
use frontdesk_outbound::{Client, Limits};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::Mutex;

use super::config::{OpenIdConfig, check_issuer};
use super::id_token::{self, Claims, Expected, TokenError};
use super::keys::KeySet;
use super::pending::Pending;

const CALL_TIME_MAX: Duration = Duration::from_secs(10);
const RESPONSE_BYTES_MAX: usize = 1 << 20;
/// How long the provider's addresses and keys are used before they are read again.
const KNOWN_SECONDS_MAX: i64 = 60 * 60;
/// The pause after a failed attempt to read them, and between two attempts because of an unknown key.
const PAUSE_SECONDS: i64 = 10;
const DISCOVERY_PATH: &str = "/.well-known/openid-configuration";

/// Why the provider could not be asked, or what its response lacks.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ProviderError {
    #[error("{0} could not be reached: {1}")]
    Unreached(String, String),
    #[error("{0} responded with {1}")]
    Status(String, StatusCode),
    #[error("the response of {0} is not what OpenID Connect asks for: {1}")]
    Response(String, String),
    #[error("the code was refused: {0}")]
    Code(String),
    #[error("the ID token proves nothing: {0}")]
    Token(String),
}

impl ProviderError {
    /// Whether it may be different in a moment.
    pub(crate) fn is_temporary(&self) -> bool {
        match self {
            Self::Unreached(..) => true,
            Self::Status(_, status) => status.is_server_error() || *status == StatusCode::TOO_MANY_REQUESTS,
            Self::Response(..) | Self::Code(_) | Self::Token(_) => false,
        }
    }
}

impl From<TokenError> for ProviderError {
    fn from(error: TokenError) -> Self {
        Self::Token(error.to_string())
    }
}

#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    userinfo_endpoint: Option<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

/// The response of the token endpoint.
#[derive(Deserialize)]
struct Tokens {
    id_token: String,
    access_token: Option<String>,
}

/// The provider's addresses and keys.
struct Known {
    metadata: Metadata,
    keys: KeySet,
    read_at: Timestamp,
}

#[derive(Default)]
struct Cache {
    known: Option<Arc<Known>>,
    failed: Option<(Timestamp, ProviderError)>,
}

/// The provider, as this installation knows it.
pub struct Provider {
    pub(crate) config: OpenIdConfig,
    client: Client,
    cache: Mutex<Cache>,
}

impl Provider {
    pub fn new(config: OpenIdConfig, client: Client) -> Self {
        Self { config, client, cache: Mutex::default() }
    }

    /// The name that people know it by.
    pub(crate) fn name(&self) -> &str {
        &self.config.name
    }

    /// Whether nobody signs in by a password.
    pub(crate) fn is_only(&self) -> bool {
        self.config.only
    }

    /// Reads the provider's addresses and keys, to find out whether it works.
    pub async fn examine(&self, now: Timestamp) -> Result<(), ProviderError> {
        self.discover(now).await.map(|_known| ())
    }

    /// The address at which a person signs in.
    pub(crate) async fn sign_in_url(
        &self,
        pending: &Pending,
        redirect: &str,
        now: Timestamp,
    ) -> Result<String, ProviderError> {
        let known = self.known(now, None).await?;
        let base = &known.metadata.authorization_endpoint;
        let mut query = Serializer::new(String::new());
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.config.client_id)
            .append_pair("redirect_uri", redirect)
            .append_pair("scope", &self.config.scopes)
            .append_pair("state", &pending.state)
            .append_pair("nonce", &pending.nonce)
            .append_pair("code_challenge", &pending.challenge())
            .append_pair("code_challenge_method", "S256");
        let separator = if base.contains('?') { '&' } else { '?' };
        Ok(format!("{base}{separator}{}", query.finish()))
    }

    /// The person to whom the provider gave a code.
    pub(crate) async fn identify(
        &self,
        code: &str,
        pending: &Pending,
        redirect: &str,
        now: Timestamp,
    ) -> Result<Claims, ProviderError> {
        let known = self.known(now, None).await?;
        let tokens = self.exchange(&known.metadata, code, pending, redirect).await?;
        let read = |known: &Known| {
            let expected = Expected {
                issuer: &known.metadata.issuer,
                client_id: &self.config.client_id,
                nonce: &pending.nonce,
                now,
            };
            id_token::read(&tokens.id_token, &known.keys, &expected)
        };
        let mut claims = match read(&known) {
            // The provider has changed its keys.
            Err(TokenError::UnknownKey) => read(&*self.known(now, Some(&known)).await?)?,
            outcome => outcome?,
        };
        if claims.text("email").is_none()
            && let (Some(url), Some(token)) = (&known.metadata.userinfo_endpoint, &tokens.access_token)
        {
            let more = self.user_info(url, token).await?;
            if more.subject != claims.subject {
                return Err(ProviderError::Response(url.clone(), "it is about somebody else".to_owned()));
            }
            claims.add(more);
        }
        Ok(claims)
    }

    async fn exchange(
        &self,
        metadata: &Metadata,
        code: &str,
        pending: &Pending,
        redirect: &str,
    ) -> Result<Tokens, ProviderError> {
        let (config, url) = (&self.config, &metadata.token_endpoint);
        let mut fields = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect),
            ("code_verifier", &pending.verifier),
        ];
        let mut headers = HeaderMap::new();
        let methods = metadata.token_endpoint_auth_methods_supported.as_deref();
        match &config.client_secret {
            Some(secret) if takes_basic(methods) => {
                headers.insert(AUTHORIZATION, basic(&config.client_id, secret.reveal()));
            }
            Some(secret) => {
                fields.extend([("client_id", &*config.client_id), ("client_secret", secret.reveal())]);
            }
            None => fields.push(("client_id", &config.client_id)),
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        let form = Serializer::new(String::new()).extend_pairs(fields).finish();
        let (status, body) = self.call(Method::POST, url, headers, form).await?;
        match status {
            StatusCode::OK => read_json(url, &body),
            StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED => {
                let reason: Option<Value> = serde_json::from_slice(&body).ok();
                let reason = reason.as_ref().and_then(|value| value.get("error")?.as_str());
                Err(ProviderError::Code(reason.unwrap_or("no reason was given").chars().take(100).collect()))
            }
            status => Err(ProviderError::Status(url.clone(), status)),
        }
    }

    async fn user_info(&self, url: &str, token: &str) -> Result<Claims, ProviderError> {
        let mut headers = HeaderMap::new();
        let mut value = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| {
            ProviderError::Response(url.to_owned(), "its access token is no header".to_owned())
        })?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
        let said: Value = self.read(url, headers).await?;
        Claims::new(said).ok_or_else(|| ProviderError::Response(url.to_owned(), "it has no sub".to_owned()))
    }

    /// The provider's addresses and keys: those that are known, unless they are old, or are the ones that lack a key.
    /// Only one caller reads them at a time.
    async fn known(&self, now: Timestamp, lacking: Option<&Arc<Known>>) -> Result<Arc<Known>, ProviderError> {
        let mut cache = self.cache.lock().await;
        if let Some(known) = &cache.known {
            let age = now.seconds() - known.read_at.seconds();
            let is_the_lacking_one = lacking.is_some_and(|lacking| Arc::ptr_eq(lacking, known));
            let is_to_be_read =
                (is_the_lacking_one && age >= PAUSE_SECONDS) || !(0..KNOWN_SECONDS_MAX).contains(&age);
            if !is_to_be_read {
                return Ok(known.clone());
            }
        }
        if let Some((at, error)) = &cache.failed
            && (0..PAUSE_SECONDS).contains(&(now.seconds() - at.seconds()))
        {
            return cache.known.clone().ok_or_else(|| error.clone());
        }
        match self.discover(now).await {
            Ok(known) => {
                let known = Arc::new(known);
                *cache = Cache { known: Some(known.clone()), failed: None };
                Ok(known)
            }
            Err(error) => {
                tracing::warn!(%error, "the OpenID provider could not be read; trying again at the next sign-in");
                cache.failed = Some((now, error.clone()));
                // Old addresses and keys are better than none.
                cache.known.clone().ok_or(error)
            }
        }
    }

    async fn discover(&self, now: Timestamp) -> Result<Known, ProviderError> {
        let issuer = self.config.issuer.trim_end_matches('/');
        let url = format!("{issuer}{DISCOVERY_PATH}");
        let metadata: Metadata = self.read(&url, HeaderMap::new()).await?;
        if metadata.issuer.trim_end_matches('/') != issuer {
            let reason = format!("its issuer is {:?} and not the configured one", metadata.issuer);
            return Err(ProviderError::Response(url, reason));
        }
        let addresses = [&metadata.authorization_endpoint, &metadata.token_endpoint, &metadata.jwks_uri];
        let addresses = addresses.into_iter().chain(&metadata.userinfo_endpoint);
        for address in addresses {
            check_address(address).map_err(|why| ProviderError::Response(url.clone(), why))?;
        }
        let keys = self.get(&metadata.jwks_uri, HeaderMap::new()).await?;
        let keys = KeySet::parse(&keys).ok_or_else(|| {
            ProviderError::Response(metadata.jwks_uri.clone(), "it is no set of keys".to_owned())
        })?;
        Ok(Known { metadata, keys, read_at: now })
    }

    async fn read<T: DeserializeOwned>(&self, url: &str, headers: HeaderMap) -> Result<T, ProviderError> {
        read_json(url, &self.get(url, headers).await?)
    }

    async fn get(&self, url: &str, headers: HeaderMap) -> Result<Bytes, ProviderError> {
        let (status, body) = self.call(Method::GET, url, headers, String::new()).await?;
        if status == StatusCode::OK { Ok(body) } else { Err(ProviderError::Status(url.to_owned(), status)) }
    }

    async fn call(
        &self,
        method: Method,
        url: &str,
        mut headers: HeaderMap,
        body: String,
    ) -> Result<(StatusCode, Bytes), ProviderError> {
        let uri: Uri = url
            .parse()
            .map_err(|_| ProviderError::Response(url.to_owned(), "this is no address".to_owned()))?;
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let limits = Limits { time_max: CALL_TIME_MAX, body_bytes_max: RESPONSE_BYTES_MAX };
        let response = self.client.send(method, uri, headers, Bytes::from(body), limits).await;
        let response =
            response.map_err(|error| ProviderError::Unreached(url.to_owned(), error.to_string()))?;
        Ok((response.status, response.body))
    }
}

fn read_json<T: DeserializeOwned>(url: &str, body: &[u8]) -> Result<T, ProviderError> {
    // The reason may quote the body, which may hold a token.
    serde_json::from_slice(body).map_err(|error| {
        let reason = format!("line {}, column {} of its JSON", error.line(), error.column());
        ProviderError::Response(url.to_owned(), reason)
    })
}

/// An endpoint's address may have a query.
fn check_address(url: &str) -> Result<(), String> {
    check_issuer(url.split_once('?').map_or(url, |(before, _)| before))
}

/// Whether the token endpoint takes the client's secret as HTTP basic authentication, which is the rule.
fn takes_basic(methods: Option<&[String]>) -> bool {
    methods.is_none_or(|methods| {
        methods.iter().any(|method| method == "client_secret_basic")
            || !methods.iter().any(|method| method == "client_secret_post")
    })
}

fn basic(client_id: &str, secret: &str) -> HeaderValue {
    let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    let pair = STANDARD.encode(format!("{}:{}", encoded(client_id), encoded(secret)));
    let mut value = HeaderValue::from_str(&format!("Basic {pair}")).expect("base64 is a header's value");
    value.set_sensitive(true);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_goes_where_the_provider_wants_it() {
        let methods = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert!(takes_basic(None));
        assert!(takes_basic(Some(&methods(&["client_secret_post", "client_secret_basic"]))));
        assert!(takes_basic(Some(&methods(&["private_key_jwt"]))));
        assert!(!takes_basic(Some(&methods(&["client_secret_post"]))));
        // RFC 6749, section 2.3.1: both parts are form-encoded first.
        let expected = format!("Basic {}", STANDARD.encode("a%3Ab:c+d%26"));
        assert_eq!(basic("a:b", "c d&"), expected.as_str());
    }

    #[test]
    fn no_secret_is_sent_to_an_address_without_tls() {
        assert!(check_address("https://id.example.com/token?tenant=1").is_ok());
        assert!(check_address("http://127.0.0.1:9000/token").is_ok());
        for wrong in
            ["http://id.example.com/token", "ftp://id.example.com", "/token", "", "javascript:alert(1)"]
        {
            assert!(check_address(wrong).is_err(), "{wrong}");
        }
    }
}
