//! Why a model call failed. Variants are facts that the caller acts on. The provider's own message is kept.

use std::fmt;
use std::time::Duration;

use crate::endpoint::Provider;

/// Maximum characters that are kept of a provider's message.
const MESSAGE_CHARS_MAX: usize = 2_000;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    #[error("{provider} refused the API key ({fault}). Check {}", provider.key_hint())]
    Authentication { provider: Provider, fault: ProviderFault },
    #[error("the account at {provider} is out of credit ({fault}). Add credit there")]
    OutOfCredit { provider: Provider, fault: ProviderFault },
    #[error("{provider} has no such model ({fault}). Choose another model for the assistant or the account")]
    UnknownModel { provider: Provider, fault: ProviderFault },
    #[error("the conversation is too long for the model ({fault}). Send fewer messages")]
    ContextTooLong { fault: ProviderFault },
    /// The provider will not accept this request as it is.
    #[error("{provider} rejected the request ({fault})")]
    Rejected { provider: Provider, fault: ProviderFault },
    #[error("{provider} limits the rate of calls ({fault}). Try again later")]
    RateLimited { provider: Provider, fault: ProviderFault, retry_after: Option<Duration> },
    #[error("{provider} is unavailable ({fault}). Try again later")]
    Unavailable { provider: Provider, fault: ProviderFault, retry_after: Option<Duration> },
    /// Nothing was sent.
    #[error("{provider} cannot be reached: {reason}. Check {} and this machine's network", provider.url_hint())]
    Unreached { provider: Provider, reason: String },
    /// The client may not connect to such an address.
    #[error("{provider} may not be called: {reason}. Correct {}", provider.url_hint())]
    AddressRefused { provider: Provider, reason: String },
    #[error("{provider} did not reply within {} s", time_max.as_secs_f32())]
    TimedOut { provider: Provider, time_max: Duration },
    /// The connection broke after the request was sent.
    #[error("the connection to {provider} broke before the reply was complete: {reason}")]
    Interrupted { provider: Provider, reason: String },
    #[error("the reply of {provider} cannot be read: {reason}")]
    Unreadable { provider: Provider, reason: String },
    #[error(
        "the request has {bytes} bytes, more than the {bytes_max} that are sent. Send fewer or smaller messages and images"
    )]
    RequestTooLarge { bytes: usize, bytes_max: usize },
    #[error("the text to speak has more than {chars_max} characters. Send it as text")]
    SpeechTooLong { chars_max: usize },
    #[error(
        "no provider for audio is configured: Anthropic has none. Set FRONTDESK_OPENAI_BASE_URL and FRONTDESK_OPENAI_API_KEY"
    )]
    NoAudio,
}

impl ModelError {
    /// Whether the provider may have billed the call although there is no reply. Count such a call at its worst case.
    pub fn may_be_billed(&self) -> bool {
        matches!(self, Self::TimedOut { .. } | Self::Interrupted { .. } | Self::Unreadable { .. })
    }

    /// Whether the same call may succeed later.
    pub fn is_temporary(&self) -> bool {
        matches!(
            self,
            Self::RateLimited { .. }
                | Self::Unavailable { .. }
                | Self::Unreached { .. }
                | Self::TimedOut { .. }
                | Self::Interrupted { .. }
                | Self::Unreadable { .. }
        )
    }

    /// How long the provider asked to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Unavailable { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Whether nothing was billed and the call can be repeated at once.
    pub(crate) fn is_retried(&self) -> bool {
        matches!(self, Self::RateLimited { .. } | Self::Unavailable { .. } | Self::Unreached { .. })
    }
}

/// An error as the provider reported it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderFault {
    pub status: u16,
    /// The provider's code or type, such as `rate_limit_error`.
    pub code: Option<String>,
    pub message: String,
    pub request_id: Option<String>,
}

impl ProviderFault {
    /// Truncates the message, and removes the key in case the provider repeats it.
    pub(crate) fn cleaned(mut self, key: Option<&str>) -> Self {
        if let Some(key) = key.filter(|key| !key.is_empty()) {
            self.message = self.message.replace(key, "[key]");
        }
        if let Some((end, _)) = self.message.char_indices().nth(MESSAGE_CHARS_MAX) {
            self.message.truncate(end);
        }
        self
    }

    pub(crate) fn mentions(&self, text: &str) -> bool {
        self.message.to_ascii_lowercase().contains(text)
    }
}

impl fmt::Display for ProviderFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.status)?;
        if let Some(code) = &self.code {
            write!(f, " {code}")?;
        }
        if !self.message.is_empty() {
            write!(f, ": {}", self.message)?;
        }
        match &self.request_id {
            Some(id) => write!(f, "; request {id}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_the_provider_repeats_is_removed() {
        let fault = ProviderFault { message: "bad key sk-secret here".to_owned(), ..Default::default() };
        assert_eq!(fault.cleaned(Some("sk-secret")).message, "bad key [key] here");
    }

    #[test]
    fn a_long_message_is_cut_between_characters() {
        let fault = ProviderFault { message: "é".repeat(5_000), ..Default::default() };
        assert_eq!(fault.cleaned(None).message.chars().count(), MESSAGE_CHARS_MAX);
    }

    #[test]
    fn only_calls_without_an_outcome_may_be_billed() {
        let provider = Provider::OpenAi;
        let timed_out = ModelError::TimedOut { provider, time_max: Duration::from_secs(1) };
        assert!(timed_out.may_be_billed() && timed_out.is_temporary() && !timed_out.is_retried());
        let unreached = ModelError::Unreached { provider, reason: String::new() };
        assert!(!unreached.may_be_billed() && unreached.is_retried());
    }
}
